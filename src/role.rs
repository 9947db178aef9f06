//! The roles of the company.

use steadfast::dialogue::Role;

/// Runs the company.
pub const OWNER: Role = Role::new("owner");
/// Takes orders and answers people.
pub const DISPATCHER: Role = Role::new("dispatcher");
/// Carries orders out.
pub const MASTER: Role = Role::new("master");
/// Works in shifts.
pub const WORKER: Role = Role::new("worker");

/// Every role, in the order in which people see them.
pub const ROLES: &[Role] = &[OWNER, DISPATCHER, MASTER, WORKER];
