//! Algorithm 3: the partition to merge next, and its eligible partners.

use super::forbidden::ForbiddenList;
use super::list::Listed;

/// The first partition P of the list with eligible partners, and those in list order; `None` if no partition has any.
///
/// Errata: the loop ends when the *candidates* run out (printed: `pars`), and P is never its own partner.
pub(super) fn select_partitions<'a>(
    pars: &'a [Listed],
    forbidden: &ForbiddenList,
) -> Option<(&'a Listed, Vec<&'a Listed>)> {
    pars.iter().find_map(|first| {
        let eligible: Vec<&Listed> = pars
            .iter()
            .filter(|other| other.id != first.id && !forbidden.contains(first, other))
            .collect();
        (!eligible.is_empty()).then_some((first, eligible))
    })
}
