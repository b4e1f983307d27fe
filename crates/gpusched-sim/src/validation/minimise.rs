//! Greedy minimisation of a counterexample. The minimisation removes tasks, simplifies the run
//! and reduces numbers.

use super::check::{Breach, Partition};
use super::runs::Run;
use crate::campaign::shrink;
use crate::tasks::{Arrivals, Jitter, Offsets, Pattern};
use gpusched_analysis::interference::model_of;
use gpusched_analysis::interference::{CoLocated, InflatedWcet, Interference};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, Table};
use gpusched_model::{Contention, Task, TaskSet, TaskShape, WcetFunction};

/// Maximum number of smaller counterexamples that gpusched tries.
const ATTEMPTS: usize = 2_000;

/// A minimised counterexample to a guarantee.
#[derive(Clone, Debug)]
pub struct Reproducer {
    /// Number of the system that violates the guarantee.
    pub system: u64,
    /// Kind of violation.
    pub breach: Breach,
    /// Partition with the violation.
    pub partition: Partition,
    /// Interference model of the run.
    pub interference: Interference,
    /// Run that shows the violation.
    pub run: Run,
}

/// Minimises `partition`, which belongs to system `system`. The analysis used the interference
/// model `model`.
pub(super) fn minimise(
    system: u64,
    partition: Partition,
    interference: Interference,
    model: &dyn InflatedWcet,
    breach: Breach,
    run: Run,
) -> Result<Reproducer> {
    let truth = model_of(interference);
    let breaks = |partition: &Partition, run: Run| partition.breach(model, truth, run) == Some(breach);
    let plain = tabulated(&partition, truth).filter(|plain| breaks(plain, run));
    let (partition, run) = shrink(
        (plain.unwrap_or(partition), run),
        ATTEMPTS,
        |(partition, run)| candidates(partition, *run),
        |(partition, run)| Ok(breaks(partition, *run)),
    )?;
    Ok(Reproducer {
        system,
        breach,
        partition,
        interference,
        run,
    })
}

/// Returns the partition with tables as WCET functions. Each table states WCETs only for the
/// number of SMs of the partition.
fn tabulated(partition: &Partition, model: &dyn InflatedWcet) -> Option<Partition> {
    let one = |task: &Task| {
        let sms = partition.sms;
        // Each table contains the WCET in isolation, and the WCET of the task if it is co-located
        // with a copy of itself.
        let isolated = model.wcet(task, sms, &CoLocated::of([task]))?;
        let conflict = model.wcet(task, sms, &CoLocated::of([task, task]))?;
        with_times(task, (sms, isolated, conflict), |shape| shape)
    };
    with_tasks(partition, partition.set.tasks().iter().map(one).collect())
}

fn with_tasks(partition: &Partition, tasks: Option<Vec<Task>>) -> Option<Partition> {
    Some(Partition {
        set: TaskSet::new(None, tasks?).ok()?,
        ..partition.clone()
    })
}

/// Returns `task` with the WCETs `isolated` and `conflict` on `sms` SMs. `change` can change all other parameters.
fn with_times(
    task: &Task,
    (sms, isolated, conflict): (u32, Time, Time),
    change: impl FnOnce(TaskShape) -> TaskShape,
) -> Option<Task> {
    let (isolated, conflict) = (vec![(sms, isolated)], vec![(sms, conflict)]);
    let wcet = WcetFunction::new(Form::Table(Table::Each { isolated, conflict })).ok()?;
    let mut shape = change(TaskShape::from(task.clone()));
    shape.wcet = wcet;
    Task::from_shape(shape).ok()
}

/// Returns half of `time`, but at least 1 ns.
fn half(time: Time) -> Time {
    Time::from_ns((time.ns() / 2).max(1))
}

/// Function that returns a simpler task, or `None` if it cannot simplify the task.
type Change<'a> = &'a dyn Fn(&Task) -> Option<Task>;

/// Returns simpler versions of the partition and the run. The most promising versions are first.
fn candidates(partition: &Partition, run: Run) -> Vec<(Partition, Run)> {
    let mut all = Vec::new();
    let tasks = partition.set.tasks();
    for left_out in (0..tasks.len()).filter(|_| tasks.len() > 1) {
        let rest = tasks
            .iter()
            .enumerate()
            .filter(|&(position, _)| position != left_out);
        let rest = rest.map(|(_, task)| task.clone()).collect();
        let without = |task: Option<usize>| match task {
            Some(task) if task == left_out => None,
            Some(task) if task > left_out => Some(task - 1),
            same => same,
        };
        let blocker = run.pattern.blocker.map(|blocker| blocker as usize);
        let blocker = without(blocker).map(|blocker| blocker as u64);
        let run = Run {
            pattern: Pattern {
                blocker,
                ..run.pattern
            },
            starved: without(run.starved),
            ..run
        };
        all.extend(with_tasks(partition, Some(rest)).map(|smaller| (smaller, run)));
    }
    all.extend(plainer(run).into_iter().map(|run| (partition.clone(), run)));
    let wcets = |task: &Task| {
        let at = |contention| task.wcet().at(partition.sms, contention);
        Some((at(Contention::Isolated)?, at(Contention::Conflict)?))
    };
    let halved = |task: &Task| {
        let (isolated, conflict) = wcets(task)?;
        let times = (partition.sms, half(isolated), half(conflict));
        with_times(task, times, |shape| TaskShape {
            period: half(shape.period),
            deadline: Some(half(task.deadline())),
            jitter: shape.jitter.map(|jitter| Time::from_ns(jitter.ns() / 2)),
            block: shape.block.map(half),
            ..shape
        })
    };
    all.extend(with_tasks(partition, tasks.iter().map(halved).collect()).map(|smaller| (smaller, run)));
    for position in 0..tasks.len() {
        let with = |change: &dyn Fn(&Task) -> Option<Task>| {
            let one = |(at, task): (usize, &Task)| match at == position {
                true => change(task),
                false => Some(task.clone()),
            };
            with_tasks(partition, tasks.iter().enumerate().map(one).collect())
        };
        let keep = |task: &Task, change: fn(TaskShape) -> TaskShape| {
            Task::from_shape(change(TaskShape::from(task.clone())))
                .ok()
                .filter(|new| new != task)
        };
        let shorter = |task: &Task| {
            let (isolated, conflict) = wcets(task)?;
            let changed = with_times(task, (partition.sms, half(isolated), half(conflict)), |shape| {
                shape
            })?;
            (changed != *task).then_some(changed)
        };
        let changes: [Change<'_>; 4] = [
            &|task| {
                keep(task, |shape| TaskShape {
                    jitter: None,
                    ..shape
                })
            },
            &|task| keep(task, |shape| TaskShape { block: None, ..shape }),
            &|task| {
                keep(task, |shape| TaskShape {
                    deadline: Some(shape.period),
                    ..shape
                })
            },
            &shorter,
        ];
        all.extend(
            changes
                .iter()
                .filter_map(|change| with(change))
                .map(|smaller| (smaller, run)),
        );
    }
    all
}

/// Returns runs that are simpler than `run`.
fn plainer(run: Run) -> Vec<Run> {
    let pattern = run.pattern;
    let with = |pattern| Run { pattern, ..run };
    let all = [
        Run { short: false, ..run },
        with(Pattern {
            blocker: None,
            ..pattern
        }),
        with(Pattern {
            arrivals: Arrivals::Periodic,
            ..pattern
        }),
        with(Pattern {
            offsets: Offsets::Synchronous,
            ..pattern
        }),
        with(Pattern {
            jitter: Jitter::Late,
            ..pattern
        }),
    ];
    all.into_iter().filter(|&plainer| plainer != run).collect()
}
