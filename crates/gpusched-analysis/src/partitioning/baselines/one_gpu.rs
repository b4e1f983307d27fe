//! Baseline 1G: the whole GPU as a single resource ([Singh21] §3.6.2).

use crate::partitioning::search::{Candidate, Outcome, Problem};

/// Returns one partition that contains all tasks and all M SMs.
pub(crate) fn one_gpu(problem: &Problem<'_>) -> Outcome {
    let all = (0..problem.tasks().len()).collect();
    Outcome {
        partitions: vec![Candidate::unmerged(problem, problem.shares(), all)],
        ..Outcome::default()
    }
}
