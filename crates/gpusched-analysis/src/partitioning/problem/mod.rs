//! The problem that a heuristic solves: the tasks, the GPU, the test and the interference model.

pub(super) mod hardware;
mod memory;
mod missed;
mod overheads;
mod planned;
pub(super) mod scale;
mod sharing;
mod slices;
mod together;

use crate::interference::bandwidth::memory_time::DirtyLines;
use crate::interference::{CoLocated, InflatedWcet};
use crate::schedulability::{self, Demand};
use gpusched_model::error::Error;
use gpusched_model::policy::Preemption;
use gpusched_model::time::Time;
use gpusched_model::utilization::Utilization;
use gpusched_model::verdict::{Evidence, Verdict};
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{
    Interference, MeasuredOn, OtherTraffic, Overheads, Policy, SharedMemory, Task, TaskSet,
};
use hardware::Offer;
pub(crate) use missed::{missed, missed_job};
pub use overheads::Excess;
pub(crate) use scale::Scale;
pub(crate) use sharing::Sharing;

/// Tasks to assign to partitions of a GPU, and the schedulability analysis of one partition.
#[derive(Copy, Clone)]
pub struct Problem<'a> {
    tasks: &'a [Task],
    /// Where the tasks without their own statement were measured.
    measured_on: Option<&'a MeasuredOn>,
    sms: u32,
    policy: Policy,
    interference: &'a dyn InflatedWcet,
    /// Memory traffic that does not come from tasks.
    other_traffic: &'a [OtherTraffic],
    /// Supported partition sizes; `None` if every number of SMs is supported.
    offer: Option<&'a Offer>,
    /// Memory that the partitions share; `None` if memory traffic does not count.
    memory: Option<SharedMemory>,
    /// Overheads of the dispatchers; `None` if the WCETs include them.
    overheads: Option<Overheads>,
    /// Factor on all WCETs, for the variation of execution times.
    variation: Scale,
    /// Dirty lines that jobs may find in L2. `None` if the analysis counts no memory times.
    dirty: Option<DirtyLines>,
    /// Common factor on all WCETs.
    scale: Scale,
    /// Whether searches use the sharper lower bounds of the objective `margin`.
    sharp: bool,
    /// Whether Algorithm 1 continues to merge partitions when they fit on the GPU.
    fewest: bool,
    /// Receives the SMs of the best plan so far and the lower bound on the SMs of every plan.
    watch: Option<&'a (dyn Fn(u32, u32) + Sync)>,
}

impl<'a> Problem<'a> {
    /// Creates the problem of partitioning a GPU of `sms` SMs (M) for the tasks of `set`. The test of each partition uses
    /// `policy` and WCETs inflated by `interference`.
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
        let of_set = set.tasks().iter().find(|task| task.measured_on().is_none());
        Ok(Problem {
            tasks: set.tasks(),
            measured_on: of_set.and_then(|task| set.measured_on(task)),
            sms,
            policy,
            interference,
            other_traffic: set.other_traffic(),
            offer: None,
            memory: None,
            overheads: None,
            variation: match policy.runs_together() {
                true => Scale::increase(Policy::VARIATION),
                false => Scale::ONE,
            },
            dirty: None,
            scale: Scale::ONE,
            sharp: false,
            fewest: false,
            watch: None,
        })
    }

    /// Returns the problem on a device that supports the partition sizes of `offer`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the device has another number of SMs, or if a memory slice has a bandwidth below
    /// 1 byte per second. With memory times on a device with ports, also fails for a task without `hold` or `accepting`.
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
        problem.check_hold()?;
        Ok(problem)
    }

    /// Returns the problem with [relaxed](Offer::relaxed) partition sizes and without memory traffic. A lower bound on
    /// the SMs of plans for the relaxed problem is also a lower bound for this problem.
    pub(crate) fn relaxed<'b>(&self, relaxed: &'b Offer) -> Problem<'b>
    where
        'a: 'b,
    {
        Problem {
            offer: Some(relaxed),
            memory: None,
            watch: None,
            ..*self
        }
    }

    /// Returns the problem of assigning `tasks` to the part of the GPU that `free` describes: `free` has the partition sizes
    /// of a device, or the number of SMs without a device.
    pub(crate) fn part<'b>(&self, tasks: &'b [Task], free: Result<&'b Offer, u32>) -> Problem<'b>
    where
        'a: 'b,
    {
        Problem {
            tasks,
            offer: free.ok(),
            sms: free.err().unwrap_or(self.sms),
            watch: None,
            ..*self
        }
    }

    /// Returns the problem whose searches by `auto` and `optimal` call `watch`. It receives the SMs of the best plan so far, which may
    /// exceed the SMs of the GPU, and the lower bound on the SMs of every plan.
    #[must_use]
    pub fn watched<'b>(self, watch: &'b (dyn Fn(u32, u32) + Sync)) -> Problem<'b>
    where
        'a: 'b,
    {
        Problem {
            watch: Some(watch),
            ..self
        }
    }

    /// Tells the watch of the problem the allocation units of the best plan so far and the lower bound.
    pub(crate) fn tell(&self, units: u32, bound: u32) {
        let counts_sms = self.offer.is_none_or(Offer::counts_sms);
        if let Some(watch) = self.watch.filter(|_| counts_sms) {
            watch(units, bound);
        }
    }

    /// Returns the problem with all WCETs and all longest blocks multiplied by `scale`. Overheads do not grow.
    pub(crate) fn scaled(self, scale: Scale) -> Problem<'a> {
        let watch = None;
        Problem { scale, watch, ..self }
    }

    /// Returns the problem without memory traffic.
    pub(crate) fn without_traffic(self) -> Problem<'a> {
        Problem { memory: None, ..self }
    }

    /// Returns the problem with sharper lower bounds on the SMs.
    ///
    /// Only searches for the largest margin use these bounds. For other objectives, the bounds stay unchanged, so that
    /// published studies remain reproducible.
    pub(crate) fn sharpened(self) -> Problem<'a> {
        Problem { sharp: true, ..self }
    }

    /// Returns the problem for which the heuristics `sms` and `bf` merge partitions until no merge is possible. By
    /// default, these heuristics stop as soon as the partitions fit on the GPU.
    #[must_use]
    pub fn with_fewest_sms(self) -> Problem<'a> {
        Problem { fewest: true, ..self }
    }

    /// Returns the total number of allocation units at which Algorithm 1 stops.
    pub(crate) fn enough_shares(&self) -> u32 {
        match self.fewest {
            true => 0,
            false => self.shares(),
        }
    }

    /// Whether searches use the sharper lower bounds.
    pub(crate) fn is_sharp(&self) -> bool {
        self.sharp
    }

    /// Whether pricing bounds the demand of groups by measures. Otherwise, pricing tests every group that it visits.
    pub(crate) fn has_measures(&self) -> bool {
        !self.policy.counts_work()
    }

    /// Returns the common factor on all WCETs.
    pub(crate) fn scale(&self) -> Scale {
        self.scale
    }

    /// Returns the supported partition sizes, or `None` for a problem without a device.
    pub fn offer(&self) -> Option<&'a Offer> {
        self.offer
    }

    /// Returns the allocation units of the whole GPU. An allocation unit is one SM, except under MIG.
    pub(crate) fn shares(&self) -> u32 {
        self.offer.map_or(self.sms, Offer::shares)
    }

    /// Returns the SMs of a partition with `shares` allocation units, or 0 if every supported size needs more units.
    pub(crate) fn sms_of(&self, shares: u32) -> u32 {
        self.offer.map_or(shares, |offer| offer.sms_of(shares))
    }

    /// Returns the supported partition sizes [SMs], ascending and positive.
    pub(crate) fn supported_sizes(&self) -> Vec<u32> {
        let sizes = self.offer.map(Offer::sizes).filter(|sizes| !sizes.is_empty());
        sizes.unwrap_or_else(|| (1..=self.sms).collect())
    }

    /// Returns the fewest allocation units of a partition with at least `sms` SMs. Returns the units of the whole GPU if
    /// every partition has fewer SMs.
    pub(crate) fn shares_of(&self, sms: u32) -> u32 {
        let all = self.shares();
        (1..=all)
            .find(|&shares| self.sms_of(shares) >= sms)
            .unwrap_or(all)
    }

    /// Whether partitions may lack a placement although the GPU has enough allocation units.
    pub(crate) fn has_places(&self) -> bool {
        self.offer.is_some_and(Offer::has_places)
    }

    /// Whether partitions with `parts` allocation units have a placement on the GPU. Always true if partitions need no
    /// placement.
    pub(crate) fn fits_places(&self, parts: impl Iterator<Item = u32> + Clone) -> bool {
        !self.has_places() || self.fits(parts)
    }

    /// Returns the total SMs of placed partitions that need `sizes` SMs, or `None` if the partitions have no placement.
    pub(crate) fn placed_sms(&self, sizes: &[u32]) -> Option<u32> {
        let placed = self.offer?.place(sizes)?;
        placed.iter().map(|placed| placed.sms).sum::<u32>().into()
    }

    /// Whether partitions with `parts` allocation units fit on the GPU together.
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

    /// Returns all tasks.
    pub fn tasks(&self) -> &'a [Task] {
        self.tasks
    }

    /// Returns M, the number of SMs of the GPU.
    pub fn sms(&self) -> u32 {
        self.sms
    }

    /// Returns the largest total number of SMs of all partitions.
    pub(crate) fn capacity(&self) -> u32 {
        self.offer.map_or(self.sms, Offer::capacity)
    }

    /// Returns the name of the interference model, or `None` for a model without a name.
    pub fn interference_name(&self) -> Option<Interference> {
        let name = self.interference.name()?;
        Some(name.with_memory(self.memory.as_ref()))
    }

    /// Whether `tasks` (positions in the set) pass the test in one partition of `sms` SMs. The
    /// test assumes no interference from other partitions.
    pub fn accepts(&self, tasks: &[usize], sms: u32) -> bool {
        self.demands(tasks, sms)
            .is_ok_and(|demands| schedulability::accepts(self.policy, &demands, sms))
    }

    /// Returns the verdict for `tasks` (positions in the set) in one partition of `sms` SMs,
    /// without interference from other partitions.
    ///
    /// The evidence names a task by its position in the whole set.
    pub fn verdict(&self, tasks: &[usize], sms: u32) -> Verdict {
        let verdict = self.verdicts(&[(tasks, sms)]).pop();
        verdict.unwrap_or_else(|| Verdict::new(self.policy, Evidence::Undecided { steps: 0 }))
    }

    /// Returns the demand of each of `tasks` in one partition of `sms` SMs. `Err` contains the first task with an unknown
    /// WCET.
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

    /// Returns C(m) of task `index` on m = `sms` SMs, or `None` if C(m) is unknown. `co_located`
    /// counts the tasks of the partition by kind. With overheads, returns C'(m) = C(m) + o. On an instance with its own memory slices,
    /// returns C'(m), which accounts for the bandwidth of these slices.
    pub(crate) fn wcet(&self, index: usize, sms: u32, co_located: &CoLocated) -> Option<Time> {
        let task = &self.tasks[index];
        let whole = |sms| {
            let stated = self.interference.wcet(task, sms, co_located)?;
            let varied = self.beside_write_backs(task, self.variation.time(stated));
            Some(self.occupancy(task, self.scale.time(varied)))
        };
        match self.sliced() {
            None => whole(sms),
            Some(sliced) => sliced.wcet(task, sms, whole),
        }
    }

    /// Returns `wcet`, increased by the time to write back the dirty lines that a job of `task` finds in L2.
    fn beside_write_backs(&self, task: &Task, wcet: Time) -> Time {
        let Some(dirty) = self.dirty else {
            return wcet;
        };
        // `sharing` refuses tasks without sectors.
        let delay = task.sectors().map_or(u128::MAX, |sectors| dirty.delay(sectors));
        let all = u128::from(wcet.ns()).saturating_add(delay);
        Time::from_ns(u64::try_from(all).unwrap_or(u64::MAX))
    }

    /// Returns the demand of `task` without its WCET. [`Problem::fill`] adds the WCET.
    pub(crate) fn frame(&self, task: &Task) -> Demand {
        Demand {
            block: task.block().map_or(Time::from_ns(u64::MAX), |block| {
                self.launch(self.scale.time(block))
            }),
            lead: self.lead(),
            ..Demand::new(Time::ZERO, task.period(), task.deadline()).with_jitter(self.jitter(task))
        }
    }

    /// Returns the demand `frame` of task `index` with its WCET `wcet`, for a partition with the tasks `co_located`.
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

    /// Returns the longest time for which a job of task `index` blocks jobs with earlier deadlines, if C(m) is `wcet`.
    ///
    /// Suppose that a kernel starts [`Problem::lead`] before the other jobs are released. Without preemption, the kernel runs to its
    /// end. Under limited preemption, it runs to the end of its longest block. The time is 0 under immediate
    /// preemption.
    pub(crate) fn blocking(&self, index: usize, wcet: Time) -> Time {
        let longest = match self.policy {
            Policy::NpEdf | Policy::NpFifo | Policy::FixedPriority(Preemption::NonPreemptive, _) => wcet,
            Policy::LpEdf | Policy::FixedPriority(Preemption::Limited, _) => {
                self.frame(&self.tasks[index]).block.min(wcet)
            }
            _ => Time::ZERO,
        };
        longest.checked_sub(self.lead()).unwrap_or_default() // a kernel with C = 0 blocks no job
    }

    /// Returns [`Demand::lead`] of all tasks. Jobs may start between two nanoseconds if memory slices or write-backs
    /// lengthen WCETs, because these delays depend on the number of transferred bytes.
    fn lead(&self) -> Time {
        Time::from_ns(u64::from(self.dirty.is_none() && !self.has_slices()))
    }

    /// Returns U(P) = Σ C(m)/T of `tasks` in one partition of `sms` SMs, or `None` if a WCET is unknown.
    pub fn utilization(&self, tasks: &[usize], sms: u32) -> Option<Utilization> {
        let demands = self.demands(tasks, sms).ok()?;
        Some(
            demands
                .iter()
                .map(|demand| Utilization::of(demand.wcet, demand.period))
                .sum(),
        )
    }

    /// Returns the least work of task `index` in isolation [SM·ns], with overheads.
    pub fn least_work_alone(&self, index: usize) -> u128 {
        self.least_work(index, &CoLocated::of([&self.tasks[index]]))
    }

    /// Returns the least work of task `index` if the partition has the tasks `co_located` [SM·ns].
    pub(crate) fn least_work(&self, index: usize, co_located: &CoLocated) -> u128 {
        let work = self.interference.least_work(&self.tasks[index], co_located);
        let scaled = self.scale.work(self.variation.work(work));
        // On m ≥ 1 SMs, the overheads add at least n·o.
        scaled.saturating_add(self.launches(&self.tasks[index]).ns().into())
    }

    /// Returns the least work of task `index` divided by its period, rounded down [SMs]. The partition has the tasks
    /// `co_located`.
    pub(crate) fn work(&self, index: usize, co_located: &CoLocated) -> Utilization {
        Utilization::of_work(self.least_work(index, co_located), self.tasks[index].period())
    }

    /// Returns the policy, which determines the test of each partition.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Returns the interference model.
    pub(crate) fn interference(&self) -> &'a dyn InflatedWcet {
        self.interference
    }

    /// Returns the number of `tasks` of each kind. These numbers determine the contention among the tasks.
    pub(crate) fn co_located(&self, tasks: &[usize]) -> CoLocated {
        CoLocated::of(tasks.iter().map(|&index| &self.tasks[index]))
    }
}
