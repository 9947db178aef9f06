//! What is known of a report while it is asked for.

use super::super::order::words::equipment;
use super::ReportFlow;
use crate::money::Money;
use crate::records::order::Card;
use crate::records::report::CloseOrder;
use steadfast::dialogue::prelude::*;

/// What is known of a report so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The order's number.
    pub no: i64,
    /// What the client paid.
    pub amount: Option<Money>,
    /// What was used; empty for nothing.
    pub materials: Option<String>,
    /// Whether the client has written a review.
    pub review: Option<bool>,
}

impl Draft {
    /// Nothing yet, of this order.
    pub(super) fn new(no: i64) -> Self {
        Self { no, amount: None, materials: None, review: None }
    }

    /// As it was before it was confirmed.
    pub(super) fn of(report: CloseOrder) -> Self {
        Self {
            no: report.no,
            amount: Some(report.amount),
            materials: Some(report.materials),
            review: Some(report.review),
        }
    }

    /// The question about the first thing that is missing; else whether all of it is right.
    pub(super) fn next(self) -> ReportFlow {
        let draft = self;
        match &draft {
            Self { amount: None, .. } => ReportFlow::Amount { draft },
            Self { materials: None, .. } => ReportFlow::Materials { draft },
            Self { review: None, .. } => ReportFlow::Review { draft },
            _ => ReportFlow::Confirm { draft },
        }
    }

    /// The question about the field of this name, which stays as it is until it is answered anew.
    pub(super) fn about(self, field: &str) -> ReportFlow {
        let draft = self;
        match field {
            "order" => ReportFlow::Which { page: 0, draft: Some(draft) },
            "amount" => ReportFlow::Amount { draft },
            "materials" => ReportFlow::Materials { draft },
            "review" => ReportFlow::Review { draft },
            _ => draft.next(),
        }
    }

    /// Whether nothing is missing.
    pub(super) fn is_complete(&self) -> bool {
        self.amount.is_some() && self.materials.is_some() && self.review.is_some()
    }

    /// Without the field of this name, which is to be asked for anew.
    pub(super) fn without(mut self, field: &str) -> Self {
        match field {
            "amount" => self.amount = None,
            "materials" => self.materials = None,
            "review" => self.review = None,
            _ => {}
        }
        self
    }

    /// Everything that was said so far, to be confirmed.
    pub(super) fn summary(&self, card: Option<Card>) -> Text {
        let kind = card.map_or_else(Text::default, |card| equipment(&card.details.equipment));
        self.told("report-summary").with("equipment", kind)
    }

    /// A text that mentions what the report says.
    pub(super) fn told(&self, key: &'static str) -> Text {
        let materials = match self.materials.as_deref().unwrap_or_default() {
            "" => text("report-materials-none"),
            materials => text(materials.to_owned()),
        };
        let review = match self.review {
            Some(true) => "report-yes",
            Some(false) | None => "report-no",
        };
        text(key)
            .with("no", self.no.to_string())
            .with("amount", self.amount.unwrap_or_default())
            .with("materials", materials)
            .with("review", text(review))
    }
}
