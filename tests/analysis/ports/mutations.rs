//! Guarantee: `verify` refuses a plan if its lists of SMs change, unless the changed lists are a placement with the same
//! shared ports.

use std::collections::{BTreeMap, BTreeSet};

use gpusched::interference::{Interference, model_of};
use gpusched::model::assumptions::Basis;
use gpusched::model::device::{Device, Granularity, Place};
use gpusched::model::{Arbitration, Bandwidth, MemoryTime, Plan, RateForm, SharedMemory, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Offer, Problem, partition};
use gpusched::verification::verify;
use rand::Rng;
use serde_json::json;

use crate::shared_memory::{between, rng};
use crate::support::rounds;

fn set(rng: &mut impl Rng) -> TaskSet {
    let tasks: Vec<_> = (0..between(rng, 2, 4))
        .map(|_| {
            let sms = between(rng, 1, 3);
            json!({"period": "1ms", "wcet": {"table": [[sms, format!("{}us", between(rng, 50, 550))]]},
                "traffic": between(rng, 0, 20_000), "sectors": {"reads": between(rng, 0, 3_000), "writes": between(rng, 0, 3_000),
                "hold": between(rng, 0, 9_000), "blocks": between(rng, 0, 60)}})
        })
        .collect();
    serde_json::from_value(json!({ "tasks": tasks })).unwrap()
}

fn memory(rng: &mut impl Rng) -> Option<SharedMemory> {
    let rate = Bandwidth::new(32_000_000_000).unwrap();
    match between(rng, 0, 2) {
        0 => None,
        1 => Some(SharedMemory::new(rate, Arbitration::Any)),
        _ => {
            let time = MemoryTime {
                form: RateForm::Universal,
                l2_bytes_per_second: rate,
                dram_bytes_per_second: rate,
                variation_percent: 5,
                own_l2: false,
                camping_limit: None,
            };
            Some(time.into())
        }
    }
}

/// Returns the lists of SMs of `plan`.
fn lists(plan: &Plan) -> Vec<Vec<u32>> {
    let lists = plan.partitions.iter().map(|partition| match &partition.place {
        Some(Place::Sms(sms)) => sms.clone(),
        other => panic!("{other:?}"),
    });
    lists.collect()
}

/// Returns the partitions of each shared TPC and GPC, or `None` if `lists` is no placement for partitions of `sizes` SMs on a
/// device of 8 SMs.
fn shared(lists: &[Vec<u32>], sizes: &[usize]) -> Option<BTreeMap<(bool, u32), BTreeSet<usize>>> {
    let all: Vec<u32> = lists.concat();
    let is_placement = lists
        .iter()
        .zip(sizes)
        .all(|(list, &size)| list.len() == size && list.is_sorted())
        && all.iter().all(|&sm| sm < 8)
        && all.iter().collect::<BTreeSet<_>>().len() == all.len();
    let mut at: BTreeMap<(bool, u32), BTreeSet<usize>> = BTreeMap::new();
    for (partition, list) in lists.iter().enumerate() {
        for sm in list {
            at.entry((false, sm / 2)).or_default().insert(partition);
            at.entry((true, sm / 2 % 2)).or_default().insert(partition);
        }
    }
    at.retain(|_, partitions| partitions.len() > 1);
    is_placement.then_some(at)
}

fn mutate(rng: &mut impl Rng, lists: &mut [Vec<u32>]) {
    let last = lists.len() as u64 - 1;
    let (a, b) = (between(rng, 0, last) as usize, between(rng, 0, last) as usize);
    let at = |rng: &mut _, list: &[u32]| between(rng, 0, list.len() as u64 - 1) as usize;
    let (i, j) = (at(rng, &lists[a]), at(rng, &lists[b]));
    match between(rng, 0, 7) {
        0..=3 => {
            // Another SM, which may be free, used, or none of the device.
            lists[a][i] = u32::try_from(between(rng, 0, 8)).unwrap();
            lists[a].sort_unstable();
        }
        4 => {
            let (x, y) = (lists[a][i], lists[b][j]);
            (lists[a][i], lists[b][j]) = (y, x);
            lists[a].sort_unstable();
            lists[b].sort_unstable();
        }
        5 => lists[a].reverse(),
        6 => drop(lists[a].remove(i)),
        _ => lists[a].push([u32::MAX, 8, 7][i % 3]),
    }
}

#[test]
fn changed_lists_of_sms_are_refused() {
    let port = |level: &str| json!({"level": level, "read": "32GB/s", "write": "16GB/s"});
    let device: Device = serde_json::from_value(
        json!({"name": "eight", "sms": 8, "sms_per_tpc": 2, "tpcs_per_gpc": [2, 2],
        "gpc_of_tpc": [0, 1, 0, 1], "ports": [port("tpc"), port("gpc")]}),
    )
    .unwrap();
    let offer = Offer::new(&device, Granularity::Sm).unwrap();
    let (mut rng, mut refused, mut harmless, mut schedulable) = (rng(543), 0, 0, 0);
    while refused < rounds(10_000) {
        let (set, memory) = (set(&mut rng), memory(&mut rng));
        let problem =
            Problem::new(&set, 8, "edf".parse().unwrap(), model_of(Interference::Conflict)).unwrap();
        let mut problem = problem.offered(&offer).unwrap();
        if let Some(memory) = memory {
            problem = problem.sharing(memory).unwrap();
        }
        let kind =
            [HeuristicKind::OnePerPartition, HeuristicKind::Ffd][usize::from(between(&mut rng, 0, 3) == 0)];
        let mut plan = partition(&problem, &Heuristic::from(kind));
        let no_list = plan.partitions.is_empty(); // no partitioning found
        if no_list || plan.partitions.iter().any(|partition| partition.place.is_none()) {
            continue;
        }
        let assumptions = Basis::of_plan(&plan, &set).assumptions();
        let texts = assumptions.iter().filter_map(|one| one.text.as_ref());
        assert!(texts.into_iter().all(|text| text.chars().count() <= 140));
        plan.assumptions = Some(assumptions);
        verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {plan:?}"));
        schedulable += usize::from(plan.schedulable);
        let before = lists(&plan);
        let sizes: Vec<usize> = before.iter().map(Vec::len).collect();
        for _ in 0..10 {
            let mut changed = before.clone();
            mutate(&mut rng, &mut changed);
            if changed == before {
                continue;
            }
            let same =
                shared(&changed, &sizes).is_some() && shared(&changed, &sizes) == shared(&before, &sizes);
            let mut mutated = plan.clone();
            for (partition, list) in mutated.partitions.iter_mut().zip(changed) {
                partition.place = Some(Place::Sms(list));
            }
            let answer = verify(&mutated, &set);
            assert_eq!(answer.is_ok(), same, "{answer:?}: {mutated:?}");
            match same {
                true => harmless += 1,
                false => refused += 1,
            }
        }
    }
    assert!(
        harmless > rounds(100) && schedulable > rounds(100),
        "{harmless} {schedulable}"
    );
}
