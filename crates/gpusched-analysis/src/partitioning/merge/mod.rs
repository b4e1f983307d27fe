//! Searches that merge pairs of partitions ([Singh21] §3.5.1–3.5.3).
//!
//! * [`algorithm`]: Algorithm 1, with [`merging`] (Algorithm 2), [`select`] (Algorithm 3) and the relations ≫ and >
//!   ([`best_fit`]);
//! * [`list`]: the ordered list of partitions;
//! * [`forbidden`]: the list of forbidden pairs (ACT, INA), stored as a [`relation`];
//! * [`savings`], [`matching`]: searches that select merges among all pairs of partitions;
//! * [`trial`]: tests of one partition with many possible partners.

mod algorithm;
mod best_fit;
mod forbidden;
mod list;
mod matching;
mod merging;
mod relation;
pub(crate) mod savings;
mod select;
mod trial;

pub(crate) use algorithm::partition_and_allocate;
pub use matching::maximum_weight_matching;
pub(crate) use matching::merge_by_matching;
pub(crate) use savings::merge_by_savings;
