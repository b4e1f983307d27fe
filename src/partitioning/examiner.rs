//! The test of a partition, for searches that ask it thousands of times: the same answers as [`Problem::accepts`].
//!
//! A question is answered by the load where that suffices (nearly always), else by the exact test. WCETs come from
//! tables, and nothing is allocated per question.

use super::Problem;
use super::costs::Costs;
use super::group::Group;
use crate::model::utilization::Utilization;
use crate::schedulability::{self, Demand};

/// Answers questions about one problem, and remembers what it computed on the way.
pub(super) struct Examiner<'a> {
    problem: &'a Problem<'a>,
    costs: Costs,
    /// Room for the demands of one question.
    demands: Vec<Demand>,
}

impl<'a> Examiner<'a> {
    pub fn new(problem: &'a Problem<'a>) -> Examiner<'a> {
        Examiner {
            problem,
            costs: Costs::new(problem),
            demands: Vec::new(),
        }
    }

    pub fn problem(&self) -> &'a Problem<'a> {
        self.problem
    }

    /// Whether the test passes for `group` on `sms` SMs.
    pub fn accepts(&mut self, group: &Group<'_>, sms: u32) -> bool {
        let policy = self.problem.policy();
        let load = self.costs.load(self.problem, group, sms);
        load.verdict(policy).unwrap_or_else(|| {
            self.demands_of(group, sms)
                .is_some_and(|demands| schedulability::accepts(policy, demands, sms))
        })
    }

    /// U(P) = Σ C(m)/T of `group` on `sms` SMs; `None` where a WCET is unknown.
    pub fn utilization(&mut self, group: &Group<'_>, sms: u32) -> Option<Utilization> {
        let least = self.costs.load(self.problem, group, sms).least;
        (least != Utilization::MAX).then_some(least)
    }

    /// Σ C(m) of `group` on `sms` SMs [ns]; `None` where a WCET is unknown.
    pub fn work(&mut self, group: &Group<'_>, sms: u32) -> Option<u128> {
        self.costs.load(self.problem, group, sms);
        let demands = self.demands_of(group, sms)?;
        Some(demands.iter().map(|demand| u128::from(demand.wcet.ns())).sum())
    }

    fn demands_of(&mut self, group: &Group<'_>, sms: u32) -> Option<&[Demand]> {
        let known = self.costs.demands(self.problem, group, sms, &mut self.demands);
        known.then_some(&self.demands)
    }
}
