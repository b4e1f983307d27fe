//! Integer counts for each combination of point, analysis variant and algorithm. The order of additions does not change
//! the counts.

use serde::{Deserialize, Serialize};

use gpusched_model::Plan;

/// Counts over task sets, for one analysis variant and one algorithm. Files list the numbers in the order of these fields.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(from = "[u64; 6]", into = "[u64; 6]")]
pub struct Tally {
    /// Number of task sets that have a schedulable plan.
    pub schedulable: u64,
    /// Total number of SMs that the plans of all schedulable task sets use.
    pub sms_used: u64,
    /// Total number of merges, over all task sets, that the searches tested.
    pub merges: u64,
    /// Total number of merges, over all task sets, that the pre-fill of ACT tested.
    pub prefill_merges: u64,
    /// Total time of the search, over all task sets [ns].
    pub search_ns: u64,
    /// Total time of the pre-fill, over all task sets [ns].
    pub prefill_ns: u64,
}

/// A value of a metric in millionths, at most 10¹⁸.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Amount(u64);

/// Sums of values have two parts, so that no sum is too large: millionths below 10¹², and multiples of 10¹² millionths.
const SPLIT: u64 = 1_000_000_000_000;

impl Amount {
    /// Reads a decimal number from 0 to 10¹² with at most six decimals.
    pub fn read(text: &str) -> Option<Amount> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let decimals = decimals.trim_end_matches('0');
        if !are_digits(whole) || !(decimals.is_empty() || are_digits(decimals)) || decimals.len() > 6 {
            return None;
        }
        let millionths: u64 = format!("{decimals:0<6}").parse().ok()?;
        let whole: u64 = whole.parse().ok()?;
        let all = whole.checked_mul(1_000_000)?.checked_add(millionths)?;
        (all <= 1_000_000 * SPLIT).then_some(Amount(all))
    }
}

impl Tally {
    /// Returns the counts of the plan of one task set.
    pub fn of_plan(plan: &Plan) -> Tally {
        Tally {
            schedulable: u64::from(plan.schedulable),
            sms_used: if plan.schedulable { plan.sms_used.into() } else { 0 },
            merges: plan.stats.merges_tested,
            prefill_merges: plan.stats.prefill_merges,
            search_ns: plan.stats.search_ns,
            prefill_ns: plan.stats.prefill_ns,
        }
    }

    /// Returns the counts of one task set about which an algorithm states only whether it is schedulable.
    pub fn of_word(schedulable: bool) -> Tally {
        Tally {
            schedulable: u64::from(schedulable),
            ..Tally::default()
        }
    }

    /// Returns the tally of one value of a metric. It counts the value in `schedulable`.
    pub(crate) fn of_amount(Amount(millionths): Amount) -> Tally {
        Tally {
            schedulable: 1,
            sms_used: millionths % SPLIT,
            merges: millionths / SPLIT,
            ..Tally::default()
        }
    }

    /// Returns the sum of the values of a metric, in millionths.
    pub(crate) fn millionths(&self) -> u128 {
        u128::from(self.merges) * u128::from(SPLIT) + u128::from(self.sms_used)
    }

    /// Adds the counts of `other`. The counts saturate instead of overflowing. Only a journal that a user edited can
    /// contain such large numbers.
    pub fn add(&mut self, other: &Tally) {
        self.schedulable = self.schedulable.saturating_add(other.schedulable);
        self.sms_used = self.sms_used.saturating_add(other.sms_used);
        self.merges = self.merges.saturating_add(other.merges);
        self.prefill_merges = self.prefill_merges.saturating_add(other.prefill_merges);
        self.search_ns = self.search_ns.saturating_add(other.search_ns);
        self.prefill_ns = self.prefill_ns.saturating_add(other.prefill_ns);
    }

    /// Returns the time of all searches, with their pre-fill [ns].
    pub fn ns(&self) -> u64 {
        self.search_ns.saturating_add(self.prefill_ns)
    }

    /// Returns the counts that are equal in every run. Times are excluded.
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
