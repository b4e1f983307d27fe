//! Tasks and segments of a draft, with their resources and WCETs.

use std::collections::HashMap;

use super::draft::{Draft, MAX_SEGMENTS};
use super::{Arrivals, DraftPolicy, Jobs, Partition, Resource, Segment, SegmentDraft, Task, TaskDraft, Wait};
use crate::time::Time;
use crate::wcet::MAX_SMS;
use crate::{Bytes, Contention, Interference, Kind, Refusal};

/// Task and segment of a kernel, and its kind.
type Kernel = ((usize, usize), Option<Kind>);

/// The resources by name, and the kind of each kernel on each partition.
pub(super) struct Scope<'a> {
    draft: &'a Draft,
    /// A time-sliced partition is no resource (`None`). Its contexts are resources.
    resources: HashMap<&'a str, Option<Resource>>,
    interference: Interference,
    /// For each partition or context, the first context of the same time-sliced partition, or itself.
    together: Vec<usize>,
    /// For each partition, the task, the segment and the kind of each kernel. The contexts of a time-sliced partition share its
    /// caches, so its first context has the kernels of all its contexts.
    kernels: Vec<Vec<Kernel>>,
}

impl<'a> Scope<'a> {
    /// Collects the names of all resources.
    pub fn new(draft: &'a Draft, interference: Interference) -> Result<Scope<'a>, Refusal> {
        let cores = draft.cores.iter().enumerate();
        let cores = cores.map(|(index, core)| ("cores", index, &core.name, Resource::Core(index)));
        let engines = draft.copy_engines.iter().enumerate();
        let engines =
            engines.map(|(index, engine)| ("copy_engines", index, &engine.name, Resource::Engine(index)));
        let mut resources = HashMap::new();
        let mut insert = |place: &str, name: &'a str, resource: Option<Resource>| {
            if resources.insert(name, resource).is_some() {
                let found = format!("{name:?}, the name of another resource");
                let expected = "a name that no other resource has";
                return Refusal::refuse(format!("{place}.name"), found, expected);
            }
            Ok(())
        };
        for (list, index, name, resource) in cores.chain(engines) {
            insert(&format!("{list}[{index}]"), name, Some(resource))?;
        }
        // For each partition or context, its time-sliced partition, or itself.
        let mut together = Vec::new();
        for (index, partition) in draft.partitions.iter().enumerate() {
            let (place, first) = (format!("partitions[{index}]"), together.len());
            if partition.policy != DraftPolicy::TimeSliced {
                insert(&place, &partition.name, Some(Resource::Partition(first)))?;
                together.push(first);
                continue;
            }
            insert(&place, &partition.name, None)?;
            for (index, context) in partition.contexts.iter().enumerate() {
                let resource = Resource::Partition(together.len());
                insert(
                    &format!("{place}.contexts[{index}]"),
                    &context.name,
                    Some(resource),
                )?;
                together.push(first);
            }
        }
        let mut kernels = vec![Vec::new(); together.len()];
        for (index, task) in draft.tasks.iter().enumerate() {
            for (position, segment) in task.segments.iter().enumerate() {
                if let Some(Some(Resource::Partition(partition))) = resources.get(segment.on.as_str())
                    && let Some(kernels) = together.get(*partition).and_then(|&first| kernels.get_mut(first))
                {
                    kernels.push(((index, position), segment.kind));
                }
            }
        }
        Ok(Scope {
            draft,
            resources,
            interference,
            together,
            kernels,
        })
    }

    /// Returns the task at `index`. A task that states no priority has the two priorities in `default`: one on its
    /// core, and one on other resources.
    pub fn task(
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
        let pipelined = draft.jobs == Jobs::Pipelined;
        if count > 1 && deadline > draft.period && !pipelined {
            let expected = format!(
                "at most {}, the period, for a sequential task with several segments",
                draft.period
            );
            let hint = "a task with `\"jobs\": \"pipelined\"` may have a longer deadline";
            return Err(Refusal::new("deadline", deadline, expected).hint(hint));
        }
        let buffers = buffers(draft)?;
        let mut segments = Vec::with_capacity(count);
        for (position, segment) in draft.segments.iter().enumerate() {
            let place = format!("segments[{position}]");
            segments.push(
                self.segment((index, position), segment, partitions)
                    .map_err(|refusal| refusal.within(&place))?,
            );
        }
        let core = match pipelined {
            true => None,
            false => one_core(&segments, &draft.segments)?,
        };
        if let (true, Some(Wait::Busy)) = (pipelined, draft.wait) {
            let expected =
                "suspend, or no such field, because no thread of a pipelined task waits on its core";
            Refusal::refuse("wait", Wait::Busy, expected)?;
        }
        // No thread of a pipelined task waits, so `core` is `None`.
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
        if let Some(found) = draft.phase.filter(|&phase| phase >= draft.period) {
            let expected = format!(
                "less than {}, the period, because a bound on a chain counts no time without jobs",
                draft.period
            );
            let within = Time::from_ns(found.ns() % draft.period.ns().max(1));
            let hint = format!("with `\"phase\": \"{within}\"`, later jobs arrive at equal times");
            return Err(Refusal::new("phase", found, expected).hint(hint));
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
            jobs: draft.jobs,
            buffers,
            core,
            segments,
        })
    }

    fn segment(
        &self,
        place: (usize, usize),
        draft: &SegmentDraft,
        partitions: &[Partition],
    ) -> Result<Segment, Refusal> {
        let Some(&Some(on)) = self.resources.get(draft.on.as_str()) else {
            let mut names: Vec<(Resource, &str)> = self
                .resources
                .iter()
                .filter_map(|(name, on)| Some(((*on)?, *name)))
                .collect();
            names.sort_unstable();
            let names: Vec<&str> = names.into_iter().map(|(_, name)| name).collect();
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
        let wcet = self.wcet(place, draft, (on, partitions))?;
        if wcet == Time::ZERO || wcet > Time::LIMIT {
            Refusal::refuse("wcet", wcet, "more than 0 ns and less than 2^63 ns")?;
        }
        // An unknown BCET counts as 0. A larger value might be above the true BCET, and the bound on the release jitter
        // of the next segment would be too small.
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
            traffic: draft.traffic.or_else(|| copied(draft.bytes?)),
            bandwidth: draft.bandwidth,
        })
    }

    /// Returns the WCET of a segment on the resource `on`. `place` contains the positions of the task and the segment.
    fn wcet(
        &self,
        place: (usize, usize),
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
                (sms, self.contention(place, draft.kind, index))
            }
            _ => {
                // A core or copy engine has no SMs, so its segments must have a constant WCET.
                let (one, many) = (
                    function.at(1, Contention::Isolated),
                    function.at(MAX_SMS, Contention::Conflict),
                );
                if one != many {
                    let expected = "one time, because only the WCETs of kernels depend on the number of SMs";
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

    /// Returns the contention of a kernel on `partition`. `place` contains the positions of the task and the segment. Two jobs
    /// of a pipelined task never execute one segment at a time, but they can execute two segments.
    fn contention(&self, place: (usize, usize), kind: Option<Kind>, partition: usize) -> Contention {
        let first = self.together.get(partition);
        let others = first
            .and_then(|&first| self.kernels.get(first))
            .into_iter()
            .flatten();
        let clash = |other: &Option<Kind>| match (kind, other) {
            (Some(own), Some(other)) => own == *other,
            _ => true,
        };
        let pipelined = {
            let task = self.draft.tasks.get(place.0);
            task.is_some_and(|task| task.jobs == Jobs::Pipelined)
        };
        match self.interference.counts_conflicts() {
            false => Contention::Isolated,
            true if others
                .filter(|(other, _)| other.0 != place.0 || (pipelined && other.1 != place.1))
                .any(|(_, other)| clash(other)) =>
            {
                Contention::Conflict
            }
            true => Contention::Isolated,
        }
    }
}

/// Returns the slots between the segments of a pipelined task; an empty list for a sequential task.
fn buffers(draft: &TaskDraft) -> Result<Vec<Option<u32>>, Refusal> {
    let slots = draft.segments.len().saturating_sub(1);
    let Some(stated) = &draft.buffers else {
        return Ok(match draft.jobs {
            Jobs::Sequential => Vec::new(),
            Jobs::Pipelined => vec![None; slots],
        });
    };
    let entries = format!("{} entries", stated.len());
    if draft.jobs == Jobs::Sequential {
        let expected = "no such field, because the task is sequential";
        let hint = "state `\"jobs\": \"pipelined\"`";
        return Err(Refusal::new("buffers", entries, expected).hint(hint));
    }
    if stated.len() != slots {
        let expected = format!("{slots} entries, one for each segment except the last");
        Refusal::refuse("buffers", entries, expected)?;
    }
    match stated.iter().position(|&slots| slots == Some(0)) {
        Some(empty) => Refusal::refuse(
            format!("buffers[{empty}]"),
            0,
            "null, or at least one slot, because a segment starts only with a free slot",
        ),
        None => Ok(stated.clone()),
    }
}

/// Returns the memory traffic of a copy of `bytes`. A copy reads and writes each byte. Returns `None` if the amount is
/// too large.
fn copied(bytes: Bytes) -> Option<Bytes> {
    Bytes::new(bytes.bytes().checked_mul(2)?)
}

/// Returns the core that executes all CPU segments of the task, or `None` if the task has no CPU segments.
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
