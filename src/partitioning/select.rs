//! Algorithm 3: the partition to merge next, and its eligible partners.

use super::forbidden::ForbiddenList;
use super::list::Listed;

/// The first partition P of the list, at `from` or later, with eligible partners: its position, and theirs in list order;
/// `None` if no partition has any.
///
/// Errata: the loop ends when the *candidates* run out (printed: `pars`), and P is never its own partner. `from` spares
/// the partitions that ran out of partners since the list last changed.
pub(super) fn select_partitions<'a>(
    pars: &'a [Listed],
    from: usize,
    forbidden: &ForbiddenList,
) -> Option<(usize, Vec<&'a Listed>)> {
    (from..pars.len()).find_map(|position| {
        let first = pars[position].id;
        let eligible: Vec<&Listed> = pars
            .iter()
            .filter(|other| other.id != first && !forbidden.contains(first, other.id))
            .collect();
        (!eligible.is_empty()).then_some((position, eligible))
    })
}
