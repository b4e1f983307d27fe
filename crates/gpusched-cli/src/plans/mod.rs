//! Task sets and plans: how to generate, test, partition, verify, export and run them.

mod explanation;
pub mod export;
pub mod generate;
pub mod partition;
pub mod run;
pub mod test;
pub mod verify;

use super::{Format, Global, Outcome, complain};
