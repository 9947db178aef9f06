//! A flow that reads and takes a coupon.

use steadfast::dialogue::prelude::*;
use steadfast::dialogue::{Deed, TestChat};
use steadfast::records::Verdict;

use crate::support::coupon::{Coupon, TakeCoupon};
use crate::support::ledger::{Ledger, person};

/// Which coupon, and then whether to take it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
enum Taking {
    Code,
    Confirm { code: String },
}

impl Flow for Taking {
    const NAME: &'static str = "coupon";

    fn open(turn: &Turn) -> Option<Step<Self>> {
        turn.begins(Self::NAME).then(|| goto(Self::Code))
    }

    fn ask(&self, view: &Context) -> Prompt {
        match self {
            Self::Code => say("Which coupon?"),
            Self::Confirm { .. } => match view.read::<Option<Coupon>>("coupon") {
                None => say("There is none of that name."),
                Some(Coupon { taken_by: Some(_), .. }) => say("Somebody has it."),
                Some(_) => say("Shall it be yours?").row([choice("Yes", "yes")]),
            },
        }
    }

    fn answer(self, turn: &Turn) -> Answer<Self> {
        Ok(match self {
            Self::Code => goto(Self::Confirm { code: turn.text("Its code, please.")? }),
            Self::Confirm { code } => {
                turn.choice("Please press the button.")?;
                done().record(TakeCoupon { code }).say("It is yours.")
            }
        })
    }

    fn reads(&self) -> Vec<Read> {
        match self {
            Self::Code => Vec::new(),
            Self::Confirm { code } => vec![read("coupon", code)],
        }
    }
}

pub(super) async fn a_flow_reads_and_takes_a_coupon(ledger: Ledger) {
    ledger.coupon("spring").await;
    let coupon = ledger.fetch(&person(7), "coupon", "spring").await.expect("read");
    let bot = Repertoire::new(Texts::default()).with::<Taking>();
    let mut chat = TestChat::sketch(&bot);
    chat.knows(read("coupon", "spring"), coupon).types("/coupon").types("spring");
    chat.hears("Shall it be yours?").presses("Yes").hears("It is yours.");
    let confirm = Taking::Confirm { code: "spring".to_owned() };
    let step = confirm.answer(&Input::Choice("yes".to_owned()).into()).expect("a step");
    let [Deed::Record(command), Deed::Say(_)] = &*step.deeds else {
        panic!("{:?}", step.deeds);
    };
    assert_eq!(ledger.order("e1", 7, command.clone()).await, Verdict::Applied);
    assert_eq!(ledger.holder("spring").await, Some(7));
}
