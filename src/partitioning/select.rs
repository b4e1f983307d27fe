//! Algorithm 3: the partition to merge next, and its eligible partners.

use super::forbidden::ForbiddenList;
use super::list::PartitionList;

/// The first partition P of the list, at position `from` or later, with eligible partners: its position. Their ids go to
/// `eligible`, in list order. `None` if no partition has any.
///
/// Errata: the loop ends when the *candidates* run out (printed: `pars`), and P is never its own partner. `from` spares
/// the partitions that ran out of partners since the list last changed.
pub(super) fn select_partitions(
    pars: &PartitionList,
    from: usize,
    forbidden: &ForbiddenList,
    eligible: &mut Vec<usize>,
) -> Option<usize> {
    let position = (from..pars.ids().len())
        .find(|&position| forbidden.leaves_partners(pars.ids()[position], pars.listed()))?;
    let first = pars.ids()[position];
    eligible.clear();
    eligible.extend(
        pars.ids()
            .iter()
            .filter(|&&other| other != first && !forbidden.contains(first, other)),
    );
    Some(position)
}
