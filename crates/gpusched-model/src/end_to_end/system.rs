//! End-to-end systems whose names and times are checked.

use std::collections::HashMap;

use super::draft::Draft;
use super::scope::Scope;
use super::{
    Chain, ChainDraft, CopyEngine, Core, DraftPolicy, Environment, Idle, Jobs, Partition, Resource, Segment,
    Task, TaskDraft, TimeSlices, overheads,
};
use crate::time::Time;
use crate::wcet::MAX_SMS;
use crate::{Bandwidth, Interference, Overheads, Refusal};

/// An end-to-end system: resources, tasks and chains, with a WCET for every segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    name: Option<String>,
    cores: Vec<Core>,
    /// Number of copy engines. The other engines represent wake-ups of dispatchers.
    copy_engines: usize,
    engines: Vec<CopyEngine>,
    partitions: Vec<Partition>,
    time_slices: Vec<TimeSlices>,
    tasks: Vec<Task>,
    chains: Vec<Chain>,
    environment: Environment,
}

impl System {
    /// Checks `draft` and computes the WCET of every segment. Under [`Interference::Conflict`], a kernel has its WCET
    /// in conflict if another task has a kernel of the same kind, or of unknown kind, on the same partition. Under
    /// [`Interference::None`], every kernel has its isolated WCET. A shared memory does not change the WCETs.
    ///
    /// Overheads of dispatchers change the system: the WCET of each kernel becomes C + o. If a task consists of one kernel,
    /// its release jitter becomes J + w. A segment of 0 to w precedes every other kernel. It represents the wake-up
    /// of the dispatcher, on an engine that no other segment uses.
    ///
    /// # Errors
    /// Fails if a name is missing, unknown or not unique, or if a time or size is out of range. Also fails if a task
    /// with several segments has a deadline above its period. Also fails if `environment` lacks a shared memory that
    /// its interference model requires, or has a shared memory that the model does not allow. Also fails if a partition
    /// has preemption at block boundaries and `environment` has a shared memory. Also fails if `environment` has overheads, and
    /// a partition has a policy with preemption or the interference model counts memory traffic. Also fails if a task is
    /// pipelined, and `environment` has a shared memory, or overheads while the task has kernels and slots of buffers.
    pub fn new(draft: &Draft, environment: impl Into<Environment>) -> Result<System, Refusal> {
        let environment = environment.into();
        draft.refuse_budgets()?;
        environment.check(&draft.partitions)?;
        draft.check_counts()?;
        let (partitions, mut time_slices) = partitions(draft)?;
        let scope = Scope::new(draft, environment.interference)?;
        let defaults = default_priorities(&draft.tasks)?;
        let mut tasks = Vec::with_capacity(draft.tasks.len());
        let mut positions = HashMap::new();
        for (index, (task, default)) in draft.tasks.iter().zip(defaults).enumerate() {
            let place = format!("tasks[{index}]");
            if let Some(first) = positions.insert(task.name.as_str(), index) {
                let found = format!("{:?}, the name of tasks[{first}]", task.name);
                Refusal::refuse(format!("{place}.name"), found, "a name that no other task has")?;
            }
            tasks.push(
                scope
                    .task(index, task, (default, &partitions))
                    .map_err(|refusal| refusal.within(&place))?,
            );
        }
        let sliced = draft.partitions.iter().enumerate();
        let sliced = sliced.filter(|(_, partition)| partition.policy == DraftPolicy::TimeSliced);
        for (gpu, (index, partition)) in time_slices.iter_mut().zip(sliced) {
            let longest = |context: usize| longest_block(&tasks, Resource::Partition(context));
            let place = format!("partitions[{index}]");
            gpu.complete(partition, longest)
                .map_err(|refusal| refusal.within(&place))?;
        }
        let pipelined = tasks.iter().position(Task::is_pipelined);
        if let (Some(index), true) = (pipelined, environment.memory.is_some()) {
            let reason = "no analysis counts a shared memory and pipelined tasks";
            return Err(refusal(index, reason));
        }
        let chains = draft.chains.iter().enumerate();
        let chains: Result<Vec<Chain>, Refusal> = chains
            .map(|(index, chain)| {
                self::chain(chain, &positions).map_err(|refusal| refusal.within(&format!("chains[{index}]")))
            })
            .collect();
        let mut engines = draft.copy_engines.clone();
        if let Some(overheads) = environment.overheads {
            for (index, task) in tasks.iter_mut().enumerate() {
                let wake_ups = overheads::add(overheads, task, engines.len())
                    .map_err(|refusal| refusal.within(&format!("tasks[{index}]")))?;
                engines.extend(wake_ups);
            }
        }
        Ok(System {
            name: draft.name.clone(),
            cores: draft.cores.clone(),
            copy_engines: draft.copy_engines.len(),
            engines,
            partitions,
            time_slices,
            tasks,
            chains: chains?,
            environment,
        })
    }

    /// Returns the name of the system, or `None` if the system has no name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the CPU cores.
    pub fn cores(&self) -> &[Core] {
        &self.cores
    }

    /// Returns the copy engines. With overheads, the engines that represent wake-ups of dispatchers follow.
    pub fn engines(&self) -> &[CopyEngine] {
        &self.engines
    }

    /// Returns the number of copy engines. Engines that represent wake-ups of dispatchers do not count.
    pub fn copy_engines(&self) -> usize {
        self.copy_engines
    }

    /// Returns whether `resource` represents the wake-ups of dispatchers for a task.
    pub fn is_wake_up(&self, resource: Resource) -> bool {
        matches!(resource, Resource::Engine(engine) if engine >= self.copy_engines)
    }

    /// Returns the overheads of the dispatchers that the times of the system include; `None` if the stated WCETs include
    /// the overheads.
    pub fn overheads(&self) -> Option<Overheads> {
        self.environment.overheads
    }

    /// Returns the GPU partitions. The contexts of a time-sliced partition take its place.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// Returns the time-sliced partitions.
    pub fn time_slices(&self) -> &[TimeSlices] {
        &self.time_slices
    }

    /// Returns the number of SMs of all partitions. The contexts of a time-sliced partition share its SMs.
    pub fn sms(&self) -> u64 {
        let shares = |index: usize| {
            let context = self.context(Resource::Partition(index));
            context.is_some_and(|(_, position)| position > 0)
        };
        let partitions = self.partitions.iter().enumerate();
        let sms = partitions
            .filter(|(index, _)| !shares(*index))
            .map(|(_, partition)| u64::from(partition.sms));
        sms.sum()
    }

    /// Returns the number of partitions whose kernels do not share SMs by time slices.
    pub fn own_partitions(&self) -> usize {
        let shared = self.time_slices.iter().map(|gpu| gpu.contexts.len());
        self.partitions.len() - shared.sum::<usize>()
    }

    /// Returns the time-sliced partition with the context `resource`, and the position of the context in it. Returns `None`
    /// if the resource is no context.
    pub fn context(&self, resource: Resource) -> Option<(&TimeSlices, usize)> {
        let Resource::Partition(partition) = resource else {
            return None;
        };
        let mut found = self.time_slices.iter();
        found.find_map(|gpu| Some((gpu, gpu.position(partition)?)))
    }

    /// Returns the tasks; at least one.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Returns the chains.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// Returns the interference model that the WCETs of kernels assume.
    pub fn interference(&self) -> Interference {
        self.environment.interference
    }

    /// Returns the guaranteed bandwidth of the memory that all resources share [bytes per second]; `None` if the
    /// interference model does not count memory traffic.
    pub fn memory(&self) -> Option<Bandwidth> {
        self.environment.memory
    }

    /// Returns all resources: the cores, the copy engines, and the partitions.
    pub fn resources(&self) -> impl Iterator<Item = Resource> + use<> {
        let cores = (0..self.cores.len()).map(Resource::Core);
        let engines = (0..self.engines.len()).map(Resource::Engine);
        cores
            .chain(engines)
            .chain((0..self.partitions.len()).map(Resource::Partition))
    }

    /// Returns the name of `resource`. The name is empty if the system has no such resource.
    pub fn resource_name(&self, resource: Resource) -> &str {
        let name = match resource {
            Resource::Core(index) => self.cores.get(index).map(|core| &core.name),
            Resource::Engine(index) => self.engines.get(index).map(|engine| &engine.name),
            Resource::Partition(index) => self.partitions.get(index).map(|partition| &partition.name),
        };
        name.map_or("", String::as_str)
    }

    /// Returns the segments on `resource`. Each entry contains the position of the task and the position of the segment
    /// in the task.
    pub fn on(&self, resource: Resource) -> impl Iterator<Item = (usize, usize)> {
        self.tasks.iter().enumerate().flat_map(move |(task, found)| {
            let segments = found.segments.iter().enumerate();
            segments
                .filter(move |(_, segment)| segment.on == resource)
                .map(move |(segment, _)| (task, segment))
        })
    }

    /// Returns a copy of the system with changed times. For each segment that `of` selects, the WCET and the longest
    /// thread block are multiplied by `permille`/1000 and rounded up. So is the overrun of a context with such a kernel, if it
    /// grows. BCETs stay unchanged.
    ///
    /// Returns `None` if a changed WCET is below its BCET or above [`Time::LIMIT`].
    pub fn scaled(&self, permille: u64, of: impl Fn(usize, &Segment) -> bool) -> Option<System> {
        let times = |time: Time| {
            let ns = (u128::from(time.ns()) * u128::from(permille)).div_ceil(1000);
            u64::try_from(ns)
                .ok()
                .map(Time::from_ns)
                .filter(|&time| time <= Time::LIMIT)
        };
        let mut scaled = self.clone();
        for (index, task) in scaled.tasks.iter_mut().enumerate() {
            for segment in &mut task.segments {
                if !of(index, segment) {
                    continue;
                }
                if let Resource::Partition(partition) = segment.on {
                    let gpus = scaled.time_slices.iter_mut().zip(&self.time_slices);
                    for (gpu, before) in gpus {
                        let contexts = gpu.contexts.iter_mut().zip(&before.contexts);
                        for (context, before) in contexts.filter(|(found, _)| found.partition == partition) {
                            context.overrun = times(before.overrun)?.max(before.overrun);
                        }
                    }
                }
                segment.wcet =
                    times(segment.wcet).filter(|&wcet| wcet >= segment.bcet.max(Time::from_ns(1)))?;
                segment.block = times(segment.block)?.min(segment.wcet).max(Time::from_ns(1));
            }
        }
        let fits = |gpu: &TimeSlices| gpu.idle != Idle::Fixed || gpu.overruns_fit();
        scaled.time_slices.iter().all(fits).then_some(scaled)
    }

    /// Checks that no task is pipelined. `reason` tells why an analysis requires this.
    ///
    /// # Errors
    /// Fails if a task is pipelined.
    pub fn check_sequential(&self, reason: &str) -> Result<(), Refusal> {
        match self.tasks.iter().position(Task::is_pipelined) {
            Some(index) => Err(refusal(index, reason)),
            None => Ok(()),
        }
    }

    /// Returns the hyperperiod: the least common multiple of all periods [ns]. Returns `None` if the hyperperiod is
    /// above [`Time::LIMIT`].
    pub fn hyperperiod(&self) -> Option<Time> {
        let multiple = self.tasks.iter().try_fold(1u64, |multiple, task| {
            let period = task.period.ns();
            (multiple / num_integer::gcd(multiple, period)).checked_mul(period)
        });
        multiple.map(Time::from_ns).filter(|&time| time <= Time::LIMIT)
    }
}

/// Returns the refusal of the pipelined task at `index`.
fn refusal(index: usize, reason: &str) -> Refusal {
    let expected = format!("sequential, because {reason}");
    Refusal::new(format!("tasks[{index}].jobs"), Jobs::Pipelined, expected)
}

/// Returns the longest thread block of the kernels on `resource`; 0 without kernels.
fn longest_block(tasks: &[Task], resource: Resource) -> Time {
    let segments = tasks.iter().flat_map(|task| &task.segments);
    let blocks = segments
        .filter(|segment| segment.on == resource)
        .map(|segment| segment.block);
    blocks.max().unwrap_or_default()
}

/// Returns the partitions, and the time-sliced partitions. Fails if a partition has no size or invalid time slices.
fn partitions(draft: &Draft) -> Result<(Vec<Partition>, Vec<TimeSlices>), Refusal> {
    let (mut partitions, mut time_slices) = (Vec::new(), Vec::new());
    for (index, partition) in draft.partitions.iter().enumerate() {
        let place = format!("partitions[{index}]");
        let sms = match partition.sms {
            Some(sms) if (1..=MAX_SMS).contains(&sms) => sms,
            Some(sms) => Refusal::refuse(format!("{place}.sms"), sms, format!("1 to {MAX_SMS}"))?,
            None => {
                let expected = "the number of SMs of the partition";
                let refusal = Refusal::new(format!("{place}.sms"), "no field `sms`", expected);
                return Err(refusal.hint("let `gpusched partition` choose the sizes"));
            }
        };
        let added = TimeSlices::add(partition, sms, &mut partitions);
        time_slices.extend(added.map_err(|refusal| refusal.within(&place))?);
    }
    Ok((partitions, time_slices))
}

/// Returns two default priorities for each task: one on its core, and one on other resources. The order is
/// deadline-monotonic. Among tasks with equal deadlines, the task with the lowest position has the highest priority.
fn default_priorities(tasks: &[TaskDraft]) -> Result<Vec<(u32, u32)>, Refusal> {
    let stated = tasks.iter().filter(|task| task.priority.is_some()).count();
    if let (true, Some(missing)) = (stated > 0, tasks.iter().position(|task| task.priority.is_none())) {
        let expected = "a priority, because other tasks state their priorities";
        Refusal::refuse(
            format!("tasks[{missing}].priority"),
            "no field `priority`",
            expected,
        )?;
    }
    let given = tasks.iter().filter(|task| task.gpu_priority.is_some()).count();
    if stated == 0 && given > 0 && given < tasks.len() {
        let missing = tasks
            .iter()
            .position(|task| task.gpu_priority.is_none())
            .unwrap_or(0);
        let expected = "a priority, because other tasks state their GPU priorities";
        Refusal::refuse(
            format!("tasks[{missing}].gpu_priority"),
            "no field `gpu_priority`",
            expected,
        )?;
    }
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&index| tasks.get(index).map(|task| task.deadline.unwrap_or(task.period)));
    let mut priorities = vec![(0, 0); tasks.len()];
    for (rank, index) in order.into_iter().enumerate() {
        let rank = u32::try_from(rank).unwrap_or(u32::MAX);
        if let Some(priority) = priorities.get_mut(index) {
            *priority = (rank, rank);
        }
    }
    Ok(priorities)
}

fn chain(draft: &ChainDraft, positions: &HashMap<&str, usize>) -> Result<Chain, Refusal> {
    if draft.tasks.is_empty() {
        Refusal::refuse("tasks", "an empty list", "the names of one or more tasks")?;
    }
    let mut tasks = Vec::with_capacity(draft.tasks.len());
    for (position, name) in draft.tasks.iter().enumerate() {
        match positions.get(name.as_str()) {
            Some(&task) => tasks.push(task),
            None => Refusal::refuse(
                format!("tasks[{position}]"),
                format!("{name:?}"),
                format!("the name of a task: {}", listed(positions)),
            )?,
        }
    }
    Ok(Chain {
        name: draft.name.clone().unwrap_or_else(|| draft.tasks.join("-")),
        tasks,
        limit: draft.limit,
        communication: draft.communication,
    })
}

/// Returns the names of the first tasks for an error message, in the order of the tasks.
fn listed(positions: &HashMap<&str, usize>) -> String {
    let mut names: Vec<(&usize, &&str)> = positions
        .iter()
        .map(|(name, position)| (position, name))
        .collect();
    names.sort_unstable();
    let shown: Vec<&str> = names.iter().take(20).map(|(_, name)| **name).collect();
    match names.len() > shown.len() {
        true => format!("{}, …", shown.join(", ")),
        false => shown.join(", "),
    }
}
