//! The people there are at first.

use crate::emulator::{Cannot, Emulator, Group, Person};

/// Id, name, language, role.
const PEOPLE: [(i64, &str, &str, &str); 6] = [
    (5001, "Ann", "en", "dispatcher"),
    (5002, "Вера", "ru", "worker"),
    (5003, "Иван", "ru", "master"),
    (5004, "Olga", "en", "dispatcher"),
    (5005, "Павел", "ru", "owner"),
    (5006, "Ben", "en", "worker"),
];
/// Those who work together, in a group.
const CREW: [i64; 4] = [5003, 5004, 5005, 5006];

/// Brings the people in, unless somebody is there already.
pub(super) fn gather(emulator: &Emulator) -> Result<(), Cannot> {
    if !emulator.people().is_empty() {
        return Ok(());
    }
    for (id, name, language, role) in PEOPLE {
        emulator.add_person(Person {
            id,
            language_code: language.to_owned(),
            role: Some(role.to_owned()),
            ..Person::named(name)
        });
    }
    let crew = Group {
        title: "The crew".to_owned(),
        members: CREW.to_vec(),
        kind: "supergroup".to_owned(),
        ..Group::default()
    };
    emulator.add_group(crew).map(drop)
}
