//! Shorter kernels never make a set unschedulable. The search for the smallest number of SMs relies on this property.

use rand::RngExt;

use super::{ROUNDS, accepts};
use crate::oracle::random_sets::rng;
use crate::oracle::small_sets::{Draw, draw};
use crate::support::rounds;
use gpusched::model::Policy;

/// If a policy accepts a set, the policy also accepts the set with shorter WCETs. If priorities
/// do not depend on jitter, the policy also accepts the set with less jitter.
#[test]
fn every_test_is_sustainable() {
    let mut rng = rng(81);
    let policies: Vec<Policy> = Policy::all().filter(|policy| !policy.counts_work()).collect();
    let mut accepted = 0;
    for _ in 0..rounds(ROUNDS / 5) {
        let set = draw(
            &mut rng,
            Draw {
                most_tasks: 4,
                jitter: true,
                blocks: true,
            },
        );
        let mut easier = set.clone();
        for task in &mut easier {
            let small = |rng: &mut rand_chacha::ChaCha8Rng| {
                if rng.random_bool(0.5) {
                    0
                } else {
                    rng.random_range(0..3)
                }
            };
            task.c = (task.c - small(&mut rng)).max(1);
            task.b = task.b.min(task.c);
            task.j = (task.j - small(&mut rng)).max(0);
        }
        for policy in policies.iter().map(|policy| policy.name()) {
            if accepts(policy, &set) {
                accepted += 1;
                // Rate- and deadline-monotonic orders may change with D − J, but not with C.
                let mut same_order = easier.clone();
                same_order
                    .iter_mut()
                    .zip(&set)
                    .for_each(|(task, old)| task.j = old.j);
                assert!(accepts(policy, &same_order), "{policy}: {set:?} {same_order:?}");
                if [
                    "edf",
                    "np-edf",
                    "concurrent",
                    "fp-audsley",
                    "np-fp-audsley",
                    "density",
                ]
                .contains(&policy)
                {
                    assert!(accepts(policy, &easier), "{policy}: {set:?} {easier:?}");
                }
            }
        }
    }
    assert!(accepted > rounds(ROUNDS / 2), "{accepted}");
}
