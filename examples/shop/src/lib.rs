//! The bot of a bicycle shop. It shows everything that a bot can add to the framework.
//!
//! - [`buy`] and [`stock`]: the flows, for customers and for sellers.
//! - [`records`]: a table, two commands and two lookups.
//! - [`settings`]: two variables of its own.
//! - [`audit`]: a tower layer around each turn.
//! - [`sales`]: a route for operators, a public route, and a subcommand.

use steadfast::bot::{Playground, Routes};
use steadfast::prelude::*;

pub mod audit;
pub mod buy;
pub mod records;
pub mod sales;
pub mod settings;
pub mod stock;

/// May put bicycles into stock. `SELLER_IDS` names the sellers.
pub const SELLER: Role = Role::new("seller");

/// Returns the bot.
pub fn bot() -> Bot<settings::Shop> {
    steadfast::bot!()
        .settings::<settings::Shop>()
        .roles(&[SELLER])
        .texts("en", include_str!("texts/en.ftl"))
        .texts("ru", include_str!("texts/ru.ftl"))
        .flow::<buy::Buy>()
        .flow::<stock::Stock>()
        .records(records::schema)
        .transitions(include_str!("transitions.txt"))
        .layer(audit::AuditLayer)
        .routes(Routes::public(sales::catalogue))
        .routes(Routes::operator(sales::report))
        .subcommand::<sales::Sales>()
        .playground(Playground::new().user("Sam", &[SELLER]).user("Cleo", &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bot_has_no_faults() {
        assert_eq!(bot().check(), Ok(()));
    }
}
