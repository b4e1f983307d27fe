//! Work and losses of joint resources, (6) to (9).

use gpusched_model::end_to_end::{EnginePolicy, PartitionPolicy, Resource, System};

use super::super::load::Load;
use super::super::table::{Table, cost};
use super::super::window::{blocking, smaller, total};
use super::Windows;
use super::core_work::Member;

/// A resource that a window may cover: a copy engine or partition, or a time-sliced GPU with all its contexts.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Joint {
    Device(Resource),
    /// Position of the GPU among the time-sliced partitions.
    Gpu(usize),
}

impl Joint {
    /// Returns the resource with `on`; `None` if `on` is a core.
    pub fn of(table: &Table<'_>, on: Resource) -> Option<Joint> {
        match on.is_core() {
            true => None,
            false => Some(
                table
                    .gpu(on)
                    .map_or(Joint::Device(on), |(gpu, _)| Joint::Gpu(gpu)),
            ),
        }
    }

    /// Returns whether `task` has a segment on the resource.
    pub fn serves(self, table: &Table<'_>, task: usize) -> bool {
        let mut segments = table.task(task).segments.iter();
        segments.any(|segment| Joint::of(table, segment.on) == Some(self))
    }

    /// Returns whether the resource has fixed priorities and immediate preemption.
    pub fn is_preemptive(self, system: &System) -> bool {
        match self {
            Joint::Device(on) => order(system, on) == Some(Order::Preemptive),
            Joint::Gpu(_) => false,
        }
    }

    /// Returns whether the resource chooses segments by their priorities.
    pub fn orders_by_priority(self, system: &System) -> bool {
        match self {
            Joint::Device(on) => matches!(order(system, on), Some(Order::Preemptive | Order::NonPreemptive)),
            Joint::Gpu(_) => false,
        }
    }
}

/// Order of the segments on a copy engine or partition.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Order {
    Arrival,
    Preemptive,
    NonPreemptive,
}

/// Returns the order of the segments on `on`, or `None` if no window may cover the resource.
fn order(system: &System, on: Resource) -> Option<Order> {
    match on {
        Resource::Core(_) => None,
        Resource::Engine(engine) => Some(match system.engines()[engine].policy {
            EnginePolicy::Fifo => Order::Arrival,
            EnginePolicy::NpFp => Order::NonPreemptive,
        }),
        Resource::Partition(partition) => match system.partitions()[partition].policy {
            PartitionPolicy::NpFifo => Some(Order::Arrival),
            PartitionPolicy::NpFp => Some(Order::NonPreemptive),
            PartitionPolicy::Fp => Some(Order::Preemptive),
            _ => None,
        },
    }
}

/// Returns whether a window may cover the copy engine or partition `on`.
pub(super) fn has_rule(system: &System, on: Resource) -> bool {
    order(system, on).is_some()
}

/// A task on a copy engine or partition.
pub(super) struct OnDevice<'a> {
    pub task: usize,
    priority: u32,
    load: Load<'a>,
    /// Longest segment on the resource.
    longest: u128,
    /// Whether several segments of the task may wait at the same time.
    pipelined: bool,
}

impl<'a> OnDevice<'a> {
    /// Creates the task with the work `load`.
    pub fn new(table: &Table<'_>, load: Load<'a>) -> OnDevice<'a> {
        let found = table.task(load.task);
        let costs = load.streams.iter().map(|stream| stream.cost);
        OnDevice {
            task: load.task,
            priority: found.gpu_priority,
            longest: costs.max().unwrap_or(0), // every task of the list has a stream
            pipelined: found.is_pipelined(),
            load,
        }
    }
}

/// The losses of one joint resource in a window.
pub(super) enum Losses<'w> {
    /// Copy engine or partition.
    Device(Device<'w>),
    /// Time-sliced GPU.
    Gpu(Gpu<'w>),
}

/// A busy-waiting task of H with a segment on the resource.
struct Busy<'w> {
    member: &'w Member<'w>,
    /// Number of its segments on the resource.
    segments: u128,
    /// b: longest blocking of one segment.
    blocking: u128,
}

pub(super) struct Device<'w> {
    order: Order,
    /// q_i: number of covered segments on the resource.
    own: u128,
    /// b_i: longest blocking of one covered segment.
    blocking: u128,
    /// Longest segment of the own task on the resource; 0 without segments.
    longest_own: u128,
    busy: Vec<Busy<'w>>,
    /// The tasks that count, and whether they belong to G(r).
    others: Vec<(&'w OnDevice<'w>, bool)>,
}

impl<'w> Losses<'w> {
    /// Creates the losses of `joint` in a window over the segments `first` to `last` of `task`. `busy` are the busy-waiting
    /// tasks with a segment on the resource. `prompt` tells whether the segment `first` is on the core, and no joint resource is
    /// preemptive.
    pub fn new(
        windows: &'w Windows<'_>,
        joint: Joint,
        (covered, prompt): ((usize, usize, usize), bool),
        busy: Vec<&'w Member<'w>>,
    ) -> Losses<'w> {
        match joint {
            Joint::Device(on) => Losses::Device(Device::new(windows, on, covered, busy)),
            Joint::Gpu(gpu) => Losses::Gpu(Gpu::new(windows, gpu, (covered, prompt), busy)),
        }
    }

    /// Returns other(w) for a window of length `window` > 0. `jobs` returns the number of jobs of a busy-waiting task. Returns
    /// `None` if no bound follows.
    pub fn within(
        &self,
        window: u128,
        closed: bool,
        jobs: impl Fn(&Member<'_>) -> Option<u128>,
    ) -> Option<u128> {
        match self {
            Losses::Device(device) => device.within(window, closed, jobs),
            Losses::Gpu(gpu) => gpu.within(window, jobs),
        }
    }
}

impl<'w> Device<'w> {
    fn new(
        windows: &'w Windows<'_>,
        on: Resource,
        (task, first, last): (usize, usize, usize),
        busy: Vec<&'w Member<'w>>,
    ) -> Device<'w> {
        let table = windows.table;
        let all = windows.on_device(on);
        let found = table.task(task);
        let level = |task: usize| table.task(task).gpu_priority;
        let longest_below = |of: usize| {
            let lower = all
                .iter()
                .filter(|other| other.task != of && other.priority > level(of));
            blocking(lower.map(|other| other.longest), false)
        };
        let mine = all.iter().find(|other| other.task == task);
        let covered = found.segments[first..=last]
            .iter()
            .filter(|segment| segment.on == on);
        let own = covered.count() as u128;
        let clients = busy.iter().map(|member| level(member.task));
        let least_urgent = clients.chain((own > 0).then_some(level(task))).max();
        let order = order(table.system, on).unwrap_or(Order::Arrival); // every joint resource has an order
        let counts = |other: &&OnDevice<'_>| {
            other.task != task
                && busy.iter().all(|member| member.task != other.task)
                && least_urgent.is_some_and(|least| order == Order::Arrival || other.priority <= least)
        };
        let others = all
            .iter()
            .filter(counts)
            .map(|other| (other, mine.is_none() || other.priority < level(task)));
        Device {
            order,
            own,
            blocking: longest_below(task),
            longest_own: mine.map_or(0, |mine| mine.longest),
            others: others.collect(),
            busy: busy
                .into_iter()
                .map(|member| Busy {
                    member,
                    segments: all
                        .iter()
                        .filter(|other| other.task == member.task)
                        .map(|other| other.load.streams.len() as u128)
                        .sum(),
                    blocking: longest_below(member.task),
                })
                .collect(),
        }
    }

    fn within(&self, window: u128, closed: bool, jobs: impl Fn(&Member<'_>) -> Option<u128>) -> Option<u128> {
        let requests = |busy: &Busy<'_>| Some(jobs(busy.member)?.saturating_mul(busy.segments));
        match self.order {
            Order::Preemptive => total(self.others.iter().map(|(other, first)| match closed && *first {
                true => other.load.since_idle(window, true, 0),
                false => other.load.any(window),
            })),
            Order::NonPreemptive => {
                let others = self.others.iter().map(|(other, _)| other.load.any(window));
                let blocked = self
                    .busy
                    .iter()
                    .map(|busy| Some(requests(busy)?.saturating_mul(busy.blocking)));
                let own = self.blocking.saturating_mul(self.own);
                total(others.chain(blocked).chain([Some(own)]))
            }
            Order::Arrival => {
                let all = total(self.busy.iter().map(requests));
                let others = self.others.iter().map(|(other, _)| {
                    let each = all.filter(|_| !other.pipelined);
                    let each = each.map(|all| self.own.saturating_add(all).saturating_mul(other.longest));
                    smaller(each, other.load.any(window))
                });
                let own = match closed {
                    true if self.longest_own > 0 => Some(all?.saturating_mul(self.longest_own)),
                    _ => Some(0),
                };
                total(others.chain([own]))
            }
        }
    }
}

pub(super) struct Gpu<'w> {
    table: &'w Table<'w>,
    gpu: usize,
    /// y_i: number of intervals of the own segments.
    own: u128,
    own_gaps: Vec<u128>,
    own_overrun: u128,
    /// x_d: own execution on each context. The last covered segment has not ended, so it counts 1 ns less. With `prompt`, it counts in
    /// full.
    executed: Vec<u128>,
    busy: Vec<Client<'w>>,
    /// Whether each context belongs to a task in `busy`.
    excluded: Vec<bool>,
}

/// A busy-waiting task with a segment on the GPU.
struct Client<'w> {
    member: &'w Member<'w>,
    /// Number of intervals of one job.
    intervals: u128,
    gaps: Vec<u128>,
    overrun: u128,
}

impl<'w> Gpu<'w> {
    fn new(
        windows: &'w Windows<'_>,
        gpu: usize,
        ((task, first, last), prompt): ((usize, usize, usize), bool),
        busy: Vec<&'w Member<'w>>,
    ) -> Gpu<'w> {
        let table = windows.table;
        let system = &table.system.time_slices()[gpu];
        let sliced = table.time_sliced(gpu);
        let position = |on: Resource| match on {
            Resource::Partition(partition) => system.position(partition),
            _ => None,
        };
        // The segments of a task on the GPU, with their contexts.
        let on_gpu = |task: usize| {
            let segments = table.task(task).segments.iter().enumerate();
            segments.filter_map(move |(index, segment)| Some((index, position(segment.on)?, cost(segment))))
        };
        let intervals =
            |context: usize, cost: u128| cost.div_ceil(u128::from(system.contexts[context].slice.ns()));
        let contexts = |task: usize| {
            let mut contexts: Vec<usize> = on_gpu(task).map(|(_, context, _)| context).collect();
            contexts.sort_unstable();
            contexts.dedup();
            contexts
        };
        let count = system.contexts.len();
        let gaps = |task: usize| -> Vec<u128> {
            let own = contexts(task);
            let gap = |other: usize| match own.contains(&other) {
                true => 0,
                false => own.iter().map(|&own| sliced.gap(own, other)).max().unwrap_or(0),
            };
            (0..count).map(gap).collect()
        };
        let overrun = |task: usize| {
            let overruns = contexts(task).into_iter();
            let overruns = overruns.map(|context| u128::from(system.contexts[context].overrun.ns()));
            overruns.max().unwrap_or(0) // the task has no context
        };
        let covered = || on_gpu(task).filter(|(index, ..)| (first..=last).contains(index));
        let mut executed = vec![0u128; count];
        for (index, context, cost) in covered() {
            let counted = cost.saturating_sub(u128::from(index == last && !prompt));
            executed[context] = executed[context].saturating_add(counted);
        }
        let mut excluded = vec![false; count];
        for context in busy.iter().flat_map(|member| contexts(member.task)) {
            excluded[context] = true;
        }
        let sum = |values: &mut dyn Iterator<Item = u128>| values.fold(0, u128::saturating_add);
        Gpu {
            table,
            gpu,
            own: sum(&mut covered().map(|(_, context, cost)| intervals(context, cost))),
            own_gaps: gaps(task),
            own_overrun: overrun(task),
            executed,
            busy: busy
                .into_iter()
                .map(|member| Client {
                    member,
                    intervals: sum(
                        &mut on_gpu(member.task).map(|(_, context, cost)| intervals(context, cost))
                    ),
                    gaps: gaps(member.task),
                    overrun: overrun(member.task),
                })
                .collect(),
            excluded,
        }
    }

    fn within(&self, window: u128, jobs: impl Fn(&Member<'_>) -> Option<u128>) -> Option<u128> {
        if self.own == 0 && self.busy.is_empty() {
            return Some(0); // no client
        }
        let sliced = self.table.time_sliced(self.gpu);
        let switch = sliced.switch();
        let mut lost = self.own.saturating_mul(switch.saturating_add(self.own_overrun));
        let mut turns: Vec<u128> = self
            .own_gaps
            .iter()
            .map(|gap| gap.saturating_mul(self.own))
            .collect();
        for client in &self.busy {
            let intervals = jobs(client.member)?.saturating_mul(client.intervals);
            lost = lost.saturating_add(intervals.saturating_mul(switch.saturating_add(client.overrun)));
            for (turns, gap) in turns.iter_mut().zip(&client.gaps) {
                *turns = turns.saturating_add(gap.saturating_mul(intervals));
            }
        }
        for (context, &most) in turns
            .iter()
            .enumerate()
            .filter(|(context, _)| !self.excluded[*context])
        {
            let whole = most.saturating_mul(sliced.longest_turn(context));
            let limited = sliced.used(context, window, most).map(|(turns, time)| {
                let time = time.saturating_sub(self.executed[context]);
                time.saturating_add(turns.saturating_mul(switch))
            });
            lost = lost.saturating_add(limited.map_or(whole, |limited| limited.min(whole)));
        }
        Some(lost)
    }
}
