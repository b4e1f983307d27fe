//! Plans that HiGHS finds, and lower bounds that HiGHS claims. A claimed bound may exceed the proven bound.

mod milp;

use super::bound::Bound;
use super::bounding::Bounding;
use super::columns::Columns;
use super::pricing::Pricing;
use super::units::ONE;
use super::works::Works;
use crate::partitioning::search::{Aim, Part, Sizes, total};

/// Ends of the three phases, in twentieths of the search effort. The first phase generates
/// groups. In the second phase, HiGHS selects from these groups. In the third phase, HiGHS solves
/// one program per number of SMs. The last twentieth is for the proof.
const UNTIL: [u32; 3] = [14, 16, 19];

/// Raises the bound like [`Bounding::raise`], and replaces `parts` by the best plan that HiGHS finds. HiGHS first
/// selects from all known groups. After this selection, column generation continues if it stopped early. Finally, for
/// each larger number of SMs, HiGHS selects from all groups that a plan with this number of SMs can contain. Returns
/// the lower bound that HiGHS claims.
pub(super) fn generate(
    bounding: &mut Bounding,
    sizes: &mut Sizes<'_, '_>,
    alone: Vec<u32>,
    parts: &mut Vec<Part>,
    aim: Aim,
) -> u32 {
    let [groups, choice, levels] = UNTIL;
    sizes.spend(groups, 20);
    bounding.approach(sizes, alone, parts, aim);
    bounding.dive(sizes, parts, aim);
    bounding.raise(sizes, parts, aim);
    let cut_short = sizes.exhausted();
    sizes.spend(choice, 20);
    let columns = &bounding.columns;
    let known: Vec<Part> = columns.master.parts().collect();
    let less = total(parts).saturating_sub(1);
    let target = aim.target(bounding.bound.sms());
    if let Some(best) = milp::search(sizes, columns.alone.len(), &known, less, target).best {
        *parts = best;
    }
    sizes.spend(levels, 20);
    if cut_short {
        bounding.raise(sizes, parts, aim);
    }
    let pricing = (&bounding.works, &mut bounding.pricing);
    let claimed = close(&bounding.columns, sizes, pricing, parts, (&bounding.bound, aim));
    sizes.spend(20, 20);
    claimed
}

/// Closes the gap like [`Columns::close`], but HiGHS selects the groups, and `bound` remains the proven bound.
fn close(
    columns: &Columns,
    sizes: &mut Sizes<'_, '_>,
    (works, pricing): (&Works, &mut Pricing<'_>),
    parts: &mut Vec<Part>,
    (bound, aim): (&Bound, Aim),
) -> u32 {
    let (mut claimed, mut certain) = (bound.sms(), true);
    let mut most = bound.sms();
    while most < total(parts) && total(parts) > aim.target(bound.sms()) && !sizes.exhausted() {
        let most_here = aim.reach(most);
        let room = i64::from(most_here) * ONE - bound.total();
        let known = (works, &mut *pricing);
        let (groups, all) = Columns::within(sizes, known, bound.prices(), room);
        let searched = milp::search(sizes, columns.alone.len(), &groups, most_here, most);
        certain &= all && searched.complete;
        let found = searched.best.is_some();
        if let Some(best) = searched.best {
            *parts = best;
        }
        if certain {
            claimed = if found { total(parts) } else { most_here + 1 };
        }
        most = most_here + 1;
    }
    claimed.min(total(parts))
}
