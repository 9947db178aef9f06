//! A seller puts bicycles into stock.
//!
//! ```text
//! /stock  → Which model?
//! City    → What does it cost, in whole euros?
//! 400     → How many are there?
//! 3       → 3 × City in stock.
//! ```

use steadfast::prelude::*;

use crate::SELLER;
use crate::records::AddBicycles;

/// The questions about bicycles that arrive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Stock {
    /// Name of the model.
    Model,
    /// Price of one.
    Price {
        /// Name of the model.
        model: String,
    },
    /// Number of bicycles.
    Count {
        /// Name of the model.
        model: String,
        /// Price of one, in whole euros.
        price: u32,
    },
}

impl Flow for Stock {
    const NAME: &'static str = "stock";
    const ROLES: &'static [Role] = &[SELLER];

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Model))
    }

    fn ask(&self, _: &Context) -> Prompt {
        match self {
            Self::Model => say("stock-ask-model"),
            Self::Price { .. } => say("stock-ask-price"),
            Self::Count { .. } => say("stock-ask-count"),
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        Ok(match self {
            Self::Model => goto(Self::Price { model: turn.text("stock-hint-model")? }),
            Self::Price { model } => {
                goto(Self::Count { model, price: turn.parse("stock-hint-number")? })
            }
            Self::Count { model, price } => {
                let count: u32 = turn.parse("stock-hint-number")?;
                let said = text("stock-done").with("model", model.clone()).with("count", count);
                done().record(AddBicycles { model, price, count }).say(said)
            }
        })
    }

    fn back(self) -> Option<Self> {
        match self {
            Self::Model => None,
            Self::Price { .. } => Some(Self::Model),
            Self::Count { model, .. } => Some(Self::Price { model }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seller_puts_bicycles_into_stock() {
        let (flows, transitions) = (crate::bot().repertoire(), crate::bot().edges());
        let mut chat = TestChat::new(&flows, &transitions);
        chat.is([SELLER]).types("/stock").types("City").types("much").hears("A whole number");
        chat.types("400").types("3").at("idle").hears("3 × City in stock.");
        chat.records(AddBicycles { model: "City".to_owned(), price: 400, count: 3 });
    }
}
