//! Clusters of thread blocks with the same WCETs, and the distribution of their measured times.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::time::Time;

/// Maximum number of blocks of one cluster.
const MAX_BLOCKS: u64 = 1 << 32;

/// Maximum time of one block, 2^40 ns (18 minutes). With this limit, products of counts and times fit 128 bits.
pub const LONGEST: Time = Time::from_ns(1 << 40);

/// Thread blocks with the same WCETs.
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

/// A cluster in the shape of the file.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Cluster")]
pub struct ClusterShape {
    /// Nᵢ: number of thread blocks of the cluster.
    #[schemars(range(min = 1, max = MAX_BLOCKS))]
    blocks: u64,
    /// eᵢ⁰: WCET of one block in isolation (Q = 0); > 0.
    #[serde(deserialize_with = "crate::positive_time")]
    e0: Time,
    /// eᵢ¹: WCET of one block under unregulated interference (Q = 1); at least `e0`.
    #[serde(deserialize_with = "crate::positive_time")]
    e1: Time,
    /// Distribution of the times measured in isolation.
    #[serde(default)]
    isolated: Option<Distribution>,
    /// Distribution of the times measured under interference.
    #[serde(default)]
    interference: Option<Distribution>,
}

impl schemars::JsonSchema for Cluster {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        ClusterShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ClusterShape::json_schema(generator)
    }
}

/// Measured times of the blocks of one cluster, as in Table I of [Aghilinasab20]. No bound depends on them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// Number of measurements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Mean [ns].
    pub mean_ns: f64,
    /// Standard deviation [ns].
    pub std_ns: f64,
    /// K-S distance to the normal distribution with this mean and standard deviation, divided by its critical value. A
    /// value above 1 rejects a normal distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodness_of_fit: Option<f64>,
    /// K-S distance divided by the critical value for a mean and standard deviation estimated from the sample
    /// (Lilliefors).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lilliefors: Option<f64>,
    /// Probability of a time up to the WCET under that normal distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<f64>,
    /// Extreme-value distribution fitted to the longest times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Tail>,
}

/// An extreme-value distribution fitted to the longest times.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tail {
    /// Family of the distribution.
    pub family: TailFamily,
    /// Location [ns]: µ of a GEV, or the threshold of a GPD. The threshold is half a clock tick above the longest time
    /// below it.
    pub location_ns: f64,
    /// Scale σ [ns].
    pub scale_ns: f64,
    /// Shape ξ: negative if the times are bounded, positive for heavy tails.
    pub shape: f64,
    /// Executions per fitted value. For a GEV: length of the blocks whose maxima it describes. For a GPD: inverse of
    /// the share of times above the threshold.
    pub executions: f64,
    /// Probability that one block takes longer than the WCET taken from this fit.
    pub exceedance: f64,
    /// p-value of the fit (Anderson–Darling, parametric bootstrap).
    pub fit_p: f64,
    /// p-value of the independence of the runs (Ljung–Box on ranks); absent if there are too few times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independence_p: Option<f64>,
    /// Whether the tests of fit and of independence passed. If not, the WCET deserves little trust.
    pub trustworthy: bool,
}

/// Families of extreme-value distributions.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TailFamily {
    /// Generalized extreme value distribution of block maxima.
    Gev,
    /// Generalized Pareto distribution of excesses over a threshold.
    Gpd,
}

impl Cluster {
    /// Creates a cluster of `blocks` blocks that take at most `e0` in isolation and at most `e1` under full
    /// interference.
    ///
    /// # Errors
    /// Fails for 0 blocks or more than 2^32, times of zero or above 2^40 ns, or `e1` below `e0`.
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
            let expected = format!("at least e0, {e0}: interference does not make a block faster");
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

    /// Returns the cluster with the distributions measured in isolation and under interference.
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

    /// eᵢ¹: WCET of one block under unregulated interference; at least eᵢ⁰.
    pub fn contended(&self) -> Time {
        self.e1
    }

    /// Returns the distribution of the times measured in isolation.
    pub fn isolated_distribution(&self) -> Option<&Distribution> {
        self.isolated.as_ref()
    }

    /// Returns the distribution of the times measured under interference.
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
