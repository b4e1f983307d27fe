//! A lower bound that grows, and the plans that come of it.

use super::bound::Bound;
use super::columns::Columns;
use super::pricing::Pricing;
use super::works::Works;
use crate::partitioning::hardware::{Offer, Totals};
use crate::partitioning::search::{Aim, Experience, Part, Problem, Sizes, total};
use gpusched_model::plan::LowerBound;

/// A lower bound in the making, and what comes of it for plans.
pub(crate) struct Bounding<'p> {
    pub(super) works: Works,
    pub(super) pricing: Pricing<'p>,
    pub(super) bound: Bound,
    pub(super) columns: Columns,
}

impl<'p> Bounding<'p> {
    /// That of the tasks' own work.
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

    /// No plan has fewer SMs.
    pub fn sms(&self) -> u32 {
        self.bound.sms()
    }

    /// Generates groups, from `parts` and all groups recorded so far, until prices are nearly those of the linear program of all, or bound as
    /// much as `aim` asks for, or what may be spent is spent; whether it is not. `alone` are the sizes of single tasks.
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

    /// Leaves the groups of the program, if there are any, and the prices to the next search. What tests beside the traffic of
    /// others say holds beside these others alone.
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

    /// Improves `parts` by a dive, as far as `aim` asks for.
    pub fn dive(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        if total(parts) > aim.target(self.sms()) {
            let known = (&self.works, &mut self.pricing);
            self.columns.dive(sizes, known, parts);
        }
    }

    /// Raises it by column generation until it is as much as `aim` asks for beside `parts` or what may be spent is spent.
    pub fn raise(&mut self, sizes: &mut Sizes<'_, '_>, parts: &[Part], aim: Aim) {
        let known = (&self.works, &mut self.pricing);
        let enough = aim.enough(total(parts));
        self.columns.generate(sizes, known, &mut self.bound, enough);
    }

    /// Improves `parts` by a choice among the groups known by now, as far as `aim` asks for.
    pub fn choose(&self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        self.columns.choose(sizes, parts, aim.target(self.sms()));
    }

    /// Closes the gap between the bound and `parts`, as far as the budget goes.
    pub fn close(&mut self, sizes: &mut Sizes<'_, '_>, parts: &mut Vec<Part>, aim: Aim) {
        let known = (&self.works, &mut self.pricing);
        self.columns.close(sizes, known, parts, &mut self.bound, aim);
    }

    /// As plans state it.
    pub fn into_statement(self) -> LowerBound {
        self.bound.into_statement()
    }
}

impl Experience {
    /// Tests its groups of several tasks, so that those that pass and save SMs are recorded; `alone` are the sizes of single tasks.
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
