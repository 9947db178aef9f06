//! What the tests stand on.

pub(crate) mod bed;
pub(crate) mod faulty;
pub(crate) mod retrying;
