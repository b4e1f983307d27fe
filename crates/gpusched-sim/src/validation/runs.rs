//! The releases that a partition is simulated under.
//!
//! *Critical* ones are those from which exact tests get their answers: all tasks at one instant with as much jitter as
//! possible, then as dense as possible, with WCETs; where a job cannot be preempted at once, each task in turn runs
//! already, since 1 ns. (Under fixed priorities and under EDF without preemption, the worst of these is the worst there
//! is; `docs/models.md` has the argument.) *Drawn* ones are any others that are legal.

use crate::tasks::{Arrivals, Discipline, Jitter, Offsets, Pattern};
use gpusched_model::policy::Preemption;

/// One run of a partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// When jobs come.
    pub pattern: Pattern,
    /// Whether they may be shorter than their WCETs.
    pub short: bool,
}

/// The critical runs of a partition of `tasks` tasks.
pub fn critical(discipline: Discipline, tasks: usize) -> impl Iterator<Item = Run> {
    let blockers = match discipline.preemption {
        Preemption::Preemptive => 0,
        // Alone, a task blocks nobody.
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

/// The drawn runs.
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
