//! Fast test of a partition, for searches that run it thousands of times. It gives the same results as
//! [`Problem::accepts`].
//!
//! The load decides nearly all cases. The exact test decides the remaining cases. WCETs come from tables, and no test
//! allocates memory.

mod costs;
pub(crate) mod expected_traffic;
pub(crate) mod load;

use std::time::Instant;

use super::group::Group;
use super::part::Experience;
use super::problem::Problem;
use crate::schedulability::{self, Demand};
use costs::Costs;
use expected_traffic::ExpectedTraffic;
use gpusched_model::Policy;
use gpusched_model::time::Time;
use gpusched_model::utilization::Utilization;
use load::Load;

/// Tests groups of one problem, and stores intermediate results.
pub(crate) struct GroupTester<'a> {
    problem: &'a Problem<'a>,
    costs: Costs,
    /// Demand of each task, without its WCET.
    frames: Vec<Demand>,
    /// Buffers for the tasks of one test and their demands.
    tasks: Vec<usize>,
    demands: Vec<Demand>,
    /// The memory traffic around a partition, if it counts.
    expected_traffic: Option<ExpectedTraffic>,
    /// Knowledge from an earlier search.
    experience: Experience,
    /// Time after which no group passes with memory traffic, because such tests take long.
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

    /// Knowledge from an earlier search.
    pub fn experience(&mut self) -> &mut Experience {
        &mut self.experience
    }

    /// Sets the time after which no group passes with the memory traffic of other partitions.
    ///
    /// The search then ends with its current plan. After this time, a failed test proves nothing.
    pub fn stop_at(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Whether this time is reached.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Sets the memory traffic that tests count from now on; `None` for no traffic.
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

    /// Whether the test passes for `group` on `sms` SMs.
    ///
    /// If the device has only some sizes, `sms` counts allocation units, here and in all callers: see
    /// [`hardware`](crate::partitioning::hardware).
    pub fn accepts(&mut self, group: &Group<'_>, sms: u32) -> bool {
        let load = self.load(0, group, sms) + self.load(1, group, sms);
        self.accepts_with(load, group, sms)
    }

    /// The load of part `part` of `group` on `sms` SMs.
    pub fn load(&mut self, part: usize, group: &Group<'_>, sms: u32) -> Load {
        match self.problem.sms_of(sms) {
            0 => Load::LATE, // no supported size is so small
            sms => self.costs.load(self.problem, group.parts[part], group, sms),
        }
    }

    /// As [`GroupTester::accepts`], with the known load of `group` on `sms` SMs.
    pub fn accepts_with(&mut self, load: Load, group: &Group<'_>, sms: u32) -> bool {
        let policy = self.problem.policy();
        let sms = self.problem.sms_of(sms);
        if sms == 0 {
            return false;
        }
        load.verdict(policy)
            .unwrap_or_else(|| self.passes_test(policy, group, sms))
            && (self.expected_traffic.is_none() || self.passes_beside_others(group, sms))
    }

    fn passes_test(&mut self, policy: Policy, group: &Group<'_>, sms: u32) -> bool {
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
        // Positions break ties and may define priorities, so the tasks must be in order.
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

    /// U(P) = Σ C(m)/T of `group` on `sms` SMs; `None` if a WCET is unknown.
    pub fn utilization(&mut self, group: &Group<'_>, sms: u32) -> Option<Utilization> {
        let load = self.load(0, group, sms) + self.load(1, group, sms);
        self.utilization_with(load, group, sms)
    }

    /// As [`GroupTester::utilization`], with the known load of `group` on `sms` SMs.
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

    /// Σ C(m) of `group` on `sms` SMs [ns]; `None` if a WCET is unknown.
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
