//! Clusters of thread blocks with the same WCETs, and the distributions of their measured times.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::time::Time;

/// Maximum number of blocks of one cluster.
const MAX_BLOCKS: u64 = 1 << 32;

/// Maximum execution time of one block, 2^40 ns (18 minutes). With this limit, products of counts
/// and times fit in 128 bits.
pub const LONGEST: Time = Time::from_ns(1 << 40);

/// A cluster: thread blocks with the same WCETs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "ClusterShape")]
pub struct Cluster {
    blocks: u64,
    e0: Time,
    e1: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    isolated: Option<Distribution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interference: Option<Distribution>,
}

/// A cluster as written in a JSON file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "Cluster"))]
pub struct ClusterShape {
    /// Nᵢ: number of thread blocks of the cluster.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_BLOCKS)))]
    blocks: u64,
    /// eᵢ⁰: WCET of one block in isolation (Q = 0); > 0.
    #[serde(deserialize_with = "crate::time::positive_time")]
    e0: Time,
    /// eᵢ¹: WCET of one block under interference without regulation (Q = 1); at least `e0`.
    #[serde(deserialize_with = "crate::time::positive_time")]
    e1: Time,
    /// Distribution of the block times that were measured in isolation.
    #[serde(default)]
    isolated: Option<Distribution>,
    /// Distribution of the block times that were measured under interference.
    #[serde(default)]
    interference: Option<Distribution>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Cluster {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        ClusterShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ClusterShape::json_schema(generator)
    }
}

/// Statistics of the measured execution times of the blocks in one cluster ([Aghilinasab20] Table
/// I). WCET bounds do not depend on these statistics.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// Number of measurements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Mean of the measured times [ns].
    pub mean_ns: f64,
    /// Standard deviation of the measured times [ns].
    pub std_ns: f64,
    /// Kolmogorov–Smirnov distance between the measured times and the fitted normal distribution,
    /// divided by the critical value of the test. If the ratio is above 1, the test rejects the
    /// normal distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodness_of_fit: Option<f64>,
    /// Kolmogorov–Smirnov distance divided by the critical value of the Lilliefors test. The
    /// Lilliefors test takes into account that the mean and the standard deviation are estimated
    /// from the sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lilliefors: Option<f64>,
    /// Probability that a block time is at most the WCET, according to the fitted normal
    /// distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<f64>,
    /// Extreme-value distribution that was fitted to the longest measured times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Tail>,
}

/// An extreme-value distribution that was fitted to the longest measured times.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tail {
    /// Family of the distribution.
    pub family: TailFamily,
    /// Location [ns]: the parameter µ of a generalized extreme value distribution (GEV), or the threshold of a
    /// generalized Pareto distribution (GPD). The fit of a GPD excludes times below the threshold. The threshold is
    /// half a clock tick above the longest excluded time.
    pub location_ns: f64,
    /// Scale σ [ns].
    pub scale_ns: f64,
    /// Shape ξ of the distribution: negative if the times are bounded, positive if the tail is heavy.
    pub shape: f64,
    /// Number of executions per fitted value. For `gev`, each fitted value is the maximum of a
    /// group of executions, and this number is the group size. For `gpd`, this number is the
    /// inverse of the share of times above the threshold.
    pub executions: f64,
    /// Probability that one block takes longer than the WCET, if the WCET was derived from this fit.
    pub exceedance: f64,
    /// p-value of the goodness-of-fit test (Anderson–Darling with parametric bootstrap).
    pub fit_p: f64,
    /// p-value of the independence test of the runs (Ljung–Box on ranks). Absent if the test has
    /// too few measured times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independence_p: Option<f64>,
    /// Whether the goodness-of-fit test and the independence test both passed. If the value is
    /// false, do not rely on the WCET.
    pub trustworthy: bool,
}

/// A family of extreme-value distributions.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TailFamily {
    /// Generalized extreme value distribution of block maxima.
    Gev,
    /// Generalized Pareto distribution of the excesses over a threshold.
    Gpd,
}

/// The floats of a cluster are statistics from a file, so they are numbers and equal themselves.
impl Eq for Cluster {}

impl Cluster {
    /// Creates a cluster of `blocks` blocks. A block takes at most `e0` in isolation, and at most `e1` under full
    /// interference.
    ///
    /// # Errors
    /// Fails if `blocks` is 0 or above 2^32, if a time is zero or above 2^40 ns, or if `e1` is below `e0`.
    pub fn new(blocks: u64, e0: Time, e1: Time) -> Result<Cluster, Refusal> {
        if !(1..=MAX_BLOCKS).contains(&blocks) {
            return Err(Refusal::new(
                "blocks",
                blocks,
                format!("1 to {MAX_BLOCKS} blocks"),
            ));
        }
        for (field, time) in [("e0", e0), ("e1", e1)] {
            if !(Time::from_ns(1)..=LONGEST).contains(&time) {
                return Err(Refusal::new(
                    field,
                    time,
                    "a positive time up to 2^40 ns (18 minutes)",
                ));
            }
        }
        if e1 < e0 {
            let expected =
                format!("at least {e0}, the value of `e0`: interference never makes a block faster");
            return Err(Refusal::new("e1", e1, expected));
        }
        Ok(Cluster {
            blocks,
            e0,
            e1,
            isolated: None,
            interference: None,
        })
    }

    /// Returns the cluster with the given distributions of its block times, measured in isolation and under
    /// interference.
    pub fn with_distributions(
        mut self,
        isolated: Option<Distribution>,
        interference: Option<Distribution>,
    ) -> Cluster {
        (self.isolated, self.interference) = (isolated, interference);
        self
    }

    /// Nᵢ: number of thread blocks of the cluster; at least 1.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// eᵢ⁰: WCET of one block in isolation; > 0.
    pub fn isolated(&self) -> Time {
        self.e0
    }

    /// eᵢ¹: WCET of one block under interference without regulation; at least eᵢ⁰.
    pub fn contended(&self) -> Time {
        self.e1
    }

    /// Returns the distribution of the block times that were measured in isolation.
    pub fn isolated_distribution(&self) -> Option<&Distribution> {
        self.isolated.as_ref()
    }

    /// Returns the distribution of the block times that were measured under interference.
    pub fn interference_distribution(&self) -> Option<&Distribution> {
        self.interference.as_ref()
    }
}

impl TryFrom<ClusterShape> for Cluster {
    type Error = Refusal;

    fn try_from(shape: ClusterShape) -> Result<Cluster, Refusal> {
        let cluster = Cluster::new(shape.blocks, shape.e0, shape.e1)?;
        Ok(cluster.with_distributions(shape.isolated, shape.interference))
    }
}
