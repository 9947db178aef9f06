//! A customer buys a bicycle.
//!
//! ```text
//! /buy            → Which bicycle?  [City for 400] [Tour for 900]
//! ‹City for 400›  → The City is yours. Come and fetch it!
//! ```

use steadfast::prelude::*;

use crate::records::{Bicycle, BuyBicycle};

/// The question of a purchase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Buy {
    /// A list of the bicycles in stock.
    Model,
}

impl Flow for Buy {
    const NAME: &'static str = "buy";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        if let Input::Refused(refusal) = &turn.input {
            return (refusal.flow == Self::NAME).then(|| rejected(refusal));
        }
        turn.begins(Self::NAME).then(|| goto(Self::Model))
    }

    fn reads(&self) -> Vec<Read> {
        vec![read("bicycles", "")]
    }

    fn ask(&self, cx: &Context) -> Prompt {
        let bicycles: Vec<Bicycle> = cx.read("bicycles");
        if bicycles.is_empty() {
            return say("buy-none");
        }
        bicycles.iter().fold(say("buy-ask"), |prompt, it| {
            let label = text("buy-item").with("model", it.model.clone()).with("price", it.price);
            prompt.row([choice(label, it.model.clone())])
        })
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        if let Input::Refused(refusal) = &turn.input {
            return Ok(rejected(refusal));
        }
        let model = turn.choice("buy-hint")?.to_owned();
        let said = text("buy-done").with("model", model.clone());
        Ok(done().record(BuyBicycle { model }).say(said))
    }
}

/// Tells the customer that the bicycle could not be sold, and shows the others.
fn rejected(refusal: &steadfast::dialogue::Refusal) -> Step<Buy> {
    let model = refusal.command["model"].as_str().unwrap_or_default().to_owned();
    goto(Buy::Model).say(text("buy-sold-out").with("model", model))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn customer_buys_a_bicycle() {
        let bot = crate::bot().repertoire();
        let mut chat = TestChat::sketch(&bot);
        let city = Bicycle { model: "City".to_owned(), price: 400, stock: 1 };
        chat.knows(read("bicycles", ""), [city]);
        chat.types("/buy").hears("Which bicycle?").presses("City for 400").at("idle");
        chat.records(BuyBicycle { model: "City".to_owned() }).hears("The City is yours.");
    }
}
