//! Metric that computes the probability that a block takes at most the WCET of its cluster, under a fitted normal
//! distribution ([Aghilinasab20] Table I).

use gpusched_model::Refusal;
use serde::{Deserialize, Serialize};

use crate::measures::{Files, Labels, Measure, Parameters, Row};
use gpusched_model::Kernel;
use gpusched_model::error::Result;
use gpusched_model::kernel::Distribution;
use gpusched_model::normal::cdf;
use gpusched_model::time::Time;

/// For each cluster of a kernel, computes the probability that a block takes at most the WCET of the cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "PercentileCase"))]
pub struct PercentileParameters {
    /// Path of the file with the kernel. At least one cluster of the kernel states `isolated` or `interference`.
    kernel: String,
}

/// Checked parameters of this metric, ready to compute the percentiles.
#[derive(Debug)]
pub struct Percentiles {
    kernel: Kernel,
}

impl Parameters for PercentileParameters {
    const NAME: &'static str = "percentile";
    const KEYS: &'static [&'static str] = &["kernel", "cluster", "q"];
    type Measure = Percentiles;

    fn prepare(self, files: &mut Files) -> Result<Percentiles, Refusal> {
        let refuse = Refusal::in_file("kernel", &self.kernel);
        let kernel: Kernel = files.read("kernel", &self.kernel)?;
        let percentiles = Percentiles { kernel };
        let mut fits = percentiles.fits().peekable();
        if fits.peek().is_none() {
            let message = "found no cluster with `isolated` or `interference`, expected at least one \
                           cluster with such a distribution";
            return Err(refuse(message.to_owned()));
        }
        if let Some(fit) = fits.find(|fit| fit.distribution.std_ns <= 0.0) {
            let (cluster, std) = (fit.cluster, fit.distribution.std_ns);
            return Err(refuse(format!(
                "found a standard deviation of {std} ns in cluster {cluster}, expected a positive standard \
                 deviation"
            )));
        }
        drop(fits);
        Ok(percentiles)
    }
}

/// A normal distribution of the block times of one cluster, in isolation or under interference.
struct Fit<'a> {
    cluster: usize,
    /// Memory bandwidth budget Q, either 0 or 1.
    q: u8,
    wcet: Time,
    distribution: &'a Distribution,
}

impl Percentiles {
    /// Returns the fitted distributions, sorted by level of interference, then by cluster.
    fn fits(&self) -> impl Iterator<Item = Fit<'_>> {
        [0, 1].into_iter().flat_map(|q| {
            let clusters = self.kernel.clusters().iter().enumerate();
            clusters.filter_map(move |(index, cluster)| {
                let (wcet, distribution) = match q {
                    0 => (cluster.isolated(), cluster.isolated_distribution()),
                    _ => (cluster.contended(), cluster.interference_distribution()),
                };
                Some(Fit {
                    cluster: index,
                    q,
                    wcet,
                    distribution: distribution?,
                })
            })
        })
    }
}

impl Measure for Percentiles {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let rows = self.fits().map(|fit| {
            let Distribution { mean_ns, std_ns, .. } = *fit.distribution;
            let share = cdf((fit.wcet.ns() as f64 - mean_ns) / std_ns);
            Labels::of("kernel", self.kernel.name().unwrap_or(""))
                .with("cluster", fit.cluster)
                .with("q", fit.q)
                .decimal("percentile", share, "share")
                .beside(fit.distribution.percentile)
        });
        Ok(rows.collect())
    }
}
