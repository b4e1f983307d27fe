//! A plan that there is already is improved: by local search, or for the memory traffic of its partitions.
//!
//! * [`start`], [`seeding`]: what local search begins with;
//! * [`local_search`], [`division`]: a few partitions are divided anew, again and again;
//! * [`gather`], before a search by merges: tasks that draw much from memory go together;
//! * [`repair`], after one: partitions that do not pass beside the traffic of others.

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
