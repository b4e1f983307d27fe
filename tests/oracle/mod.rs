//! Slow, obvious twins of the library's fast paths. They share its data types and nothing else.
// One that cannot go on must fail loudly.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod checker;
pub mod demand;
pub mod equal_split;
pub mod random_sets;
pub mod simulation;
pub mod small_sets;
pub mod transcription;
