//! The number of SMs that a group of tasks needs. A search computes this number thousands of times.

use super::budget::Budget;
use super::group::Group;
use super::lemmas::smallest;
use super::part::{Experience, Part, total};
use super::tester::GroupTester;
use crate::interference::CoLocated;
use crate::partitioning::problem::Problem;
use gpusched_model::Policy;
use gpusched_model::plan::EndedBy;

/// Tests groups and counts the search effort.
pub(crate) struct Sizes<'e, 'p> {
    tester: &'e mut GroupTester<'p>,
    tested: u64,
    /// Other work so far, converted to tests.
    charged: u64,
    budget: Budget,
    /// Part of the search effort that is available in this phase.
    phase: Budget,
    /// Groups that passed their test, if recording is on.
    recorded: Option<Vec<Part>>,
}

/// Number of tasks above which the search effort also counts the sizes of groups, and limits each linear program.
const LARGE: usize = 200;

/// In a set of more than [`LARGE`] tasks, this number of tasks in a group costs one more test.
const TASKS_PER_TEST: usize = 4;

/// Maximum number of recorded groups.
const RECORDED: usize = 50_000;

impl<'e, 'p> Sizes<'e, 'p> {
    pub fn new(tester: &'e mut GroupTester<'p>, budget: Budget) -> Sizes<'e, 'p> {
        Sizes {
            tester,
            tested: 0,
            charged: 0,
            recorded: None,
            phase: budget,
            budget,
        }
    }

    pub fn problem(&self) -> &'p Problem<'p> {
        self.tester.problem()
    }

    /// Whether the tests count the memory traffic of other partitions.
    pub fn expects_traffic(&self) -> bool {
        self.tester.expects_traffic()
    }

    /// Returns the number of groups tested so far.
    pub fn tested(&self) -> u64 {
        self.tested
    }

    /// Starts to record the groups that pass in [`Sizes::smallest`]. Returns the previous record.
    pub fn record(&mut self) -> Vec<Part> {
        self.recorded.replace(Vec::new()).unwrap_or_default()
    }

    /// Returns the knowledge from an earlier search.
    pub fn experience(&mut self) -> &mut Experience {
        self.tester.experience()
    }

    /// Adds other work to the used search effort. `tests` is the number of tests that take as
    /// long as this work.
    pub fn charge(&mut self, tests: u64) {
        self.charged += tests;
    }

    /// Returns the other work so far, converted to tests.
    pub fn charged(&self) -> u64 {
        self.charged
    }

    /// Suppose that the search ended with `parts`. Returns the limit that ended the search. Returns `None` if the
    /// search reached `target` SMs or tried every plan.
    pub fn ended_by(&self, parts: &[Part], target: u32) -> Option<EndedBy> {
        let spent = self.budget.spent(self.tested + self.charged);
        spent.filter(|_| total(parts) > target)
    }

    /// Whether the search effort of this phase is used up.
    pub fn exhausted(&self) -> bool {
        self.phase.is_spent(self.tested + self.charged)
    }

    /// Whether the time of this phase is used up. Long computations without tests check this time regularly.
    pub fn is_late(&self) -> bool {
        self.phase.time_left().is_some_and(|left| left.is_zero())
    }

    /// Whether the time of this phase is used up, or, with more than [`LARGE`] tasks, its search effort after `work` more tests.
    pub fn is_late_after(&self, work: u64) -> bool {
        self.is_late() || self.is_large() && self.phase.is_spent(self.tested + self.charged + work)
    }

    fn is_large(&self) -> bool {
        self.problem().tasks().len() > LARGE
    }

    /// Counts a test of `tasks` tasks.
    fn count(&mut self, tasks: usize) {
        self.tested += 1;
        if self.is_large() {
            self.charge((tasks / TASKS_PER_TEST) as u64);
        }
    }

    /// Starts a phase that ends when the fraction `part`/`of` of the search effort is used.
    pub fn spend(&mut self, part: u32, of: u32) {
        self.phase = self.budget.part(part, of);
    }

    /// Starts a phase like [`Sizes::spend`], for a search without a lower bound. With few tasks, only few plans exist,
    /// and additional tests find no new plans. The number of tests in the phase is therefore limited. This limit is
    /// proportional to the square of the number of tasks.
    pub fn spend_on_search(&mut self, part: u32, of: u32) {
        let tasks = self.problem().tasks().len() as u64;
        // For policies other than EDF, pricing must test every visited group, so recorded groups
        // are more valuable.
        let each_pair = match self.problem().policy() {
            Policy::Edf => 20,
            _ => 200,
        };
        self.phase = self.budget.part(part, of).at_most(each_pair * tasks * tasks);
    }

    /// Returns the smallest m in [`low`, `high`] on which `tasks` (ascending) pass the test. Tests `high` first, so a
    /// group that fails takes only one test.
    pub fn smallest(&mut self, tasks: &[usize], low: u32, high: u32) -> Option<u32> {
        let group = Group::of_tasks(self.tester.problem(), tasks);
        self.count(tasks.len());
        let found = smallest(low, high, |sms| self.tester.accepts(&group, sms));
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

    /// Whether `tasks` (ascending) pass the test on `sms` SMs, with the contention among the tasks `co_located`.
    pub fn passes(&mut self, tasks: &[usize], co_located: CoLocated, sms: u32) -> bool {
        let group = Group::among(self.tester.problem(), tasks, co_located);
        self.count(tasks.len());
        self.tester.accepts(&group, sms)
    }

    /// Returns the m of [`Sizes::smallest`], but tries the sizes upwards from `low`. This order is fast for groups that
    /// need only a few SMs more than `low`. `co_located` counts `tasks` by kind.
    pub fn first(&mut self, tasks: &[usize], co_located: CoLocated, low: u32, high: u32) -> Option<u32> {
        let group = Group::among(self.tester.problem(), tasks, co_located);
        self.count(tasks.len());
        (low..=high).find(|&sms| self.tester.accepts(&group, sms))
    }
}
