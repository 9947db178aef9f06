//! The settings of the company.

use std::path::PathBuf;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::records::onboarding;
use super::role::ROLES;
use steadfast::config::{Declared, Dialogue, Env, Invalid, Settings, Variable, duration};

/// The parts of the bot that decide which variables there are.
pub const DECLARED: Declared = Declared { roles: ROLES, has_records: true };

/// The company that the bot works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// The zone of whatever names none of its own.
    pub zone: TimeZone,
    /// The sign of the money it counts in, as people read it.
    pub currency: String,
    /// The directory of the photos of tasks; none: they are not downloaded.
    pub media: Option<PathBuf>,
    /// How long personal data is kept.
    pub retention: Retention,
}

/// How long personal data is kept; nothing: for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retention {
    /// Telegram's ids of photos, by which they can be had again, and the captions to them.
    pub photos: Option<Duration>,
    /// Phone numbers.
    pub phones: Option<Duration>,
    /// What was said in a dialogue that was not finished: as long as that would have waited.
    pub drafts: Option<Duration>,
}

impl Default for Company {
    fn default() -> Self {
        Self {
            zone: TimeZone::UTC,
            currency: "₽".to_owned(),
            media: None,
            retention: Retention::default(),
        }
    }
}

impl Settings for Company {
    const VARIABLES: &'static [Variable] = &[
        Variable::with_default(
            "TIMEZONE",
            "UTC",
            "The time zone of objects that name none, such as Europe/Moscow.",
        ),
        Variable::with_default("CURRENCY", "₽", "The sign of the money that is counted in."),
        Variable::new(
            "MEDIA_DIR",
            "Where photos that show finished tasks are downloaded to. Several replicas need one that they share. Not set: nowhere.",
        ),
        Variable::with_default(
            "PHOTO_RETENTION",
            "365d",
            "How long photos are kept: Telegram's ids of them and their captions in the records, and files in MEDIA_DIR; off keeps them for good.",
        ),
        Variable::with_default(
            "PHONE_RETENTION",
            "365d",
            "How long phone numbers are kept in the records, a client's from when the order is closed; off keeps them for good.",
        ),
    ];

    fn read(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let zone = env.parse("TIMEZONE", zone);
        let currency = env.parse("CURRENCY", currency);
        let media = env.optional("MEDIA_DIR", |text| Ok(text.into()));
        let retention = retention(env);
        Ok(Self { zone: zone?, currency: currency?, media: media?, retention: retention? })
    }
}

/// Reads how long personal data is kept: drafts for as long as their dialogues wait.
fn retention(env: &mut Env<'_>) -> Result<Retention, Invalid> {
    let photos = env.parse("PHOTO_RETENTION", age);
    let phones = env.parse("PHONE_RETENTION", age);
    let dialogue = Dialogue::gather(env)?;
    let waits = dialogue.state_ttl.unwrap_or(onboarding::WAITS);
    Ok(Retention { photos: photos?, phones: phones?, drafts: Some(waits + dialogue.data_ttl) })
}

/// A day at least, or for good.
fn age(text: &str) -> Result<Option<Duration>, String> {
    let day = Duration::from_secs(86_400);
    match duration(text) {
        _ if text == "off" => Ok(None),
        Ok(time) if time >= day => Ok(Some(time)),
        _ => Err("expected at least a day, such as `365d`, or `off` to keep it for good".into()),
    }
}

fn zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name)
        .map_err(|_| "expected the name of a time zone, such as `Europe/Moscow`".to_owned())
}

fn currency(sign: &str) -> Result<String, String> {
    match sign.chars().count() {
        1..=8 => Ok(sign.to_owned()),
        _ => Err("expected a sign of at most eight characters, such as `₽` or `EUR`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use steadfast::config::{Config, Mode, Problems, env_example, faults};

    fn read(pairs: &[(&str, &str)]) -> Result<Config<Company>, Problems> {
        let least = [("BOT_TOKEN", "1:abc")];
        let map: HashMap<_, _> = least.iter().chain(pairs).copied().collect();
        Config::read(&|name| map.get(name).map(ToString::to_string), Mode::Poll, &DECLARED)
    }

    #[test]
    fn example_lists_every_variable_with_its_default() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/.env.example");
        let variables = DECLARED.variables::<Company>();
        assert_eq!(faults(&variables), Vec::<String>::new());
        let example = env_example(&variables);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, &example).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(kept, example, "write it anew with `BLESS=1 cargo test example_lists`");
    }

    #[test]
    fn personal_data_is_kept_for_a_year_or_as_long_as_is_said() {
        let kept = |pairs: &[_]| read(pairs).unwrap().settings.retention;
        let days = |days: u64| Some(Duration::from_secs(days * 86_400));
        assert_eq!((kept(&[]).photos, kept(&[]).phones), (days(365), days(365)));
        let own = kept(&[("PHOTO_RETENTION", "off"), ("PHONE_RETENTION", "30d")]);
        assert_eq!((own.photos, own.phones), (None, days(30)));
        let drafts = kept(&[("STATE_TTL", "1d"), ("DATA_TTL", "2d")]).drafts;
        assert_eq!(drafts, days(3));
    }

    #[test]
    fn bad_value_is_reported_once_by_its_name() {
        for (name, value) in [
            ("TIMEZONE", "Middle/Earth"),
            ("CURRENCY", "roubles and kopeks"),
            ("PHOTO_RETENTION", "an hour"),
            ("PHONE_RETENTION", "1h"),
            ("DATA_TTL", "400d"),
            ("DEFAULT_ROLE", "king"),
        ] {
            let Problems(problems) = read(&[(name, value)]).unwrap_err();
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert!(problems[0].starts_with(name), "{problems:?}");
        }
    }
}
