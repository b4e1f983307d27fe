//! Algorithm 3, which selects the next partition to merge and its eligible partners.

use super::forbidden::ForbiddenList;
use super::list::PartitionList;
use super::relation::Set;

/// Eligible partners of one partition.
#[derive(Debug)]
pub(crate) struct Eligible {
    /// Ids of the partners, in the order of the list.
    pub ids: Vec<usize>,
    /// Ids of the partners, as a set.
    set: Set,
}

impl Eligible {
    /// Creates an empty result for ids below `capacity`.
    pub fn with_capacity(capacity: usize) -> Eligible {
        Eligible {
            ids: Vec::with_capacity(capacity),
            set: Set::with_capacity(capacity),
        }
    }
}

/// Returns the position of a partition P that has eligible partners, and writes its partners to `eligible`. P is the first
/// such partition in the list from position `from` on. Returns `None` if no partition has eligible partners.
///
/// Erratum: the loop ends when no *candidate* remains. The paper prints `pars` instead. P is never its own partner. The
/// partitions before `from` have no eligible partners, because the list has not changed since their last check.
pub(crate) fn select_partitions(
    pars: &PartitionList,
    from: usize,
    forbidden: &ForbiddenList,
    eligible: &mut Eligible,
) -> Option<usize> {
    let Eligible { ids, set } = eligible;
    let (position, partners) = (from..pars.ids().len())
        .map(|position| {
            (
                position,
                forbidden.partners(pars.ids()[position], pars.listed(), set),
            )
        })
        .find(|&(_, partners)| partners > 0)?;
    ids.clear();
    ids.extend(pars.ids().iter().filter(|&&id| set.contains(id)).take(partners));
    Some(position)
}
