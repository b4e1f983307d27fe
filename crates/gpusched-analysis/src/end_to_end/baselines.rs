//! Baselines: published response-time analyses of tasks that suspend themselves, for comparison with [`analyze`].
//!
//! Each baseline bounds the response time R of a whole job in one window. C is the sum of the WCETs of a task on its
//! core. S is the sum of the bounds on the delays of the task on other resources. Each sum Σ is over all more urgent
//! tasks j on the same core.
//!
//! | baseline | window | source |
//! |---|---|---|
//! | [`Oblivious`](Baseline::Oblivious) | W = C + S + Σ ⌈(W + J_j)/T_j⌉·(C_j + S_j) | J. Liu 2000 |
//! | [`Jitter`](Baseline::Jitter) | W = C + S + Σ ⌈(W + R_j − C_j)/T_j⌉·C_j | Huang, Chen, Zhou and Liu 2015; Chen et al. 2019 |
//! | [`Blocking`](Baseline::Blocking) | W = C + S + Σ min(C_j, S_j) + Σ ⌈W/T_j⌉·C_j | J. Liu 2000; Chen, Nelissen and Huang 2016 |
//!
//! R = J + W. In the sums, a task that does not suspend itself has S_j = 0 and the jitter J_j. Busy-waiting counts as
//! execution, so a busy-waiting task has the execution time C_j + S_j.
//!
//! The delays S use the equations of [`analyze`] for copy engines and partitions. A baseline bounds only the response
//! time R of a job. So the time from the arrival of a job to the end of segment k is at most R − b, where b is the sum
//! of the BCETs of the later segments. These bounds determine the jitters of all streams. [`baseline`] computes S and R
//! by iteration, starting from the times without waiting.
//!
//! **Safe.** `Oblivious`: let t₀ be the last moment without pending jobs of more urgent tasks, at or before the release
//! of the analyzed job. At each instant from t₀ on, the analyzed job progresses, or another job executes or is
//! suspended. This other job is released at t₀ or later. `Jitter`: this window is the joint window of [`analyze`]. Each
//! suspending task counts as the stream of its whole jobs. `Blocking`: Chen, Nelissen and Huang (ECRTS 2016) prove the
//! bound for distinct priorities and tasks without release jitter. With `Blocking`, other tasks have no bound.
//!
//! [`SingleWindows`](Baseline::SingleWindows) is no published analysis. It shows the gain from windows over several segments.
//!
//! [`analyze`]: super::analyze

use gpusched_model::end_to_end::{
    Bounds, CorePolicy, EnginePolicy, PartitionPolicy, Resource, System, Task, Wait,
};

use super::arithmetic::{INFINITE, least, released};
use super::fixed_point;
use super::queues::{self, Preemption};
use super::streams::State;

/// A published analysis of self-suspending tasks on cores with fixed priorities.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Baseline {
    /// The suspension of a task counts as execution of this task.
    Oblivious,
    /// Suspension counts as release jitter of the more urgent tasks.
    Jitter,
    /// Suspension counts as blocking by the more urgent tasks.
    Blocking,
    /// The equations of [`analyze`](super::analyze) without windows over several kernels: each kernel has a window of its own.
    SingleWindows,
}

/// A copy engine or partition with its segments. Without a rule, no segment has a bound.
struct Queue {
    rule: Option<Rule>,
    here: Vec<(usize, usize)>,
}

/// Scheduling rule of a copy engine or partition.
#[derive(Copy, Clone)]
enum Rule {
    Fifo,
    Priorities(Preemption),
}

/// Bounds all response times of `system` with `method`. The table has the form of [`analyze`](super::analyze): the
/// ends of all segments, and the delays on copy engines and partitions.
///
/// A task has no bound if its core or the partition of one of its segments uses earliest deadline first. If a task has
/// no bound, less urgent tasks on the same core have no bounds either. The methods assume sequential tasks, so no task has a
/// bound if a task is pipelined.
pub fn baseline(system: &System, method: Baseline) -> Bounds {
    if system.tasks().iter().any(Task::is_pipelined) {
        return super::no_bounds(system);
    }
    if method == Baseline::SingleWindows {
        return fixed_point::single_windows(system).table();
    }
    let mut state = State::new(system, None);
    let queues: Vec<Queue> = system
        .resources()
        .filter(|resource| !resource.is_core())
        .map(|resource| Queue {
            rule: rule(system, resource),
            here: system.on(resource).collect(),
        })
        .collect();
    loop {
        let before = state.bounds.clone();
        for queue in &queues {
            for &(task, segment) in &queue.here {
                let delay = match queue.rule {
                    Some(Rule::Fifo) => queues::fifo(&state, (task, segment), &queue.here),
                    Some(Rule::Priorities(preemption)) => {
                        queues::priorities(&state, (task, segment), &queue.here, preemption)
                    }
                    None => INFINITE,
                };
                let delay = capped(&state, task, delay);
                let bound = &mut state.bounds[task][segment];
                bound.delay = bound.delay.max(delay);
            }
        }
        for task in 0..state.tasks.len() {
            let response = capped(&state, task, response(&state, system, (task, method)));
            let mut later = 0u64;
            for (segment, bound) in system.tasks()[task]
                .segments
                .iter()
                .zip(&mut state.bounds[task])
                .rev()
            {
                let end = match response {
                    INFINITE => INFINITE,
                    response => response.saturating_sub(later),
                };
                bound.end = bound.end.max(end);
                later = later.saturating_add(segment.bcet.ns());
            }
        }
        if state.bounds == before {
            return state.table();
        }
    }
}

fn rule(system: &System, resource: Resource) -> Option<Rule> {
    match resource {
        Resource::Core(_) => None,
        Resource::Engine(index) => Some(match system.engines().get(index)?.policy {
            EnginePolicy::Fifo => Rule::Fifo,
            EnginePolicy::NpFp => Rule::Priorities(Preemption::Never),
        }),
        Resource::Partition(index) => match system.partitions().get(index)?.policy {
            PartitionPolicy::NpFifo => Some(Rule::Fifo),
            PartitionPolicy::NpFp => Some(Rule::Priorities(Preemption::Never)),
            PartitionPolicy::Fp => Some(Rule::Priorities(Preemption::Immediate)),
            PartitionPolicy::LpFp => Some(Rule::Priorities(Preemption::Blocks)),
            PartitionPolicy::Edf | PartitionPolicy::NpEdf | PartitionPolicy::LpEdf => None,
        },
    }
}

/// A value above the period is not a bound, because jobs of the task can then overlap.
fn capped(state: &State, task: usize, ns: u64) -> u64 {
    if ns > state.tasks[task].period {
        INFINITE
    } else {
        ns
    }
}

/// Returns R of `task` for the current delays and response times of all tasks.
fn response(state: &State, system: &System, (task, method): (usize, Baseline)) -> u64 {
    let owner = &state.tasks[task];
    let own = state.with_waiting(task);
    let Some(core) = system.tasks()[task].core else {
        return own.saturating_add(owner.jitter);
    };
    if system
        .cores()
        .get(core)
        .is_none_or(|core| core.policy == CorePolicy::Edf)
    {
        return INFINITE;
    }
    let more: Vec<usize> = (0..state.tasks.len())
        .filter(|&other| other != task && system.tasks()[other].core == Some(core))
        .filter(|&other| state.tasks[other].priority <= owner.priority)
        .collect();
    let unproven = |other: usize| {
        let found = &state.tasks[other];
        method == Baseline::Blocking && (found.jitter > 0 || found.priority == owner.priority)
    };
    let without = |&other: &usize| state.response(other) == INFINITE || unproven(other);
    if more.iter().any(without) || (method == Baseline::Blocking && owner.jitter > 0) {
        return INFINITE;
    }
    let mut base = own;
    let mut streams = Vec::with_capacity(more.len());
    for other in more {
        let found = &state.tasks[other];
        let with_waiting = state.with_waiting(other);
        let cost = found
            .parts
            .iter()
            .filter(|part| part.on.is_core())
            .map(|part| part.cost);
        let cost = cost.fold(0, u64::saturating_add);
        let suspends =
            system.tasks()[other].wait == Wait::Suspend && found.parts.iter().any(|part| !part.on.is_core());
        streams.push(match method {
            Baseline::Jitter if suspends => {
                let jitter = state.response(other).saturating_sub(cost);
                (jitter, found.period, cost)
            }
            Baseline::Blocking if suspends => {
                let suspension = with_waiting.saturating_sub(cost);
                base = base.saturating_add(cost.min(suspension));
                (0, found.period, cost)
            }
            _ => (found.jitter, found.period, with_waiting),
        });
    }
    let window = least(base, owner.period, |window| {
        let work = streams.iter().map(|&stream| released(window, stream));
        work.fold(base, u64::saturating_add)
    });
    window.saturating_add(owner.jitter)
}
