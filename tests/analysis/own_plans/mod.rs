//! Guarantee: `verify` accepts each plan that gpusched writes, each tool that supports the plan gets an export, and the
//! plan has a report page. The task sets have round times: a demand may equal a deadline, and a utilization may be 1.

mod regressions;

use std::collections::BTreeMap;

use gpusched::export::Target;
use gpusched::interference::{Interference, model_of};
use gpusched::model::assumptions::Basis;
use gpusched::model::device::{Device, Granularity};
use gpusched::model::plan::Partition;
use gpusched::model::policy::Strength;
use gpusched::model::utilization::Utilization;
use gpusched::model::{
    Arbitration, Bandwidth, Evidence, MemoryTime, Plan, Policy, RateForm, SharedMemory, TaskSet,
};
use gpusched::partitioning::{
    Heuristic, HeuristicKind, Objective, Offer, Options, Problem, partition, sensitivity,
};
use gpusched::verification::{Effort, Stated, verify_with};
use rand::{Rng, RngExt};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::granularity::GRANULARITIES;
use crate::oracle::{random_sets, round_sets};
use crate::support::rounds;

const INTERFERENCE: [Interference; 6] = [
    Interference::Conflict,
    Interference::None,
    Interference::ConflictBandwidth,
    Interference::Bandwidth,
    Interference::ConflictMemoryTime,
    Interference::MemoryTime,
];

pub const HEURISTICS: [HeuristicKind; 10] = [
    HeuristicKind::Auto,
    HeuristicKind::Optimal,
    HeuristicKind::Sms,
    HeuristicKind::Bf,
    HeuristicKind::OneGpu,
    HeuristicKind::OnePerPartition,
    HeuristicKind::Ffd,
    HeuristicKind::Wfd,
    HeuristicKind::Savings,
    HeuristicKind::Matching,
];

pub const TARGETS: [Target; 6] = [
    Target::Libsmctrl,
    Target::Mps,
    Target::MpsV3,
    Target::Mig,
    Target::GreenContext,
    Target::Csv,
];

/// Candidate partitions that the check of a lower bound examines.
const EFFORT: Effort<'static> = Effort {
    groups: 2_000,
    watch: &|_| {},
};

/// Numbers of plans and exports.
#[derive(Copy, Clone, Default, Debug)]
struct Seen {
    plans: usize,
    schedulable: usize,
    /// Plans with interference delay.
    contended: usize,
    /// Plans with a partition that has a utilization of exactly 1.
    full: usize,
    /// Plans with a demand that equals the next interval of its evidence.
    touching: usize,
    exports: usize,
}

impl Seen {
    fn plus(self, other: Seen) -> Seen {
        Seen {
            plans: self.plans + other.plans,
            schedulable: self.schedulable + other.schedulable,
            contended: self.contended + other.contended,
            full: self.full + other.full,
            touching: self.touching + other.touching,
            exports: self.exports + other.exports,
        }
    }
}

/// Returns a set whose tasks may have jitter, thread blocks, memory traffic and sectors. All times are round.
fn set(rng: &mut impl Rng) -> TaskSet {
    let n = rng.random_range(1..=6);
    let load = [0.3, 1.0, 1.0, 2.5][rng.random_range(0..4)];
    let set = match rng.random_bool(0.9) {
        true => round_sets::round_set(rng, n, load),
        false => random_sets::task_set(rng, n, load),
    };
    let mut json = serde_json::to_value(&set).unwrap();
    let (jitter, blocks, traffic) = (rng.random_bool(0.2), rng.random_bool(0.5), rng.random_range(0..4));
    for task in json["tasks"].as_array_mut().unwrap() {
        let (period, deadline) = (task["period"].as_u64().unwrap(), task["deadline"].as_u64());
        let deadline = deadline.unwrap_or(period);
        if jitter && rng.random_bool(0.5) {
            task["jitter"] = Value::from(deadline / [2, 5, 10, 20, 1][rng.random_range(0..5)]);
        }
        if blocks && rng.random_bool(0.7) {
            task["block"] = Value::from((deadline / [2, 5, 10, 20][rng.random_range(0..4)]).max(1));
        }
        if traffic > 0 && rng.random_bool(0.8) {
            let bytes = [0, period / 10, period, 5 * period][rng.random_range(0..4)];
            task["traffic"] = Value::from(bytes);
            task["bandwidth"] = Value::from([1, 10, 40][rng.random_range(0..3)] * 1_000_000_000u64);
        }
        let sectors = [0, period / 1000, period / 100][rng.random_range(0..3)];
        let drain = json!({"l2": "100GB/s", "dram": "50GB/s"});
        task["sectors"] = json!({"reads": sectors, "writes": sectors / 2, "drain": drain});
    }
    if traffic == 3 {
        json["other_traffic"] = json!([{"traffic": "1MB", "period": "10ms", "bandwidth": "1GB/s"}]);
    }
    serde_json::from_value(json).unwrap()
}

/// Returns the memory that `interference` counts.
fn memory(rng: &mut impl Rng, interference: Interference, mig: bool) -> Option<SharedMemory> {
    if !interference.counts_memory() {
        return None;
    }
    let rate = |gigabytes: u64| Bandwidth::new(gigabytes * 1_000_000_000).unwrap();
    if !interference.counts_memory_time() || mig {
        let arbitration = [Arbitration::Any, Arbitration::MaxMin][rng.random_range(0..2)];
        return Some(SharedMemory::new(
            rate([4, 20, 100][rng.random_range(0..3)]),
            arbitration,
        ));
    }
    let forms = [RateForm::Universal, RateForm::Balanced, RateForm::OwnDrain];
    let time = MemoryTime {
        form: forms[rng.random_range(0..3)],
        l2_bytes_per_second: rate(200),
        dram_bytes_per_second: rate([50, 100][rng.random_range(0..2)]),
        variation_percent: [0, 20][rng.random_range(0..2)],
        own_l2: false,
        camping_limit: None,
    };
    Some(time.into())
}

/// Returns a heuristic with options that have an effect.
fn heuristic(rng: &mut impl Rng, kind: HeuristicKind) -> Heuristic {
    let searches = matches!(kind, HeuristicKind::Auto | HeuristicKind::Optimal);
    let objectives = [Objective::Sms, Objective::Feasible, Objective::Margin];
    let options = Options {
        search_effort: searches.then(|| [30, 300][rng.random_range(0..2)]),
        objective: (searches && rng.random_bool(0.2)).then(|| objectives[rng.random_range(0..3)]),
        ..Options::default()
    };
    kind.with(&options).unwrap()
}

/// Writes a plan, reads it again, and verifies, exports and reports it.
fn follow(index: u64) -> (Policy, Seen) {
    let rng = &mut random_sets::rng(index);
    let policies: Vec<Policy> = Policy::all().collect();
    let turn = |count: usize, every: usize| (index as usize / every) % count;
    let policy = policies[turn(policies.len(), 1)];
    let set = set(rng);
    let interference = match INTERFERENCE[rng.random_range(0..INTERFERENCE.len())] {
        model if model.counts_memory() && !policy.shares_memory() => Interference::Conflict,
        model => model,
    };
    let devices: Vec<Device> = ["orin", "a30", "a100"]
        .map(|name| Device::named(name).unwrap())
        .into();
    let device = &devices[rng.random_range(0..devices.len())];
    let granularity = GRANULARITIES[rng.random_range(0..GRANULARITIES.len())];
    let offer = match rng.random_bool(0.6) {
        true => Offer::new(device, granularity).ok(),
        false => None,
    };
    let sms = match &offer {
        Some(_) => device.sms(),
        None => rng.random_range(1..=8),
    };
    let mig = offer.is_some() && granularity == Granularity::Mig;
    let memory = memory(rng, interference, mig);
    let problem = Problem::new(&set, sms, policy, model_of(interference)).unwrap();
    let problem = match &offer {
        Some(offer) => problem.offered(offer).unwrap(),
        None => problem,
    };
    let problem = match memory {
        Some(memory) => problem.sharing(memory).unwrap(),
        None => problem,
    };
    let heuristic = heuristic(rng, HEURISTICS[turn(HEURISTICS.len(), policies.len())]);
    let mut plan = partition(&problem, &heuristic);
    if rng.random_bool(0.1) {
        plan.sensitivity = sensitivity(&problem, &plan);
    }
    plan.assumptions = Some(Basis::of_plan(&plan, &set).assumptions());
    let text = serde_json::to_string(&plan).unwrap();
    let seen = used(&text, &set);
    let (seen, plan) = seen.unwrap_or_else(|fault| {
        let set = serde_json::to_string(&set).unwrap();
        panic!("set {index}: {policy} {heuristic:?}: {fault}\n{text}\n{set}")
    });
    let any = |holds: &dyn Fn(&Partition) -> bool| usize::from(plan.partitions.iter().any(holds));
    let full = |part: &Partition| problem.utilization(&part.tasks, part.sms) == Some(Utilization::ONE);
    let touching = |part: &Partition| match &part.verdict.evidence {
        Evidence::DemandWithinSupply { checked, .. } => checked.windows(2).any(|pair| pair[0].1 == pair[1].0),
        _ => false,
    };
    let seen = Seen {
        contended: any(&|part| part.verdict.strength != policy.strength()),
        full: any(&full),
        touching: any(&touching),
        ..seen
    };
    (policy, seen)
}

/// Uses the plan in `text` as the commands `verify`, `export` and `report` do.
fn used(text: &str, set: &TaskSet) -> Result<(Seen, Plan), String> {
    let plan: Plan = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Stated::default()
        .check(&plan)
        .map_err(|fault| fault.to_string())?;
    verify_with(&plan, set, &EFFORT).map_err(|fault| fault.to_string())?;
    let mut exports = 0;
    for target in TARGETS {
        let Some(hardware) = plan.hardware.as_ref().filter(|_| plan.schedulable) else {
            continue;
        };
        if target.check(hardware).is_ok() {
            target
                .export(&plan, set)
                .map_err(|error| format!("{target}: {error}"))?;
            exports += 1;
        }
    }
    let page = gpusched_report::plan::page(&plan, set, "set", &EFFORT).map_err(|error| error.to_string())?;
    let necessary = |strength| strength == Strength::NecessaryOnly;
    // Memory times and kernels that run together are only tested, because this test accepts neither.
    let together = { plan.partitions.iter() }.any(|part| part.verdict.policy.runs_together());
    let tested = together || plan.memory.is_some_and(|memory| memory.time.is_some());
    let proves = plan.schedulable
        && !tested
        && !plan
            .partitions
            .iter()
            .any(|part| necessary(part.verdict.strength));
    if page.positive != proves {
        return Err(format!("the page is positive: {}", page.positive));
    }
    let seen = Seen {
        plans: 1,
        schedulable: usize::from(plan.schedulable),
        exports,
        ..Seen::default()
    };
    Ok((seen, plan))
}

#[test]
fn every_plan_is_verified_exported_and_reported() {
    let systems: u64 = rounds(20_000);
    let found = (0..systems).into_par_iter().map(follow);
    let by_policy = found
        .fold(BTreeMap::new, |mut all: BTreeMap<&str, Seen>, (policy, seen)| {
            let sum = all.entry(policy.name()).or_default();
            *sum = sum.plus(seen);
            all
        })
        .reduce(BTreeMap::new, |mut all, other| {
            for (policy, seen) in other {
                let sum = all.entry(policy).or_default();
                *sum = sum.plus(seen);
            }
            all
        });
    for (policy, seen) in &by_policy {
        println!("{policy}: {seen:?}");
        assert!(
            seen.schedulable > seen.plans / 10 && seen.exports > 0,
            "{policy}: {seen:?}"
        );
        let failed = seen.plans - seen.schedulable;
        // Almost every set passes a necessary test.
        let least = if policy.starts_with("work") {
            0
        } else {
            seen.plans / 10
        };
        assert!(failed >= least, "{policy}: {seen:?}");
    }
    assert_eq!(by_policy.len(), Policy::all().count());
    let all = by_policy.into_values().fold(Seen::default(), Seen::plus);
    println!("all: {all:?}");
    let few = systems as usize / 50;
    assert!(
        all.contended > few && all.full > few && 20 * all.touching > few,
        "{all:?}"
    );
}
