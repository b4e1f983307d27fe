//! Memory bandwidth budgets of best-effort cores in a system. `docs/explanation/budgets-end-to-end.md` has the rules of the
//! regulation.
//!
//! * `fields`: budgets and profiles as a file states them, and groups of segments with equal budgets;
//! * `process`: the task that chooses budgets at run time;
//! * `regulated`: memory times of segments, and plain systems without budgets;
//! * `chosen`: budgets and WCETs in results.

mod chosen;
mod fields;
mod process;
mod regulated;

pub use chosen::{BudgetEvidence, BudgetedSegment, ChosenBudgets, ChosenGroup, NextBudget};
pub use fields::{BudgetsDraft, Group, Grouping, KindBudgets, Profile, burst, share};
pub use regulated::SegmentTimes;
