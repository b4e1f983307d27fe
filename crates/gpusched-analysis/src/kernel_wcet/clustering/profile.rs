//! Kernels whose WCETs gpusched computes from clusters of measured blocks.

use super::Clustering;
use crate::kernel_wcet::fit::normal::NormalFit;
use crate::kernel_wcet::fit::tail;
use crate::kernel_wcet::trace::{Level, Measurements, Summary, Trace};
use gpusched_model::Refusal;
use gpusched_model::error::Result;
use gpusched_model::kernel::{Distribution, Interval, Tail, TailFamily};
use gpusched_model::time::Time;
use gpusched_model::{Cluster, Kernel};

/// Method that computes the WCETs of a cluster.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Wcets {
    /// The WCET is the longest measured time.
    Longest,
    /// The WCET comes from an extreme-value fit to the measurements that the trace keeps. The time of a block exceeds
    /// the WCET with a given probability. The WCET is at least the longest measured time.
    Tail {
        /// Family of the extreme-value distribution.
        family: TailFamily,
        /// Probability that the time of a block exceeds the WCET.
        exceedance: f64,
    },
}

/// A kernel whose WCETs gpusched computed from measurements, and warnings about these WCETs.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// The kernel that gpusched computed from the measurements.
    pub kernel: Kernel,
    /// Warnings about the WCETs, as text for display.
    pub warnings: Vec<String>,
}

impl Clustering {
    /// Creates the kernel of `trace`. `active` is the number of blocks that the GPU executes at a time. The WCETs of a
    /// cluster come from the measurements of all its blocks. The WCET under interference is at least the WCET in
    /// isolation. For each interference level, a cluster has a normal fit, as in [Aghilinasab20] Table I.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if the kernel is invalid, for example if `active` is zero. Also
    /// returns this error if an extreme-value fit has no valid WCET.
    pub fn profile(
        &self,
        trace: &Trace,
        active: u32,
        regulation_period: Time,
        wcets: Wcets,
    ) -> Result<Profile> {
        let refuse = |refusal: Refusal| refusal.within("profile");
        let (isolated, interference) = (
            self.summaries(&trace.isolated),
            self.summaries(&trace.interference),
        );
        let mut warnings = Vec::new();
        let mut clusters = Vec::new();
        for (index, blocks) in self.sizes().into_iter().enumerate() {
            let mut level =
                |level: Level, summaries: &[Summary], least: Time| -> Result<(Time, Distribution)> {
                    let summary = summaries[index];
                    let longest = Time::from_ns(summary.max);
                    let (wcet, tail) = match wcets {
                        Wcets::Longest => (longest, None),
                        Wcets::Tail { family, exceedance } => {
                            let times = self.in_order(trace.level(level), index);
                            let place = format!("cluster {index} at q = {}", level.q());
                            let found = tail::estimate(&times, family, exceedance)
                                .map_err(|error| Refusal::told(&place, error))?;
                            warnings
                                .extend(found.warnings.iter().map(|warning| format!("{place}: {warning}")));
                            let (kept, runs) = (trace.level(level).kept() as u64, trace.level(level).runs());
                            let mut tail = found.tail;
                            if let Some(tail) = tail.as_mut().filter(|_| kept < runs) {
                                // The kept measurements are a random sample without the order of the
                                // runs. So these measurements cannot show whether consecutive runs depend on each
                                // other.
                                (tail.independence_p, tail.trustworthy) = (None, false);
                                warnings.push(format!(
                                    "{place}: gpusched kept only {kept} of {runs} runs (see `samples`), so \
                                     no test shows whether the runs are independent"
                                ));
                            }
                            (found.wcet.max(longest), tail)
                        }
                    };
                    let wcet = wcet.max(least);
                    Ok((wcet, self.distribution(trace, index, level, &summary, wcet, tail)))
                };
            let (e0, alone) = level(Level::Isolated, &isolated, Time::ZERO)?;
            let (e1, contended) = level(Level::Interference, &interference, e0)?;
            let cluster = Cluster::new(blocks, e0, e1).map_err(refuse)?;
            clusters.push(cluster.with_distributions(Some(alone), Some(contended)));
        }
        if let Some(explained) = trace.explained.filter(|&explained| explained < active as usize) {
            let reason = match explained {
                0 => "the run pauses between thread blocks".to_owned(),
                _ => format!("the length of the run fits at most {explained} concurrent blocks"),
            };
            warnings.push(format!(
                "a measured run is longer than {active} concurrent blocks need ({reason}), so bounds can \
                 be below measured times"
            ));
        }
        let kernel = Kernel::new(active, regulation_period, clusters).map_err(refuse)?;
        let kernel = kernel.with_intervals(self.intervals()).map_err(refuse)?;
        Ok(Profile { kernel, warnings })
    }

    /// Returns the mean and the standard deviation of a cluster over all runs, and the fit to the
    /// kept runs.
    fn distribution(
        &self,
        trace: &Trace,
        cluster: usize,
        level: Level,
        summary: &Summary,
        wcet: Time,
        tail: Option<Tail>,
    ) -> Distribution {
        let times: Vec<Time> = self
            .pooled(trace, cluster, level)
            .into_iter()
            .map(Time::from_ns)
            .collect();
        let fit = NormalFit::of(&times).map(|fit| fit.distribution(wcet));
        Distribution {
            samples: Some(summary.count),
            mean_ns: summary.mean,
            std_ns: summary.std(),
            goodness_of_fit: fit.as_ref().and_then(|fit| fit.goodness_of_fit),
            lilliefors: fit.as_ref().and_then(|fit| fit.lilliefors),
            percentile: fit.and_then(|fit| fit.percentile),
            tail,
        }
    }

    /// Returns the kept measurements of `cluster`, run by run. Within a run, the measurements are
    /// in the order of the blocks.
    fn in_order(&self, measurements: &Measurements, cluster: usize) -> Vec<Time> {
        let blocks = self.assignment.iter().enumerate();
        let samples: Vec<Vec<u64>> = blocks
            .filter(|&(_, &other)| other == cluster)
            .map(|(block, _)| measurements.sample(block).collect())
            .collect();
        let runs = 0..measurements.kept();
        let times = runs.flat_map(|run| samples.iter().map(move |sample| sample[run]));
        times.map(Time::from_ns).collect()
    }

    /// Returns Nᵢ: the number of blocks of each cluster i.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.clusters];
        for &cluster in &self.assignment {
            sizes[cluster] += 1;
        }
        sizes
    }

    /// Returns exact statistics of each cluster, over all blocks of the cluster and all runs.
    pub fn summaries(&self, measurements: &Measurements) -> Vec<Summary> {
        let mut summaries = vec![Summary::default(); self.clusters];
        for (block, &cluster) in self.assignment.iter().enumerate() {
            summaries[cluster] = summaries[cluster].merge(measurements.summary(block));
        }
        summaries
    }

    /// Returns the kept measurements of all blocks of `cluster` at `level` [ns], in ascending
    /// order. The fits of distributions use these measurements.
    pub fn pooled(&self, trace: &Trace, cluster: usize, level: Level) -> Vec<u64> {
        let measurements = trace.level(level);
        let blocks = self.assignment.iter().enumerate();
        let blocks = blocks.filter(|&(_, &other)| other == cluster);
        let mut pooled: Vec<u64> = blocks.flat_map(|(block, _)| measurements.sample(block)).collect();
        pooled.sort_unstable();
        pooled
    }

    /// Returns the maximal intervals of consecutive blocks that belong to the same cluster.
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
