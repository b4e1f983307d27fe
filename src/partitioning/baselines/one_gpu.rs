//! 1G: the GPU as a single resource ([Singh21] §3.6.2).

use super::super::{Candidate, Outcome, Problem};

/// One partition of all M SMs with all tasks.
pub fn one_gpu(problem: &Problem<'_>) -> Outcome {
    Outcome {
        partitions: vec![Candidate {
            sms: problem.sms(),
            tasks: (0..problem.tasks().len()).collect(),
        }],
        ..Outcome::default()
    }
}
