//! A customer buys a bicycle.
//!
//! ```text
//! /buy            → Which bicycle? You have bought 0 so far.  [City for 400] [Tour for 900]
//! ‹City for 400›  → The City is yours. Come and fetch it!
//! ```
//!
//! Two customers may press the button for the last bicycle. The command [`BuyBicycle`] decides who gets it, and the other
//! customer gets the rejection.

use steadfast::dialogue::Refusal;
use steadfast::prelude::*;

use crate::records::{Bicycle, BuyBicycle, TOO_MANY};

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
        match &turn.input {
            Input::Refused(refusal) => (refusal.flow == Self::NAME).then(|| rejected(refusal)),
            _ => turn.begins(Self::NAME).then(|| goto(Self::Model)),
        }
    }

    fn reads(&self) -> Vec<Read> {
        vec![read("bicycles", ""), read("bought", "")]
    }

    fn ask(&self, cx: &Context) -> Prompt {
        let bicycles: Vec<Bicycle> = cx.read("bicycles");
        if bicycles.is_empty() {
            return say("buy-none");
        }
        let bought: i64 = cx.read("bought");
        let question = say(text("buy-ask").with("bought", bought));
        bicycles.into_iter().fold(question, |question, bicycle| {
            let label = text("buy-item").with("model", bicycle.model.clone());
            question.row([choice(label.with("price", bicycle.price), bicycle.model)])
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

/// Tells the customer why the bicycle could not be sold. After `sold_out` the others are shown.
fn rejected(refusal: &Refusal) -> Step<Buy> {
    if refusal.reason == TOO_MANY {
        return done().say("buy-too-many");
    }
    let model = refusal.command["model"].as_str().unwrap_or_default().to_owned();
    goto(Buy::Model).say(text("buy-sold-out").with("model", model))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::records::SOLD_OUT;

    fn city() -> Bicycle {
        Bicycle { model: "City".to_owned(), price: 400, stock: 1 }
    }

    fn rejection(reason: &str) -> Input {
        let command = json!(BuyBicycle { model: "City".to_owned() });
        Input::Refused(Refusal { flow: Buy::NAME.to_owned(), reason: reason.to_owned(), command })
    }

    #[test]
    fn customer_buys_a_bicycle() {
        let (flows, transitions) = (crate::bot().repertoire(), crate::bot().edges());
        let mut chat = TestChat::new(&flows, &transitions);
        chat.knows(read("bicycles", ""), [city()]).knows(read("bought", ""), 1);
        chat.types("/buy").hears("Which bicycle? You have bought 1 so far.");
        chat.presses("City for 400").at("idle").hears("The City is yours.");
        chat.records(BuyBicycle { model: "City".to_owned() });
    }

    #[test]
    fn slower_customer_sees_the_other_bicycles() {
        let (flows, transitions) = (crate::bot().repertoire(), crate::bot().edges());
        let mut chat = TestChat::new(&flows, &transitions);
        chat.knows(read("bicycles", ""), [city()]).knows(read("bought", ""), 0);
        for _ in ["idle", "asked again"] {
            chat.does(rejection(SOLD_OUT)).hears("the City is sold out").at("buy/model");
        }
    }

    #[test]
    fn customer_with_enough_bicycles_buys_no_more() {
        let (flows, transitions) = (crate::bot().repertoire(), crate::bot().edges());
        let mut chat = TestChat::new(&flows, &transitions);
        chat.does(rejection(TOO_MANY)).hears("as many bicycles as one customer may").at("idle");
    }
}
