//! Experiments as data: their results as tables, and the published claims those results confirm or do not.

pub mod claim;
pub mod table;

pub use claim::{Claim, Finding, check};
pub use table::Table;
