//! The people of the declared playground.

use crate::bot::Playground;
use crate::emulator::{Cannot, Emulator, Group, Person};

/// The id of the first person; the others follow.
const FIRST: i64 = 5001;

/// Brings the people in, unless somebody is there already.
pub(super) fn gather(emulator: &Emulator, declared: &Playground) -> Result<(), Cannot> {
    if !emulator.people().is_empty() {
        return Ok(());
    }
    let mut members = Vec::new();
    for (id, user) in (FIRST..).zip(declared.users()) {
        let role = (!user.roles.is_empty()).then(|| user.roles.join(", "));
        emulator.add_person(Person {
            id,
            language_code: user.language.to_owned(),
            role,
            ..Person::named(user.name)
        });
        let is_member =
            declared.user_group().is_some_and(|group| group.members.contains(&user.name));
        members.extend(is_member.then_some(id));
    }
    let Some(declared) = declared.user_group() else {
        return Ok(());
    };
    let group = Group {
        title: declared.title.to_owned(),
        members,
        kind: "supergroup".to_owned(),
        ..Group::default()
    };
    emulator.add_group(group).map(drop)
}
