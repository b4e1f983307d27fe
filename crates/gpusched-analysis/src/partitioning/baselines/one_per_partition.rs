//! Baseline with one partition per task. The tasks have no contention, as in spatio-temporal GPU
//! managers.

use crate::partitioning::search::{Candidate, Outcome};

/// Returns the smallest partition of each task (Lemma 2).
pub(crate) fn one_per_partition(singles: Vec<Candidate>) -> Outcome {
    Outcome {
        partitions: singles,
        ..Outcome::default()
    }
}
