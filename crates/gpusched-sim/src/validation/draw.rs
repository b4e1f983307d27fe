//! Generator of random systems. A system has a task set, a GPU, a heuristic and a policy.
//!
//! System i depends only on the seed and on i. The generator uses all combinations of policies,
//! heuristics and interference models in turn. Therefore any 320 consecutive systems contain all
//! combinations. In every fourth group of 320 systems, all times are whole milliseconds ([`rounded`]), because random times
//! rarely meet exactly. All other properties are random.

use crate::tasks::Discipline;
use gpusched_analysis::generation::{Distribution, Recipe, Source, WcetModel};
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::forbidden::Forbidden;
use gpusched_analysis::partitioning::order::BfDirection;
use gpusched_analysis::partitioning::{Heuristic, HeuristicKind, Options};
use gpusched_model::error::{Error, Result};
use gpusched_model::streams::{Purpose, below, stream, unit};
use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, Table};
use gpusched_model::{Contention, Factor, Policy, Task, TaskSet, TaskShape, WcetFunction};

/// A random system that is analysed and simulated.
#[derive(Clone, Debug)]
pub struct System {
    /// Tasks of the system.
    pub set: TaskSet,
    /// Number of SMs M of the GPU.
    pub sms: u32,
    /// Scheduling policy, for the schedulability test and for the simulation.
    pub policy: Policy,
    /// Heuristic that computes the partitions.
    pub heuristic: Heuristic,
    /// Interference model that determines the inflated WCETs.
    pub interference: Interference,
    /// Seed of all random numbers in the simulations of the system.
    pub seed: u64,
}

/// Returns all policies that have a scheduler, in the order of reports.
pub fn policies() -> Vec<Policy> {
    Policy::all()
        .filter(|&policy| Discipline::of(policy).is_some())
        .collect()
}

/// Returns the heuristics that the campaign uses, with their most important options.
fn heuristics() -> Result<Vec<Heuristic>> {
    let none = Options::default();
    let active = Options {
        forbidden: Some(Forbidden::Act),
        ..none
    };
    let descending = Options {
        bf_direction: Some(BfDirection::Descending),
        ..active
    };
    let all = [
        (HeuristicKind::Sms, none),
        (HeuristicKind::Sms, active),
        (HeuristicKind::Bf, none),
        (HeuristicKind::Bf, descending),
        (HeuristicKind::OneGpu, none),
        (HeuristicKind::OnePerPartition, none),
        (HeuristicKind::Ffd, none),
        (HeuristicKind::Wfd, none),
    ];
    let chosen = all.into_iter().map(|(kind, options)| Ok(kind.with(&options)?));
    chosen.collect()
}

/// Numbers of SMs that a random GPU can have.
const SMS: [u32; 4] = [2, 4, 8, 16];

/// Maximum number of tasks in a random task set.
const TASKS: usize = 10;

/// Possible values of D/T and J/T in thousandths. With these values of D/T, deadlines are
/// constrained, implicit or arbitrary.
const DEADLINES: [u64; 4] = [500, 750, 1000, 1500];
const JITTERS: [u64; 4] = [0, 0, 100, 400];

/// Numbers N of thread blocks that a random kernel can have.
const BLOCKS: [u32; 3] = [2, 6, 40];

/// Returns the system with number `index` for the seed `seed`.
///
/// # Errors
/// Fails under the same conditions as [`Source::new`]. The constants of this file never cause a
/// failure.
pub fn system(seed: u64, index: u64) -> Result<System> {
    let (policies, heuristics) = (policies(), heuristics()?);
    let turn = |count: usize, every: usize| (index / every as u64 % count.max(1) as u64) as usize;
    let mut rng = stream(seed, Purpose::ValidationSystems, 0, index);
    let sms = SMS[below(&mut rng, SMS.len())];
    let tasks = 1 + below(&mut rng, TASKS);
    let load = (0.05 + 0.75 * unit(&mut rng)) * f64::from(sms);
    let permille = |list: &[u64; 4], at: usize| Factor::from_billionths(list[at] * 1_000_000);
    let deadline = permille(&DEADLINES, below(&mut rng, 4));
    let jitter = permille(&JITTERS, below(&mut rng, 4));
    let blocks = BLOCKS[below(&mut rng, BLOCKS.len())];
    let wcet = [WcetModel::Amdahl, WcetModel::Proportional][below(&mut rng, 2)];
    let recipe = Recipe {
        wcet,
        deadline: deadline.unwrap_or(Factor::ONE).into(),
        jitter: jitter
            .filter(|&jitter| jitter > Factor::ZERO)
            .map(Distribution::from),
        blocks: Some(blocks),
        ..Recipe::default()
    };
    // Maximum utilization of a task: twice the mean utilization, but at least 1.
    let cap = (2.0 * load / tasks as f64).max(1.0).min(load);
    let recipe = Recipe {
        cap: (tasks > 1).then_some(cap),
        ..recipe
    };
    let source = Source::new(&recipe, tasks, load, seed)?;
    let set = source.draw(u64::from(sms), index)?;
    let combinations = policies.len() * heuristics.len() * 2;
    let set = match turn(4, combinations) {
        3 => rounded(&set, &[1, 2, 4, 8, 16])?,
        _ => set,
    };
    Ok(System {
        set,
        sms,
        policy: policies[turn(policies.len(), 1)],
        heuristic: heuristics[turn(heuristics.len(), policies.len())],
        interference: [Interference::Conflict, Interference::None]
            [turn(2, policies.len() * heuristics.len())],
        seed: rand::Rng::next_u64(&mut rng),
    })
}

/// Returns `set` with times of whole milliseconds. WCETs, deadlines and blocks are rounded up, and jitter is rounded down.
/// WCETs become tables with the numbers of SMs in `sizes`.
///
/// # Errors
/// Fails if `sizes` is not ascending, if the set has no WCET for a size, or if a rounded time is too long.
pub fn rounded(set: &TaskSet, sizes: &[u32]) -> Result<TaskSet> {
    const MS: u64 = 1_000_000;
    let internal = |error: &dyn std::error::Error| Error::Internal(error.to_string());
    let up = |time: Time| Time::from_ns(time.ns().div_ceil(MS) * MS);
    let task = |task: &Task| {
        let points = |contention| -> Vec<(u32, Time)> {
            let at = |sms: &u32| Some((*sms, up(task.wcet().at(*sms, contention)?)));
            sizes.iter().filter_map(at).collect()
        };
        let table = Table::Each {
            isolated: points(Contention::Isolated),
            conflict: points(Contention::Conflict),
        };
        let shape = TaskShape {
            deadline: Some(up(task.deadline())),
            jitter: Some(Time::from_ns(task.jitter().ns() / MS * MS)),
            block: task.block().map(up),
            wcet: WcetFunction::new(Form::Table(table)).map_err(|error| internal(&error))?,
            ..TaskShape::from(task.clone())
        };
        Task::from_shape(shape).map_err(|error| internal(&error))
    };
    let tasks = set.tasks().iter().map(task).collect::<Result<Vec<Task>>>()?;
    let named = set.name().map(str::to_owned);
    let rounded = TaskSet::new(named, tasks).map_err(|error| internal(&error))?;
    Ok(rounded.beside(set.other_traffic().to_vec()))
}
