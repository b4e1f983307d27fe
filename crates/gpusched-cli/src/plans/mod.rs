//! Task sets and plans: how to generate, test, partition, verify and export them.

mod explanation;
pub mod export;
pub mod generate;
pub mod partition;
pub mod test;
pub mod verify;

use super::{Format, Global, Outcome, complain};
