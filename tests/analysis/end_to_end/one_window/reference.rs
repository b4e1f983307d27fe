//! Reference implementation of the equations of `docs/explanation/one-window.md`, and wrong variants of these equations. The numbers
//! in parentheses are the numbers of the equations.

use gpusched::model::end_to_end::{
    Bounds, CorePolicy, EnginePolicy, Idle, PartitionPolicy, Resource, System, TimeSlices,
};

use super::super::equations::{least, ns, smaller, spaced, whole_job};
use super::super::time_slices::reference::{Reference as Turns, Wrong as WrongTurns};

/// A change that makes the equations wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// No change: the equations of the page.
    Nothing,
    /// One less urgent kernel blocks the whole window.
    BlockedOnce,
    /// Less urgent kernels do not block busy-waiting tasks.
    BusyBlocking,
    /// Only kernels that are at least as urgent as the own kernels delay busy-waiting tasks.
    OwnLevel,
    /// Tasks count with the jitter R − C, and C contains the WCETs on all resources.
    AllCosts,
    /// The BCET of each segment is its WCET.
    BestCase,
    /// Requests of busy-waiting tasks do not wait for other requests.
    BusyRequests,
    /// On a time-sliced GPU, a busy-waiting task does not wait for turns.
    BusyTurns,
    /// Each window is closed, also with inverted priorities on the GPU.
    Closed,
    /// Tasks of equal priority on the core count as more urgent tasks.
    EqualPriorities,
    /// Under `fp`, every task on the GPU counts only with the segments that are released in the window.
    WorkBefore,
}

/// The equations of one system, for the values of the table `bounds`.
pub struct Reference<'a> {
    pub system: &'a System,
    pub bounds: &'a Bounds,
    pub wrong: Wrong,
}

/// A resource: a core, a copy engine, a partition, or a time-sliced GPU.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Place {
    One(Resource),
    Gpu(usize),
}

/// A window over the segments `first` to `last` of `task`.
struct Window<'a> {
    task: usize,
    first: usize,
    last: usize,
    joint: &'a [Place],
    closed: bool,
    /// B: busy-waiting tasks on the core that are at least as urgent; empty without a segment on the core.
    busy: Vec<usize>,
}

impl Reference<'_> {
    fn segments(&self, task: usize) -> std::ops::Range<usize> {
        0..self.system.tasks()[task].segments.len()
    }

    fn on(&self, task: usize, segment: usize) -> Place {
        let on = self.system.tasks()[task].segments[segment].on;
        let gpus = self.system.time_slices();
        let gpu = gpus.iter().position(|gpu| {
            let mut contexts = gpu.contexts.iter();
            contexts.any(|context| Resource::Partition(context.partition) == on)
        });
        gpu.map_or(Place::One(on), Place::Gpu)
    }

    fn on_core(&self, task: usize, segment: usize) -> bool {
        self.system.tasks()[task].segments[segment].on.is_core()
    }

    /// Segments of `task` on `place`.
    fn here(&self, task: usize, place: Place) -> Vec<usize> {
        let all = self.segments(task);
        all.filter(|&segment| self.on(task, segment) == place).collect()
    }

    fn cost(&self, task: usize, segment: usize) -> u128 {
        ns(self.system.tasks()[task].segments[segment].wcet)
    }

    fn longest(&self, task: usize, place: Place) -> u128 {
        let here = self.here(task, place).into_iter();
        here.map(|segment| self.cost(task, segment)).max().unwrap_or(0)
    }

    fn period(&self, task: usize) -> u128 {
        ns(self.system.tasks()[task].period)
    }

    fn arrival_jitter(&self, task: usize) -> u128 {
        ns(self.system.tasks()[task].jitter)
    }

    /// φ
    fn earliest(&self, task: usize, segment: usize) -> u128 {
        match self.wrong {
            Wrong::BestCase => (0..segment).map(|before| self.cost(task, before)).sum(),
            _ => ns(self.system.tasks()[task].earliest(segment)),
        }
    }

    fn response(&self, task: usize) -> Option<u128> {
        self.bounds.response_time(task).map(ns)
    }

    fn end(&self, task: usize, segment: usize) -> Option<u128> {
        self.response(task)?;
        self.bounds.end(task, segment).map(ns)
    }

    /// R(i,m−1): bound on the release.
    fn release(&self, task: usize, segment: usize) -> Option<u128> {
        match segment.checked_sub(1) {
            None => Some(self.arrival_jitter(task)),
            Some(before) => self.end(task, before),
        }
    }

    /// S, or c on a core.
    fn delay(&self, task: usize, segment: usize) -> Option<u128> {
        match self.on_core(task, segment) {
            true => Some(self.cost(task, segment)),
            false => self.bounds.delay(task, segment).map(ns),
        }
    }

    fn urgency(&self, task: usize) -> u32 {
        self.system.tasks()[task].gpu_priority
    }

    fn priority(&self, task: usize) -> u32 {
        self.system.tasks()[task].priority
    }

    fn core_policy(&self, task: usize) -> Option<CorePolicy> {
        let core = self.system.tasks()[task].core?;
        Some(self.system.cores()[core].policy)
    }

    fn suitable(&self, place: Place, clients: &[usize]) -> bool {
        let policy = match place {
            Place::Gpu(gpu) => {
                let gpu = &self.system.time_slices()[gpu];
                let alone = |task: usize, segment: usize| {
                    let on = self.system.tasks()[task].segments[segment].on;
                    self.system.on(on).all(|(other, _)| other == task)
                };
                let mut segments = clients.iter().flat_map(|&task| {
                    let here = self.here(task, place).into_iter();
                    here.map(move |segment| (task, segment))
                });
                return gpu.idle == Idle::Skip && segments.all(|(task, segment)| alone(task, segment));
            }
            Place::One(Resource::Core(_)) => return false,
            Place::One(Resource::Engine(_)) => return true,
            Place::One(Resource::Partition(partition)) => self.system.partitions()[partition].policy,
        };
        matches!(
            policy,
            PartitionPolicy::NpFifo | PartitionPolicy::NpFp | PartitionPolicy::Fp
        )
    }

    fn fifo(&self, place: Place) -> bool {
        match place {
            Place::One(Resource::Engine(engine)) => {
                self.system.engines()[engine].policy == EnginePolicy::Fifo
            }
            Place::One(Resource::Partition(partition)) => {
                self.system.partitions()[partition].policy == PartitionPolicy::NpFifo
            }
            _ => false,
        }
    }

    fn preemptive(&self, place: Place) -> bool {
        let Place::One(Resource::Partition(partition)) = place else {
            return false;
        };
        self.system.partitions()[partition].policy == PartitionPolicy::Fp
    }

    /// H: other tasks on the core that are at least as urgent.
    fn urgent(&self, task: usize) -> Vec<usize> {
        let tasks = self.system.tasks();
        let core = tasks[task]
            .core
            .filter(|_| self.core_policy(task) == Some(CorePolicy::Fp));
        let others =
            (0..tasks.len()).filter(|&other| other != task && core.is_some() && tasks[other].core == core);
        others
            .filter(|&other| self.priority(other) <= self.priority(task))
            .collect()
    }

    /// Work of the segments `here` that are released in a window, and that may execute in any window.
    fn released(&self, window: u128, task: usize, here: &[usize]) -> Option<u128> {
        let distance = whole_job(&self.system.tasks()[task]);
        let work = here.iter().map(|&segment| {
            let bounded = self.response(task).is_some() || self.segments(task).len() == 1;
            let release = self.release(task, segment).filter(|_| bounded);
            let jobs = release.map(|release| {
                let jitter = release.saturating_sub(self.earliest(task, segment));
                (window + jitter).div_ceil(self.period(task))
            });
            let jobs = spaced(jobs, window, distance);
            let released = jobs.map(|jobs| jobs * self.cost(task, segment));
            smaller(released, self.each(window, task, &[segment]))
        });
        work.sum()
    }

    fn each(&self, window: u128, task: usize, here: &[usize]) -> Option<u128> {
        let jobs = here.iter().map(|&segment| {
            let cost = self.cost(task, segment);
            let early = self
                .end(task, segment)?
                .saturating_sub(cost + self.earliest(task, segment));
            Some((window + early).div_ceil(self.period(task)) * cost)
        });
        jobs.sum()
    }

    fn whole(&self, window: u128, task: usize, here: &[usize]) -> Option<u128> {
        let cost: u128 = here.iter().map(|&segment| self.cost(task, segment)).sum();
        let all: u128 = self.segments(task).map(|segment| self.cost(task, segment)).sum();
        let end = self.end(task, *here.last()?)?;
        let early = match self.wrong {
            Wrong::AllCosts => end.saturating_sub(all),
            _ => end.saturating_sub(cost + self.earliest(task, here[0])),
        };
        Some((window + early).div_ceil(self.period(task)) * cost)
    }

    fn always(&self, window: u128, task: usize, here: &[usize]) -> Option<u128> {
        smaller(self.each(window, task, here), self.whole(window, task, here))
    }

    /// Whether `other` has a higher priority on the core.
    fn first(&self, window: &Window<'_>, other: usize) -> bool {
        let (own, found) = (self.priority(window.task), self.priority(other));
        window.closed && (found < own || found == own && self.wrong == Wrong::EqualPriorities)
    }

    /// n_j(w)
    fn count(&self, length: u128, window: &Window<'_>, other: usize) -> Option<u128> {
        let early = match self.first(window, other) {
            true => self.arrival_jitter(other),
            false => self.response(other)?,
        };
        Some((length + early).div_ceil(self.period(other)))
    }

    /// (4), (5)
    fn core(&self, length: u128, window: &Window<'_>, other: usize) -> Option<u128> {
        if !window.busy.contains(&other) {
            let here = self
                .segments(other)
                .filter(|&segment| self.on_core(other, segment));
            let here: Vec<usize> = here.collect();
            let always = self.always(length, other, &here);
            return match self.first(window, other) {
                true => smaller(self.released(length, other, &here), always),
                false => always,
            };
        }
        let response = self.response(other)?;
        let mut occupied = 0;
        let mut all = 0;
        for segment in self.segments(other) {
            all += self.cost(other, segment);
            occupied += match window.joint.contains(&self.on(other, segment)) {
                true => self.cost(other, segment),
                false => self.delay(other, segment)?,
            };
        }
        let occupied = occupied.min(response);
        let jobs = (length + response - all.min(response)).div_ceil(self.period(other));
        let jobs = match self.first(window, other) {
            true => jobs.min(self.count(length, window, other)?),
            false => jobs,
        };
        Some(jobs * occupied)
    }

    /// b
    fn blocking(&self, task: usize, place: Place) -> u128 {
        let others = (0..self.system.tasks().len()).filter(|&other| other != task);
        let less = others.filter(|&other| self.urgency(other) > self.urgency(task));
        let longest = less.map(|other| self.longest(other, place)).max();
        longest.unwrap_or(0).saturating_sub(1)
    }

    /// (6) to (9)
    fn other(&self, length: u128, window: &Window<'_>, place: Place) -> Option<u128> {
        let task = window.task;
        let own_here = self.here(task, place);
        let within = |segment: &usize| (window.first..=window.last).contains(segment);
        let own: Vec<usize> = own_here.iter().copied().filter(within).collect();
        let waiting: Vec<usize> = window
            .busy
            .iter()
            .copied()
            .filter(|&other| !self.here(other, place).is_empty())
            .collect();
        if let Place::Gpu(gpu) = place {
            return self.turns(length, window, (gpu, &own, &waiting));
        }
        let others = (0..self.system.tasks().len()).filter(|&other| {
            other != task && !waiting.contains(&other) && !self.here(other, place).is_empty()
        });
        let requests =
            |other: usize| Some(self.count(length, window, other)? * self.here(other, place).len() as u128);
        if self.fifo(place) {
            let delayed = waiting.iter().map(|&other| requests(other));
            let delayed = match self.wrong {
                Wrong::BusyRequests => 0,
                _ => delayed.sum::<Option<u128>>()?,
            };
            let all = own.len() as u128 + delayed;
            let found = others.map(|other| {
                let always = self.always(length, other, &self.here(other, place));
                let waits = all * self.longest(other, place);
                always.map_or(waits, |always| always.min(waits))
            });
            let before = match window.closed {
                true => delayed * self.longest(task, place),
                false => 0,
            };
            return Some(found.sum::<u128>() + before);
        }
        let mut levels: Vec<u32> = waiting.iter().map(|&other| self.urgency(other)).collect();
        levels.extend((!own.is_empty()).then_some(self.urgency(task)));
        let Some(&level) = levels.iter().max() else {
            return Some(0);
        };
        let level = match self.wrong {
            Wrong::OwnLevel => level.min(self.urgency(task)),
            _ => level,
        };
        let mut sum = 0;
        for other in others.filter(|&other| self.urgency(other) <= level) {
            let here = self.here(other, place);
            let ordered = own_here.is_empty()
                || self.urgency(other) < self.urgency(task)
                || self.wrong == Wrong::WorkBefore;
            let released = self.preemptive(place) && window.closed && ordered;
            let always = self.always(length, other, &here);
            sum += match released {
                true => smaller(self.released(length, other, &here), always)?,
                false => always?,
            };
        }
        if !self.preemptive(place) {
            let times = match self.wrong {
                Wrong::BlockedOnce => own.len().min(1),
                _ => own.len(),
            };
            sum += self.blocking(task, place) * times as u128;
            for &other in waiting.iter().filter(|_| self.wrong != Wrong::BusyBlocking) {
                sum += self.blocking(other, place) * requests(other)?;
            }
        }
        Some(sum)
    }

    /// (9)
    fn turns(
        &self,
        length: u128,
        window: &Window<'_>,
        (gpu, own, waiting): (usize, &[usize], &[usize]),
    ) -> Option<u128> {
        let place = Place::Gpu(gpu);
        let found: &TimeSlices = &self.system.time_slices()[gpu];
        let position = |task: usize, segment: usize| {
            let on = self.system.tasks()[task].segments[segment].on;
            let mut contexts = found.contexts.iter();
            contexts.position(|context| Resource::Partition(context.partition) == on)
        };
        let mut clients: Vec<(usize, Vec<usize>, u128)> = vec![(window.task, own.to_vec(), 1)];
        for &other in waiting.iter().filter(|_| self.wrong != Wrong::BusyTurns) {
            clients.push((other, self.here(other, place), self.count(length, window, other)?));
        }
        let mut most = vec![0u128; found.contexts.len()];
        let mut sum = 0;
        for (client, segments, jobs) in clients {
            let all = self.here(client, place).into_iter();
            let contexts: Vec<usize> = all.filter_map(|segment| position(client, segment)).collect();
            let turns: u128 = segments
                .iter()
                .map(|&segment| {
                    let slice = found.contexts[position(client, segment).unwrap()].slice;
                    self.cost(client, segment).div_ceil(ns(slice))
                })
                .sum();
            let overruns = contexts
                .iter()
                .map(|&context| ns(found.contexts[context].overrun));
            sum += jobs * turns * (ns(found.switch) + overruns.max().unwrap_or(0));
            for (other, most) in most.iter_mut().enumerate() {
                let gap = contexts.iter().map(|&context| gap(found, context, other)).max();
                if !contexts.contains(&other) {
                    *most += jobs * turns * gap.unwrap_or(0);
                }
            }
        }
        for &other in waiting {
            for segment in self.here(other, place) {
                most[position(other, segment).unwrap()] = 0;
            }
        }
        let turns = Turns {
            system: self.system,
            bounds: self.bounds,
            wrong: WrongTurns::Nothing,
        };
        // The window starts with the segment m if the job starts without delay.
        let prompt = self.on_core(window.task, window.first)
            && !window.joint.iter().any(|&place| self.preemptive(place));
        for (context, &most) in most.iter().enumerate().filter(|(_, most)| **most > 0) {
            let executed: u128 = own
                .iter()
                .filter(|&&segment| position(window.task, segment) == Some(context))
                .map(|&segment| {
                    self.cost(window.task, segment) - u128::from(segment == window.last && !prompt)
                })
                .sum();
            sum += turns.occupied(found, context, (most, executed), length).0;
        }
        Some(sum)
    }

    fn window(&self, task: usize, (first, last): (usize, usize), joint: &[Place]) -> Option<u128> {
        let on_core = (first..=last).any(|segment| self.on_core(task, segment));
        let urgent = if on_core { self.urgent(task) } else { Vec::new() };
        let spins = |other: &usize| self.system.tasks()[*other].spins();
        let busy: Vec<usize> = urgent.iter().copied().filter(spins).collect();
        // (3)
        let inverted = |other: usize, place: Place| {
            self.priority(other) < self.priority(task)
                && self.urgency(other) >= self.urgency(task)
                && !self.here(other, place).is_empty()
        };
        let opens = |place: Place| {
            let ordered = !self.fifo(place) && matches!(place, Place::One(_));
            ordered && !self.here(task, place).is_empty() && busy.iter().any(|&other| inverted(other, place))
        };
        let window = Window {
            task,
            first,
            last,
            joint,
            closed: self.wrong == Wrong::Closed || !joint.iter().any(|&place| opens(place)),
            busy,
        };
        let mut own = 0;
        for segment in first..=last {
            own += match self.on_core(task, segment) || joint.contains(&self.on(task, segment)) {
                true => self.cost(task, segment),
                false => self.delay(task, segment)?,
            };
        }
        least(own, self.period(task), |length| {
            let mut work = own;
            for &other in &urgent {
                work += self.core(length, &window, other)?;
            }
            for &place in joint {
                work += self.other(length, &window, place)?;
            }
            Some(work)
        })
    }

    /// Returns the smallest R of the windows of one segment.
    pub fn windows(&self, task: usize, last: usize) -> Option<u128> {
        let by_deadline = self.core_policy(task) == Some(CorePolicy::Edf);
        let mut best = None;
        for first in 0..=last {
            let on_core = (first..=last).any(|segment| self.on_core(task, segment));
            if first == last && !on_core || on_core && by_deadline {
                continue;
            }
            let spins = |other: &usize| on_core && self.system.tasks()[*other].spins();
            let busy: Vec<usize> = self.urgent(task).into_iter().filter(spins).collect();
            let every: Vec<usize> = self
                .urgent(task)
                .into_iter()
                .filter(|other| self.system.tasks()[*other].spins())
                .chain([task])
                .collect();
            let mut pool: Vec<Place> = Vec::new();
            let own = (first..=last).map(|segment| self.on(task, segment));
            let theirs = busy.iter().flat_map(|&other| {
                let all = self.segments(other);
                all.map(move |segment| self.on(other, segment))
            });
            for place in own.chain(theirs) {
                if !pool.contains(&place) && self.suitable(place, &every) {
                    pool.push(place);
                }
            }
            let mut choices: Vec<Vec<Place>> = vec![Vec::new(), pool.clone()];
            choices.extend(pool.iter().map(|&place| vec![place]));
            for joint in choices {
                let end = self
                    .release(task, first)
                    .zip(self.window(task, (first, last), &joint));
                best = smaller(best, end.map(|(release, window)| release + window));
            }
        }
        best
    }

    /// Returns the least R of a segment without the windows of this page. The outer `None` means that the segment is on a resource
    /// under EDF.
    pub fn single(&self, task: usize, segment: usize) -> Option<Option<u128>> {
        let release = self.release(task, segment);
        if !self.on_core(task, segment) {
            let on = self.system.tasks()[task].segments[segment].on;
            if let Resource::Partition(partition) = on
                && matches!(
                    self.system.partitions()[partition].policy,
                    PartitionPolicy::Edf | PartitionPolicy::NpEdf | PartitionPolicy::LpEdf
                )
            {
                return None;
            }
            let delay = self.delay(task, segment);
            return Some(release.zip(delay).map(|(release, delay)| release + delay));
        }
        if self.core_policy(task) == Some(CorePolicy::Edf) {
            return None;
        }
        let window = |own: u128| {
            least(own, self.period(task), |length| {
                let mut work = own;
                for other in self.urgent(task) {
                    let equal = self.priority(other) == self.priority(task);
                    if equal && self.response(other).is_none() {
                        return None;
                    }
                    let here = self
                        .segments(other)
                        .filter(|&segment| self.on_core(other, segment));
                    let here: Vec<usize> = here.collect();
                    work += match self.system.tasks()[other].spins() {
                        true => {
                            let response = self.response(other)?;
                            let all = self.segments(other).map(|segment| self.delay(other, segment));
                            let occupied = response.min(all.sum::<Option<u128>>()?);
                            let jobs = |early: u128| (length + early).div_ceil(self.period(other));
                            let released = Some(jobs(self.arrival_jitter(other)));
                            let released = spaced(released, length, whole_job(&self.system.tasks()[other]))?;
                            released.min(jobs(response - occupied)) * occupied
                        }
                        false => smaller(
                            self.released(length, other, &here),
                            self.always(length, other, &here),
                        )?,
                    };
                }
                Some(work)
            })
        };
        let prefix = (0..=segment).map(|before| self.delay(task, before));
        let joint = prefix.sum::<Option<u128>>().and_then(window);
        let joint = joint.map(|length| length + self.arrival_jitter(task));
        if segment == 0 {
            return Some(joint);
        }
        let local = release.zip(window(self.cost(task, segment)));
        Some(smaller(joint, local.map(|(release, length)| release + length)))
    }
}

/// Largest number of turns of context `other` between two consecutive turns of `own`.
fn gap(gpu: &TimeSlices, own: usize, other: usize) -> u128 {
    let length = gpu.runlist.len();
    let mut most = 0;
    for start in (0..length).filter(|&turn| gpu.runlist[turn] == own) {
        let mut count = 0;
        for step in 1..=length {
            let turn = gpu.runlist[(start + step) % length];
            if turn == own {
                break;
            }
            count += u128::from(turn == other);
        }
        most = most.max(count);
    }
    most
}
