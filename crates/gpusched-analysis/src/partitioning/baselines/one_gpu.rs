//! 1G: the GPU as a single resource ([Singh21] §3.6.2).

use crate::partitioning::search::{Candidate, Outcome, Problem};

/// Assigns all tasks to one partition with all M SMs.
pub(crate) fn one_gpu(problem: &Problem<'_>) -> Outcome {
    let all = (0..problem.tasks().len()).collect();
    Outcome {
        partitions: vec![Candidate::unmerged(problem, problem.shares(), all)],
        ..Outcome::default()
    }
}
