//! How many SMs a group of tasks needs, asked thousands of times.

use super::Problem;
use super::examiner::Examiner;
use super::group::Group;
use super::lemmas::smallest;
use super::objective::Budget;
use crate::interference::Company;
use crate::model::plan::EndedBy;

/// The test of groups, counted.
pub(super) struct Sizes<'e, 'p> {
    examiner: &'e mut Examiner<'p>,
    tested: u64,
    /// Other work, in tests.
    charged: u64,
    budget: Budget,
    /// The part of the budget that may be spent for now.
    phase: Budget,
    /// The groups found to pass, if they are recorded.
    recorded: Option<Vec<Part>>,
}

/// So many groups are recorded at most.
const RECORDED: usize = 50_000;

impl<'e, 'p> Sizes<'e, 'p> {
    pub fn new(examiner: &'e mut Examiner<'p>, budget: Budget) -> Sizes<'e, 'p> {
        Sizes {
            examiner,
            tested: 0,
            charged: 0,
            recorded: None,
            phase: budget,
            budget,
        }
    }

    pub fn problem(&self) -> &'p Problem<'p> {
        self.examiner.problem()
    }

    /// The number of groups tested so far.
    pub fn tested(&self) -> u64 {
        self.tested
    }

    /// From now on, groups that [`Sizes::smallest`] finds to pass are kept; those so far are handed out.
    pub fn record(&mut self) -> Vec<Part> {
        self.recorded.replace(Vec::new()).unwrap_or_default()
    }

    /// Counts other work against the budget, in tests that take as long.
    pub fn charge(&mut self, tests: u64) {
        self.charged += tests;
    }

    /// Other work so far, in tests.
    pub fn charged(&self) -> u64 {
        self.charged
    }

    /// What ends the search at `parts`, if that is not that they have at most `target` SMs, or that there is nothing left to try.
    pub fn ended_by(&self, parts: &[Part], target: u32) -> Option<EndedBy> {
        let spent = self.budget.spent(self.tested + self.charged);
        spent.filter(|_| total(parts) > target)
    }

    /// Whether what may be spent for now is spent.
    pub fn exhausted(&self) -> bool {
        self.phase.is_spent(self.tested + self.charged)
    }

    /// Whether the time that may be spent for now is: what no count of tests ends asks for that on its way.
    pub fn is_late(&self) -> bool {
        self.phase.time_left().is_some_and(|left| left.is_zero())
    }

    /// How many tests may be spent for now.
    #[cfg(feature = "highs")]
    pub fn tests_left(&self) -> u64 {
        self.phase.tests_left(self.tested + self.charged)
    }

    /// How much time, if that is limited.
    #[cfg(feature = "highs")]
    pub fn time_left(&self) -> Option<std::time::Duration> {
        self.phase.time_left()
    }

    /// From now on, the first `part` of `of` equal parts of the budget may be spent.
    pub fn spend(&mut self, part: u32, of: u32) {
        self.phase = self.budget.part(part, of);
    }

    /// The same before any bound is known: few tasks have few plans, and more tests of them find nothing new.
    pub fn spend_on_search(&mut self, part: u32, of: u32) {
        let tasks = self.problem().tasks().len() as u64;
        self.phase = self.budget.part(part, of).at_most(20 * tasks * tasks);
    }

    /// The smallest m in [`low`, `high`] on which `tasks` (ascending) pass the test; tried from above, so that a group that
    /// fails costs one test.
    pub fn smallest(&mut self, tasks: &[usize], low: u32, high: u32) -> Option<u32> {
        let group = Group::of_tasks(self.examiner.problem(), tasks);
        self.tested += 1;
        let found = smallest(low, high, |sms| self.examiner.accepts(&group, sms));
        if let (Some(sms), Some(recorded)) = (found, &mut self.recorded)
            && recorded.len() < RECORDED
        {
            recorded.push(Part {
                sms,
                tasks: tasks.to_vec(),
            });
        }
        found
    }

    /// The same, tried from below, for groups that need few more than `low`; `company` is what `tasks` are to each other.
    pub fn first(&mut self, tasks: &[usize], company: Company, low: u32, high: u32) -> Option<u32> {
        let group = Group::in_company(self.examiner.problem(), tasks, company);
        self.tested += 1;
        (low..=high).find(|&sms| self.examiner.accepts(&group, sms))
    }
}

/// A group of tasks and the SMs it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub sms: u32,
    /// Ascending.
    pub tasks: Vec<usize>,
}

/// Σ SMs.
pub(super) fn total(parts: &[Part]) -> u32 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(part.sms))
}
