//! Algorithm 3: the partition to merge next, and its eligible partners.

use super::forbidden::ForbiddenList;
use super::list::PartitionList;
use super::relation::Set;

/// The eligible partners of one partition.
#[derive(Debug)]
pub(crate) struct Eligible {
    /// Their ids, in the order of the list.
    pub ids: Vec<usize>,
    /// The same as a set.
    set: Set,
}

impl Eligible {
    /// Room for ids below `capacity`.
    pub fn with_capacity(capacity: usize) -> Eligible {
        Eligible {
            ids: Vec::with_capacity(capacity),
            set: Set::with_capacity(capacity),
        }
    }
}

/// The first partition P of the list, at position `from` or later, with eligible partners: its position. The partners go
/// to `eligible`. `None` if no partition has any.
///
/// Errata: the loop ends when the *candidates* run out (printed: `pars`), and P is never its own partner. `from` spares
/// the partitions that ran out of partners since the list last changed.
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
