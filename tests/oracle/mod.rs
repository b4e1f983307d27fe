//! Reference implementations: slow, simple code that the tests compare with the library. They
//! share only data types with the library.
// A reference implementation that cannot continue must panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod checker;
pub mod demand;
pub mod equal_split;
pub mod random_sets;
pub mod round_sets;
pub mod simulation;
pub mod small_sets;
pub mod transcription;
