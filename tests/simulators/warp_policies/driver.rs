//! Policies on a machine with random behavior: warps start and end, slots are reused, units are busy, and cycles are
//! skipped.

use gpusched::model::Scheduler;
use gpusched::simulator::warps::policy::{Policy as _, Pool, WarpSet, of};
use rand::RngExt as _;

use crate::support::rounds;
use crate::warp_policies::random::rng;
use crate::warp_policies::slow::{Slow, Warp};

/// Number of machines per policy, and number of cycles of each machine.
const MACHINES: u64 = 400;
const CYCLES: usize = 200;

/// Returns the order that `policy` gives the warps of `ready`.
fn order(
    policy: &impl gpusched::simulator::warps::policy::Policy,
    pool: &Pool,
    ready: WarpSet,
) -> Vec<usize> {
    let mut left = ready;
    let mut order = Vec::new();
    while let Some(slot) = policy.first(pool, left) {
        order.push(slot);
        left.remove(slot);
    }
    order
}

#[test]
fn any_machine() {
    let mut left_out = 0;
    for scheduler in Scheduler::ALL {
        for machine in 0..rounds(MACHINES) {
            let mut rng = rng(machine);
            let slots = rng.random_range(1..=9);
            let groups = rng.random_range(1..=4);
            let budgets: Vec<u32> = (0..groups).map(|_| rng.random_range(0..=4)).collect();
            let busy = rng.random_range(0.0..0.7);
            let (mut fast, mut slow) = (of(scheduler, &budgets), Slow::new(scheduler, slots, &budgets));
            let mut pool = Pool {
                age: vec![0; slots],
                kernel: vec![0; slots],
                live: WarpSet::default(),
            };
            let (mut age, mut idle) = (0, false);
            for _ in 0..CYCLES {
                let mut changed = false;
                for slot in 0..slots {
                    if !pool.live.contains(slot) && rng.random_bool(0.1) {
                        age += 1;
                        (pool.age[slot], pool.kernel[slot]) = (age, rng.random_range(0..groups));
                        pool.live.insert(slot);
                        changed = true;
                    }
                }
                let stalled = if rng.random_bool(0.2) { 1.0 } else { busy };
                let ready: WarpSet = pool.live.iter().filter(|_| !rng.random_bool(stalled)).collect();
                let warps: Vec<Warp> = pool
                    .live
                    .iter()
                    .map(|slot| Warp {
                        slot,
                        age: pool.age[slot],
                        group: pool.kernel[slot],
                        ready: ready.contains(slot),
                    })
                    .collect();
                let mut queue = slow.queue(&warps);
                queue.retain(|&slot| ready.contains(slot));
                if idle && ready.is_empty() && !changed && rng.random_bool(0.5) {
                    left_out += 1;
                    fast.rest(&pool, 1);
                    continue; // the reference implementation sees all cycles
                }
                fast.begin(&pool, ready);
                assert_eq!(
                    order(&fast, &pool, ready),
                    queue,
                    "{scheduler}, machine {machine}"
                );
                // Units may be busy, so the first warp with a free unit issues.
                let issuing = queue.into_iter().find(|_| !rng.random_bool(0.3));
                if let Some(slot) = issuing {
                    fast.issued(&pool, slot);
                    slow.issued(*warps.iter().find(|warp| warp.slot == slot).unwrap());
                    if rng.random_bool(0.1) {
                        pool.live.remove(slot);
                        changed = true;
                    }
                }
                idle = issuing.is_none() && !changed;
            }
        }
    }
    assert!(left_out > rounds(1_000), "{left_out}");
}
