//! Guarantee: a placement unites partitions at a port only if too few ports are free. The comparison is an exhaustive search
//! over all placements on small devices.

use std::collections::BTreeSet;

use gpusched::model::device::{Device, Granularity, Place};
use gpusched::partitioning::Offer;
use rand::Rng;
use serde_json::json;

use crate::shared_memory::{between, rng};
use crate::support::rounds;

/// Returns the SMs or TPCs of each partition.
fn units(offer: &Offer, sizes: &[u32], weights: &[u128]) -> Option<Vec<Vec<u32>>> {
    let placed = offer.place_apart(sizes, weights)?;
    let units = placed.into_iter().map(|placed| match placed.place {
        Some(Place::Sms(units) | Place::Tpcs(units)) => units,
        other => panic!("{other:?}"),
    });
    Some(units.collect())
}

/// Returns the pairs of partitions with units in one group of `group` units.
fn pairs(placed: &[Vec<u32>], group: impl Fn(u32) -> u32) -> BTreeSet<(usize, usize)> {
    let groups: Vec<BTreeSet<u32>> = { placed.iter() }
        .map(|units| units.iter().map(|&unit| group(unit)).collect())
        .collect();
    let all = (0..placed.len()).flat_map(|a| (a + 1..placed.len()).map(move |b| (a, b)));
    all.filter(|&(a, b)| !groups[a].is_disjoint(&groups[b])).collect()
}

/// Returns the pairs that share a group in the best of all placements: the fewest pairs, then the smallest sum of weights.
fn best(
    owner: &mut Vec<usize>,
    left: &mut [u32],
    all: usize,
    cost: &impl Fn(&[usize]) -> (usize, u128),
) -> (usize, u128) {
    if owner.len() == all {
        return match left.iter().all(|&left| left == 0) {
            true => cost(owner),
            false => (usize::MAX, u128::MAX),
        };
    }
    let mut least = (usize::MAX, u128::MAX);
    for partition in 0..=left.len() {
        // The last number stands for a free unit.
        if let Some(left) = left.get_mut(partition) {
            if *left == 0 {
                continue;
            }
            *left -= 1;
        }
        owner.push(partition);
        least = least.min(best(owner, left, all, cost));
        owner.pop();
        if let Some(left) = left.get_mut(partition) {
            *left += 1;
        }
    }
    least
}

/// Returns the cost of the placement where `owner` contains the partition of each unit.
fn cost_of(owner: &[usize], weights: &[u128], group: impl Fn(u32) -> u32) -> (usize, u128) {
    let placed: Vec<Vec<u32>> = (0..weights.len())
        .map(|partition| {
            (0u32..)
                .zip(owner)
                .filter(|(_, of)| **of == partition)
                .map(|(unit, _)| unit)
                .collect()
        })
        .collect();
    let pairs = pairs(&placed, group);
    (
        pairs.len(),
        pairs.iter().map(|&(a, b)| weights[a] + weights[b]).sum(),
    )
}

fn draw(rng: &mut impl Rng, all: u64) -> (Vec<u32>, Vec<u128>) {
    let mut left = all;
    let mut sizes = Vec::new();
    for _ in 0..between(rng, 1, 4) {
        let size = between(rng, 1, 3).min(left);
        if size == 0 {
            break;
        }
        left -= size;
        sizes.push(u32::try_from(size).unwrap());
    }
    let weights = sizes.iter().map(|_| between(rng, 0, 3).into()).collect();
    (sizes, weights)
}

/// On TPCs of two SMs, the fewest pairs share a TPC, and these pairs have the smallest weights. On larger TPCs, no pair
/// shares a TPC unless every placement has such a pair.
#[test]
fn sms_are_placed_as_by_exhaustive_search() {
    let (mut rng, mut forced, mut larger) = (rng(541), 0, 0);
    for round in 0..rounds(600) {
        let (sms, unit) = [(4, 2), (6, 2), (7, 1), (6, 3)][round % 4];
        let device: Device =
            serde_json::from_value(json!({"name": "small", "sms": sms, "sms_per_tpc": unit})).unwrap();
        let offer = Offer::new(&device, Granularity::Sm).unwrap();
        let (sizes, weights) = draw(&mut rng, u64::from(device.sms()));
        let placed = units(&offer, &sizes, &weights).unwrap();
        let all: Vec<u32> = placed.iter().flatten().copied().collect();
        assert!(all.iter().all(|&sm| sm < sms) && all.iter().collect::<BTreeSet<_>>().len() == all.len());
        for (units, &size) in placed.iter().zip(&sizes) {
            assert!(units.len() == size as usize && units.is_sorted());
        }
        let group = |sm: u32| sm / unit;
        let found = pairs(&placed, group);
        let found = (
            found.len(),
            found.iter().map(|&(a, b)| weights[a] + weights[b]).sum(),
        );
        let cost = |owner: &[usize]| cost_of(owner, &weights, group);
        let least = best(&mut Vec::new(), &mut sizes.clone(), sms as usize, &cost);
        match unit {
            3 => assert_eq!(found.0 == 0, least.0 == 0, "{sizes:?}: {placed:?}"),
            _ => assert_eq!(found, least, "{sizes:?} {weights:?}: {placed:?}"),
        }
        forced += usize::from(least.0 > 0 && unit == 2);
        larger += usize::from(least.0 > 0 && unit == 3);
    }
    assert!(forced > rounds(20) && larger > rounds(5), "{forced} {larger}");
}

/// With the map of the card, no two partitions share a GPC if a placement on own GPCs exists. Own TPCs matter more.
#[test]
fn tpcs_are_spread_over_gpcs() {
    let (mut rng, mut own, mut united) = (rng(542), 0, 0);
    let map = [0, 1, 2, 0, 1, 0];
    let device: Device = serde_json::from_value(json!({
        "name": "three", "sms": 12, "sms_per_tpc": 2, "tpcs_per_gpc": [3, 2, 1], "gpc_of_tpc": map,
    }))
    .unwrap();
    let gpc = |tpc: u32| map[tpc as usize];
    for _ in 0..rounds(600) {
        let (sizes, weights) = draw(&mut rng, 6);
        let cost = |owner: &[usize]| cost_of(owner, &weights, gpc);
        let least = best(&mut Vec::new(), &mut sizes.clone(), 6, &cost);
        let tpc = Offer::new(&device, Granularity::Tpc).unwrap();
        let placed = units(
            &tpc,
            &sizes.iter().map(|size| 2 * size).collect::<Vec<_>>(),
            &weights,
        )
        .unwrap();
        let found = pairs(&placed, gpc);
        assert_eq!(found.is_empty(), least.0 == 0, "{sizes:?}: {placed:?}");
        // The partition with the largest weight has own GPCs if it can.
        own += usize::from(found.is_empty() && sizes.len() > 1);
        united += usize::from(!found.is_empty());
        // With single SMs, no two partitions share a TPC, because each partition needs as many TPCs as before.
        let sm = Offer::new(&device, Granularity::Sm).unwrap();
        let odd: Vec<u32> = sizes.iter().map(|size| 2 * size - 1).collect();
        let placed = units(&sm, &odd, &weights).unwrap();
        assert_eq!(
            pairs(&placed, |sm| sm / 2),
            BTreeSet::new(),
            "{odd:?}: {placed:?}"
        );
        assert_eq!(
            pairs(&placed, |sm| gpc(sm / 2)).is_empty(),
            least.0 == 0,
            "{odd:?}: {placed:?}"
        );
    }
    assert!(own > rounds(100) && united > rounds(100), "{own} {united}");
}

/// A device without TPCs, a full device, and one SM more than the device has.
#[test]
fn extreme_sizes_are_placed() {
    let small = |unit: Option<u32>| {
        let mut device = json!({"name": "small", "sms": 5});
        device["sms_per_tpc"] = unit.into();
        Offer::new(&serde_json::from_value(device).unwrap(), Granularity::Sm).unwrap()
    };
    for unit in [None, Some(1), Some(5)] {
        let offer = small(unit);
        assert_eq!(units(&offer, &[5], &[]), Some(vec![vec![0, 1, 2, 3, 4]]));
        assert_eq!(units(&offer, &[1; 5], &[9; 5]).unwrap().concat().len(), 5);
        assert_eq!(units(&offer, &[], &[]), Some(Vec::new()));
        assert_eq!(
            (units(&offer, &[6], &[]), units(&offer, &[3, 3], &[])),
            (None, None)
        );
    }
    // The heaviest of three partitions gets the TPC of its own.
    let four: Device = serde_json::from_value(json!({"name": "four", "sms": 4, "sms_per_tpc": 2})).unwrap();
    let offer = Offer::new(&four, Granularity::Sm).unwrap();
    let placed = units(&offer, &[1, 1, 1], &[1, 9, u128::MAX]).unwrap();
    assert_eq!(pairs(&placed, |sm| sm / 2), BTreeSet::from([(0, 1)]));
}
