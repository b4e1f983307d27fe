//! Tables of a system in the form that the simulator uses.

use super::time_slices::Gpu;
use gpusched_model::Refusal;
use gpusched_model::end_to_end::{CorePolicy, EnginePolicy, PartitionPolicy, Resource, System};
use gpusched_model::policy::Preemption;
use gpusched_model::time::Time;

/// Quantity by which a resource orders jobs. The lowest value is first.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Key {
    /// Priority of the task.
    Priority,
    /// Absolute deadline of the job.
    Deadline,
    /// Release of the segment.
    Release,
}

/// Scheduling rule of a resource.
#[derive(Copy, Clone, Debug)]
pub(super) struct Rule {
    pub resource: Resource,
    pub key: Key,
    pub preemption: Preemption,
}

/// Constants of a thread: a sequential task, or a segment of a pipelined task. All times are in ns.
#[derive(Copy, Clone, Debug)]
pub(super) struct Constants {
    /// Position of the task in the system.
    pub task: usize,
    /// Position of the first segment of the thread in the task.
    pub segment: usize,
    /// Whether the task is pipelined.
    pub pipelined: bool,
    /// Whether the thread executes the last segment of the task.
    pub is_last: bool,
    /// Number of slots for the output of a pipelined segment; `None` without a limit.
    pub slots: Option<u64>,
    pub deadline: u64,
    pub priority: u64,
    pub gpu_priority: u64,
    /// Number of the core on which the task busy-waits; `None` if the task never busy-waits.
    pub spins_on: Option<usize>,
    /// Position of the first segment of the thread in the list of all segments.
    pub first: usize,
    /// Number of segments that the thread executes.
    pub segments: usize,
}

/// Constants of a segment. All times are in ns.
#[derive(Copy, Clone, Debug)]
pub(super) struct Piece {
    /// Number of the resource. Cores have the first numbers, copy engines the next numbers, and partitions the last
    /// numbers.
    pub resource: usize,
    pub block: u64,
    /// Time from the arrival of the job to the release by a timer.
    pub offset: u64,
    /// Time from the arrival of the job to the deadline by which the resource orders the segment. This deadline is the
    /// next release by a timer, or the deadline of the task.
    pub deadline: u64,
}

/// Tables of a system.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Threads of all tasks, in the order of the tasks. The threads of a pipelined task are in the order of its segments.
    pub threads: Vec<Constants>,
    /// Segments of all tasks, in the order of the tasks.
    pub pieces: Vec<Piece>,
    pub rules: Vec<Rule>,
    pub time_sliced: Vec<Gpu>,
}

impl Plan {
    pub fn new(system: &System, offsets: Option<&[Vec<Time>]>) -> Result<Plan, Refusal> {
        if let Some(offsets) = offsets {
            check(system, offsets)?;
        }
        let number = |resource| match resource {
            Resource::Core(index) => index,
            Resource::Engine(index) => system.cores().len() + index,
            Resource::Partition(index) => system.cores().len() + system.engines().len() + index,
        };
        let mut plan = Plan {
            threads: Vec::with_capacity(system.tasks().len()),
            pieces: Vec::new(),
            rules: system
                .resources()
                .map(|resource| rule(system, resource))
                .collect(),
            time_sliced: Gpu::all(system, number(Resource::Partition(0))),
        };
        for (position, task) in system.tasks().iter().enumerate() {
            let pipelined = task.is_pipelined();
            let count = task.segments.len();
            let threads = if pipelined { count } else { 1 };
            plan.threads.extend((0..threads).map(|segment| Constants {
                task: position,
                segment,
                pipelined,
                is_last: segment + 1 == threads,
                slots: task.slots(segment),
                deadline: task.deadline.ns(),
                priority: task.priority.into(),
                gpu_priority: task.gpu_priority.into(),
                spins_on: task.core.filter(|_| task.spins()),
                first: plan.pieces.len() + segment,
                segments: if pipelined { 1 } else { count },
            }));
            for (index, segment) in task.segments.iter().enumerate() {
                plan.pieces.push(Piece {
                    resource: number(segment.on),
                    block: segment.block.ns().max(1),
                    offset: offsets.map_or(0, |offsets| offsets[position][index].ns()),
                    deadline: { offsets.and_then(|offsets| offsets[position].get(index + 1)) }
                        .map_or(task.deadline.ns(), |next| next.ns()),
                });
            }
        }
        Ok(plan)
    }
}

/// Checks that `offsets` has one entry per segment, and that tasks with timers do not busy-wait and are not pipelined.
fn check(system: &System, offsets: &[Vec<Time>]) -> Result<(), Refusal> {
    system.check_sequential("only sequential tasks have enforced releases")?;
    let tasks = system.tasks();
    if offsets.len() != tasks.len() {
        let expected = format!("one list for each of the {} tasks", tasks.len());
        Refusal::refuse("offsets_ns", format!("{} lists", offsets.len()), expected)?;
    }
    for (position, (task, offsets)) in tasks.iter().zip(offsets).enumerate() {
        let place = format!("offsets_ns[{position}]");
        if offsets.len() != task.segments.len() {
            let found = format!("{} times", offsets.len());
            let expected = format!("one time for each of the {} segments", task.segments.len());
            Refusal::refuse(place.as_str(), found, expected)?;
        }
        if let Some(time) = offsets.iter().find(|&&time| time > Time::LIMIT) {
            Refusal::refuse(place.as_str(), time, "less than 2^63 ns")?;
        }
        if task.spins() {
            let found = format!("enforced releases of the busy-waiting task {:?}", task.name);
            Refusal::refuse(place, found, "a task that suspends itself")?;
        }
    }
    Ok(())
}

fn rule(system: &System, resource: Resource) -> Rule {
    use Preemption::{Limited, NonPreemptive, Preemptive};
    let (key, preemption) = match resource {
        Resource::Core(index) => match system.cores()[index].policy {
            CorePolicy::Fp => (Key::Priority, Preemptive),
            CorePolicy::Edf => (Key::Deadline, Preemptive),
        },
        Resource::Engine(index) => match system.engines()[index].policy {
            EnginePolicy::Fifo => (Key::Release, NonPreemptive),
            EnginePolicy::NpFp => (Key::Priority, NonPreemptive),
        },
        Resource::Partition(index) => match system.partitions()[index].policy {
            PartitionPolicy::NpFifo => (Key::Release, NonPreemptive),
            PartitionPolicy::NpFp => (Key::Priority, NonPreemptive),
            PartitionPolicy::Fp => (Key::Priority, Preemptive),
            PartitionPolicy::LpFp => (Key::Priority, Limited),
            PartitionPolicy::Edf => (Key::Deadline, Preemptive),
            PartitionPolicy::NpEdf => (Key::Deadline, NonPreemptive),
            PartitionPolicy::LpEdf => (Key::Deadline, Limited),
        },
    };
    Rule {
        resource,
        key,
        preemption,
    }
}
