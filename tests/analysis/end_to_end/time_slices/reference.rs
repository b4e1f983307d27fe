//! Reference implementation of the equations of `docs/explanation/time-slices.md`, and wrong variants of these equations. The
//! numbers in parentheses are the numbers of the equations.

use gpusched::model::end_to_end::{Bounds, Context, Idle, PartitionPolicy, Resource, System, TimeSlices};

use super::super::equations::{is_alone, least, ns, smaller, spaced, whole_job};

/// A change that makes the equations wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// No change: the equations of the page.
    Nothing,
    /// No switch back to the own context (equation 3 of GCAPS).
    SwitchesBack,
    /// Other contexts have no work at the start of the window (round robin in pyCPA).
    CarryIn,
    /// Own overruns take no time.
    OwnOverruns,
    /// n − 1 own overruns in all contexts.
    FirstOverrun,
    /// Overruns of other contexts take no time.
    OtherOverruns,
    /// ⌊x/q⌋ intervals.
    Intervals,
    /// No switch after an idle GPU.
    FirstSwitch,
    /// No slice ends inside a kernel that is not longer than the slice.
    ShortKernels,
    /// Contexts without kernels have no turns, for every rule.
    WorkConserving,
    /// With fixed turns, overruns do not shorten turns.
    FixedOverruns,
    /// The window until the start of a kernel does not include the instant of the start.
    LastInstant,
    /// The number of overruns inside a kernel is limited, even if kernels preempt each other (the published form of 5).
    Preemption,
    /// Under EDF, every other segment has one job less, not only the later segments of the own job.
    LaterSegments,
}

/// A segment on a context.
#[derive(Copy, Clone)]
struct Kernel {
    task: usize,
    segment: usize,
    period: u128,
    cost: u128,
    /// φ: sum of the earlier BCETs.
    earliest: u128,
    /// J(j,k): `None` without a bound.
    jitter: Option<u128>,
    /// R(j,k): `None` if the segment or the task has no bound.
    end: Option<u128>,
}

/// End of a window.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Until {
    Start,
    End,
    EndFromIdle,
}

/// The equations of one system, for the values of the table `bounds`.
pub struct Reference<'a> {
    pub system: &'a System,
    pub bounds: &'a Bounds,
    pub wrong: Wrong,
}

/// Longest busy period that the reference implementation computes.
const LONGEST: u128 = 20_000;

impl Reference<'_> {
    fn kernels(&self, context: Context) -> Vec<Kernel> {
        let resource = Resource::Partition(context.partition);
        let all = self.system.on(resource).map(|(task, segment)| {
            let found = &self.system.tasks()[task];
            let earliest = ns(found.earliest(segment));
            let bounded = self.bounds.response_time(task).is_some();
            let end = |segment| self.bounds.end(task, segment).filter(|_| bounded).map(ns);
            let jitter = match segment.checked_sub(1) {
                None => (bounded || found.segments.len() == 1).then_some(ns(found.jitter)),
                Some(before) => end(before).map(|end| end - earliest),
            };
            Kernel {
                task,
                segment,
                period: ns(found.period),
                cost: ns(found.segments[segment].wcet),
                earliest,
                jitter,
                end: end(segment),
            }
        });
        all.collect()
    }

    /// (2) Whether the context is idle just before the release of `kernel`.
    fn idle_before(&self, gpu: &TimeSlices, kernels: &[Kernel], kernel: &Kernel) -> bool {
        let task = &self.system.tasks()[kernel.task];
        let segments = &task.segments;
        let before = (kernel.segment + segments.len() - 1) % segments.len();
        let response = self.bounds.response_time(kernel.task);
        let ended = kernel.segment == 0 && response.is_some_and(|response| response < task.period);
        gpu.idle == Idle::Skip
            && kernels.iter().all(|other| other.task == kernel.task)
            && (segments[before].on != segments[kernel.segment].on || ended)
    }

    /// (4) W or, with `overrun`, the time with the overruns inside each kernel. `None` if a task has no bound.
    fn work(&self, gpu: &TimeSlices, context: Context, window: u128, overrun: u128) -> Option<u128> {
        let kernels = self.kernels(context);
        let jobs = |lag: u128, cost: u128, period: u128| match self.wrong {
            Wrong::CarryIn => window.div_ceil(period) * cost,
            _ => (window + lag - cost).div_ceil(period) * cost,
        };
        let cost = |kernel: &Kernel| {
            let slice = ns(context.slice);
            let whole = kernel.cost.div_ceil(slice) - 1;
            let cuts = match self.idle_before(gpu, &kernels, kernel) || self.wrong == Wrong::ShortKernels {
                true => whole,
                false => (kernel.cost - 1).div_ceil(slice),
            };
            kernel.cost + cuts * overrun
        };
        let mut sum = 0;
        for task in 0..self.system.tasks().len() {
            let own: Vec<&Kernel> = kernels.iter().filter(|kernel| kernel.task == task).collect();
            let (Some(first), Some(last)) = (own.first(), own.last()) else {
                continue;
            };
            let mut each = 0;
            for kernel in &own {
                each += jobs(kernel.end? - kernel.earliest, cost(kernel), kernel.period);
            }
            let all: u128 = own.iter().map(|kernel| cost(kernel)).sum();
            sum += each.min(jobs(last.end? - first.earliest, all, first.period));
        }
        Some(sum)
    }

    /// (3) Turns of each context in `count` consecutive intervals of `own`, for each first interval.
    fn turns(gpu: &TimeSlices, own: usize, count: u128) -> Vec<Vec<u128>> {
        let length = gpu.runlist.len();
        let own_turns = (0..length).filter(|&turn| gpu.runlist[turn] == own);
        let counts = own_turns.map(|first| {
            let mut turns = vec![0; gpu.contexts.len()];
            let (mut left, mut turn) = (count, first);
            while left > 0 {
                turn = (turn + 1) % length;
                match gpu.runlist[turn] == own {
                    true => left -= 1,
                    false => turns[gpu.runlist[turn]] += 1,
                }
            }
            turns
        });
        counts.collect()
    }

    fn idle(&self, gpu: &TimeSlices) -> Idle {
        match self.wrong {
            Wrong::WorkConserving => Idle::Skip,
            _ => gpu.idle,
        }
    }

    /// (5), (6): time for which a context occupies the GPU in a window, with the switches to it, and the number of its turns. It has at
    /// most `most` turns.
    pub fn occupied(
        &self,
        gpu: &TimeSlices,
        context: usize,
        (most, counted): (u128, u128),
        window: u128,
    ) -> (u128, u128) {
        let (other, switch) = (gpu.contexts[context], ns(gpu.switch));
        let slice = ns(other.slice);
        let overrun = match self.wrong {
            Wrong::OtherOverruns => 0,
            _ => ns(other.overrun),
        };
        let whole = most * (switch + slice + overrun);
        let work = match self.idle(gpu) {
            Idle::Skip => self.work(gpu, other, window, 0),
            _ => None,
        };
        let Some(work) = work else {
            return (whole, most);
        };
        let kernels = self.kernels(other);
        let ends = kernels.iter().map(|kernel| {
            let lag = kernel.end.unwrap() - kernel.earliest; // `work` has a bound
            (window + lag).div_ceil(kernel.period)
        });
        let policy = self.system.partitions()[other.partition].policy;
        let preempts = matches!(policy, PartitionPolicy::Fp | PartitionPolicy::Edf)
            && kernels.iter().any(|kernel| kernel.task != kernels[0].task);
        let limited = match preempts && self.wrong != Wrong::Preemption {
            true => None,
            false => self.work(gpu, other, window, overrun),
        };
        let least = limited.map_or(work, |limited| limited.min(work));
        let number = most.min(least / slice + ends.sum::<u128>());
        let occupied = work + most.min(work / slice + 1) * overrun;
        let occupied = limited.map_or(occupied, |limited| limited.min(occupied));
        let occupied = occupied.saturating_sub(counted);
        (whole.min(occupied + number * switch), number)
    }

    fn waiting(
        &self,
        (gpu, own): (&TimeSlices, usize),
        demand: u128,
        window: u128,
        until: Until,
    ) -> Option<u128> {
        let (context, switch) = (gpu.contexts[own], ns(gpu.switch));
        let intervals = |slice: u128| match (until, self.wrong) {
            (Until::Start, _) => demand / slice + 1,
            (_, Wrong::Intervals) => demand / slice,
            _ => demand.div_ceil(slice),
        };
        let idle = self.idle(gpu);
        if idle == Idle::Fixed {
            // (8)
            let length = gpu.runlist.len();
            let turns: Vec<usize> = (0..length).filter(|&turn| gpu.runlist[turn] == own).collect();
            let [turn] = turns[..] else { return None };
            let before = gpu.contexts[gpu.runlist[(turn + length - 1) % length]];
            let least = match self.wrong {
                Wrong::FixedOverruns => ns(context.slice),
                _ => ns(context.slice) - ns(before.overrun),
            };
            let slices = gpu
                .runlist
                .iter()
                .map(|&turn| ns(gpu.contexts[turn].slice) + switch);
            return Some(intervals(least) * (slices.sum::<u128>() - least));
        }
        let n = intervals(ns(context.slice));
        // (5): the window until the start of a kernel includes the instant of the start.
        let window = match (until, self.wrong) {
            (Until::Start, Wrong::LastInstant) => window,
            (Until::Start, _) => window + 1,
            _ => window,
        };
        let overruns = match (self.wrong, until) {
            (Wrong::OwnOverruns, _) => 0,
            _ if is_alone(self.system, gpu) => 0,
            (Wrong::FirstOverrun, _) | (_, Until::EndFromIdle) => n.saturating_sub(1),
            _ => n,
        };
        let others = Self::turns(gpu, own, n).into_iter().map(|turns| {
            let (mut time, mut started) = (0, 0);
            for (position, most) in turns.into_iter().enumerate() {
                if position == own {
                    continue;
                }
                let (occupied, number) = self.occupied(gpu, position, (most, 0), window);
                (time, started) = (time + occupied, started + number);
            }
            // (6), or (7)
            let back = match (self.wrong, idle) {
                (Wrong::SwitchesBack, _) => 0,
                (Wrong::FirstSwitch, Idle::Skip) => n.min(started),
                (_, Idle::Skip) => n.min(started + 1),
                _ => n,
            };
            time + back * switch
        });
        Some(others.max()? + overruns * ns(context.overrun))
    }

    /// Returns S of `own` under EDF: Spuri's equation for each arrival with the deadline of another job. `None` means that there
    /// is no bound. The outer `None` means that the busy period is too long for this implementation.
    fn by_deadline(
        &self,
        context: (&TimeSlices, usize),
        kernels: &[Kernel],
        own: &Kernel,
        preempts: bool,
    ) -> Option<Option<u128>> {
        let signed = |time: u128| i128::try_from(time).unwrap();
        let deadline = |kernel: &Kernel| {
            let task = &self.system.tasks()[kernel.task];
            signed(ns(task.deadline)) - signed(kernel.earliest)
        };
        let jitter = |kernel: &Kernel| signed(kernel.jitter.unwrap());
        let invalid = |kernel: &Kernel| {
            let late = |found: u128| signed(found) > deadline(kernel);
            kernel.jitter.is_none_or(late) || deadline(kernel) <= 0
        };
        if kernels.iter().any(invalid) {
            return Some(None);
        }
        let hyperperiod: u128 = kernels.iter().map(|kernel| kernel.period).product();
        let load = kernels
            .iter()
            .map(|kernel| kernel.cost * hyperperiod / kernel.period);
        if load.sum::<u128>() >= hyperperiod {
            return None;
        }
        let blocking = |kernel: &Kernel| if preempts { 0 } else { kernel.cost - 1 };
        let time =
            |demand: u128, window: u128| Some(demand + self.waiting(context, demand, window, Until::End)?);
        let any = kernels.iter().map(blocking).max().unwrap_or(0);
        let busy = least(1, LONGEST, |window| {
            let work = kernels
                .iter()
                .map(|kernel| (window + kernel.jitter.unwrap()).div_ceil(kernel.period) * kernel.cost);
            time(any + work.sum::<u128>(), window)
        })?;
        let mut worst = jitter(own) + signed(own.cost);
        for other in kernels {
            let first = deadline(other) - jitter(other) - deadline(own);
            let arrivals = (0..).map(|job| first + job * signed(other.period));
            let arrivals = arrivals.skip_while(|&arrival| arrival < -jitter(own));
            for arrival in arrivals.take_while(|&arrival| arrival <= signed(busy)) {
                let due = arrival + deadline(own);
                let is_own = |kernel: &&Kernel| (kernel.task, kernel.segment) == (own.task, own.segment);
                let blocker = kernels
                    .iter()
                    .filter(|kernel| kernel.task != own.task && deadline(kernel) > due);
                let blocker = blocker.map(blocking).max().unwrap_or(0);
                let earlier = (arrival + jitter(own)).unsigned_abs() / own.period * own.cost;
                let end = least(1, 10 * LONGEST, |end| {
                    let mut work = blocker + earlier + own.cost;
                    for kernel in kernels.iter().filter(|kernel| !is_own(kernel)) {
                        let less = match self.wrong {
                            Wrong::LaterSegments => true,
                            _ => kernel.task == own.task && kernel.segment > own.segment,
                        };
                        let released = (end + kernel.jitter.unwrap()).div_ceil(kernel.period);
                        let room = due + jitter(kernel) - deadline(kernel);
                        let jobs = room.div_euclid(signed(kernel.period)) + i128::from(!less);
                        work += signed(released).min(jobs).max(0).unsigned_abs() * kernel.cost;
                    }
                    time(work, end)
                })?;
                worst = worst.max(signed(end) - arrival);
            }
        }
        let worst = worst.unsigned_abs();
        Some((worst <= own.period).then_some(worst))
    }

    /// in(w) or any(w) of all tasks of `kernels`.
    fn tasks(&self, kernels: &[Kernel], window: u128, idle_before: bool) -> Option<u128> {
        let of_task = |kernels: &[Kernel]| {
            let executed = |lag: Option<u128>, cost: u128, period: u128| {
                Some((window + lag? - cost).div_ceil(period) * cost)
            };
            let each = kernels.iter().map(|kernel| {
                let lag = kernel.end.map(|end| end - kernel.earliest);
                let any = executed(lag, kernel.cost, kernel.period);
                let released = kernel
                    .jitter
                    .map(|jitter| (window + jitter).div_ceil(kernel.period));
                let released = spaced(released, window, whole_job(&self.system.tasks()[kernel.task]));
                let released = released.filter(|_| idle_before).map(|jobs| jobs * kernel.cost);
                smaller(any, released)
            });
            let (first, last) = (kernels[0], kernels[kernels.len() - 1]);
            let lag = last.end.map(|end| end - first.earliest);
            let all = kernels.iter().map(|kernel| kernel.cost).sum();
            smaller(each.sum(), executed(lag, all, first.period))
        };
        kernels.chunk_by(|a, b| a.task == b.task).map(of_task).sum()
    }

    /// Returns S of `segment` of `task`, with the values of the table in the equation. `None` means that there is no bound. The
    /// outer `None` means that the segment is on another resource, or that the reference implementation finds no bound.
    pub fn delay(&self, task: usize, segment: usize) -> Option<Option<u128>> {
        let resource = self.system.tasks()[task].segments[segment].on;
        let (gpu, position) = self.system.context(resource)?;
        let context = gpu.contexts[position];
        let kernels = self.kernels(context);
        let policy = match kernels.iter().all(|kernel| kernel.task == task) {
            true => PartitionPolicy::NpFifo, // one thread
            false => self.system.partitions()[context.partition].policy,
        };
        let own = *kernels
            .iter()
            .find(|kernel| (kernel.task, kernel.segment) == (task, segment))?;
        let others = || kernels.iter().filter(|kernel| kernel.task != task);
        let priority = |kernel: &Kernel| self.system.tasks()[kernel.task].gpu_priority;
        let level = priority(&own);
        let urgent = || -> Vec<Kernel> {
            let urgent = others().filter(|kernel| priority(kernel) <= level);
            urgent.copied().collect()
        };
        let queue = others().any(|kernel| priority(kernel) == level && kernel.end.is_none());
        let until = match self.idle_before(gpu, &kernels, &own) {
            true => Until::EndFromIdle,
            false => Until::End,
        };
        let time = |demand: u128, window: u128, until: Until| {
            Some(demand + self.waiting((gpu, position), demand, window, until)?)
        };
        let found = match policy {
            PartitionPolicy::NpFifo => {
                let longest = |task| {
                    others()
                        .filter(|kernel| kernel.task == task)
                        .map(|kernel| kernel.cost)
                        .max()
                };
                let demand: u128 =
                    (0..self.system.tasks().len()).filter_map(longest).sum::<u128>() + own.cost;
                least(demand, own.period, |w| time(demand, w, until))
            }
            PartitionPolicy::Fp | PartitionPolicy::NpFp if queue => None,
            PartitionPolicy::Fp => least(own.cost, own.period, |w| {
                time(own.cost + self.tasks(&urgent(), w, true)?, w, until)
            }),
            PartitionPolicy::NpFp => {
                let longest = |all: Vec<&Kernel>| all.iter().map(|kernel| kernel.cost - 1).max().unwrap_or(0);
                let lower = longest(others().filter(|kernel| priority(kernel) > level).collect());
                let mine = longest(kernels.iter().filter(|kernel| kernel.task == task).collect());
                let both = |blocking: u128, idle_before: bool| {
                    let demand = |w: u128| Some(blocking + self.tasks(&urgent(), w + 1, idle_before)?);
                    let start = least(blocking, own.period, |s| time(demand(s)?, s, Until::Start))?;
                    let all = demand(start)? + own.cost;
                    least(start.max(all), own.period, |e| time(all, e, Until::End))
                };
                let (idle, release) = (both(lower.max(mine), true), both(lower, false));
                idle.into_iter().chain(release).min()
            }
            PartitionPolicy::Edf | PartitionPolicy::NpEdf => {
                let preempts = policy == PartitionPolicy::Edf;
                return self.by_deadline((gpu, position), &kernels, &own, preempts);
            }
            _ => return None,
        };
        Some(found)
    }
}
