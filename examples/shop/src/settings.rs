//! The variables of the shop.

use steadfast::config::{Env, Invalid, Settings, Variable};

/// The settings of the shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shop {
    /// Name of the shop, for the public catalogue.
    pub name: String,
    /// Number of bicycles that one customer may buy.
    pub max_per_customer: i64,
}

impl Settings for Shop {
    const VARIABLES: &'static [Variable] = &[
        Variable::with_default(
            "SHOP_NAME",
            "Bicycles",
            "Name of the shop in the public catalogue.",
        ),
        Variable::with_default(
            "SHOP_MAX_PER_CUSTOMER",
            "2",
            "Number of bicycles that one customer may buy.",
        ),
    ];

    fn read(env: &mut Env<'_>) -> Result<Self, Invalid> {
        let name = env.parse("SHOP_NAME", |name| Ok(name.to_owned()));
        let max_per_customer = env.parse("SHOP_MAX_PER_CUSTOMER", |text| match text.parse() {
            Ok(count @ 1..) => Ok(count),
            _ => Err("expected a number of at least 1".to_owned()),
        });
        Ok(Self { name: name?, max_per_customer: max_per_customer? })
    }
}
