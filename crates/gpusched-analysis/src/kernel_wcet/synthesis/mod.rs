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
