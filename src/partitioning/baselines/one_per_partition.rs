//! One partition per task: no sharing, no conflict, as in spatio-temporal GPU managers.

use super::super::Outcome;
use super::super::examiner::Examiner;
use super::super::lemmas::smallest_partition;

/// The smallest partition for each task (Lemma 2). Tasks that fit nowhere are left out.
pub(in super::super) fn one_per_partition(examiner: &mut Examiner<'_>) -> Outcome {
    Outcome {
        partitions: (0..examiner.problem().tasks().len())
            .filter_map(|task| smallest_partition(examiner, task))
            .collect(),
        ..Outcome::default()
    }
}
