//! Searches that merge partitions in pairs ([Singh21] §3.5.1–3.5.3).
//!
//! * [`algorithm`]: Algorithm 1, with [`merging`] (Algorithm 2), [`select`] (Algorithm 3), the relations ≫ and > ([`best_fit`]),
//!   the [`list`] of partitions in its [`order`], and the [`forbidden`] list (ACT, INA), which is a [`relation`];
//! * [`savings`], [`matching`]: merges chosen among all pairs at once;
//! * [`trials`]: the tests of one partition with many others.

mod algorithm;
mod best_fit;
pub mod forbidden;
mod list;
mod matching;
mod merging;
pub mod order;
mod relation;
pub(crate) mod savings;
mod select;
mod trial;

pub(crate) use algorithm::{Preference, Rules, partition_and_allocate};
pub(crate) use matching::merge_by_matching;
pub(crate) use savings::merge_by_savings;
