//! Simulated kernels: blocks start in order on the first free place, and take longer during memory time.

use gpusched::kernel_wcet::{Estimator, list_scheduling};
use gpusched::model::{Cluster, Factor, Kernel, Straddling};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::random;

use crate::support::rounds;

/// Delay of a block by memory time.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Delay {
    /// During memory time, the block runs at the speed e⁰/e¹.
    Slower,
    /// A block that overlaps memory time takes e¹.
    Touched,
}

/// One burst [ns] in every period, with its start within each period.
struct Bursts {
    period: f64,
    length: f64,
    starts: Vec<f64>,
}

impl Bursts {
    /// Returns start and end of the first burst that ends after `at`.
    fn next(&self, at: f64) -> (f64, f64) {
        let first = (at / self.period) as usize;
        let bursts = (first..).map(|period| {
            let start = self.starts[period % self.starts.len()] + period as f64 * self.period;
            (start, start + self.length)
        });
        bursts.into_iter().find(|&(_, end)| end > at).unwrap()
    }

    /// Returns the end of a block that starts at `start`.
    fn run(&self, start: f64, alone: f64, contended: f64, delay: Delay) -> f64 {
        if self.length == 0.0 {
            return start + alone;
        }
        if delay == Delay::Touched {
            let touched = self.next(start).0 < start + alone;
            return start + if touched { contended } else { alone };
        }
        let (mut now, mut left) = (start, alone);
        loop {
            let (begin, end) = self.next(now);
            if begin > now {
                let pause = begin - now;
                if left <= pause {
                    return now + left;
                }
                (now, left) = (begin, left - pause);
            }
            let done = (end - now) * alone / contended;
            if left <= done {
                return now + left * contended / alone;
            }
            (now, left) = (end, left - done);
        }
    }
}

/// Returns the execution time of the blocks (e⁰, e¹) on `active` places, starting `offset` after the start of a period.
fn simulate(blocks: &[(f64, f64)], active: u32, bursts: &Bursts, offset: f64, delay: Delay) -> f64 {
    let mut places = vec![offset; active as usize];
    for &(alone, contended) in blocks {
        let first = places.iter_mut().min_by(|a, b| a.total_cmp(b)).unwrap();
        *first = bursts.run(*first, alone, contended, delay);
    }
    places.into_iter().fold(0.0, f64::max) - offset
}

/// Returns the blocks of `kernel` in random order.
fn blocks(rng: &mut impl Rng, kernel: &Kernel) -> Vec<(f64, f64)> {
    let clusters = kernel.clusters().iter();
    let mut blocks: Vec<(f64, f64)> = clusters
        .flat_map(|cluster| {
            let times = (cluster.isolated().ns() as f64, cluster.contended().ns() as f64);
            std::iter::repeat_n(times, cluster.blocks() as usize)
        })
        .collect();
    blocks.shuffle(rng);
    blocks
}

/// Returns the largest ratio of execution time to bound over `rounds` random runs.
fn worst(delay: Delay, straddling: Straddling, rounds: u32) -> f64 {
    let mut rng = random::rng(7);
    let mut worst = 0.0f64;
    for _ in 0..rounds {
        let kernel = random::kernel(&mut rng, 6);
        let q = Factor::from_billionths(rng.random_range(1..=1_000_000_000)).unwrap();
        let sync = rng.random_bool(0.5);
        let estimator = Estimator::new(&kernel).straddling(straddling);
        let bound = estimator.bound(q, sync).unwrap().wcet_ns.ns() as f64;
        let period = kernel.regulation_period().ns() as f64;
        let length = period * q.as_f64();
        let room = period - length;
        let starts = match rng.random_range(0..3) {
            0 => vec![0.0],
            // The burst starts late in the first period and early in all other periods, as in the worst case of Fig. 1b.
            1 => std::iter::once(room)
                .chain(std::iter::repeat_n(0.0, 63))
                .collect(),
            _ => (0..64).map(|_| rng.random_range(0.0..=room)).collect(),
        };
        let offset = match (sync, rng.random_bool(0.5)) {
            (true, _) => 0.0,
            (false, true) => room,
            (false, false) => rng.random_range(0.0..=period),
        };
        let bursts = Bursts {
            period,
            length,
            starts,
        };
        let blocks = blocks(&mut rng, &kernel);
        let time = simulate(&blocks, kernel.active_blocks(), &bursts, offset, delay);
        worst = worst.max(time / bound);
    }
    worst
}

/// In 10^5 runs per case, no kernel exceeds its bound if blocks are slower during memory time. If
/// every block that overlaps memory time takes e¹, no kernel exceeds the bound that counts blocks
/// at both ends. Some runs reach the bounds.
#[test]
fn no_run_exceeds_the_bound() {
    for (delay, straddling) in [
        (Delay::Slower, Straddling::End),
        (Delay::Touched, Straddling::Both),
    ] {
        let worst = worst(delay, straddling, 100_000);
        assert!(worst < 1.0 + 1e-9, "{delay:?}: {worst}");
        assert!(worst > 0.999, "{delay:?}: {worst}");
    }
}

/// Eq. 10 counts the blocks that the end of a memory time covers in part, but not the blocks at its beginning. If every
/// block that overlaps memory time takes e¹, this kernel exceeds its bound. In each period of 16 µs, one block starts
/// exactly at the end of the memory time. Another block starts 2 µs before the end of the period and overlaps the next
/// memory time.
#[test]
fn one_end_of_each_memory_time_is_not_enough() {
    let [alone, contended, period] = ["4us", "6us", "16us"].map(|text| text.parse().unwrap());
    let cluster = Cluster::new(60, alone, contended).unwrap();
    let kernel = Kernel::new(1, period, vec![cluster]).unwrap();
    let q = Factor::from_f64(0.2501).unwrap();
    let bursts = Bursts {
        period: 16_000.0,
        length: 16_000.0 * 0.2501,
        starts: vec![0.0],
    };
    let time = simulate(&[(4_000.0, 6_000.0); 60], 1, &bursts, 0.0, Delay::Touched);
    assert_eq!(time, 318_000.0); // three blocks every 16 µs, the last one without delay
    let bound = |straddling| {
        let estimator = Estimator::new(&kernel).straddling(straddling);
        estimator.bound(q, true).unwrap().wcet_ns.ns() as f64
    };
    println!("{time} {} {}", bound(Straddling::End), bound(Straddling::Both));
    assert!(bound(Straddling::End) < time && time <= bound(Straddling::Both));
}

/// Eq. 2 in 10^5 cases: with any block order and block times up to e¹, no run exceeds Eq. 4 on M places.
#[test]
fn no_order_of_blocks_exceeds_equation_2() {
    let mut rng = random::rng(8);
    let nothing = Bursts {
        period: 1.0,
        length: 0.0,
        starts: vec![0.0],
    };
    let mut tight = 0;
    for round in 0..rounds(100_000) {
        let kernel = random::kernel(&mut rng, 5);
        let bound = list_scheduling::contended(&kernel).ns() as f64;
        let mut blocks = blocks(&mut rng, &kernel);
        for (_, contended) in &mut blocks {
            if round % 2 == 0 {
                *contended = rng.random_range(0.0..=*contended);
            }
        }
        let blocks: Vec<(f64, f64)> = blocks.into_iter().map(|(_, time)| (time, time)).collect();
        let time = simulate(&blocks, kernel.active_blocks(), &nothing, 0.0, Delay::Slower);
        assert!(time <= bound * (1.0 + 1e-12), "{time} {bound} {kernel:?}");
        tight += u32::from(time == bound);
    }
    assert!(tight > rounds(1_000), "{tight}");
}
