//! Measures the speed of the schedulability tests of one partition on one core. The benchmark
//! runs the crate `response-time-analysis` on the same sets for comparison. Run with
//! `cargo bench --bench tests`.
//!
//! A set has n tasks by UUniFast, D = 0.75 T, and log-uniform periods from 10 ms to 1 s. The
//! compared programs run in turn on batches of the same sets. A figure is the median over the
//! batches. Compared programs must return the same results.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test may panic

use std::hint::black_box;
use std::time::Instant;

use gpusched::generation::uunifast;
use gpusched::model::Policy;
use gpusched::schedulability::{Demand, accepts, evidence};
use gpusched::time::Time;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use response_time_analysis::arrival::Periodic;
use response_time_analysis::demand::RBF;
use response_time_analysis::time::{Duration, Service};
use response_time_analysis::wcet::Scalar;
use response_time_analysis::{edf, fixed_priority};

/// Number of sets in a batch. It is large enough for the resolution of the clock, and small
/// enough for the caches.
const SETS: usize = 250;
const BATCHES: u64 = 15;

fn main() {
    let policies = [
        "edf",
        "np-edf",
        "lp-edf",
        "dm",
        "np-fp",
        "lp-fp",
        "fp-audsley",
        "density",
        "hyperbolic",
        "liu-layland",
    ];
    println!("Sets per second, one core: n = 50, U = 0.8, D = 0.75 T, periods 10 ms to 1 s log-uniform\n");
    println!(
        "{:<12} {:>8} {:>12} {:>14}",
        "policy", "passing", "answer", "with evidence"
    );
    for name in policies {
        let policy: Policy = name.parse().expect("a policy");
        let (mut passing, mut answers, mut evidences) = (0, Vec::new(), Vec::new());
        for batch in 0..BATCHES {
            let sets = draw(50, 0.8, batch);
            let (plain, rate) = timed(&sets, |set| evidence(policy, set, 1).is_positive());
            evidences.push(rate);
            let (quick, rate) = timed(&sets, |set| accepts(policy, set, 1));
            answers.push(rate);
            assert_eq!(plain, quick, "{name}: the answers differ");
            passing += quick;
        }
        println!(
            "{name:<12} {:>7.1}% {:>12.0} {:>14.0}",
            100.0 * passing as f64 / (BATCHES * SETS as u64) as f64,
            median(answers),
            median(evidences)
        );
    }

    println!("\nAgainst response-time-analysis (stops at the first miss, too): sets per second\n");
    println!(
        "{:<6} {:>4} {:>5} {:>8} {:>12} {:>14} {:>24} {:>8}",
        "policy", "n", "U", "passing", "answer", "with evidence", "response-time-analysis", "ratio"
    );
    for (tasks, utilization) in [(50, 0.8), (50, 0.9), (20, 0.8), (100, 0.8)] {
        against("dm", tasks, utilization, SETS, fixed_priority_crate);
    }
    for (tasks, utilization) in [(50, 0.8), (20, 0.8)] {
        against("edf", tasks, utilization, 5, edf_crate);
    }

    println!("\nSets per second by utilization, n = 50\n");
    println!(
        "{:>6} {:>8} {:>12} {:>8} {:>12}",
        "U", "edf", "answer", "dm", "answer"
    );
    for utilization in [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98] {
        print!("{utilization:>6}");
        for name in ["edf", "dm"] {
            let policy: Policy = name.parse().expect("a policy");
            let (mut passing, mut rates) = (0, Vec::new());
            for batch in 0..BATCHES {
                let sets = draw(50, utilization, batch);
                let (count, rate) = timed(&sets, |set| accepts(policy, set, 1));
                passing += count;
                rates.push(rate);
            }
            let share = 100.0 * passing as f64 / (BATCHES * SETS as u64) as f64;
            print!(" {share:>7.1}% {:>12.0}", median(rates));
        }
        println!();
    }
}

/// Prints one line of the comparison. The other program tests the first `sample` sets of each batch.
fn against(name: &str, tasks: usize, utilization: f64, sample: usize, theirs: fn(&[Demand]) -> bool) {
    let policy: Policy = name.parse().expect("a policy");
    let (mut passing, mut answers, mut evidences, mut others, mut ratios) =
        (0, Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for batch in 0..BATCHES {
        let sets = draw(tasks, utilization, batch);
        let (quick, answer) = timed(&sets, |set| accepts(policy, set, 1));
        let (_, plain) = timed(&sets, |set| evidence(policy, set, 1).is_positive());
        let (other, rate) = timed(&sets[..sample], theirs);
        let (same, _) = timed(&sets[..sample], |set| accepts(policy, set, 1));
        assert_eq!(same, other, "{name}, n = {tasks}: the answers differ");
        passing += quick;
        answers.push(answer);
        evidences.push(plain);
        others.push(rate);
        ratios.push(answer / rate);
    }
    println!(
        "{name:<6} {tasks:>4} {utilization:>5} {:>7.1}% {:>12.0} {:>14.0} {:>24.0} {:>8.1}",
        100.0 * passing as f64 / (BATCHES * SETS as u64) as f64,
        median(answers),
        median(evidences),
        median(others),
        median(ratios)
    );
}

/// Returns the random sets of batch `batch`.
fn draw(tasks: usize, utilization: f64, batch: u64) -> Vec<Vec<Demand>> {
    let mut rng = ChaCha8Rng::seed_from_u64(batch);
    let mut shares = vec![0.0; tasks];
    (0..SETS)
        .map(|_| {
            uunifast::fill(&mut rng, utilization, &mut shares);
            shares
                .iter()
                .map(|share| {
                    let period = 10f64.powf(rng.random_range(7.0..9.0));
                    Demand::new(
                        Time::from_ns((share * period) as u64 + 1),
                        Time::from_ns(period as u64),
                        Time::from_ns((0.75 * period) as u64),
                    )
                })
                .collect()
        })
        .collect()
}

/// Returns the number of `sets` that pass `test`, and the number of tested sets per second.
fn timed(sets: &[Vec<Demand>], test: impl Fn(&[Demand]) -> bool) -> (u64, f64) {
    let start = Instant::now();
    let passing = sets.iter().filter(|set| test(black_box(set))).count();
    (passing as u64, sets.len() as f64 / start.elapsed().as_secs_f64())
}

fn periodic(set: &[Demand]) -> Vec<RBF<Periodic, Scalar>> {
    set.iter()
        .map(|demand| {
            RBF::new(
                Periodic::new(Duration::from(demand.period.ns())),
                Scalar::new(Service::from(demand.wcet.ns())),
            )
        })
        .collect()
}

/// Tests `set` with the crate `response-time-analysis` under deadline-monotonic priorities, up to
/// the first missed deadline.
fn fixed_priority_crate(set: &[Demand]) -> bool {
    let mut set = set.to_vec();
    set.sort_by_key(|demand| demand.deadline);
    let rbfs = periodic(&set);
    (0..set.len()).all(|rank| {
        // With D ≤ T, a busy window longer than D is a missed deadline.
        let limit = Duration::from(set[rank].deadline.ns());
        fixed_priority::fully_preemptive::dedicated_uniproc_rta(&rbfs[rank], &rbfs[..rank], limit).is_ok()
    })
}

/// Tests `set` with the crate `response-time-analysis` under preemptive EDF, up to the first
/// missed deadline.
fn edf_crate(set: &[Demand]) -> bool {
    let rbfs = periodic(set);
    let task = |index: usize| edf::fully_preemptive::Task {
        rbf: &rbfs[index],
        deadline: Duration::from(set[index].deadline.ns()),
    };
    (0..set.len()).all(|index| {
        let others: Vec<_> = (0..set.len()).filter(|&other| other != index).map(task).collect();
        let limit = Duration::from(u64::from(u32::MAX));
        edf::fully_preemptive::dedicated_uniproc_rta(&task(index), &others, limit)
            .is_ok_and(|bound| bound <= task(index).deadline)
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
