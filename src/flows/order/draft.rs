//! What is known of an order while it is asked for.

use serde::{Deserialize, Serialize};

use super::OrderFlow;
use crate::phone::Phone;
use crate::records::order::{CreateOrder, Details};

/// What is known of an order so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The id that the order will have: confirmed twice, it is one order.
    pub id: String,
    /// What is to be repaired: one of the usual kinds, or the dispatcher's own words.
    pub equipment: Option<String>,
    /// What is wrong with it.
    pub problem: Option<String>,
    /// The client's name.
    pub client: Option<String>,
    /// Where it is.
    pub address: Option<String>,
    /// The client's number.
    pub phone: Option<Phone>,
    /// Who shall do it.
    pub master: Option<Assignee>,
}

/// Who shall carry an order out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assignee {
    /// Whoever takes it first.
    All,
    /// This master.
    One(i64),
}

impl Draft {
    /// Nothing yet, for an order of this id.
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            equipment: None,
            problem: None,
            client: None,
            address: None,
            phone: None,
            master: None,
        }
    }

    /// As it was before it was confirmed.
    pub fn of(order: &CreateOrder) -> Self {
        let details = order.details.clone();
        Self {
            id: order.id.clone(),
            equipment: Some(details.equipment),
            problem: Some(details.problem),
            client: Some(details.client),
            address: Some(details.address),
            phone: Some(details.phone),
            master: Some(order.master.map_or(Assignee::All, Assignee::One)),
        }
    }

    /// The question about the first thing that is missing; else whether all of it is right.
    pub fn next(self) -> OrderFlow {
        let draft = self;
        match &draft {
            Self { equipment: None, .. } => OrderFlow::Equipment { draft },
            Self { problem: None, .. } => OrderFlow::Problem { draft },
            Self { client: None, .. } => OrderFlow::Client { draft },
            Self { address: None, .. } => OrderFlow::Address { draft },
            Self { phone: None, .. } => OrderFlow::Phone { draft },
            Self { master: None, .. } => OrderFlow::Master { draft, page: 0 },
            _ => OrderFlow::Confirm { draft },
        }
    }

    /// The question about the field of this name, which stays as it is until it is answered anew.
    pub fn about(self, field: &str) -> OrderFlow {
        let draft = self;
        match field {
            "equipment" => OrderFlow::Equipment { draft },
            "problem" => OrderFlow::Problem { draft },
            "client" => OrderFlow::Client { draft },
            "address" => OrderFlow::Address { draft },
            "phone" => OrderFlow::Phone { draft },
            "master" => OrderFlow::Master { draft, page: 0 },
            _ => draft.next(),
        }
    }

    /// Whether nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.details().is_some() && self.master.is_some()
    }

    /// Without the field of this name, which is to be asked for anew.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        match field {
            "equipment" => self.equipment = None,
            "problem" => self.problem = None,
            "client" => self.client = None,
            "address" => self.address = None,
            "phone" => self.phone = None,
            "master" => self.master = None,
            _ => {}
        }
        self
    }

    /// What the order is about, once all of it is known.
    pub fn details(&self) -> Option<Details> {
        Some(Details {
            equipment: self.equipment.clone()?,
            problem: self.problem.clone()?,
            client: self.client.clone()?,
            address: self.address.clone()?,
            phone: self.phone.clone()?,
        })
    }
}
