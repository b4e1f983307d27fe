//! Thread blocks that take equally long, and what their measured times look like.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::time::Time;

/// The most blocks of one cluster.
const MAX_BLOCKS: u64 = 1 << 32;

/// The longest that one block may take, 2^40 ns (18 minutes): products of counts and times then fit 128 bits.
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
    /// Nᵢ: how many blocks belong to it.
    #[schemars(range(min = 1, max = MAX_BLOCKS))]
    blocks: u64,
    /// eᵢ⁰: the WCET of one block in isolation (Q = 0).
    #[serde(deserialize_with = "crate::positive_time")]
    e0: Time,
    /// eᵢ¹: the WCET of one block under unregulated interference (Q = 1); at least e0.
    #[serde(deserialize_with = "crate::positive_time")]
    e1: Time,
    /// What was measured in isolation.
    #[serde(default)]
    isolated: Option<Distribution>,
    /// What was measured under interference.
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

/// Measured times of the blocks of one cluster, as in Table I of [Aghilinasab20]. None of it enters a bound.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// The number of measurements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// The mean [ns].
    pub mean_ns: f64,
    /// The standard deviation [ns].
    pub std_ns: f64,
    /// The K-S distance to the normal distribution with this mean and standard deviation, by its critical value; a normal
    /// distribution is rejected above 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodness_of_fit: Option<f64>,
    /// The same by the critical value for a mean and standard deviation that come from the sample itself (Lilliefors).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lilliefors: Option<f64>,
    /// The probability of at most the WCET under that normal distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentile: Option<f64>,
    /// A fit to the longest times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<Tail>,
}

/// An extreme-value distribution fitted to the longest times.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tail {
    /// The family.
    pub family: TailFamily,
    /// µ of a GEV, or the threshold of a GPD, which is half a tick of the clock above the last time below [ns].
    pub location_ns: f64,
    /// σ [ns].
    pub scale_ns: f64,
    /// ξ: negative where times are bounded, positive for heavy tails.
    pub shape: f64,
    /// How many executions there are for each value that was fitted: the length of the blocks whose maxima a GEV describes,
    /// or the inverse of the share of times above the threshold of a GPD.
    pub executions: f64,
    /// The probability that one block takes longer than the WCET that was taken from this fit.
    pub exceedance: f64,
    /// The p-value of the fit (Anderson–Darling, parametric bootstrap).
    pub fit_p: f64,
    /// The p-value of the independence of the runs (Ljung–Box on ranks); absent for too few times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independence_p: Option<f64>,
    /// Whether the tests of fit and of independence passed; the WCET deserves little trust if not.
    pub trustworthy: bool,
}

/// The extreme-value distributions.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TailFamily {
    /// Generalized extreme value distribution of block maxima.
    Gev,
    /// Generalized Pareto distribution of excesses over a threshold.
    Gpd,
}

impl Cluster {
    /// `blocks` blocks that take at most `e0` in isolation and at most `e1` under full interference.
    ///
    /// # Errors
    /// [`Refusal`] for no block or more than 2^32, times of zero or above 2^40 ns, or `e1` below `e0`.
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

    /// The cluster with what was measured in isolation and under interference.
    pub fn with_distributions(
        mut self,
        isolated: Option<Distribution>,
        interference: Option<Distribution>,
    ) -> Cluster {
        (self.isolated, self.interference) = (isolated, interference);
        self
    }

    /// Nᵢ: how many blocks belong to it; at least 1.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// eᵢ⁰: the WCET of one block in isolation; positive.
    pub fn isolated(&self) -> Time {
        self.e0
    }

    /// eᵢ¹: the WCET of one block under unregulated interference; at least eᵢ⁰.
    pub fn contended(&self) -> Time {
        self.e1
    }

    /// What was measured in isolation.
    pub fn isolated_distribution(&self) -> Option<&Distribution> {
        self.isolated.as_ref()
    }

    /// What was measured under interference.
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
