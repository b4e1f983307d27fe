//! Synthetic block traces of a kernel, for tests with known distributions, and for use without a
//! GPU.
//!
//! The generator draws the time of each block from the normal distribution of its cluster at the given interference
//! level, and rounds it to whole nanoseconds. The generator draws again until the time is at least 1 ns and at most the
//! WCET of the cluster. So no time of a synthetic trace exceeds a WCET of the kernel. This truncation slightly reduces
//! the mean and the standard deviation.
//!
//! Blocks start in the order of their numbers. Each block starts as soon as fewer than M earlier
//! blocks are running, where M is the number of active blocks ([Aghilinasab20] §II-A).
//!
//! Run r at interference level q depends only on the seed, q and r.

mod layout;

pub use layout::alternate;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::kernel_wcet::trace::{Level, MAX_BLOCKS, Row};
use gpusched_model::Kernel;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::kernel::Interval;
use gpusched_model::normal::Truncated;
use gpusched_model::streams::{Purpose, stream};

/// Generator of synthetic traces of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Synthesizer {
    intervals: Vec<Interval>,
    active: usize,
    seed: u64,
    /// Truncated distributions of each cluster: first in isolation, then under interference.
    times: Vec<[Truncated; 2]>,
}

impl Synthesizer {
    /// Prepares synthetic traces of `kernel`. The cluster intervals of `kernel` assign blocks to clusters. If `kernel`
    /// has no cluster intervals, each cluster is one interval, in the order of the clusters.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if a cluster lacks a distribution for an interference level, or
    /// if almost all times of a distribution exceed the WCET. Also returns this error if the
    /// kernel has more than [`MAX_BLOCKS`] blocks.
    pub fn new(kernel: &Kernel, seed: u64) -> Result<Synthesizer> {
        if kernel.blocks() > MAX_BLOCKS {
            let found = format!("{} blocks", kernel.blocks());
            return Err(Error::parameter(
                "kernel",
                found,
                format!("at most {MAX_BLOCKS} blocks"),
            ));
        }
        let mut times = Vec::with_capacity(kernel.clusters().len());
        for (index, cluster) in kernel.clusters().iter().enumerate() {
            let levels = [
                ("isolated", cluster.isolated_distribution(), cluster.isolated()),
                (
                    "interference",
                    cluster.interference_distribution(),
                    cluster.contended(),
                ),
            ];
            let mut pair = Vec::with_capacity(2);
            for (name, distribution, wcet) in levels {
                let field = format!("clusters[{index}].{name}");
                let Some(distribution) = distribution else {
                    return Err(Error::parameter(
                        field,
                        "none",
                        "a distribution with mean_ns and std_ns, because a WCET alone does not determine \
                         execution times",
                    ));
                };
                let truncated = Truncated::new(distribution.mean_ns, distribution.std_ns, wcet.ns());
                pair.push(truncated.map_err(|message| Refusal::told(field, message))?);
            }
            if let [isolated, interference] = *pair.as_slice() {
                times.push([isolated, interference]);
            }
        }
        let intervals = match kernel.intervals() {
            [] => alternate(kernel.clusters(), kernel.clusters().len())?,
            intervals => intervals.to_vec(),
        };
        Ok(Synthesizer {
            intervals,
            active: usize::try_from(kernel.active_blocks()).unwrap_or(usize::MAX),
            seed,
            times,
        })
    }

    /// Returns the cluster intervals, which assign blocks to clusters.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Calls `each` with the time of each block of one run [ns], in the order of the blocks.
    /// [`Synthesizer::draw`] uses these times.
    pub fn durations(&self, level: Level, run: u64, mut each: impl FnMut(u64)) {
        let mut rng = stream(self.seed, Purpose::BlockTimes, level.q().into(), run);
        for interval in &self.intervals {
            let Some(times) = self
                .times
                .get(interval.cluster)
                .and_then(|pair| pair.get(usize::from(level.q())))
            else {
                continue; // never happens, because intervals refer to existing clusters
            };
            for _ in interval.first..=interval.last {
                each(times.draw(&mut rng));
            }
        }
    }

    /// Generates one run of the kernel. Returns one row per block, in the order of the block
    /// numbers.
    pub fn draw(&self, level: Level, run: u64) -> Vec<Row> {
        let mut ends: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
        let mut rows = Vec::new();
        self.durations(level, run, |duration| {
            let start = match ends.len() < self.active {
                true => 0,
                false => ends.pop().map_or(0, |Reverse(end)| end),
            };
            ends.push(Reverse(start + duration));
            rows.push(Row {
                run,
                block: rows.len() as u64,
                start: Some(start),
                duration,
                level,
            });
        });
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::Cluster;
    use gpusched_model::kernel::Distribution;
    use gpusched_model::time::Time;

    fn kernel(active: u32) -> Kernel {
        let distribution = |mean_ns, std_ns| {
            Some(Distribution {
                samples: None,
                mean_ns,
                std_ns,
                goodness_of_fit: None,
                lilliefors: None,
                percentile: None,
                tail: None,
            })
        };
        let cluster = |blocks, e0, e1, mean| {
            let cluster = Cluster::new(blocks, Time::from_ns(e0), Time::from_ns(e1)).unwrap();
            cluster.with_distributions(distribution(mean, 30.0), distribution(2.0 * mean, 0.0))
        };
        let clusters = vec![
            cluster(30, 1_050, 2_500, 1_000.0),
            cluster(20, 3_500, 9_000, 3_000.0),
        ];
        Kernel::new(active, Time::from_ns(1_000_000), clusters).unwrap()
    }

    #[test]
    fn blocks_start_in_order_as_soon_as_there_is_room() {
        for active in [1, 3, 100] {
            let synthesizer = Synthesizer::new(&kernel(active), 1).unwrap();
            let rows = synthesizer.draw(Level::Isolated, 0);
            assert_eq!(rows.len(), 50);
            let mut times = Vec::new();
            synthesizer.durations(Level::Isolated, 0, |time| times.push(time));
            assert!(times.iter().eq(rows.iter().map(|row| &row.duration)));
            for (index, row) in rows.iter().enumerate() {
                let start = row.start.unwrap();
                let before = &rows[..index];
                let running = |now: u64| {
                    before
                        .iter()
                        .filter(|row| row.start.unwrap() + row.duration > now)
                        .count()
                };
                assert_eq!(row.block, index as u64);
                assert!(before.iter().all(|row| row.start.unwrap() <= start));
                assert!(running(start) < active as usize);
                assert!(
                    start == 0 || running(start - 1) >= active as usize,
                    "it could have started earlier"
                );
            }
        }
    }

    #[test]
    fn no_block_exceeds_its_wcet() {
        let synthesizer = Synthesizer::new(&kernel(4), 1).unwrap();
        let (mut short, mut long) = (0, 0);
        for run in 0..200 {
            for row in synthesizer.draw(Level::Isolated, run) {
                let (count, e0) = if row.block < 30 {
                    (&mut short, 1_050)
                } else {
                    (&mut long, 3_500)
                };
                assert!((1..=e0).contains(&row.duration));
                *count += row.duration;
            }
            for row in synthesizer.draw(Level::Interference, run) {
                assert_eq!(row.duration, if row.block < 30 { 2_000 } else { 6_000 });
            }
        }
        // Truncation at 1.67 σ reduces the mean by φ(5/3)/Φ(5/3)·σ = 3.1 ns. The standard error
        // is 30 ns/√6000 = 0.4 ns.
        let mean = short as f64 / 6_000.0;
        assert!((mean - 996.9).abs() < 2.0, "{mean}");
        assert!((long as f64 / 4_000.0 - 3_000.0).abs() < 2.0);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let bare = Cluster::new(3, Time::from_ns(10), Time::from_ns(20)).unwrap();
        let bare = Kernel::new(1, Time::from_ns(1), vec![bare]).unwrap();
        let error = Synthesizer::new(&bare, 1).unwrap_err().to_string();
        assert!(
            error.starts_with("clusters[0].isolated: found none, expected a distribution"),
            "{error}"
        );
    }
}
