//! Release patterns under which a partition is simulated.
//!
//! *Critical* runs are the worst cases that exact tests assume. In a critical run, all tasks release their first jobs
//! at one instant with maximum jitter. Later jobs are released as early as possible, and all jobs take their WCETs. If
//! jobs cannot be preempted immediately, there is one further critical run for each task. In this run, the first job of
//! the task starts 1 ns before the common instant. Under fixed priorities and non-preemptive EDF, the worst critical
//! run is the worst of all runs (proof in `docs/explanation/simulators.md`). Under FIFO, a task has a longer response if
//! it releases a job after all other tasks. Kernels that run together have one critical run for each task, which starves this
//! task. *Drawn* runs are random runs that the task model permits.

use crate::tasks::{Arrivals, Discipline, Jitter, Offsets, Order, Pattern};
use gpusched_model::policy::Preemption;

/// One run of a partition, described by its parameters.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Release pattern of the run.
    pub pattern: Pattern,
    /// Whether the execution times of jobs may be shorter than their WCETs.
    pub short: bool,
    /// Position of a task whose jobs execute only while no job of another task is ready. Only for kernels that run
    /// together; `None` for random time slices.
    pub starved: Option<usize>,
}

/// Returns the critical runs of a partition with `tasks` tasks.
pub fn critical(discipline: Discipline, tasks: usize) -> impl Iterator<Item = Run> {
    let blockers = match discipline.preemption {
        Preemption::Preemptive => 0,
        // A partition with one task has no blocking.
        _ if tasks == 1 => 0,
        _ => tasks as u64,
    };
    let run = |(blocker, starved)| Run {
        pattern: Pattern {
            blocker,
            ..Pattern::default()
        },
        short: false,
        starved,
    };
    // Kernels that run together have a worst division of the SMs for each task.
    let (first, starved) = match discipline.order {
        Order::Any => (None, tasks),
        _ => (Some((None, None)), 0),
    };
    let blocked = (0..blockers).map(|task| (Some(task), None));
    let starved = (0..starved).map(|task| (None, Some(task)));
    first.into_iter().chain(blocked).chain(starved).map(run)
}

/// Returns the parameters of the random runs.
pub fn drawn() -> [Run; 4] {
    let run = |offsets, jitter, arrivals, short| Run {
        pattern: Pattern {
            offsets,
            jitter,
            arrivals,
            blocker: None,
        },
        short,
        starved: None,
    };
    [
        run(Offsets::Synchronous, Jitter::Late, Arrivals::Periodic, true),
        run(Offsets::Synchronous, Jitter::Random, Arrivals::Sporadic, false),
        run(Offsets::Random, Jitter::Late, Arrivals::Periodic, false),
        run(Offsets::Random, Jitter::Random, Arrivals::Sporadic, true),
    ]
}
