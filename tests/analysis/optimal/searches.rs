//! The heuristics that aim for few SMs.

use gpusched::partitioning::{Heuristic, HeuristicKind, Objective};

/// Every heuristic that aims for few SMs, with its options.
pub fn searches() -> Vec<Heuristic> {
    let mut all = Vec::new();
    for objective in [Objective::Sms, Objective::Feasible] {
        for kind in [
            HeuristicKind::Savings,
            HeuristicKind::Matching,
            HeuristicKind::Auto,
        ] {
            for improve in [false, true] {
                all.push(Heuristic {
                    objective,
                    improve,
                    budget: Some(2_000),
                    ..kind.into()
                });
            }
        }
        for kind in [
            HeuristicKind::Sms,
            HeuristicKind::Bf,
            HeuristicKind::OnePerPartition,
            HeuristicKind::Ffd,
        ] {
            all.push(Heuristic {
                objective,
                improve: true,
                budget: Some(500),
                ..kind.into()
            });
        }
    }
    all
}
