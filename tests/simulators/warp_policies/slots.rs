//! The behavior of each policy in small examples.

use gpusched::model::Scheduler;
use gpusched::simulator::warps::policy::{AnyPolicy, Policy as _, Pool, WarpSet, of, of_slots_from};

fn set(slots: &[usize]) -> WarpSet {
    slots.iter().copied().collect()
}

/// Returns slots 0 to 3. Slot 3 is the oldest, followed by 1, 0 and 2. Slots 0 and 2 belong to group 0, slot 1 to group
/// 1, and slot 3 to group 2.
fn pool() -> Pool {
    Pool {
        age: vec![2, 1, 3, 0],
        kernel: vec![0, 1, 0, 2],
        live: set(&[0, 1, 2, 3]),
    }
}

/// Simulates a cycle when the warps of `ready` can issue, and returns the issuing warp.
fn cycle(policy: &mut AnyPolicy, pool: &Pool, ready: &[usize]) -> Option<usize> {
    policy.begin(pool, set(ready));
    let slot = policy.first(pool, set(ready));
    if let Some(slot) = slot {
        policy.issued(pool, slot);
    }
    slot
}

/// Returns all slots in the order of this cycle.
fn order(policy: &AnyPolicy, pool: &Pool) -> Vec<usize> {
    let mut left = pool.live;
    let mut order = Vec::new();
    while let Some(slot) = policy.first(pool, left) {
        order.push(slot);
        left.remove(slot);
    }
    order
}

#[test]
fn lrr_goes_on_after_the_last_issue() {
    let (mut lrr, pool) = (of(Scheduler::Lrr, &[]), pool());
    assert_eq!(order(&lrr, &pool), [0, 1, 2, 3]);
    assert_eq!(cycle(&mut lrr, &pool, &[1, 3]), Some(1));
    assert_eq!(order(&lrr, &pool), [2, 3, 0, 1]);
    assert_eq!(cycle(&mut lrr, &pool, &[]), None);
    assert_eq!(cycle(&mut lrr, &pool, &[0, 1]), Some(0));
    assert_eq!(cycle(&mut lrr, &pool, &[3]), Some(3));
    assert_eq!(order(&lrr, &pool), [0, 1, 2, 3]);
}

#[test]
fn gto_is_greedy_for_slot_0_at_first_and_through_idle_cycles() {
    let (mut gto, pool) = (of(Scheduler::Gto, &[]), pool());
    assert_eq!(order(&gto, &pool), [0, 3, 1, 2]);
    assert_eq!(cycle(&mut gto, &pool, &[1, 2]), Some(1));
    assert_eq!(cycle(&mut gto, &pool, &[]), None);
    assert_eq!(order(&gto, &pool), [1, 3, 0, 2]);
    let mut oldest = of(Scheduler::Oldest, &[]);
    assert_eq!(cycle(&mut oldest, &pool, &[1, 2]), Some(1));
    assert_eq!(order(&oldest, &pool), [3, 1, 0, 2]);
}

#[test]
fn turns_go_round_in_descending_budget() {
    for scheduler in [Scheduler::Qaws, Scheduler::RtPaws] {
        // Group 1 has the highest budget. Among equal budgets, the first group comes first.
        let (mut policy, pool) = (of(scheduler, &[0, 2, 0]), pool());
        policy.begin(&pool, set(&[]));
        assert_eq!(order(&policy, &pool), [1, 0, 2, 3], "{scheduler}");
        // The only warp of group 1 stalls for the first time. A warp of another group issues, which neither ends the
        // turn nor counts.
        assert_eq!(cycle(&mut policy, &pool, &[1]), Some(1));
        assert_eq!(cycle(&mut policy, &pool, &[3]), Some(3));
        assert_eq!(cycle(&mut policy, &pool, &[0]), Some(0));
        assert_eq!(order(&policy, &pool)[0], 1, "{scheduler}");
        // Under RT-PAWS, the third stall ends the turn. Under QAWS, no stall ends the turn, because the group has no
        // other warp.
        for _ in 0..2 {
            assert_eq!(cycle(&mut policy, &pool, &[1]), Some(1));
            assert_eq!(cycle(&mut policy, &pool, &[3]), Some(3));
        }
        let expected = match scheduler {
            Scheduler::Qaws => [1, 0, 2, 3],
            _ => [0, 2, 3, 1],
        };
        assert_eq!(order(&policy, &pool), expected, "{scheduler}");
    }
}

#[test]
fn a_group_without_warps_has_no_turn() {
    for scheduler in [Scheduler::Qaws, Scheduler::RtPaws] {
        let (mut policy, mut pool) = (of(scheduler, &[9, 5, 7]), pool());
        assert_eq!(cycle(&mut policy, &pool, &[0, 1, 2, 3]), Some(0));
        pool.live = set(&[1, 3]);
        // Group 0 has no warps left, so group 2 is next, then group 1.
        assert_eq!(cycle(&mut policy, &pool, &[1, 3]), Some(3), "{scheduler}");
        // Group 0 has warps again and is last.
        pool.live = set(&[0, 1, 3]);
        assert_eq!(cycle(&mut policy, &pool, &[0, 1, 3]), Some(3), "{scheduler}");
        assert_eq!(order(&policy, &pool), [3, 1, 0], "{scheduler}");
    }
}

#[test]
fn groups_and_slots_that_nobody_announced() {
    // Without budgets, and with a pool that does not know slot 9, the policy does not panic and still returns an order.
    let pool = Pool {
        live: set(&[9, 2]),
        ..pool()
    };
    for scheduler in Scheduler::ALL {
        let mut policy = of(scheduler, &[]);
        for _ in 0..3 {
            assert!(cycle(&mut policy, &pool, &[9, 2]).is_some(), "{scheduler}");
        }
        let mut all = order(&policy, &pool);
        all.sort_unstable();
        assert_eq!(all, [2, 9], "{scheduler}");
    }
}

#[test]
fn before_anything_issued_the_greedy_warp_is_in_the_first_slot() {
    let pool = Pool {
        age: vec![0, 0, 5, 4],
        kernel: vec![0; 4],
        live: set(&[2, 3]),
    };
    let both = pool.live;
    let mut policy = of_slots_from(2, Scheduler::Gto, &[]);
    assert_eq!(policy.first(&pool, both), Some(2));
    assert_eq!(of(Scheduler::Gto, &[]).first(&pool, both), Some(3));
    policy.issued(&pool, 3);
    assert_eq!(policy.first(&pool, both), Some(3));
    let others = Scheduler::ALL.into_iter();
    for scheduler in others.filter(|&scheduler| scheduler != Scheduler::Gto) {
        let mut from_slot = of_slots_from(2, scheduler, &[1]);
        let mut plain = of(scheduler, &[1]);
        from_slot.begin(&pool, both);
        plain.begin(&pool, both);
        assert_eq!(from_slot.first(&pool, both), plain.first(&pool, both));
    }
}

/// The order is cyclic: by descending budget, then by kernel. A kernel without a budget is last.
#[test]
fn groups_go_round_by_budget() {
    for scheduler in [Scheduler::Qaws, Scheduler::RtPaws] {
        let mut pool = Pool {
            age: vec![0; 5],
            kernel: vec![0, 1, 2, 3, 4],
            live: set(&[0, 1, 2, 3, 4]),
        };
        let mut policy = of(scheduler, &[1, 4, 0, 4]);
        policy.begin(&pool, set(&[]));
        assert_eq!(order(&policy, &pool), [1, 3, 0, 2, 4], "{scheduler}");
        // Each cycle, the warps of the current group end, and then the group has warps again.
        for expected in [[3, 0, 2, 4, 1], [0, 2, 4, 1, 3], [2, 4, 1, 3, 0]] {
            pool.live.remove(order(&policy, &pool)[0]);
            policy.begin(&pool, set(&[]));
            pool.live = set(&[0, 1, 2, 3, 4]);
            policy.begin(&pool, set(&[]));
            assert_eq!(order(&policy, &pool), expected, "{scheduler}");
        }
    }
}

#[test]
fn kernels_with_equal_budgets_form_a_group() {
    let pool = Pool {
        age: vec![1, 1, 0, 0, 0],
        kernel: vec![0, 1, 2, 3, 4],
        live: set(&[0, 1, 2, 3, 4]),
    };
    for (scheduler, expected) in [
        (Scheduler::Qaws, [1, 3, 0, 2, 4]),
        (Scheduler::RtPaws, [1, 3, 0, 2, 4]),
        (Scheduler::QawsByBudget, [3, 1, 2, 0, 4]),
        (Scheduler::RtPawsByPriority, [3, 1, 2, 0, 4]),
    ] {
        let mut policy = of(scheduler, &[1, 4, 1, 4]);
        policy.begin(&pool, set(&[]));
        assert_eq!(order(&policy, &pool), expected, "{scheduler}");
    }
}

#[test]
fn sets_hold_what_is_put_in() {
    let mut set: WarpSet = [63, 0, 7, 64, 1000].into_iter().collect();
    assert_eq!(set.iter().collect::<Vec<_>>(), [0, 7, 63]);
    assert!(set.contains(63) && !set.contains(64) && !set.contains(1));
    assert_eq!(set.from(1).lowest(), Some(7));
    assert_eq!(set.from(64), WarpSet(0));
    assert_eq!(set.and(WarpSet(0b1000_0001)).iter().collect::<Vec<_>>(), [0, 7]);
    assert_eq!(set.without(WarpSet(0b1000_0001)), WarpSet(1 << 63));
    assert_eq!(set.or(WarpSet(0b10)).iter().collect::<Vec<_>>(), [0, 1, 7, 63]);
    for slot in [0, 7, 63, 64] {
        set.remove(slot);
    }
    assert_eq!((set, set.lowest()), (WarpSet(0), None));
}
