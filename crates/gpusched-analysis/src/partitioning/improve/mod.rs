//! Improvement of an existing plan by local search, and by merges and repairs that take memory traffic into account.
//!
//! * [`start`], [`seeding`]: the initial plan of a local search;
//! * [`local_search`], [`division`]: local search that repeatedly divides a few partitions;
//! * [`merge_by_traffic`], before a search by merges: merges partitions with high memory traffic;
//! * [`repair`], after a search: repairs partitions that fail because of the memory traffic of other partitions.

mod division;
mod local_search;
mod merge_by_traffic;
mod repair;
mod seeding;
mod start;

pub(crate) use local_search::{SEED, improve};
pub(crate) use merge_by_traffic::merge_by_traffic;
pub(crate) use repair::repair;
pub(crate) use start::best_start;
