//! Integer counts per (point, analysis variant, algorithm), which do not depend on the order of addition.

use serde::{Deserialize, Serialize};

use gpusched_model::Plan;

/// Counts over task sets for one analysis variant and one algorithm. Files list the numbers in this order.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "[u64; 6]", into = "[u64; 6]")]
pub struct Tally {
    /// Number of sets with a schedulable plan.
    pub schedulable: u64,
    /// Number of SMs used, over the schedulable sets.
    pub sms_used: u64,
    /// Number of merges tested by the search, over all sets.
    pub merges: u64,
    /// Number of merges tested by ACT's pre-fill, over all sets.
    pub prefill_merges: u64,
    /// Time of the search, over all sets [ns].
    pub search_ns: u64,
    /// Time of the pre-fill, over all sets [ns].
    pub prefill_ns: u64,
}

impl Tally {
    /// Counts one more set.
    pub fn count(&mut self, plan: &Plan) {
        self.add(&Tally {
            schedulable: u64::from(plan.schedulable),
            sms_used: if plan.schedulable { plan.sms_used.into() } else { 0 },
            merges: plan.stats.merges_tested,
            prefill_merges: plan.stats.prefill_merges,
            search_ns: plan.stats.search_ns,
            prefill_ns: plan.stats.prefill_ns,
        });
    }

    /// Adds the counts of other sets. Only a journal edited by hand can saturate a count.
    pub fn add(&mut self, other: &Tally) {
        self.schedulable = self.schedulable.saturating_add(other.schedulable);
        self.sms_used = self.sms_used.saturating_add(other.sms_used);
        self.merges = self.merges.saturating_add(other.merges);
        self.prefill_merges = self.prefill_merges.saturating_add(other.prefill_merges);
        self.search_ns = self.search_ns.saturating_add(other.search_ns);
        self.prefill_ns = self.prefill_ns.saturating_add(other.prefill_ns);
    }

    /// Returns the counts that are equal in every run, without times.
    pub fn stable(&self) -> [u64; 4] {
        [self.schedulable, self.sms_used, self.merges, self.prefill_merges]
    }
}

impl From<[u64; 6]> for Tally {
    fn from(
        [
            schedulable,
            sms_used,
            merges,
            prefill_merges,
            search_ns,
            prefill_ns,
        ]: [u64; 6],
    ) -> Tally {
        Tally {
            schedulable,
            sms_used,
            merges,
            prefill_merges,
            search_ns,
            prefill_ns,
        }
    }
}

impl From<Tally> for [u64; 6] {
    fn from(tally: Tally) -> [u64; 6] {
        let [schedulable, sms_used, merges, prefill_merges] = tally.stable();
        [
            schedulable,
            sms_used,
            merges,
            prefill_merges,
            tally.search_ns,
            tally.prefill_ns,
        ]
    }
}
