//! Time slices as an algorithm of a study: all SMs belong to each task in turn.

use super::shape::{SlicedGpu, Variant};
use gpusched_analysis::end_to_end::{SharedContexts, TurnSearch, analyze, choose_turns};
use gpusched_analysis::interference::{CoLocated, model_of};
use gpusched_model::end_to_end::{Draft, Environment, System, TimeShares};
use gpusched_model::error::Refusal;
use gpusched_model::time::Time;
use gpusched_model::{Task, TaskSet};

impl SlicedGpu {
    /// Checks the options for a study with `variants`.
    pub(super) fn check(&self, variants: &[Variant]) -> Result<(), Refusal> {
        if self.slices.is_empty() {
            Refusal::refuse("slices", "none", "one or more time slices")?;
        }
        if self.slices.contains(&Time::ZERO) {
            Refusal::refuse("slices", Time::ZERO, "more than 0 ns")?;
        }
        if !(1..=8).contains(&self.turns) {
            Refusal::refuse("turns", self.turns, "1 to 8")?;
        }
        if self.contexts == Some(0) {
            Refusal::refuse("contexts", "0", "at least 1")?;
        }
        if self.tests == 0 {
            Refusal::refuse("tests", "0", "at least 1")?;
        }
        for variant in variants {
            if variant.interference.counts_memory() {
                let found = format!("an analysis variant with interference {}", variant.interference);
                let expected = "conflict or none, because no analysis counts memory traffic and time slices";
                Refusal::refuse("slices", found, expected)?;
            }
            if let Some(shared) = self.shared(variant) {
                shared.check()?;
            }
        }
        Ok(())
    }

    /// Returns the contexts that tasks may share.
    fn shared(&self, variant: &Variant) -> Option<SharedContexts> {
        self.contexts.map(|contexts| SharedContexts {
            contexts,
            policy: variant.policy,
        })
    }

    /// Whether all tasks of `set` meet their deadlines on `sms` SMs, with at least one choice that the search tests. A task without a
    /// WCET on `sms` SMs has no proof, as in a partition.
    ///
    /// # Errors
    /// Fails if the tasks have no valid system.
    pub(super) fn accepts(&self, set: &TaskSet, sms: u32, variant: &Variant) -> Result<bool, Refusal> {
        let (model, all) = (model_of(variant.interference), CoLocated::of(set.tasks()));
        let unknown = |task: &Task| model.wcet(task, sms, &all).is_none();
        if set.tasks().iter().any(unknown) {
            return Ok(false);
        }
        let shares = TimeShares {
            slice: self.slices.first().copied().unwrap_or(Time::ZERO), // `check` refuses an empty list
            switch: self.switch,
            overrun: self.overrun,
            idle: self.idle,
        };
        let draft = Draft::time_shared(set, sms, shares)?;
        let environment = Environment::from(variant.interference);
        if self.slices.len() == 1 && self.turns == 1 && self.contexts.is_none() {
            return Ok(analyze(&System::new(&draft, environment)?).schedulable);
        }
        let search = TurnSearch {
            slices: &self.slices,
            turns: self.turns,
            shared: self.shared(variant),
            tests: self.tests,
            environment,
        };
        Ok(choose_turns(&draft, &search, &|_| ())?.schedulable)
    }
}
