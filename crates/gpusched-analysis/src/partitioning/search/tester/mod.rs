//! Fast test of a partition, for searches that run the test thousands of times. The fast test gives the same results as
//! [`Problem::accepts`].
//!
//! The load of a group (its utilization and density) decides nearly all tests. The test of the
//! policy decides the remaining tests. The tester reads WCETs from tables, and a test allocates
//! no memory.

mod costs;
pub(crate) mod expected_traffic;
pub(crate) mod load;

use std::time::Instant;

use super::group::Group;
use super::part::Experience;
use crate::partitioning::problem::Problem;
use crate::schedulability::{self, Demand};
use costs::Costs;
use expected_traffic::ExpectedTraffic;
use gpusched_model::Policy;
use gpusched_model::interrupt;
use gpusched_model::time::Time;
use gpusched_model::utilization::Utilization;
use load::Load;

/// Tests groups of tasks of a given problem. The tester stores intermediate results.
pub(crate) struct GroupTester<'a> {
    problem: &'a Problem<'a>,
    costs: Costs,
    /// Demand of each task, without its WCET.
    frames: Vec<Demand>,
    /// Reusable buffers for the tasks of one test, and for the demands of these tasks.
    tasks: Vec<usize>,
    demands: Vec<Demand>,
    /// Memory traffic of the tasks outside a partition; `None` if tests ignore memory traffic.
    expected_traffic: Option<ExpectedTraffic>,
    /// Knowledge from an earlier search.
    experience: Experience,
    /// Time after which every test with memory traffic fails, so that the search ends soon.
    deadline: Option<Instant>,
}

impl<'a> GroupTester<'a> {
    pub fn new(problem: &'a Problem<'a>) -> GroupTester<'a> {
        GroupTester {
            problem,
            costs: Costs::new(problem),
            frames: problem.tasks().iter().map(|task| problem.frame(task)).collect(),
            tasks: Vec::new(),
            demands: Vec::new(),
            expected_traffic: None,
            experience: Experience::default(),
            deadline: None,
        }
    }

    /// Returns the knowledge from an earlier search.
    pub fn experience(&mut self) -> &mut Experience {
        &mut self.experience
    }

    /// Sets the time after which every test with the memory traffic of other partitions fails.
    ///
    /// At this time, the search ends with its current plan. After this time, a failed test proves nothing.
    pub fn stop_at(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Whether the time of [`GroupTester::stop_at`] has passed.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Sets the memory traffic that all later tests count. With `None`, the tests ignore memory traffic.
    pub fn expect(&mut self, expected_traffic: Option<ExpectedTraffic>) {
        self.expected_traffic = expected_traffic;
    }

    /// Whether tests count the memory traffic of other partitions.
    pub fn expects_traffic(&self) -> bool {
        self.expected_traffic.is_some()
    }

    pub fn problem(&self) -> &'a Problem<'a> {
        self.problem
    }

    /// Whether `group` passes its test on `sms` SMs.
    ///
    /// If the device supports only some sizes, `sms` counts allocation units, in this method and
    /// in its callers. See [`hardware`](crate::partitioning::problem::hardware).
    pub fn accepts(&mut self, group: &Group<'_>, sms: u32) -> bool {
        let load = self.load(0, group, sms) + self.load(1, group, sms);
        self.accepts_with(load, group, sms)
    }

    /// Returns the load of part `part` of `group` on `sms` SMs.
    pub fn load(&mut self, part: usize, group: &Group<'_>, sms: u32) -> Load {
        match self.problem.sms_of(sms) {
            0 => Load::LATE, // every supported size needs more units
            sms => self.costs.load(self.problem, group.parts[part], group, sms),
        }
    }

    /// Whether `group` passes its test on `sms` SMs, like [`GroupTester::accepts`]. The load of `group` is already known.
    pub fn accepts_with(&mut self, load: Load, group: &Group<'_>, sms: u32) -> bool {
        let policy = self.problem.policy();
        let sms = self.problem.sms_of(sms);
        if sms == 0 {
            return false;
        }
        let by_work = || {
            load.is_known()
                .then(|| group.verdict_by_work(policy, sms))
                .flatten()
        };
        load.verdict(policy)
            .or_else(by_work)
            .unwrap_or_else(|| self.passes_test(policy, group, sms))
            && (self.expected_traffic.is_none() || self.passes_beside_others(group, sms))
    }

    fn passes_test(&mut self, policy: Policy, group: &Group<'_>, sms: u32) -> bool {
        interrupt::check();
        self.collect_demands(group, sms) && schedulability::accepts(policy, &self.demands, sms)
    }

    #[cold]
    fn passes_beside_others(&mut self, group: &Group<'_>, sms: u32) -> bool {
        !self.is_late()
            && self.collect_demands(group, sms)
            && self.expected_traffic.as_ref().is_none_or(|expected_traffic| {
                expected_traffic.accepts(self.problem, &self.tasks, &self.demands, sms)
            })
    }

    /// Collects the tasks of `group` and their demands. Returns whether all WCETs are known.
    fn collect_demands(&mut self, group: &Group<'_>, sms: u32) -> bool {
        // The positions of the tasks break ties and may define priorities, so the tasks must be in ascending order.
        let [first, second] = group.parts;
        self.tasks.clear();
        self.tasks.extend_from_slice(first);
        self.tasks.extend_from_slice(second);
        if !second.is_empty() {
            self.tasks.sort_unstable();
        }
        self.demands.clear();
        for &task in &self.tasks {
            let Some(wcet) = self.costs.wcet(task, group, sms) else {
                return false;
            };
            let demand = self
                .problem
                .fill(self.frames[task], task, wcet, &group.co_located);
            self.demands.push(demand);
        }
        true
    }

    /// Returns U(P) = Σ C(m)/T of `group` on `sms` SMs, or `None` if a WCET is unknown.
    pub fn utilization(&mut self, group: &Group<'_>, sms: u32) -> Option<Utilization> {
        let load = self.load(0, group, sms) + self.load(1, group, sms);
        self.utilization_with(load, group, sms)
    }

    /// Returns the result of [`GroupTester::utilization`]. The load of `group` on `sms` SMs is already known.
    pub fn utilization_with(&mut self, load: Load, group: &Group<'_>, sms: u32) -> Option<Utilization> {
        let problem = self.problem;
        if problem.sms_of(sms) == 0 {
            return None;
        }
        load.utilization().or_else(|| {
            self.wcets(group, sms)
                .map(|(task, wcet)| Some(Utilization::of(wcet?, problem.tasks()[task].period())))
                .sum()
        })
    }

    /// Returns Σ C(m) of `group` on `sms` SMs [ns], or `None` if a WCET is unknown.
    pub fn work(&mut self, group: &Group<'_>, sms: u32) -> Option<u128> {
        if self.problem.sms_of(sms) == 0 {
            return None;
        }
        self.wcets(group, sms)
            .map(|(_, wcet)| Some(u128::from(wcet?.ns())))
            .sum()
    }

    fn wcets(&mut self, group: &Group<'_>, sms: u32) -> impl Iterator<Item = (usize, Option<Time>)> {
        self.load(0, group, sms);
        self.load(1, group, sms);
        let sms = self.problem.sms_of(sms);
        let tasks = group.parts.into_iter().flatten();
        tasks.map(move |&task| (task, self.costs.wcet(task, group, sms)))
    }
}
