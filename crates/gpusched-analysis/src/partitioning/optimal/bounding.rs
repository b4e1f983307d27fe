//! Computation of a lower bound, and of plans from its intermediate results.

use super::bound::Bound;
use super::columns::Columns;
use super::pricing::Pricing;
use super::works::Works;
use crate::partitioning::hardware::{Offer, Totals};
use crate::partitioning::search::{Aim, Experience, Part, Problem, Sizes, total};
use gpusched_model::plan::LowerBound;

/// A lower bound under construction, with the known groups.
pub(crate) struct Bounding<'p> {
    pub(super) works: Works,
    pub(super) pricing: Pricing<'p>,
    pub(super) bound: Bound,
    pub(super) columns: Columns,
}

impl<'p> Bounding<'p> {
    /// Starts with the lower bound from the tasks' own work.
    pub fn new(problem: &'p Problem<'p>) -> Bounding<'p> {
        let works = Works::new(problem);
        let totals = problem.offer().map_or_else(Totals::all, Offer::totals);
        Bounding {
            bound: Bound::of_work(&works, problem.tasks().len(), totals),
            pricing: Pricing::new(problem, &works),
            columns: Columns::new(Vec::new(), Vec::new()),
            works,
        }
    }

    /// The lower bound: no plan has fewer SMs.
    pub fn sms(&self) -> u32 {
        self.bound.sms()
    }

    /// Generates groups until the prices are near the optimum over all groups, the bound reaches the value that `aim`
    /// requires, or the search effort is spent. Returns whether one of the first two happened.
    ///
    /// Starts from `parts` and from all groups recorded so far. `alone` contains the sizes of single tasks.
    pub fn approach(&mut self, sizes: &mut Sizes<'_, '_>, alone: Vec<u32>, parts: &[Part], aim: Aim) -> bool {
        let experience = sizes.experience().clone();
        experience.test_groups(sizes, &alone);
        self.columns = Columns::new(alone, sizes.record());
        self.columns.add(parts, usize::MAX, 0.0);
        self.columns.add_pairs(sizes);
        let known = (&self.works, &mut self.pricing);
        let enough = aim.enough(total(parts));
        for (scale, prices) in &experience.prices {
            if *scale <= sizes.problem().scale() {
                self.bound.offer(prices, 0);
            }
        }
        self.columns.approach(sizes, known, &mut self.bound, enough)
    }

    /// Passes the prices, and the groups of the linear program if there are any, to the next search.
    ///
    /// Results of tests with memory traffic are not passed on, because they are valid only with this traffic.
    pub fn leave_experience(&self, sizes: &mut Sizes<'_, '_>) {
        if sizes.expects_traffic() {
            return;
        }
        let groups: Vec<Vec<usize>> = self.columns.master.parts().map(|part| part.tasks).collect();
        let scale = sizes.problem().scale();
        let experience = sizes.experience();
        experience.prices.push((scale, self.bound.prices().to_vec()));
        if !groups.is_empty() {
            experience.groups = groups;
        }
    }

    /// Improves `parts` by diving, if `aim` requires a better plan.
    pub fn dive(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        if total(parts) > aim.target(self.sms()) {
            let known = (&self.works, &mut self.pricing);
            self.columns.dive(sizes, known, parts);
        }
    }

    /// Raises the bound by column generation until it reaches the value that `aim` requires for `parts`, or the search effort
    /// is spent.
    pub fn raise(&mut self, sizes: &mut Sizes<'_, '_>, parts: &[Part], aim: Aim) {
        let known = (&self.works, &mut self.pricing);
        let enough = aim.enough(total(parts));
        self.columns.generate(sizes, known, &mut self.bound, enough);
    }

    /// Improves `parts` by a choice among the known groups, until `aim` is reached.
    pub fn choose(&self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        self.columns.choose(sizes, parts, aim.target(self.sms()));
    }

    /// Closes the gap between the bound and `parts` within the search effort.
    pub fn close(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        let known = (&self.works, &mut self.pricing);
        self.columns.close(sizes, known, parts, &mut self.bound, aim);
    }

    /// Converts the bound to the form in plans.
    pub fn into_statement(self) -> LowerBound {
        self.bound.into_statement()
    }
}

impl Experience {
    /// Tests the groups of several tasks, so that groups that pass and save SMs are recorded. `alone` contains the sizes of
    /// single tasks.
    fn test_groups(&self, sizes: &mut Sizes<'_, '_>, alone: &[u32]) {
        for tasks in self.groups.iter().filter(|tasks| tasks.len() > 1) {
            if sizes.exhausted() {
                return;
            }
            let sizes_alone = tasks.iter().map(|&task| alone[task]);
            let low = sizes_alone.clone().max().unwrap_or(1);
            let high = sizes_alone.fold(0, u32::saturating_add).saturating_sub(1);
            sizes.smallest(tasks, low, high);
        }
    }
}
