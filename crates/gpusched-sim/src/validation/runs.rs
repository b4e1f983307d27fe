//! Simulated release patterns of a partition.
//!
//! *Critical* runs are the worst cases of exact tests. All tasks are released at one instant with maximum jitter, then as
//! densely as possible, with WCETs. If jobs cannot be preempted at once, each task in turn starts 1 ns before. Under fixed
//! priorities and non-preemptive EDF, the worst critical run is the worst of all runs (proof in `docs/explanation/simulators.md`). *Drawn*
//! runs are other legal runs.

use crate::tasks::{Arrivals, Discipline, Jitter, Offsets, Pattern};
use gpusched_model::policy::Preemption;

/// One run of a partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Release pattern.
    pub pattern: Pattern,
    /// Whether jobs may be shorter than their WCETs.
    pub short: bool,
}

/// Returns the critical runs of a partition of `tasks` tasks.
pub fn critical(discipline: Discipline, tasks: usize) -> impl Iterator<Item = Run> {
    let blockers = match discipline.preemption {
        Preemption::Preemptive => 0,
        // A single task blocks no other task.
        _ if tasks == 1 => 0,
        _ => tasks as u64,
    };
    let run = |blocker| Run {
        pattern: Pattern {
            blocker,
            ..Pattern::default()
        },
        short: false,
    };
    std::iter::once(None).chain((0..blockers).map(Some)).map(run)
}

/// Returns the random runs.
pub fn drawn() -> [Run; 4] {
    let run = |offsets, jitter, arrivals, short| Run {
        pattern: Pattern {
            offsets,
            jitter,
            arrivals,
            blocker: None,
        },
        short,
    };
    [
        run(Offsets::Synchronous, Jitter::Late, Arrivals::Periodic, true),
        run(Offsets::Synchronous, Jitter::Random, Arrivals::Sporadic, false),
        run(Offsets::Random, Jitter::Late, Arrivals::Periodic, false),
        run(Offsets::Random, Jitter::Random, Arrivals::Sporadic, true),
    ]
}
