//! Computes a lower bound, and derives plans from the intermediate results.

use super::bound::Bound;
use super::columns::Columns;
use super::columns::generation::Targets;
use super::pricing::Pricing;
use super::units::ONE;
use super::works::Works;
use crate::partitioning::problem::Problem;
use crate::partitioning::problem::hardware::{Offer, Totals};
use crate::partitioning::search::{Aim, Experience, Part, Sizes, total};
use gpusched_model::plan::LowerBound;

/// A lower bound under construction, together with the known groups.
pub(crate) struct Bounding<'p> {
    pub(super) works: Works,
    pub(super) pricing: Pricing<'p>,
    pub(super) bound: Bound,
    pub(super) columns: Columns,
}

impl<'p> Bounding<'p> {
    /// Creates the lower bound that follows from the work of the tasks.
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

    /// Returns the lower bound on the SMs of every plan.
    pub fn sms(&self) -> u32 {
        self.bound.sms()
    }

    /// Generates groups until the prices are near the optimum over all groups, or until the bound reaches the value
    /// that `aim` requires. Returns false if the search effort is used up first.
    ///
    /// The generation starts from `parts` and from all groups recorded so far. `alone` contains the size of each
    /// single-task group.
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

    /// Passes the prices to the next search. Also passes the groups of the linear program, if
    /// this program has groups.
    ///
    /// Does not pass results of tests with memory traffic, because they are valid only for this memory traffic.
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

    /// Improves `parts` by diving if `aim` requires a better plan.
    pub fn dive(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        if total(parts) > aim.target(self.sms()) {
            let known = (&self.works, &mut self.pricing);
            self.columns.dive(sizes, known, parts);
        }
    }

    /// Raises the bound by column generation until it reaches the value that `aim` requires for `parts`. Stops earlier if
    /// the search effort is used up.
    pub fn raise(&mut self, sizes: &mut Sizes<'_, '_>, parts: &[Part], aim: Aim) {
        self.raise_to(sizes, aim.enough(total(parts)), Targets::All);
    }

    /// Raises the bound like [`Bounding::raise`], but only if the bound may reach the value that `aim` requires for
    /// `parts`. With `spare`, the value of the linear program must exceed the necessary price sum by more than
    /// 1/`spare` of this sum, because proofs with a smaller difference take much more search effort.
    pub fn raise_if_enough(
        &mut self,
        sizes: &mut Sizes<'_, '_>,
        parts: &[Part],
        (aim, spare): (Aim, Option<u32>),
    ) {
        // A bound above the SMs of the GPU suffices, even if the objective is a plan with the fewest SMs.
        let enough = aim.enough(total(parts)).min(aim.sms.saturating_add(1));
        let necessary = i64::from(enough.saturating_sub(1)) * ONE;
        let spare = spare.map_or(0, |spare| necessary / i64::from(spare.max(1)));
        if self.columns.prices().iter().sum::<i64>() > necessary + spare {
            self.raise_to(sizes, enough, Targets::Enough);
        }
    }

    fn raise_to(&mut self, sizes: &mut Sizes<'_, '_>, enough: u32, targets: Targets) {
        let known = (&self.works, &mut self.pricing);
        self.columns
            .generate(sizes, known, &mut self.bound, (enough, targets));
    }

    /// Improves `parts` by a selection from the known groups, until the plan reaches `aim`.
    pub fn choose(&self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        self.columns.choose(sizes, parts, aim.target(self.sms()));
    }

    /// Closes the gap between the bound and `parts`, as far as the search effort permits.
    pub fn close(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        let known = (&self.works, &mut self.pricing);
        self.columns.close(sizes, known, parts, &mut self.bound, aim);
    }

    /// Converts the bound to the form that plans store.
    pub fn into_statement(self) -> LowerBound {
        self.bound.into_statement()
    }
}

impl Experience {
    /// Tests the stored groups of several tasks, so that `sizes` records the groups that pass and
    /// save SMs. `alone` contains the size of each single-task group.
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
