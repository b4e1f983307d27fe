//! End-to-end systems whose names and times are checked.

use std::collections::HashMap;

use super::draft::{Draft, MAX_SEGMENTS};
use super::{
    Arrivals, Chain, ChainDraft, CopyEngine, Core, Partition, Resource, Segment, SegmentDraft, Task,
    TaskDraft, Wait,
};
use crate::time::Time;
use crate::wcet::MAX_SMS;
use crate::{Contention, Interference, Kind, Refusal};

/// An end-to-end system: resources, tasks and chains, with a WCET for every segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    name: Option<String>,
    cores: Vec<Core>,
    engines: Vec<CopyEngine>,
    partitions: Vec<Partition>,
    tasks: Vec<Task>,
    chains: Vec<Chain>,
    interference: Interference,
}

/// Resources by name, and the kinds of the kernels on each partition.
struct Scope<'a> {
    draft: &'a Draft,
    resources: HashMap<&'a str, Resource>,
    interference: Interference,
    /// For each partition: task and kind of each kernel.
    kernels: Vec<Vec<(usize, Option<Kind>)>>,
}

impl System {
    /// Checks `draft` and computes the WCET of every segment. Under [`Interference::Conflict`], a kernel has its WCET
    /// in conflict if another task has a kernel of the same kind, or of unknown kind, on the same partition. Under
    /// [`Interference::None`], every kernel has its isolated WCET.
    ///
    /// # Errors
    /// Fails if a name is missing, unknown or not unique, if a time or size is out of range, or if a task with several
    /// segments has a deadline above its period. Fails if `interference` counts memory traffic.
    pub fn new(draft: &Draft, interference: Interference) -> Result<System, Refusal> {
        if interference.counts_bandwidth() {
            Refusal::refuse(
                "interference",
                interference,
                "conflict or none, for an end-to-end system",
            )?;
        }
        draft.check_counts()?;
        let partitions = partitions(draft)?;
        let scope = Scope::new(draft, interference)?;
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
        let chains = draft.chains.iter().enumerate();
        let chains: Result<Vec<Chain>, Refusal> = chains
            .map(|(index, chain)| {
                self::chain(chain, &positions).map_err(|refusal| refusal.within(&format!("chains[{index}]")))
            })
            .collect();
        Ok(System {
            name: draft.name.clone(),
            cores: draft.cores.clone(),
            engines: draft.copy_engines.clone(),
            partitions,
            tasks,
            chains: chains?,
            interference,
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

    /// Returns the copy engines.
    pub fn engines(&self) -> &[CopyEngine] {
        &self.engines
    }

    /// Returns the GPU partitions.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// Returns the tasks; at least one.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Returns the chains.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// Returns the interference model behind the WCETs of kernels.
    pub fn interference(&self) -> Interference {
        self.interference
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

    /// Returns the segments on `resource`, each as the positions of its task and of the segment in the task.
    pub fn on(&self, resource: Resource) -> impl Iterator<Item = (usize, usize)> {
        self.tasks.iter().enumerate().flat_map(move |(task, found)| {
            let segments = found.segments.iter().enumerate();
            segments
                .filter(move |(_, segment)| segment.on == resource)
                .map(move |(segment, _)| (task, segment))
        })
    }

    /// Returns the system with all WCETs multiplied by `permille`/1000 and rounded up. `of` selects the segments whose
    /// WCETs change. BCETs stay unchanged.
    ///
    /// Returns `None` if a WCET is not a time from its BCET to [`Time::LIMIT`].
    pub fn scaled(&self, permille: u64, of: impl Fn(usize, &Segment) -> bool) -> Option<System> {
        let mut scaled = self.clone();
        for (index, task) in scaled.tasks.iter_mut().enumerate() {
            for segment in &mut task.segments {
                if !of(index, segment) {
                    continue;
                }
                let times = |time: Time| {
                    let ns = (u128::from(time.ns()) * u128::from(permille)).div_ceil(1000);
                    u64::try_from(ns)
                        .ok()
                        .map(Time::from_ns)
                        .filter(|&time| time <= Time::LIMIT)
                };
                segment.wcet =
                    times(segment.wcet).filter(|&wcet| wcet >= segment.bcet.max(Time::from_ns(1)))?;
                segment.block = times(segment.block)?.min(segment.wcet).max(Time::from_ns(1));
            }
        }
        Some(scaled)
    }

    /// Returns the hyperperiod: the least common multiple of all periods [ns]. Returns `None` if it is above
    /// [`Time::LIMIT`].
    pub fn hyperperiod(&self) -> Option<Time> {
        let multiple = self.tasks.iter().try_fold(1u64, |multiple, task| {
            let period = task.period.ns();
            (multiple / num_integer::gcd(multiple, period)).checked_mul(period)
        });
        multiple.map(Time::from_ns).filter(|&time| time <= Time::LIMIT)
    }
}

impl<'a> Scope<'a> {
    fn new(draft: &'a Draft, interference: Interference) -> Result<Scope<'a>, Refusal> {
        let cores = draft.cores.iter().enumerate();
        let cores = cores.map(|(index, core)| ("cores", index, &core.name, Resource::Core(index)));
        let engines = draft.copy_engines.iter().enumerate();
        let engines =
            engines.map(|(index, engine)| ("copy_engines", index, &engine.name, Resource::Engine(index)));
        let partitions = draft.partitions.iter().enumerate();
        let partitions = partitions
            .map(|(index, partition)| ("partitions", index, &partition.name, Resource::Partition(index)));
        let mut resources = HashMap::new();
        for (list, index, name, resource) in cores.chain(engines).chain(partitions) {
            if resources.insert(name.as_str(), resource).is_some() {
                let found = format!("{name:?}, the name of another resource");
                Refusal::refuse(
                    format!("{list}[{index}].name"),
                    found,
                    "a name that no other resource has",
                )?;
            }
        }
        let mut kernels = vec![Vec::new(); draft.partitions.len()];
        for (index, task) in draft.tasks.iter().enumerate() {
            for segment in &task.segments {
                if let Some(Resource::Partition(partition)) = resources.get(segment.on.as_str())
                    && let Some(kernels) = kernels.get_mut(*partition)
                {
                    kernels.push((index, segment.kind));
                }
            }
        }
        Ok(Scope {
            draft,
            resources,
            interference,
            kernels,
        })
    }

    fn task(
        &self,
        index: usize,
        draft: &TaskDraft,
        (default, partitions): ((u32, u32), &[Partition]),
    ) -> Result<Task, Refusal> {
        let deadline = draft.deadline.unwrap_or(draft.period);
        let times = [
            ("period", Some(draft.period)),
            ("deadline", Some(deadline)),
            ("jitter", draft.jitter),
            ("phase", draft.phase),
            ("max_interarrival", draft.max_interarrival),
        ];
        for (field, time) in times {
            if let Some(found) = time.filter(|&time| time > Time::LIMIT) {
                Refusal::refuse(field, found, "less than 2^63 ns")?;
            }
        }
        let count = draft.segments.len();
        if !(1..=MAX_SEGMENTS).contains(&count) {
            Refusal::refuse(
                "segments",
                format!("{count} segments"),
                format!("1 to {MAX_SEGMENTS}"),
            )?;
        }
        if count > 1 && deadline > draft.period {
            let expected = format!(
                "at most {}, the period, for a task with several segments",
                draft.period
            );
            Refusal::refuse("deadline", deadline, expected)?;
        }
        let mut segments = Vec::with_capacity(count);
        for (position, segment) in draft.segments.iter().enumerate() {
            let place = format!("segments[{position}]");
            segments.push(
                self.segment(index, segment, partitions)
                    .map_err(|refusal| refusal.within(&place))?,
            );
        }
        let core = one_core(&segments, &draft.segments)?;
        let waits = core.is_some() && segments.iter().any(|segment| !segment.on.is_core());
        let wait = match (draft.wait, waits) {
            (None, true) => {
                let expected = "\"busy\" or \"suspend\", because the task waits for a copy or a kernel";
                return Refusal::refuse("wait", "no field `wait`", expected);
            }
            (Some(wait), true) => wait,
            (_, false) => Wait::Suspend,
        };
        let max_interarrival = match (draft.arrivals, draft.max_interarrival) {
            (Arrivals::Periodic, None) => Some(draft.period),
            (Arrivals::Periodic, Some(found)) => Refusal::refuse(
                "max_interarrival",
                found,
                "no such field, because the task is periodic",
            )?,
            (Arrivals::Sporadic, Some(found)) if found < draft.period => Refusal::refuse(
                "max_interarrival",
                found,
                format!("at least {}, the period", draft.period),
            )?,
            (Arrivals::Sporadic, found) => found,
        };
        if let (Arrivals::Sporadic, Some(found)) = (draft.arrivals, draft.phase) {
            Refusal::refuse("phase", found, "no such field, because the task is sporadic")?;
        }
        let priority = draft.priority.unwrap_or(default.0);
        Ok(Task {
            name: draft.name.clone(),
            period: draft.period,
            deadline,
            jitter: draft.jitter.unwrap_or_default(), // no stated jitter: released at the arrival
            arrivals: draft.arrivals,
            max_interarrival,
            phase: draft.phase,
            priority,
            gpu_priority: draft.gpu_priority.unwrap_or(if draft.priority.is_some() {
                priority
            } else {
                default.1
            }),
            wait,
            core,
            segments,
        })
    }

    fn segment(
        &self,
        task: usize,
        draft: &SegmentDraft,
        partitions: &[Partition],
    ) -> Result<Segment, Refusal> {
        let Some(&on) = self.resources.get(draft.on.as_str()) else {
            let names: Vec<&str> = self.draft.cores.iter().map(|core| core.name.as_str()).collect();
            let engines = self.draft.copy_engines.iter().map(|engine| engine.name.as_str());
            let partitions = self
                .draft
                .partitions
                .iter()
                .map(|partition| partition.name.as_str());
            let names: Vec<&str> = names.into_iter().chain(engines).chain(partitions).collect();
            return Refusal::refuse(
                "on",
                format!("{:?}", draft.on),
                format!("the name of a resource: {}", names.join(", ")),
            );
        };
        let only_on = |field: &str, given: bool, there: bool, place: &str| match given && !there {
            true => Refusal::refuse(
                field,
                format!("a segment on {:?}", draft.on),
                format!("this field only {place}"),
            ),
            false => Ok(()),
        };
        let on_gpu = matches!(on, Resource::Partition(_));
        only_on(
            "bytes",
            draft.bytes.is_some(),
            matches!(on, Resource::Engine(_)),
            "for a copy engine",
        )?;
        only_on("block", draft.block.is_some(), on_gpu, "for a partition")?;
        only_on("kind", draft.kind.is_some(), on_gpu, "for a partition")?;
        let wcet = self.wcet(task, draft, (on, partitions))?;
        if wcet == Time::ZERO || wcet > Time::LIMIT {
            Refusal::refuse("wcet", wcet, "more than 0 ns and less than 2^63 ns")?;
        }
        // An unknown BCET is 0: a larger value would hide release jitter of the next segment.
        let bcet = draft.bcet.unwrap_or(Time::ZERO);
        if bcet > wcet {
            Refusal::refuse("bcet", bcet, format!("at most {wcet}, the WCET"))?;
        }
        let block = draft.block.map_or(wcet, |block| block.min(wcet));
        Ok(Segment {
            on,
            wcet,
            bcet,
            block,
            bytes: draft.bytes,
        })
    }

    /// Returns the WCET of a segment of `task` on the resource `on`.
    fn wcet(
        &self,
        task: usize,
        draft: &SegmentDraft,
        (on, partitions): (Resource, &[Partition]),
    ) -> Result<Time, Refusal> {
        let Some(function) = &draft.wcet else {
            let bandwidth = match on {
                Resource::Engine(index) => self
                    .draft
                    .copy_engines
                    .get(index)
                    .and_then(|engine| engine.bandwidth),
                _ => None,
            };
            return match (draft.bytes, bandwidth) {
                (Some(bytes), Some(bandwidth)) if bandwidth.bytes_per_second() > 0 => {
                    let ns = bytes.nano().div_ceil(u128::from(bandwidth.bytes_per_second()));
                    Ok(Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX)))
                }
                (Some(_), _) => Refusal::refuse(
                    "wcet",
                    "no field `wcet`",
                    format!("a time, or a `bandwidth` of the copy engine {:?}", draft.on),
                ),
                (None, _) => Refusal::refuse(
                    "wcet",
                    "no field `wcet`",
                    "the WCET of the segment, such as \"2ms\"",
                ),
            };
        };
        let (sms, contention) = match on {
            Resource::Partition(index) => {
                let sms = partitions.get(index).map_or(1, |partition| partition.sms);
                (sms, self.contention(task, draft.kind, index))
            }
            _ => {
                // A function of SMs has no meaning on a core: only a constant is accepted.
                let (one, many) = (
                    function.at(1, Contention::Isolated),
                    function.at(MAX_SMS, Contention::Conflict),
                );
                if one != many {
                    let expected = "one time, because only kernels depend on the number of SMs";
                    Refusal::refuse("wcet", "a function of the number of SMs", expected)?;
                }
                (1, Contention::Isolated)
            }
        };
        match function.at(sms, contention) {
            Some(time) => Ok(time),
            None => Refusal::refuse(
                "wcet",
                format!("no WCET on {sms} SMs"),
                format!(
                    "at least {} SMs for this kernel",
                    function.smallest_sms(contention)
                ),
            ),
        }
    }

    /// Returns the contention of a kernel of `task` on `partition`.
    fn contention(&self, task: usize, kind: Option<Kind>, partition: usize) -> Contention {
        let others = self.kernels.get(partition).into_iter().flatten();
        let clash = |other: &Option<Kind>| match (kind, other) {
            (Some(own), Some(other)) => own == *other,
            _ => true,
        };
        match self.interference {
            Interference::None => Contention::Isolated,
            _ if others
                .filter(|&&(other, _)| other != task)
                .any(|(_, other)| clash(other)) =>
            {
                Contention::Conflict
            }
            _ => Contention::Isolated,
        }
    }
}

/// Returns the partitions. Each must have a size.
fn partitions(draft: &Draft) -> Result<Vec<Partition>, Refusal> {
    let partitions = draft.partitions.iter().enumerate();
    partitions
        .map(|(index, partition)| {
            let place = format!("partitions[{index}].sms");
            let sms = match partition.sms {
                Some(sms) if (1..=MAX_SMS).contains(&sms) => sms,
                Some(sms) => Refusal::refuse(place, sms, format!("1 to {MAX_SMS}"))?,
                None => {
                    let refusal = Refusal::new(place, "no field `sms`", "the number of SMs of the partition");
                    return Err(refusal.hint("let `gpusched partition` choose the sizes"));
                }
            };
            Ok(Partition {
                name: partition.name.clone(),
                sms,
                policy: partition.policy,
            })
        })
        .collect()
}

/// Returns the priorities of tasks that state none, on cores and on other resources: deadline-monotonic, and by
/// position among equal deadlines.
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

/// Returns the core of all CPU segments; `None` if the task has no CPU segments.
fn one_core(segments: &[Segment], drafts: &[SegmentDraft]) -> Result<Option<usize>, Refusal> {
    let mut core: Option<(usize, &str)> = None;
    for (position, (segment, draft)) in segments.iter().zip(drafts).enumerate() {
        if let Resource::Core(index) = segment.on {
            match core {
                Some((first, name)) if first != index => Refusal::refuse(
                    format!("segments[{position}].on"),
                    format!("{:?}", draft.on),
                    format!("{name:?}, the core of the other CPU segments of the task"),
                )?,
                _ => core = Some((index, &draft.on)),
            }
        }
    }
    Ok(core.map(|(index, _)| index))
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
                "the name of a task",
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
