//! The page as people use it: a real browser before the real program.
//!
//! Pictures of what was seen go to `target/artefacts/`.

mod access;
mod alone;
mod bare;
mod business;
mod guide;
mod inspector;
mod likeness;
mod mishaps;
mod people;
mod phone;
mod photos;
mod trials;
mod visitor;
