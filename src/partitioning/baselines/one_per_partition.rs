//! One partition per task: no sharing, no conflict, as in spatio-temporal GPU managers.

use super::super::lemmas::smallest_partition;
use super::super::{Outcome, Problem};

/// The smallest partition for each task (Lemma 2). Tasks that fit nowhere are left out.
pub fn one_per_partition(problem: &Problem<'_>) -> Outcome {
    Outcome {
        partitions: (0..problem.tasks().len())
            .filter_map(|task| smallest_partition(problem, task))
            .collect(),
        ..Outcome::default()
    }
}
