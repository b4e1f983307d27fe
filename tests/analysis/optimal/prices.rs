//! `verify` and the dual prices of bounds: valid prices are confirmed, and invalid prices never are.

use gpusched::interference::Interference;
use gpusched::interference::model_of;
use gpusched::model::plan::{LowerBound, Proof, UNITS_PER_SM};
use gpusched::model::{Plan, Policy};
use gpusched::partitioning::{HeuristicKind, Problem, partition};
use gpusched::verification::{Effort, Unchecked, verify, verify_with};
use rand::{Rng, RngExt};

use super::exhaustive::sizes;
use super::{Case, POLICIES, case};
use crate::oracle;
use crate::support::rounds;

/// Returns whether the price sum of every candidate partition is at most its number of SMs.
fn hold(prices: &[u64], sizes: &[Option<u32>]) -> bool {
    sizes.iter().enumerate().all(|(group, size)| {
        let members = prices
            .iter()
            .enumerate()
            .filter(|(task, _)| group & (1 << task) != 0);
        let worth: u64 = members.map(|(_, price)| price).sum();
        size.is_none_or(|sms| worth <= u64::from(sms) * UNITS_PER_SM)
    })
}

/// Returns changed prices: some are raised or lowered by one unit to two SMs.
fn changed(rng: &mut impl Rng, prices: &[u64]) -> Vec<u64> {
    let mut prices = prices.to_vec();
    for _ in 0..rng.random_range(1..=2) {
        let task = rng.random_range(0..prices.len());
        let by = match rng.random_range(0..4) {
            0 => 1,
            1 => rng.random_range(1..UNITS_PER_SM / 10),
            2 => rng.random_range(1..2 * UNITS_PER_SM),
            _ => UNITS_PER_SM,
        };
        let price = &mut prices[task];
        *price = match rng.random_bool(0.6) {
            true => *price + by,
            false => price.saturating_sub(by),
        };
    }
    prices
}

/// The result of `verify` for the bound by `prices` in `plan`.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Confirmed,
    Refuted,
    Open,
}

fn asked(plan: &Plan, set: &gpusched::model::TaskSet, prices: Vec<u64>) -> Answer {
    let sum: u64 = prices.iter().sum();
    let sms = u32::try_from(sum.div_ceil(UNITS_PER_SM)).unwrap().max(1);
    let mut plan = plan.clone();
    plan.bound = Some(LowerBound {
        sms,
        proof: Proof::Prices,
        prices,
    });
    match verify(&plan, set) {
        Ok(verified) => {
            let bound = verified.bound.unwrap();
            assert_eq!(bound.stated, sms);
            match (bound.proven, bound.unchecked) {
                (Some(proven), None) if proven == sms => Answer::Confirmed,
                (None, Some(_)) => Answer::Open,
                other => panic!("{other:?}"),
            }
        }
        Err(fault) => {
            // The prices themselves or a plan with fewer SMs refute the bound.
            let expected = if sms > plan.sms_used {
                "bound.sms"
            } else {
                "bound.prices"
            };
            assert_eq!(fault.field, expected, "{fault}");
            Answer::Refuted
        }
    }
}

#[test]
fn bounds_that_hold_are_confirmed_and_no_others() {
    let mut rng = oracle::random_sets::rng(23);
    let (mut confirmed, mut refuted, mut open) = (0, 0, 0);
    for round in 0..rounds(2_800) {
        let policy = POLICIES[round % POLICIES.len()];
        let Case {
            set,
            sms,
            policy,
            interference,
        } = case(&mut rng, policy, 6);
        let problem = Problem::new(&set, sms, policy, model_of(interference)).unwrap();
        let what = || {
            format!(
                "{policy} {interference:?} on {sms}: {}",
                serde_json::to_string(&set).unwrap()
            )
        };
        let plan = partition(&problem, &HeuristicKind::Optimal.into());
        let Some(bound) = &plan.bound else {
            continue; // a lemma decided
        };
        let checked = verify(&plan, &set).unwrap_or_else(|fault| panic!("{fault}: {}", what()));
        let checked = checked.bound.unwrap();
        let by_prices = bound.prices.iter().sum::<u64>().div_ceil(UNITS_PER_SM).max(1);
        assert_eq!(checked.stated, bound.sms);
        assert_eq!(checked.proven.map(u64::from), Some(by_prices), "{}", what());
        match bound.proof {
            Proof::Prices => assert_eq!(checked.unchecked, None),
            Proof::Search => assert_eq!(checked.unchecked, Some(Unchecked::Search)),
        }
        // This plan has many SMs, so it rarely refutes a bound itself.
        let plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
        let sizes = sizes(&problem, set.tasks().len());
        for _ in 0..8 {
            let prices = changed(&mut rng, &bound.prices);
            let holds = hold(&prices, &sizes);
            match asked(&plan, &set, prices) {
                Answer::Confirmed => {
                    assert!(holds, "{}", what());
                    confirmed += 1;
                }
                Answer::Refuted => {
                    assert!(!holds, "{}", what());
                    refuted += 1;
                }
                Answer::Open => open += 1,
            }
        }
    }
    assert!(
        confirmed > rounds(5_000) && refuted > rounds(5_000) && open < 20,
        "{confirmed} {refuted} {open}"
    );
}

/// The verifier combines the shares of the tasks with multipliers of the size of the prices. For prices beyond all numbers of
/// SMs, the sum of the multipliers would be out of range.
#[test]
fn prices_beyond_all_sms_are_refuted() {
    let task = r#"{"period":10,"wcet":{"proportional":{"work":4,"serial":0,"conflict":1}}}"#;
    let text = format!(r#"{{"tasks":[{}]}}"#, [task; 6].join(","));
    let set: gpusched::model::TaskSet = serde_json::from_str(&text).unwrap();
    for policy in ["edf", "np-edf", "dm"] {
        let problem = Problem::new(&set, 8, policy.parse().unwrap(), model_of(Interference::None)).unwrap();
        let plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
        for price in [1 << 45, 1 << 48, 1 << 49, UNITS_PER_SM * u64::from(u32::MAX / 6)] {
            assert_eq!(
                asked(&plan, &set, vec![price; 6]),
                Answer::Refuted,
                "{policy} {price}"
            );
        }
    }
}

/// If the prices equal the work of the tasks, the price sum of every candidate partition is trivially at most its SMs.
/// The proof needs no search.
#[test]
fn work_itself_is_confirmed_at_once() {
    let (periods, works) = ([10u64, 20, 30], 1..=9u64);
    let all: Vec<(u64, u64)> = works
        .clone()
        .flat_map(|work| periods.map(|period| (period, work)))
        .chain(works.flat_map(|work| periods.map(|period| (period + 5, work))))
        .collect();
    let tasks = all.iter().map(|(period, work)| {
        format!(
            r#"{{"period":"{period}ms","wcet":{{"proportional":{{"work":"{work}ms","serial":0,"conflict":1}}}}}}"#
        )
    });
    let text = format!(r#"{{"tasks":[{}]}}"#, tasks.collect::<Vec<_>>().join(","));
    let set: gpusched::model::TaskSet = serde_json::from_str(&text).unwrap();
    let problem = Problem::new(&set, 60, Policy::Edf, model_of(Interference::None)).unwrap();
    let mut plan = partition(&problem, &HeuristicKind::OnePerPartition.into());
    let prices: Vec<u64> = all
        .iter()
        .map(|(period, work)| work * UNITS_PER_SM / period)
        .collect();
    let sms = u32::try_from(prices.iter().sum::<u64>().div_ceil(UNITS_PER_SM)).unwrap();
    plan.bound = Some(LowerBound {
        sms,
        proof: Proof::Prices,
        prices,
    });
    let effort = Effort {
        groups: 20_000,
        ..Effort::default()
    };
    let verified = verify_with(&plan, &set, &effort).unwrap().bound.unwrap();
    assert_eq!((verified.proven, verified.unchecked), (Some(sms), None));
}
