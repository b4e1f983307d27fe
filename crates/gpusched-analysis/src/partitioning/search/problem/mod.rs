//! The problem that a heuristic solves: the tasks, the GPU, the test and the interference model.

mod memory;
mod slices;

use super::part::Part;
use super::scale::Scale;
use crate::interference::{CoLocated, InflatedWcet};
use crate::partitioning::hardware::Offer;
use crate::schedulability::{self, Demand};
use gpusched_model::error::Error;
use gpusched_model::time::Time;
use gpusched_model::utilization::Utilization;
use gpusched_model::verdict::{Evidence, Verdict};
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Interference, OtherTraffic, Policy, SharedMemory, Task, TaskSet};

/// Tasks to assign to partitions of a GPU, and the analysis of one partition.
#[derive(Copy, Clone)]
pub struct Problem<'a> {
    tasks: &'a [Task],
    sms: u32,
    policy: Policy,
    interference: &'a dyn InflatedWcet,
    /// Memory traffic that no task causes.
    other_traffic: &'a [OtherTraffic],
    /// The supported partition sizes; `None` if every number of SMs is supported.
    offer: Option<&'a Offer>,
    /// The memory that partitions share; `None` if memory traffic does not count.
    memory: Option<SharedMemory>,
    /// The common factor on all WCETs.
    scale: Scale,
}

impl<'a> Problem<'a> {
    /// Creates the problem with the tasks of `set` on a GPU of `sms` SMs (M). Each partition is tested under `policy` with
    /// WCETs inflated by `interference`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if `sms` is 0 or above [`MAX_SMS`].
    pub fn new(
        set: &'a TaskSet,
        sms: u32,
        policy: Policy,
        interference: &'a dyn InflatedWcet,
    ) -> Result<Problem<'a>, Error> {
        if sms == 0 || sms > MAX_SMS {
            return Err(Error::parameter("sms", sms, format!("1 to {MAX_SMS}")));
        }
        Ok(Problem {
            tasks: set.tasks(),
            sms,
            policy,
            interference,
            other_traffic: set.other_traffic(),
            offer: None,
            memory: None,
            scale: Scale::ONE,
        })
    }

    /// Returns the problem on a device with the supported partition sizes of `offer`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the device has another number of SMs, or memory slices of less than 1 byte per
    /// second.
    pub fn offered(self, offer: &'a Offer) -> Result<Problem<'a>, Error> {
        let device = &offer.hardware().device;
        if device.sms() != self.sms {
            return Err(Error::parameter(
                "device",
                format!("{} with {} SMs", device.name(), device.sms()),
                format!("a device with {} SMs", self.sms),
            ));
        }
        let mut problem = self;
        problem.offer = Some(offer);
        problem.check_slices()?;
        Ok(problem)
    }

    /// Returns the problem with the [relaxed](Offer::relaxed) partition sizes and without memory traffic. A lower bound on
    /// the SMs of its plans is also a lower bound for this problem.
    pub(crate) fn relaxed<'b>(&self, relaxed: &'b Offer) -> Problem<'b>
    where
        'a: 'b,
    {
        Problem {
            offer: Some(relaxed),
            memory: None,
            ..*self
        }
    }

    /// Returns the problem with all WCETs and longest blocks of the task set multiplied by `scale`.
    pub(crate) fn scaled(self, scale: Scale) -> Problem<'a> {
        Problem { scale, ..self }
    }

    /// The common factor on all WCETs.
    pub(crate) fn scale(&self) -> Scale {
        self.scale
    }

    /// The supported partition sizes, if the problem has a device.
    pub fn offer(&self) -> Option<&'a Offer> {
        self.offer
    }

    /// Allocation units of the whole GPU. They are its SMs, except under MIG.
    pub(crate) fn shares(&self) -> u32 {
        self.offer.map_or(self.sms, Offer::shares)
    }

    /// The SMs of a partition with `shares` allocation units; 0 if no supported size is so small.
    pub(crate) fn sms_of(&self, shares: u32) -> u32 {
        self.offer.map_or(shares, |offer| offer.sms_of(shares))
    }

    /// The fewest allocation units of a partition with at least `sms` SMs; the whole GPU if no partition is so large.
    pub(crate) fn shares_of(&self, sms: u32) -> u32 {
        let all = self.shares();
        (1..=all)
            .find(|&shares| self.sms_of(shares) >= sms)
            .unwrap_or(all)
    }

    /// Whether partitions may not fit together although the GPU has enough allocation units.
    pub(crate) fn has_places(&self) -> bool {
        self.offer.is_some_and(Offer::has_places)
    }

    /// Whether `parts` have a placement on the GPU; always true if allocation units decide.
    pub(crate) fn fits_places(&self, parts: &[Part]) -> bool {
        !self.has_places() || self.fits(parts.iter().map(|part| part.sms))
    }

    /// The total SMs of placed partitions that need `sizes` SMs; `None` without a placement.
    pub(crate) fn placed_sms(&self, sizes: &[u32]) -> Option<u32> {
        let placed = self.offer?.place(sizes)?;
        placed.iter().map(|placed| placed.sms).sum::<u32>().into()
    }

    /// Whether partitions with these allocation units fit on the GPU together.
    pub(crate) fn fits(&self, parts: impl Iterator<Item = u32> + Clone) -> bool {
        let sum: u64 = parts.clone().map(u64::from).sum();
        if sum > self.shares().into() {
            return false;
        }
        match self.offer.filter(|offer| offer.has_places()) {
            None => true,
            Some(offer) => {
                let sizes: Vec<u32> = parts.map(|shares| offer.sms_of(shares)).collect();
                offer.has_room(&sizes)
            }
        }
    }

    /// All tasks.
    pub fn tasks(&self) -> &'a [Task] {
        self.tasks
    }

    /// M, the SMs of the GPU.
    pub fn sms(&self) -> u32 {
        self.sms
    }

    /// The name of the interference model, if it has one.
    pub fn interference_name(&self) -> Option<Interference> {
        let name = self.interference.name()?;
        Some(match self.memory {
            Some(_) => name.with_bandwidth(),
            None => name,
        })
    }

    /// Whether the test passes for `tasks` (positions in the set) in one partition of `sms` SMs, without interference by
    /// other partitions.
    pub fn accepts(&self, tasks: &[usize], sms: u32) -> bool {
        self.demands(tasks, sms)
            .is_ok_and(|demands| schedulability::accepts(self.policy, &demands, sms))
    }

    /// The verdict for `tasks` (positions in the set) in one partition of `sms` SMs, without other partitions.
    ///
    /// Evidence names tasks by their position in the whole set.
    pub fn verdict(&self, tasks: &[usize], sms: u32) -> Verdict {
        let verdict = self.verdicts(&[(tasks, sms)]).pop();
        verdict.unwrap_or_else(|| Verdict::new(self.policy, Evidence::Undecided { steps: 0 }))
    }

    /// The demand of each of `tasks` in a common partition of `sms` SMs; `Err` with the first task whose WCET is unknown.
    pub fn demands(&self, tasks: &[usize], sms: u32) -> Result<Vec<Demand>, usize> {
        let co_located = self.co_located(tasks);
        tasks
            .iter()
            .map(|&index| {
                let wcet = self.wcet(index, sms, &co_located).ok_or(index)?;
                Ok(self.fill(self.frame(&self.tasks[index]), index, wcet, &co_located))
            })
            .collect()
    }

    /// C(m) of task `index` on `sms` SMs with the tasks `co_located`; `None` if unknown. On an instance with its own memory
    /// slices, the result is C'(m), which accounts for the bandwidth of these slices.
    pub(crate) fn wcet(&self, index: usize, sms: u32, co_located: &CoLocated) -> Option<Time> {
        let task = &self.tasks[index];
        let whole = |sms| Some(self.scale.time(self.interference.wcet(task, sms, co_located)?));
        match self.sliced() {
            None => whole(sms),
            Some(sliced) => sliced.wcet(task, sms, whole),
        }
    }

    /// The demand of `task` without its WCET. [`Problem::fill`] adds the WCET.
    pub(crate) fn frame(&self, task: &Task) -> Demand {
        Demand {
            block: task
                .block()
                .map_or(Time::from_ns(u64::MAX), |block| self.scale.time(block)),
            ..Demand::new(Time::ZERO, task.period(), task.deadline()).with_jitter(task.jitter())
        }
    }

    /// The demand `frame` of task `index` completed for a partition with `co_located`, where the task has this `wcet`.
    pub(crate) fn fill(&self, frame: Demand, index: usize, wcet: Time, co_located: &CoLocated) -> Demand {
        let least_work = match self.policy.counts_work() {
            true => self.least_work(index, co_located),
            false => wcet.ns().into(),
        };
        Demand {
            wcet,
            block: frame.block.min(wcet),
            least_work,
            ..frame
        }
    }

    /// U(P) = Σ C(m)/T of `tasks` in one partition of `sms` SMs; `None` if a WCET is unknown.
    pub fn utilization(&self, tasks: &[usize], sms: u32) -> Option<Utilization> {
        let demands = self.demands(tasks, sms).ok()?;
        Some(
            demands
                .iter()
                .map(|demand| Utilization::of(demand.wcet, demand.period))
                .sum(),
        )
    }

    /// The least work of task `index` in isolation [SM·ns].
    pub(crate) fn least_work_alone(&self, index: usize) -> u128 {
        self.least_work(index, &CoLocated::of([&self.tasks[index]]))
    }

    /// The least work of task `index` with the tasks `co_located` [SM·ns].
    pub(crate) fn least_work(&self, index: usize, co_located: &CoLocated) -> u128 {
        let work = self.interference.least_work(&self.tasks[index], co_located);
        self.scale.work(work)
    }

    /// The least work of task `index` with the tasks `co_located`, divided by its period [SMs] and rounded down.
    pub(crate) fn work(&self, index: usize, co_located: &CoLocated) -> Utilization {
        let work = self.least_work(index, co_located);
        Utilization::of(
            Time::from_ns(u64::try_from(work).unwrap_or(u64::MAX)),
            self.tasks[index].period(),
        )
    }

    /// The policy, which determines the test of each partition.
    pub(crate) fn policy(&self) -> Policy {
        self.policy
    }

    /// The interference model.
    pub(crate) fn interference(&self) -> &'a dyn InflatedWcet {
        self.interference
    }

    /// The number of `tasks` of each kind, which determines their contention.
    pub(crate) fn co_located(&self, tasks: &[usize]) -> CoLocated {
        CoLocated::of(tasks.iter().map(|&index| &self.tasks[index]))
    }
}
