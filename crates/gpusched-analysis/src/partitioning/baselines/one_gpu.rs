//! 1G: the GPU as a single resource ([Singh21] §3.6.2).

use crate::partitioning::search::{Candidate, Outcome, Problem};

/// One partition of all M SMs with all tasks.
pub(crate) fn one_gpu(problem: &Problem<'_>) -> Outcome {
    let all = (0..problem.tasks().len()).collect();
    Outcome {
        partitions: vec![Candidate::unmerged(problem, problem.shares(), all)],
        ..Outcome::default()
    }
}
