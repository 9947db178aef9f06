//! The rules of the store over a sorted map of bytes.
