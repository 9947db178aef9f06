//! Where people work: objects with their time slots and tasks, as an owner has set them up, and what the bot says of them.

use crate::support::updates::now;

use super::pay::money;

const DAY_MINUTES: i64 = 24 * 60;

/// An object.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) name: &'static str,
    /// What an hour earns, in minor units: so much that every millisecond shows in the pay.
    pub(super) rate: i64,
    pub(super) slots: Vec<Slot>,
    /// In the order in which they are listed.
    pub(super) tasks: &'static [Task],
}

/// A time slot of every day, in minutes after midnight.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) from: i64,
    pub(super) until: i64,
    /// How many minutes late is not late.
    pub(super) grace: i64,
    pub(super) penalty: i64,
    /// Whether whoever begins now is late.
    pub(super) is_late: bool,
}

/// Something to be done.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) title: &'static str,
    /// What doing it brings, or not doing it costs.
    pub(super) price: i64,
    pub(super) is_bonus: bool,
    pub(super) needs_photo: bool,
}

const DEPOT: &[Task] = &[
    Task { title: "Lock up", price: 3_300, is_bonus: false, needs_photo: true },
    Task { title: "Greet", price: 550, is_bonus: true, needs_photo: false },
    Task { title: "Sweep", price: 10_000, is_bonus: true, needs_photo: true },
];

const SHOP: &[Task] =
    &[Task { title: "Count the till", price: 1_234, is_bonus: false, needs_photo: true }];

/// Two of them: in one there are two time slots to choose from, one of which began an hour ago, and in the other there is one.
pub(super) fn sites() -> Vec<Site> {
    let minute = i64::try_from(now() / 60).expect("minutes");
    let wall = |hours: i64| (minute + hours * 60).rem_euclid(DAY_MINUTES);
    let slot = |from: i64, grace: i64, penalty: i64| Slot {
        from: wall(from),
        until: wall(9),
        grace,
        penalty,
        is_late: from < 0,
    };
    let (begun, soon) = (slot(-1, 10, 10_000), slot(1, 600, 2_000));
    vec![
        Site { name: "Depot", rate: 36_000_000, slots: vec![begun, soon.clone()], tasks: DEPOT },
        Site { name: "Shop", rate: 12_345_678, slots: vec![soon], tasks: SHOP },
    ]
}

impl Site {
    /// What a shift would be opened on.
    pub(super) fn offer(&self, slot: &Slot) -> String {
        let Self { name, tasks, .. } = self;
        let tasks: Vec<String> = tasks.iter().map(|task| task.label(false)).collect();
        let (grace, penalty) = (slot.grace, money(-slot.penalty));
        format!(
            "<b>{name}</b>, {} an hour\n🕘 {}. More than {grace} min late: {penalty}\n\n{}",
            money(self.rate),
            slot.hours(),
            tasks.join("\n"),
        )
    }
}

impl Slot {
    /// As people read it.
    pub(super) fn hours(&self) -> String {
        let wall = |minutes: i64| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        format!("{}–{}", wall(self.from), wall(self.until))
    }
}

impl Task {
    /// In a list.
    pub(super) fn label(&self, is_done: bool) -> String {
        let tick = if is_done { "✅" } else { "⬜️" };
        let photo = if self.needs_photo { " 📷" } else { "" };
        format!("{tick} {} · {}{photo}", self.title, self.worth())
    }

    /// By itself, and what to do about it.
    pub(super) fn card(&self) -> String {
        let advice = match self.needs_photo {
            true => "Send a photo that shows it is done.",
            false => "Press “Done” when it is. You may send a photo of it.",
        };
        format!("<b>{}</b> · {}\n{advice}", self.title, self.worth())
    }

    /// By itself, with so many photos that show it.
    pub(super) fn shown(&self, photos: usize) -> String {
        let photos = match photos {
            1 => "One photo".to_owned(),
            _ => format!("{photos} photos"),
        };
        format!("✅ <b>{}</b> is done. {photos}. You may send more.", self.title)
    }

    /// What it comes to in the pay, if it is in it.
    pub(super) fn part(&self, is_done: bool) -> Option<(String, i64)> {
        let title = self.title;
        match (self.is_bonus, is_done) {
            (true, true) => Some((title.to_owned(), self.price)),
            (true, false) => None,
            (false, true) => Some((format!("{title}, done"), 0)),
            (false, false) => Some((format!("{title}, not done"), -self.price)),
        }
    }

    fn worth(&self) -> String {
        match self.is_bonus {
            true => format!("+{}", money(self.price)),
            false => money(-self.price),
        }
    }
}
