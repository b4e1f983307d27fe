//! From clusters to the profile of a kernel.

use super::Clustering;
use crate::kernel_wcet::trace::{Level, Measurements, Summary, Trace};
use crate::model::kernel::{Distribution, Interval, KernelError};
use crate::model::{Cluster, Kernel};
use crate::time::Time;

impl Clustering {
    /// The kernel of `trace`, of whose blocks `active` run at a time: the WCETs of a cluster are the largest times measured
    /// in it, and that under interference is never below that in isolation.
    ///
    /// # Errors
    /// [`KernelError`] if that is no kernel, such as for an `active` of zero.
    pub fn kernel(&self, trace: &Trace, active: u32, regulation_period: Time) -> Result<Kernel, KernelError> {
        let (isolated, interference) = (
            self.summaries(&trace.isolated),
            self.summaries(&trace.interference),
        );
        let clusters = isolated.iter().zip(&interference).zip(self.sizes());
        let clusters: Result<Vec<Cluster>, KernelError> =
            clusters
                .map(|((isolated, interference), blocks)| {
                    let e0 = Time::from_ns(isolated.max);
                    let e1 = Time::from_ns(interference.max).max(e0);
                    let cluster = Cluster::new(blocks, e0, e1)?;
                    Ok(cluster
                        .with_distributions(Some(distribution(isolated)), Some(distribution(interference))))
                })
                .collect();
        Kernel::new(active, regulation_period, clusters?)?.with_intervals(self.intervals())
    }

    /// Nᵢ: the number of blocks of each cluster.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.clusters];
        for &cluster in &self.assignment {
            if let Some(size) = sizes.get_mut(cluster) {
                *size += 1;
            }
        }
        sizes
    }

    /// The exact figures of each cluster over all blocks and runs.
    pub fn summaries(&self, measurements: &Measurements) -> Vec<Summary> {
        let mut summaries = vec![Summary::default(); self.clusters];
        for (block, &cluster) in self.assignment.iter().enumerate() {
            if let Some(summary) = summaries.get_mut(cluster) {
                *summary = summary.merge(measurements.summary(block));
            }
        }
        summaries
    }

    /// The kept measurements of all blocks of `cluster` at `level` [ns], ascending: what a distribution is fitted to.
    pub fn pooled(&self, trace: &Trace, cluster: usize, level: Level) -> Vec<u64> {
        let measurements = trace.level(level);
        let blocks = self.assignment.iter().enumerate();
        let blocks = blocks.filter(|&(_, &other)| other == cluster);
        let mut pooled: Vec<u64> = blocks.flat_map(|(block, _)| measurements.sample(block)).collect();
        pooled.sort_unstable();
        pooled
    }

    /// The longest runs of consecutive blocks of one cluster.
    pub fn intervals(&self) -> Vec<Interval> {
        let mut intervals: Vec<Interval> = Vec::new();
        for (block, &cluster) in (0u64..).zip(&self.assignment) {
            match intervals.last_mut() {
                Some(last) if last.cluster == cluster => last.last = block,
                _ => intervals.push(Interval {
                    first: block,
                    last: block,
                    cluster,
                }),
            }
        }
        intervals
    }
}

fn distribution(summary: &Summary) -> Distribution {
    Distribution {
        samples: Some(summary.count),
        mean_ns: summary.mean,
        std_ns: summary.std(),
        goodness_of_fit: None,
        percentile: None,
        tail: None,
    }
}
