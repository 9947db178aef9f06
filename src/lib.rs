//! The field-service bot: the flows, records and rules of a company that repairs things.

pub mod export;
pub mod flows;
pub mod hours;
pub mod media;
mod moment;
pub mod money;
pub mod pay;
pub mod phone;
mod playground;
pub mod records;
pub mod role;
mod settings;

pub use settings::{Company, DECLARED, Retention};

use role::ROLES;

use steadfast::bot::{Bot, Routes};

/// Returns the bot of the company.
pub fn bot() -> Bot<Company> {
    steadfast::bot!()
        .settings::<Company>()
        .roles(ROLES)
        .texts("en", include_str!("texts/en.ftl"))
        .texts("ru", include_str!("texts/ru.ftl"))
        .texts_of_settings(flows::texts_of_settings)
        .flow::<flows::photo::PhotoFlow>()
        .flow::<flows::order::OrderFlow>()
        .flow::<flows::orders::OrdersFlow>()
        .flow::<flows::report::ReportFlow>()
        .flow::<flows::support::SupportFlow>()
        .flow::<flows::shift::ShiftFlow>()
        .flow::<flows::manage::ManageFlow>()
        .flow::<flows::invite::InviteFlow>()
        .flow::<flows::join::JoinFlow>()
        .flow::<flows::onboarding::OnboardingFlow>()
        .flow::<flows::privacy::PrivacyFlow>()
        .flow::<flows::language::LanguageFlow>()
        .records(records::schema)
        .transitions(flows::EDGES)
        .worker(media::downloads)
        .finding(media::finding)
        .routes(Routes::operator(export::routes))
        .subcommand::<export::Export>()
        .playground(playground::playground())
        .sample(records::sample::furnish)
}

#[cfg(test)]
mod tests {
    use steadfast::dialogue::Member;
    use steadfast::server::commands;

    use super::*;

    #[test]
    fn bot_has_no_faults() {
        assert_eq!(bot().check(), Ok(()));
    }

    /// Telegram refuses a whole list because of one bad command.
    #[test]
    fn telegram_accepts_every_command_of_the_bot() {
        let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
        for list in commands::lists(&flows::all(), &Member::with(ROLES)) {
            assert!((6..=100).contains(&list.commands.len()));
            for command in list.commands {
                let (name, words) = (&command.command, &command.description);
                assert!(name.len() <= 32 && name.chars().all(is_plain), "{name}");
                assert!((3..=256).contains(&words.chars().count()), "{words}");
                assert_ne!(words, &format!("{name}-command"), "it has no text");
            }
        }
    }
}
