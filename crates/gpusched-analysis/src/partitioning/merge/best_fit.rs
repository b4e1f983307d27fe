//! The relation > ([Singh21] Definition 4), which orders the merges that BF tries.

use std::cmp::Ordering;

use super::list::Listed;
use super::trial::MergeTrials;
use crate::partitioning::heuristic::order::{BfDirection, BfMeasure};
use crate::partitioning::search::Group;
use gpusched_model::utilization::Utilization;

/// Returns the sort key of a merge under the relation >. The key is U(P⊕P') at m = max(|P|, |P'|), where P is the
/// partition in `trials`. Returns `None` if a WCET is unknown on m SMs. Merges without a key come last.
pub(crate) fn best_fit_key(
    trials: &mut MergeTrials<'_, '_, '_>,
    measure: BfMeasure,
    partner: &Listed,
) -> Option<BestFitKey> {
    let group = Group::of_both(trials.tester.problem(), trials.partition, &partner.partition);
    let sms = trials.partition.sms.max(partner.partition.sms);
    match measure {
        BfMeasure::Utilization => trials.utilization(&group, sms).map(BestFitKey::Utilization),
        BfMeasure::Demand => trials.tester.work(&group, sms).map(BestFitKey::Demand),
    }
}

/// U(P⊕P') in the selected measure. gpusched compares only keys with the same measure.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum BestFitKey {
    Utilization(Utilization),
    Demand(u128),
}

impl BfDirection {
    /// Compares two merges by their keys. A merge without a key comes last.
    pub(crate) fn compare(self, a: Option<BestFitKey>, b: Option<BestFitKey>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) => match self {
                BfDirection::Ascending => a.cmp(&b),
                BfDirection::Descending => b.cmp(&a),
            },
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }
}
