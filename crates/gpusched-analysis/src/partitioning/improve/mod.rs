//! A plan that there is already is improved: by local search, or for the memory traffic of its partitions.
//!
//! * [`start`], [`seeding`]: what local search begins with;
//! * [`local_search`], [`division`]: a few partitions are divided anew, again and again;
//! * [`gather`], before a search by merges: tasks that draw much from memory go together;
//! * [`mend`], after one: partitions that do not pass beside the traffic of others.

mod division;
mod gather;
mod local_search;
mod mend;
mod seeding;
mod start;

pub(crate) use gather::gather;
pub(crate) use local_search::{SEED, improve};
pub(crate) use mend::mend;
pub(crate) use start::best_start;
