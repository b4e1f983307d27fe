//! Algorithm 1: convergence, order, and a transcription with the LP solver.

use gpusched::kernel_wcet::{Estimator, Program, Regulation, linear_program, list_scheduling};
use gpusched::model::{Bound, Cluster, Factor, Kernel, Straddling};
use gpusched::time::Time;
use rand::{Rng, RngExt};

use super::random;

use crate::support::rounds;

fn budget(rng: &mut impl Rng) -> Factor {
    let billionths = match rng.random_range(0..8) {
        0 => 1,
        1 => 1_000_000_000,
        _ => rng.random_range(0..=1_000_000_000),
    };
    Factor::from_billionths(billionths).unwrap()
}

fn bound(kernel: &Kernel, q: Factor, sync: bool) -> Bound {
    Estimator::new(kernel).bound(q, sync).unwrap()
}

/// 10^5 random kernels, from shorter than one regulation period to millions of periods. The algorithm usually takes a
/// few steps, and at most a few hundred steps.
#[test]
fn algorithm_1_converges() {
    let mut rng = random::rng(11);
    let mut steps = Vec::new();
    let mut short = 0;
    for _ in 0..rounds(100_000) {
        let kernel = random::kernel(&mut rng, 20);
        let found = bound(&kernel, budget(&mut rng), rng.random_bool(0.5));
        short += u32::from(found.wcet_ns < kernel.regulation_period());
        steps.push(found.iterations);
    }
    steps.sort_unstable();
    let most = *steps.last().unwrap();
    println!(
        "median {} 99 % {} most {most}; {short} in one period",
        steps[steps.len() / 2],
        steps[steps.len() * 99 / 100]
    );
    assert!(most <= 300 && short > rounds(1_000), "{most} {short}");
}

/// The search finds the fixpoint of plain iteration, where the iteration ends.
#[test]
fn search_finds_the_fixpoint_of_the_iteration() {
    let mut rng = random::rng(12);
    let (mut slow, mut endless) = (0, 0);
    for round in 0..rounds(100_000) {
        let kernel = random::kernel(&mut rng, [3, 8, 20][round % 3]);
        let (q, sync) = (budget(&mut rng), rng.random_bool(0.5));
        if q == Factor::ZERO {
            continue;
        }
        let straddling = [Straddling::End, Straddling::Both][round % 2];
        let regulation = Regulation::new(&kernel, q, sync).unwrap().straddling(straddling);
        let program = Program::new(&kernel);
        let mut time = list_scheduling::isolated(&kernel);
        let mut steps = 0;
        let plain = loop {
            let next = program
                .solve(regulation.exposure(time, kernel.active_blocks()))
                .wcet;
            assert!(next >= time, "the iteration falls");
            steps += 1;
            if next == time {
                break Some(time);
            }
            if steps == 20_000 {
                break None;
            }
            time = next;
        };
        slow += u32::from(steps > 32);
        let found = Estimator::new(&kernel)
            .straddling(straddling)
            .bound(q, sync)
            .unwrap()
            .wcet_ns;
        match plain {
            Some(plain) => assert_eq!(found, plain, "{q} {sync} {kernel:?}"),
            None => {
                endless += 1;
                assert!(found > time);
            }
        }
    }
    println!("{slow} slow, {endless} beyond 20,000 steps");
    assert!(slow > rounds(100), "{slow}");
}

/// A transcription of Algorithm 1 with the LP solver, in floating point without rounding, is lower by a few nanoseconds
/// at most.
#[test]
fn bounds_are_those_of_the_transcription() {
    let mut rng = random::rng(13);
    for _ in 0..rounds(5_000) {
        let kernel = random::kernel(&mut rng, 20);
        // A budget in whole nanoseconds.
        let period = kernel.regulation_period().ns();
        let q = Factor::from_f64(f64::from(rng.random_range(1..=1000)) / 1000.0).unwrap();
        let (numerator, denominator) = q.ratio();
        if !(period * numerator).is_multiple_of(denominator) {
            continue;
        }
        let sync = rng.random_bool(0.5);
        let found = bound(&kernel, q, sync).wcet_ns.ns() as f64;
        let Some(plain) = transcription(&kernel, q.as_f64(), sync) else {
            continue;
        };
        let difference = (found - plain) / plain;
        assert!(difference > -1e-9, "{found} {plain} {q} {sync} {kernel:?}");
    }
}

/// [Aghilinasab20] Algorithm 1, line by line; `None` if it has not converged after a thousand steps.
fn transcription(kernel: &Kernel, q: f64, sync: bool) -> Option<f64> {
    let period = kernel.regulation_period().ns() as f64;
    let active = f64::from(kernel.active_blocks());
    let clusters = || kernel.clusters().iter();
    let longest = |time: fn(&Cluster) -> Time| clusters().map(|c| time(c).ns()).max().unwrap() as f64;
    let work: f64 = clusters()
        .map(|c| c.blocks() as f64 * c.isolated().ns() as f64)
        .sum();
    let (longest0, longest1) = (longest(Cluster::isolated), longest(Cluster::contended));
    let mut t = (work - longest0) / active + longest0;
    for _ in 0..rounds(1000) {
        let initial = if sync { 0.0 } else { q * period };
        let memory = if t <= initial {
            t
        } else {
            let periods = ((t - initial) / period).floor();
            let first = if sync { 0.0 } else { 1.0 };
            (first + periods) * q * period + (t - initial - periods * period).min(q * period)
        };
        let partial = active * ((t / period).ceil() + 1.0);
        let delay = linear_program::solve_for(kernel, active * memory, partial)
            .unwrap()
            .delay;
        let next = longest1 - longest1 / active + (work + delay) / active;
        if (next - t).abs() <= 1e-12 * t {
            return Some(next);
        }
        t = next;
    }
    None
}

/// G does not decrease if Q, Nᵢ, eᵢ⁰ or eᵢ¹ grows, if the start is not synchronous, or if blocks
/// at both ends count. G lies between Eq. 3 and Eq. 4.
#[test]
fn bounds_are_monotone() {
    let mut rng = random::rng(14);
    for round in 0..rounds(30_000) {
        let kernel = random::kernel(&mut rng, [3, 20][round % 2]);
        let mut budgets = [budget(&mut rng), budget(&mut rng)];
        budgets.sort();
        let sync = rng.random_bool(0.5);
        let [low, high] = budgets.map(|q| bound(&kernel, q, sync).wcet_ns);
        let context = || format!("{budgets:?} {sync} {kernel:?}");
        assert!(low <= high, "Q: {low} {high} {}", context());
        let (isolated, contended) = (
            list_scheduling::isolated(&kernel),
            list_scheduling::contended(&kernel),
        );
        assert!(isolated <= low && high <= contended, "{}", context());
        assert!(bound(&kernel, budgets[0], true).wcet_ns <= bound(&kernel, budgets[0], false).wcet_ns);
        let both = Estimator::new(&kernel).straddling(Straddling::Both);
        assert!(low <= both.bound(budgets[0], sync).unwrap().wcet_ns);

        let index = rng.random_range(0..kernel.clusters().len());
        for part in 0..3 {
            let mut clusters = kernel.clusters().to_vec();
            let old = &clusters[index];
            let (mut blocks, mut e0, mut e1) = (old.blocks(), old.isolated().ns(), old.contended().ns());
            match part {
                0 => blocks += random::magnitude(&mut rng, 10),
                1 => e0 = rng.random_range(e0..=e1),
                _ => e1 += random::magnitude(&mut rng, 10),
            }
            clusters[index] = Cluster::new(blocks, Time::from_ns(e0), Time::from_ns(e1)).unwrap();
            let larger = Kernel::new(kernel.active_blocks(), kernel.regulation_period(), clusters).unwrap();
            let grown = bound(&larger, budgets[0], sync).wcet_ns;
            assert!(
                low <= grown,
                "part {part} of {index}: {low} {grown} {larger:?} {}",
                context()
            );
        }
    }
}
