//! End-to-end analysis: jobs that use CPU cores, copy engines and GPU partitions in turn, and chains of tasks.
//!
//! [`analyze`] solves the equations of the holistic analysis (Tindell & Clark 1994) for self-suspending and busy-waiting
//! tasks. Each segment is a stream of jobs. The bound on the previous segment determines the jitter of the stream. The
//! modules:
//!
//! * `arithmetic`: windows and saturating sums;
//! * `streams`: jitters, carried work and execution with waiting;
//! * `work`: work of streams and tasks in windows;
//! * `cores`: CPU cores with fixed priorities (joint and local windows) and under earliest deadline first;
//! * `one_segment`: cores with fixed priorities and tasks of one segment;
//! * `queues`: copy engines and partitions, under first in first out or fixed priorities;
//! * `deadlines`: earliest deadline first on cores and partitions;
//! * `contexts`: contexts that take turns;
//! * `time_slices`: waiting times of contexts;
//! * `job_window`: windows over several segments of a job;
//! * `memory`: losses of resources that share a memory;
//! * `pipelines`: tasks whose segments are threads;
//! * `fixed_point`: the least solution of all equations;
//! * `enforcement`: releases by timers;
//! * `chains`: reaction time and data age;
//! * `budgets`: memory bandwidth budgets of best-effort cores;
//! * `sizing`: partitions and their sizes for a system;
//! * `turns`: slices, turns and tasks of contexts;
//! * `scaling`: common factors by which WCETs may grow;
//! * `baselines`: published bounds for self-suspending tasks, for comparison.
//!
//! The result contains the bounds on all segments. `gpusched_verify` evaluates each equation once on these bounds.
//! Every table of bounds that satisfies the equations is safe. If a run exceeded a bound, the first exceeded bound
//! would contradict its equation.

mod arithmetic;
mod baselines;
mod budgets;
mod chains;
mod contexts;
mod cores;
mod deadlines;
mod enforcement;
mod fixed_point;
mod job_window;
mod memory;
mod one_segment;
mod pipelines;
mod queues;
mod scaling;
mod sizing;
mod streams;
mod time_slices;
mod turns;
mod work;

pub use baselines::{Baseline, baseline};
pub use budgets::{BudgetSearch, Budgeted, analyze_draft, choose_budgets};
pub use scaling::scaling;
pub use sizing::{Gpu, NO_EFFECT, Search, check_interference, plan, refuse};
pub use turns::{ChosenTurns, SharedContexts, TurnSearch, choose_turns};

use gpusched_model::end_to_end::{Analysis, Answer, Bounds, Evidence, System, TaskAnswer, TaskBounds};
use gpusched_model::error::Refusal;
use gpusched_model::policy::Strength;
use gpusched_model::time::Time;

/// Analyzes `system`. Each segment is released at the end of its predecessor.
///
/// The result lists no assumptions. The caller adds them.
pub fn analyze(system: &System) -> Answer {
    answer(system, fixed_point::solve(system, None, false).table(), None)
}

/// Returns a table without bounds.
fn no_bounds(system: &System) -> Bounds {
    let tasks = system.tasks().iter().map(|task| TaskBounds {
        ends_ns: vec![None; task.segments.len()],
        delays_ns: vec![None; task.segments.len()],
    });
    Bounds(tasks.collect())
}

/// Analyzes `system` with timers that release the segments of each job at fixed times after its arrival
/// (END_TO_END §11.4 of the documentation).
///
/// # Errors
/// Fails if a task busy-waits or is pipelined. Also fails with overheads of dispatchers, because a dispatcher may see a kernel
/// before the time that a timer for the end of its wake-up states. Also fails with time slices.
pub fn analyze_enforced(system: &System) -> Result<Answer, Refusal> {
    if let Some(overheads) = system.overheads() {
        let expected = "none with enforced releases, because no analysis counts both";
        return Refusal::refuse("overheads", overheads, expected);
    }
    if let Some(gpu) = system.time_slices().first() {
        let expected = "another policy with enforced releases, because no analysis counts both";
        let found = format!("time slices on {}", gpu.name);
        return Refusal::refuse("partitions", found, expected);
    }
    system.check_sequential("no analysis counts pipelined tasks and enforced releases")?;
    let (bounds, offsets) = enforcement::solve(system)?;
    Ok(answer(system, bounds, Some(offsets)))
}

fn answer(system: &System, bounds: Bounds, offsets: Option<Vec<Vec<Time>>>) -> Answer {
    let responses: Vec<Option<Time>> = (0..system.tasks().len())
        .map(|task| bounds.response_time(task))
        .collect();
    let tasks: Vec<TaskAnswer> = system
        .tasks()
        .iter()
        .zip(&responses)
        .enumerate()
        .map(|(index, (task, &bound))| TaskAnswer {
            name: task.name.clone(),
            deadline_ns: task.deadline,
            bound_ns: bound,
            meets: bound.is_some_and(|bound| bound <= task.deadline),
            costliest_segment: bound.and_then(|_| costliest(&bounds, index)),
            jobs_max: bound.and_then(|bound| pipelines::jobs_in_flight(task, bound)),
            stages: pipelines::stages(system, &bounds, index),
        })
        .collect();
    let enforced = offsets.is_some();
    let chains = system.chains().iter();
    let chains: Vec<_> = chains
        .map(|chain| chains::bound(system, chain, &responses, enforced))
        .collect();
    Answer {
        schedulable: tasks.iter().all(|task| task.meets)
            && chains.iter().all(|chain| chain.meets != Some(false)),
        policy: if enforced {
            Analysis::EnforcedReleases
        } else {
            Analysis::EndToEnd
        },
        strength: Strength::Sufficient,
        evidence: Evidence {
            bounds,
            offsets_ns: offsets,
        },
        response_times_ns: responses,
        tasks,
        chains,
        overheads: system.overheads(),
        budgets: None,
        sensitivity: None,
        assumptions: Vec::new(),
        identity: None,
    }
}

/// Returns the position of the segment with the largest contribution to the bound. If several segments have this
/// contribution, returns the first of them.
fn costliest(bounds: &Bounds, task: usize) -> Option<usize> {
    let ends = &bounds.0.get(task)?.ends_ns;
    let mut before = Time::ZERO;
    let mut costliest: Option<(usize, Time)> = None;
    for (segment, &end) in ends.iter().enumerate() {
        let end = end?;
        let part = end.checked_sub(before).unwrap_or(Time::ZERO); // a joint window may end before the previous bound
        if costliest.is_none_or(|(_, longest)| part > longest) {
            costliest = Some((segment, part));
        }
        before = end;
    }
    costliest.map(|(segment, _)| segment)
}
