//! Random task sets with all WCET forms, kinds and deadline relations, independent of the generators of the library. A
//! third of the sets has round times.

use gpusched::model::{Contention, Task, TaskSet};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::round_sets::round_set;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Periods that divide 4000 ms, so that reference implementations can use hyperperiods.
const PERIODS_MS: [u64; 11] = [50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000, 4000];

/// A set whose WCETs in conflict are known only where isolated WCETs are known, so that co-located tasks never help.
pub fn known_alone(rng: &mut impl Rng, n: usize, load: f64) -> TaskSet {
    loop {
        let set = task_set(rng, n, load);
        let is_known = |task: &Task, contention| task.wcet().at(1, contention).is_some();
        let mut tasks = set.tasks().iter();
        if tasks.all(|task| is_known(task, Contention::Isolated) || !is_known(task, Contention::Conflict)) {
            return set;
        }
    }
}

/// `n` tasks with about `load` SMs of work in total.
pub fn task_set(rng: &mut impl Rng, n: usize, load: f64) -> TaskSet {
    if rng.random_bool(1.0 / 3.0) {
        return round_set(rng, n, load);
    }
    let shares: Vec<f64> = (0..n).map(|_| -rng.random::<f64>().max(1e-9).ln()).collect();
    let total: f64 = shares.iter().sum();
    let tasks: Vec<String> = shares
        .iter()
        .map(|share| {
            let period = PERIODS_MS[rng.random_range(0..PERIODS_MS.len())] * 1_000_000;
            let work = ((share / total * load * period as f64) as u64).max(1);
            let deadline = match rng.random_range(0..4) {
                0 => period,
                1 => period + rng.random_range(0..period),
                _ => rng.random_range(period / 4..=period),
            };
            let kind = ["", r#""kind":"compute","#, r#""kind":"memory","#][if rng.random_bool(0.1) {
                0
            } else {
                rng.random_range(1..3)
            }];
            let wcet = match rng.random_range(0..4) {
                0 => format!(r#"{{"amdahl":{{"work":{work},"serial":0.1,"conflict":2.3}}}}"#),
                1 => format!(r#"{{"proportional":{{"work":{work},"serial":0.02,"conflict":1.2}}}}"#),
                2 => format!(
                    r#"{{"affine":{{"isolated":{{"a":{work},"b":{}}},"conflict":{{"a":{},"b":{}}}}}}}"#,
                    work / 50,
                    work + work / 3,
                    work / 40
                ),
                _ => {
                    let points = |factor: f64| {
                        let points: Vec<String> = [1u32, 2, 3, 5, 8, 13]
                            .iter()
                            .skip(rng.random_range(0..2))
                            .map(|&m| {
                                format!(
                                    "[{m},{}]",
                                    (work as f64 * factor / f64::from(m)).ceil() as u64 + 1
                                )
                            })
                            .collect();
                        points.join(",")
                    };
                    let mut points = points;
                    let (isolated, conflict) = (points(1.0), points(1.5));
                    format!(r#"{{"table":{{"isolated":[{isolated}],"conflict":[{conflict}]}}}}"#)
                }
            };
            format!(r#"{{"period":{period},"deadline":{deadline},{kind}"wcet":{wcet}}}"#)
        })
        .collect();
    let json = format!(r#"{{"tasks":[{}]}}"#, tasks.join(","));
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
}
