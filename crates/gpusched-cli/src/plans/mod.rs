//! Task sets and plans: how to generate, test, partition, verify, change, export and run them.

pub mod end_to_end;
mod explanation;
pub mod export;
pub mod generate;
pub mod pages;
pub mod partition;
pub mod run;
pub mod test;
pub mod verify;
pub mod what_if;
