//! The field-service bot: the flows, records and rules of a company that repairs things.

pub mod export;
pub mod flows;
pub mod hours;
pub mod media;
pub mod money;
pub mod pay;
pub mod phone;
mod playground;
pub mod records;
pub mod role;
mod settings;

pub use settings::{Company, DECLARED, Retention};

use role::ROLES;

use crate::bot::{Bot, Routes};

/// Returns the bot of the company.
pub fn bot() -> Bot<Company> {
    crate::bot!()
        .settings::<Company>()
        .roles(ROLES)
        .texts("en", include_str!("company/flows/i18n/en.ftl"))
        .texts("ru", include_str!("company/flows/i18n/ru.ftl"))
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
    #[test]
    fn bot_has_no_faults() {
        assert_eq!(super::bot().check(), Ok(()));
    }
}
