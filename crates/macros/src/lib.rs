//! Attribute macros of the public API of `steadfast`. There are none yet.
