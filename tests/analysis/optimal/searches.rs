//! The heuristics that search for few SMs.

use gpusched::partitioning::{Heuristic, HeuristicKind, Objective, Options};

/// Returns every heuristic that searches for few SMs, with its options.
pub fn searches() -> Vec<Heuristic> {
    let mut all = Vec::new();
    for objective in [Objective::Sms, Objective::Feasible] {
        let alone = Options {
            objective: Some(objective),
            ..Options::default()
        };
        let within = |budget| Options {
            search_effort: Some(budget),
            ..alone
        };
        let improved = |budget| Options {
            improve: true,
            ..within(budget)
        };
        for (kind, options) in [
            (HeuristicKind::Savings, alone),
            (HeuristicKind::Savings, improved(2_000)),
            (HeuristicKind::Matching, alone),
            (HeuristicKind::Matching, improved(2_000)),
            (HeuristicKind::Auto, within(2_000)),
            (HeuristicKind::Sms, improved(500)),
            (HeuristicKind::Bf, improved(500)),
            (HeuristicKind::OnePerPartition, improved(500)),
            (HeuristicKind::Ffd, improved(500)),
        ] {
            all.push(kind.with(&options).unwrap());
        }
    }
    all
}
