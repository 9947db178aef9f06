//! The field-service bot: the flows, records and rules of a company that repairs things.

pub mod flows;
pub mod hours;
pub mod media;
pub mod money;
pub mod pay;
pub mod phone;
pub mod records;
pub mod role;
mod settings;

pub use settings::{Company, DECLARED, Retention};
