//! One partition per task: no sharing, no conflict, as in spatio-temporal GPU managers.

use crate::partitioning::search::{Candidate, Outcome};

/// The smallest partition for each task (Lemma 2).
pub(crate) fn one_per_partition(singles: Vec<Candidate>) -> Outcome {
    Outcome {
        partitions: singles,
        ..Outcome::default()
    }
}
