//! Interference delay of a partition due to memory traffic, from the printed formulas.

use num_bigint::BigUint;

use crate::jobs::{Job, Occupant, Ports, Wcets, jobs};
use gpusched_model::{Arbitration, Plan, SharedMemory, Task, TaskSet};

/// Source of memory traffic: bytes V per job [nano-bytes], rate d [nano-bytes per ns], period T
/// [ns], and span R [ns]. A job transfers all its bytes within R of its arrival.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub bytes: u128,
    pub rate: u128,
    pub period: u128,
    pub span: u128,
}

impl Source {
    /// Returns the nano-bytes that the source transfers in a window of length `window`. The result includes the bytes
    /// of all jobs that fit into the window, and a part of the bytes of one more job. Returns `None` if an intermediate
    /// result exceeds 128 bits. The rate is above 0, and V is at most d·R.
    pub fn moved(&self, window: u128) -> Option<u128> {
        let reach = window.checked_add(self.span)?;
        let per_period = self.rate.checked_mul(self.period)?;
        let moved = if self.bytes <= per_period {
            let room = self.rate.checked_mul(reach)?.checked_sub(self.bytes)?;
            let part = (room % per_period).min(self.bytes);
            (room / per_period).checked_mul(self.bytes)?.checked_add(part)?
        } else {
            self.bytes.checked_mul(reach.div_ceil(self.period))?
        };
        Some(moved.min(self.rate.checked_mul(window)?))
    }
}

/// Memory traffic that interferes with one partition.
#[derive(Clone, Debug)]
pub(crate) struct Beside {
    capacity: u128,
    /// Sources of each other partition, and one separate entry for each source that is not a
    /// task.
    others: Vec<Vec<Source>>,
    /// Memory times of the jobs in other partitions, and memory times of other sources. `None` if the check counts
    /// bytes instead of memory times.
    occupants: Option<Vec<Occupant>>,
    /// Times of the jobs in other partitions at ports that they share with the partition. Empty with memory times, which
    /// contain these times.
    at_ports: Vec<Occupant>,
}

impl Beside {
    /// Returns the memory traffic that interferes with partition `index` of `plan`.
    pub fn new(plan: &Plan, set: &TaskSet, wcets: Wcets<'_>, memory: SharedMemory, index: usize) -> Beside {
        if let Some(time) = memory.time {
            let tasks = tasks_beside(plan, set, index);
            // `verify` refuses tasks without sectors before it examines partitions.
            let tasks = tasks.filter_map(|(other, task)| {
                let alone = Occupant::of_task(task, time)?;
                Some(match Ports::of(plan) {
                    Some(ports) => alone.plus(ports.hold(set, task) + ports.shared(set, task, index, other)),
                    None => alone,
                })
            });
            let others = set.other_traffic().iter();
            let all = tasks.chain(others.map(|other| Occupant::of_other(other, time)));
            return Beside {
                capacity: 0,
                others: Vec::new(),
                occupants: Some(all.filter(|one| !one.is_none()).collect()),
                at_ports: Vec::new(),
            };
        }
        let capacity = match wcets.slices {
            None => u128::from(memory.bandwidth.bytes_per_second()),
            Some(slices) => slices.bandwidth(plan.partitions[index].sms),
        };
        let parts = plan
            .partitions
            .iter()
            .enumerate()
            .filter(|&(other, _)| other != index && wcets.slices.is_none());
        let mut others: Vec<Vec<Source>> = parts
            .map(|(_, part)| {
                let known = jobs(set, &part.tasks, part.sms, wcets);
                let source = |(place, &task): (usize, &usize)| {
                    let task = &set.tasks()[task];
                    let peak = task.bandwidth(part.sms).map(|rate| rate.bytes_per_second());
                    let rate = peak.map_or(capacity, |rate| capacity.min(rate.into()));
                    let deadline = u128::from(task.deadline().ns());
                    // A job transfers at most d·C bytes. A job ends by its deadline D, so the job also transfers at
                    // most d·D bytes.
                    let longest = match &known {
                        Ok(jobs) => jobs[place].wcet.min(deadline),
                        Err(_) => deadline,
                    };
                    let drawn = rate * longest;
                    let stated = task
                        .traffic()
                        .map(|bytes| u128::from(bytes.bytes()) * 1_000_000_000);
                    Source {
                        bytes: stated.map_or(drawn, |stated| stated.min(drawn)),
                        rate,
                        period: task.period().ns().into(),
                        span: deadline,
                    }
                };
                part.tasks.iter().enumerate().map(source).collect()
            })
            .collect();
        others.extend(set.other_traffic().iter().map(|other| {
            let rate = other
                .bandwidth
                .map_or(capacity, |rate| capacity.min(rate.bytes_per_second().into()));
            let period = u128::from(other.period.ns());
            let deadline = other.deadline.map_or(period, |deadline| deadline.ns().into());
            // If the source requests all bytes of a period as one batch, the span is the deadline of the source.
            // Without a batch, the source may request its last byte at the end of a period.
            let span = if other.batch { deadline } else { period + deadline };
            vec![Source {
                bytes: (u128::from(other.traffic.bytes()) * 1_000_000_000).min(rate * span),
                rate,
                period,
                span,
            }]
        }));
        for load in &mut others {
            load.retain(|source| source.bytes > 0 && source.rate > 0);
        }
        others.retain(|load| !load.is_empty());
        let at_ports = Ports::of(plan).into_iter().flat_map(|ports| {
            let tasks = tasks_beside(plan, set, index);
            tasks.map(move |(other, task)| Occupant::at_port(task, ports.shared(set, task, index, other)))
        });
        Beside {
            capacity,
            others,
            occupants: None,
            at_ports: at_ports.filter(|one| !one.is_none()).collect(),
        }
    }

    /// Returns whether there is no interfering memory traffic.
    pub fn is_none(&self) -> bool {
        match &self.occupants {
            Some(occupants) => occupants.is_empty(),
            None => self.others.is_empty() && self.at_ports.is_empty(),
        }
    }

    /// Returns the interference delay in a window of length `window` [ns], rounded up.
    pub fn lost(&self, window: u128) -> u128 {
        if let Some(occupants) = &self.occupants {
            let lost: BigUint = occupants.iter().map(|one| one.within(window)).sum();
            return u128::try_from(lost).unwrap_or(u128::MAX).min(window);
        }
        let bytes: BigUint = self.others.iter().map(|load| moved_by_all(load, window)).sum();
        if self.capacity == 0 {
            return window;
        }
        let at_ports: BigUint = self.at_ports.iter().map(|one| one.within(window)).sum();
        let lost = (bytes + (self.capacity - 1)) / self.capacity + at_ports;
        u128::try_from(lost).unwrap_or(u128::MAX).min(window)
    }

    /// Returns `jobs` with their WCETs at the guaranteed bandwidth. Returns `None` if a job requires bandwidth and its
    /// guaranteed bandwidth is 0. Also returns `None` if a WCET is out of range.
    ///
    /// Under every arbitration, a partition gets the bandwidth that the other sources cannot use.
    /// Under max-min fair arbitration, a source with a low rate gets its full rate. Each other
    /// partition gets at least an equal share of the remaining bandwidth.
    pub fn slowest(&self, memory: SharedMemory, set: &TaskSet, sms: u32, jobs: &[Job]) -> Option<Vec<Job>> {
        if self.occupants.is_some() || !self.at_ports.is_empty() {
            return None; // memory times and shared ports guarantee no bandwidth
        }
        let peak = |load: &Vec<Source>| load.iter().map(|source| source.rate).max().unwrap_or(0);
        let peaks: Vec<u128> = self.others.iter().map(peak).collect();
        // Under max-min fair arbitration, no source gets a rate above the fair level. At this level, the sources
        // together use the whole capacity. The function tries every possible number of sources with rates below the
        // level.
        let modest = |count: usize| {
            let mut sorted = peaks.clone();
            sorted.sort_unstable();
            let (less, more) = sorted.split_at(count);
            let left = self.capacity.checked_sub(less.iter().sum())?;
            let claimants = more.len() as u128 + 1;
            let consistent = less.iter().all(|&peak| peak * claimants <= left)
                && more.iter().all(|&peak| peak * claimants > left);
            consistent.then_some((left, claimants))
        };
        let (left, claimants) = match memory.arbitration {
            Arbitration::Any => (self.capacity.checked_sub(peaks.iter().sum())?, 1),
            Arbitration::MaxMin => (0..=peaks.len()).find_map(modest)?,
        };
        let slow = |job: &Job| {
            let task = &set.tasks()[job.task];
            let wanted = match task.bandwidth(sms) {
                _ if task.traffic().is_some_and(|bytes| bytes.bytes() == 0) => 0,
                Some(rate) => self.capacity.min(rate.bytes_per_second().into()),
                None => self.capacity,
            };
            if wanted * claimants <= left {
                return Some(*job);
            }
            let scaled = (BigUint::from(job.wcet) * wanted * claimants + left.checked_sub(1)?) / left;
            let wcet = u128::try_from(scaled).ok()?;
            (wcet < 1 << 63).then_some(Job { wcet, ..*job })
        };
        jobs.iter().map(slow).collect()
    }
}

/// Returns the tasks of all partitions except `index`, each with its partition.
fn tasks_beside<'t>(
    plan: &'t Plan,
    set: &'t TaskSet,
    index: usize,
) -> impl Iterator<Item = (usize, &'t Task)> {
    let parts = plan.partitions.iter().enumerate();
    let parts = parts.filter(move |&(other, _)| other != index);
    parts.flat_map(move |(other, part)| part.tasks.iter().map(move |&task| (other, &set.tasks()[task])))
}

/// Returns the bytes that one partition transfers in a window of length `window`. The partition
/// executes one kernel at a time.
fn moved_by_all(load: &[Source], window: u128) -> BigUint {
    let peak = load.iter().map(|source| source.rate).max().unwrap_or(0);
    let sum: BigUint = load.iter().map(|source| moved(source, window)).sum();
    sum.min(BigUint::from(peak) * window)
}

/// Computes the same bytes as [`Source::moved`], without a limit on intermediate results.
fn moved(source: &Source, window: u128) -> BigUint {
    let reach = window + source.span;
    let bytes = BigUint::from(source.bytes);
    let per_period = BigUint::from(source.rate) * source.period;
    let moved = if bytes <= per_period {
        let room = BigUint::from(source.rate) * reach - &bytes;
        let whole = &room / &per_period;
        &whole * &bytes + (room - whole * per_period).min(bytes)
    } else {
        bytes * reach.div_ceil(source.period)
    };
    moved.min(BigUint::from(source.rate) * window)
}
