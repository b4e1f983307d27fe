//! Guarantee: TPCs and GPCs that clusters do not prove are unknown, and known GPCs are the GPCs of the GPU.

use gpusched::runtime::measure::{Topology, sm_order};
use gpusched_model::SmOrder;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::rounds;

/// A random GPU: the GPC of each TPC of two SMs.
fn gpu(random: &mut ChaCha8Rng) -> Vec<u32> {
    let gpcs = random.random_range(1..=5);
    let mut of_tpc: Vec<u32> = (0..gpcs)
        .flat_map(|gpc| vec![gpc; random.random_range(1..=9)])
        .collect();
    of_tpc.shuffle(random);
    of_tpc
}

/// Clusters inside the GPCs of `of_tpc`. `most` is the largest cluster.
fn clusters(random: &mut ChaCha8Rng, of_tpc: &[u32], (count, most): (usize, usize)) -> Vec<Vec<u32>> {
    let mut clusters = Vec::new();
    for _ in 0..count {
        let tpc = random.random_range(0..of_tpc.len());
        let sms = (0..2 * of_tpc.len() as u32).filter(|sm| of_tpc[*sm as usize / 2] == of_tpc[tpc]);
        let mut sms: Vec<u32> = sms.collect();
        sms.shuffle(random);
        let size = match random.random_bool(0.5) {
            true => 2,
            false => random.random_range(1..=most),
        };
        match size {
            2 => clusters.push(vec![2 * tpc as u32, 2 * tpc as u32 + 1]),
            size => clusters.push(sms.into_iter().take(size).collect()),
        }
    }
    clusters
}

/// Numbers the GPCs by their smallest TPC.
fn numbered(of_tpc: &[u32]) -> Vec<u32> {
    let mut seen: Vec<u32> = Vec::new();
    let number = |gpc: &u32| {
        let known = seen.iter().position(|other| other == gpc);
        known.unwrap_or_else(|| {
            seen.push(*gpc);
            seen.len() - 1
        }) as u32
    };
    of_tpc.iter().map(number).collect()
}

#[test]
fn known_gpcs_are_those_of_the_gpu() {
    let (mut known, mut unknown) = (0, 0);
    for seed in 0..rounds(20_000u64) {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let of_tpc = gpu(random);
        let sms = 2 * of_tpc.len() as u32;
        let count = *[0, 20, 200, 600].get(random.random_range(0..4)).unwrap();
        let clusters = clusters(random, &of_tpc, (count, 16));
        let most = of_tpc
            .iter()
            .map(|gpc| of_tpc.iter().filter(|of| *of == gpc).count() as u32 * 2);
        let most = random
            .random_bool(0.8)
            .then_some(most.max().unwrap().max(random.random_range(2..=18)));
        let found = Topology::of(&clusters, sms, most);
        // SMs of one set are in one GPC.
        for set in &found.sets {
            assert!(
                set.iter()
                    .all(|sm| of_tpc[*sm as usize / 2] == of_tpc[set[0] as usize / 2]),
                "{seed}"
            );
        }
        assert_eq!(found.gpc_of_tpc.is_some(), found.unknown.is_none(), "{seed}");
        match found.gpc_of_tpc {
            Some(gpcs) => {
                assert_eq!(gpcs, numbered(&of_tpc), "{seed}");
                known += 1;
            }
            None => unknown += 1,
        }
    }
    assert!(
        known > rounds(1000) && unknown > rounds(1000),
        "{known} {unknown}"
    );
}

#[test]
fn a_single_pair_that_is_no_tpc_leaves_the_tpcs_unknown() {
    let pairs = |count: u32| {
        (0..count)
            .map(|tpc| vec![2 * tpc, 2 * tpc + 1])
            .collect::<Vec<_>>()
    };
    let of = |clusters: &[Vec<u32>], sms| Topology::of(clusters, sms, Some(18)).sms_per_tpc;
    assert_eq!(of(&pairs(4), 8), Some(2));
    assert_eq!(of(&pairs(3), 8), None);
    assert_eq!(of(&pairs(4), 9), None);
    assert_eq!(of(&[], 0), None);
    assert_eq!(of(&[pairs(4), vec![vec![1, 2]]].concat(), 8), None);
    assert_eq!(of(&[pairs(4), vec![vec![3, 3]]].concat(), 8), None);
    // One GPC, whose set is complete.
    let all = [pairs(4), vec![(0..8).collect()]].concat();
    assert_eq!(Topology::of(&all, 8, Some(8)).gpc_of_tpc, Some(vec![0; 4]));
    // Two sets that fill more than one GPC, and two sets that may be in one.
    let two = [pairs(4), vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7]]].concat();
    assert_eq!(Topology::of(&two, 8, Some(7)).gpc_of_tpc, Some(vec![0, 0, 1, 1]));
    assert_eq!(Topology::of(&two, 8, Some(8)).gpc_of_tpc, None);
    assert_eq!(Topology::of(&two, 8, None).gpc_of_tpc, None);
    // An SM that the GPU does not have.
    assert_eq!(
        Topology::of(&[two, vec![vec![8, 9]]].concat(), 8, Some(7)).gpc_of_tpc,
        None
    );
}

#[test]
fn only_equal_launches_show_the_order_of_the_sms() {
    for order in [SmOrder::EvenOdd, SmOrder::Ascending, SmOrder::Descending] {
        for sms in [2, 3, 132] {
            let start = order.of(sms);
            let found = sm_order(&[start.clone(), start.clone()], sms);
            // On two SMs, two orders are equal.
            assert_eq!(found.map(|order| order.of(sms)), Some(start.clone()));
            let mut other = start.clone();
            other.swap(0, 1);
            assert_eq!(sm_order(&[start.clone(), other], sms), None);
            assert_eq!(sm_order(&[start], sms + 1), None);
        }
    }
    assert_eq!(sm_order(&[], 8), None);
    assert_eq!(sm_order(&[vec![0]], 1), None);
}
