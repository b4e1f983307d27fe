//! Compares the largest WCET margin on partitions of supported sizes with an enumeration of every
//! partitioning.

use gpusched::interference::{Interference, model_of};
use gpusched::model::Policy;
use gpusched::model::device::Granularity;
use gpusched::partitioning::{HeuristicKind, Offer, Problem};
use gpusched::verification::verify;
use rand::RngExt;

use crate::granularity::{GRANULARITIES, Small, partitionings};
use crate::margin::{largest, passes, widest};
use crate::oracle::random_sets;
use crate::support::rounds;

/// Returns whether a partitioning of `n` tasks passes on `small` with all WCETs scaled by `permille`/1000.
fn exists(
    (problem, policy): (&Problem<'_>, Policy),
    (small, granularity): (&Small, Granularity),
    n: usize,
    permille: u64,
) -> bool {
    let all = partitionings(n, problem.sms(), |tasks, sms| {
        passes(problem, policy, tasks, sms, permille)
    });
    all.iter()
        .any(|groups| small.least(granularity, groups).is_some())
}

#[test]
fn the_margin_on_hardware_is_that_of_exhaustive_search() {
    let mut rng = random_sets::rng(72);
    let (mut found, mut missed) = ([0; 6], 0);
    for round in 0..rounds(240) {
        let small = Small::random(&mut rng);
        let n = rng.random_range(1..=4);
        let load = rng.random_range(0.1..0.5) * f64::from(small.sms());
        let set = random_sets::known_alone(&mut rng, n, load);
        let policy = [Policy::Edf, Policy::NpEdf][round / 6 % 2];
        let free = Problem::new(&set, small.sms(), policy, model_of(Interference::Conflict)).unwrap();
        let which = round % 6;
        let granularity = GRANULARITIES[which];
        let what = format!(
            "{granularity} {policy} {:?} {}",
            small.device,
            serde_json::to_string(&set).unwrap()
        );
        let best = largest(|permille| exists((&free, policy), (&small, granularity), n, permille));
        let offer = Offer::new(&small.device, granularity).unwrap();
        let plan = widest(&free.offered(&offer).unwrap(), HeuristicKind::Optimal);
        verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {what}"));
        let placed = matches!(granularity, Granularity::Gpc | Granularity::Mig);
        match &plan.margin {
            None if placed => missed += usize::from(best > 0),
            None => assert_eq!(best, 0, "{what}"),
            Some(margin) => {
                let factor = margin.wcet_scaling_permille;
                assert!(
                    factor <= best && best <= margin.at_most_permille,
                    "{margin:?}: {best}: {what}"
                );
                missed += usize::from(placed && factor < best);
                assert!(
                    placed || (factor == best && margin.is_largest()),
                    "{margin:?}: {best}: {what}"
                );
                found[which] += 1;
            }
        }
    }
    assert!(found.iter().all(|&count| count >= rounds(8)), "{found:?}");
    assert!(missed * 5 <= found[2] + found[5], "{missed} of {found:?}");
}
