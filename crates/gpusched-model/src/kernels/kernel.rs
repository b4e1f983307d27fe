//! Kernels whose thread blocks form clusters ([Aghilinasab20] §IV). `wcet cluster` writes these
//! kernels, and `wcet bound` reads them.

mod cluster;
mod interval;

pub use cluster::{Cluster, ClusterShape, Distribution, LONGEST, Tail, TailFamily};
pub use interval::Interval;

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// Maximum number of thread blocks that run at the same time on one GPU. The limit is far above the number for any real
/// GPU.
pub const MAX_ACTIVE: u32 = 1 << 20;

/// Maximum number of clusters of one kernel.
pub const MAX_CLUSTERS: usize = 1024;

/// A kernel whose thread blocks form a few clusters. All blocks of one cluster have the same WCETs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "KernelShape")]
pub struct Kernel {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    active_blocks: u32,
    regulation_period: Time,
    clusters: Vec<Cluster>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    intervals: Vec<Interval>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sources: BTreeMap<String, String>,
}

/// A kernel as written in a JSON file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a kernel: an object with \"active_blocks\", \"regulation_period\" and a list \"clusters\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "Kernel"))]
struct KernelShape {
    /// Name for display.
    #[serde(default)]
    name: Option<String>,
    /// M: maximum number of thread blocks of the kernel that run at the same time on the whole GPU.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_ACTIVE)))]
    active_blocks: u32,
    /// T: regulation period [ns]; > 0. After each period, the memory regulation renews the memory
    /// bandwidth budget of best-effort CPU cores.
    #[serde(deserialize_with = "crate::time::positive_time")]
    regulation_period: Time,
    /// Clusters of the kernel. A cluster is a group of thread blocks with the same WCETs.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<ClusterShape>", length(min = 1, max = MAX_CLUSTERS)))]
    clusters: Vec<Cluster>,
    /// Intervals of block numbers. They assign each thread block to a cluster. The list is ascending, from block 0 to
    /// the last block. If the list is empty, the clusters of the blocks are unknown.
    #[serde(default)]
    intervals: Vec<Interval>,
    /// Sources of the fields, as text for display. The key of a source is the field name.
    #[serde(default)]
    sources: BTreeMap<String, String>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Kernel {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        KernelShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        KernelShape::json_schema(generator)
    }
}

impl Kernel {
    /// Creates a kernel with the given `clusters`. At most `active_blocks` thread blocks of the
    /// kernel run at the same time.
    ///
    /// # Errors
    /// Fails if the number of clusters is outside 1 to [`MAX_CLUSTERS`], if the number of active
    /// blocks is outside 1 to [`MAX_ACTIVE`], or if the regulation period is zero. Also fails if
    /// the sum of the WCETs of all blocks under interference exceeds [`Time::LIMIT`].
    pub fn new(
        active_blocks: u32,
        regulation_period: Time,
        clusters: Vec<Cluster>,
    ) -> Result<Kernel, Refusal> {
        let kernel = Kernel {
            name: None,
            active_blocks,
            regulation_period,
            clusters,
            intervals: Vec::new(),
            sources: BTreeMap::new(),
        };
        kernel.checked()
    }

    fn checked(self) -> Result<Kernel, Refusal> {
        if !(1..=MAX_ACTIVE).contains(&self.active_blocks) {
            let expected = format!("1 to {MAX_ACTIVE} blocks");
            return Err(Refusal::new("active_blocks", self.active_blocks, expected));
        }
        if !(Time::from_ns(1)..=Time::LIMIT).contains(&self.regulation_period) {
            let expected = "a positive time up to 2^63 - 1 ns";
            return Err(Refusal::new(
                "regulation_period",
                self.regulation_period,
                expected,
            ));
        }
        if !(1..=MAX_CLUSTERS).contains(&self.clusters.len()) {
            let found = format!("{} clusters", self.clusters.len());
            return Err(Refusal::new("clusters", found, format!("1 to {MAX_CLUSTERS}")));
        }
        let work: u128 = self
            .clusters
            .iter()
            .map(|cluster| u128::from(cluster.blocks()) * u128::from(cluster.contended().ns()))
            .sum();
        if work > u128::from(Time::LIMIT.ns()) {
            let expected = "at most 2^63 - 1 ns, so that no time bound overflows";
            return Err(Refusal::new(
                "clusters",
                format!("{work} ns of work in all blocks"),
                expected,
            ));
        }
        Ok(self)
    }

    /// Returns the kernel with the given name.
    pub fn with_name(mut self, name: Option<String>) -> Kernel {
        self.name = name;
        self
    }

    /// Returns the kernel with `intervals`, which state the cluster of each block.
    ///
    /// # Errors
    /// Fails if the intervals are not consecutive from block 0. Also fails if the intervals of a cluster together have
    /// a different number of blocks than the cluster.
    pub fn with_intervals(mut self, intervals: Vec<Interval>) -> Result<Kernel, Refusal> {
        interval::check(&intervals, &self.clusters)?;
        self.intervals = intervals;
        Ok(self)
    }

    /// Returns the kernel with the regulation period `period`.
    ///
    /// # Errors
    /// Fails if the period is zero or above [`Time::LIMIT`].
    pub fn with_regulation_period(mut self, period: Time) -> Result<Kernel, Refusal> {
        self.regulation_period = period;
        self.checked()
    }

    /// Returns the kernel with the given sources.
    pub fn with_sources(mut self, sources: BTreeMap<String, String>) -> Kernel {
        self.sources = sources;
        self
    }

    /// Returns the name of the kernel, or `None` if the kernel has no name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// M: maximum number of thread blocks of the kernel that run at the same time on the whole GPU; at least 1.
    pub fn active_blocks(&self) -> u32 {
        self.active_blocks
    }

    /// T: regulation period [ns]; > 0. After each period, the memory regulation renews the memory
    /// bandwidth budget of best-effort CPU cores.
    pub fn regulation_period(&self) -> Time {
        self.regulation_period
    }

    /// Returns the clusters of the kernel; at least one.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// Returns the intervals of block numbers, each with its cluster. The list is empty if the
    /// clusters of the blocks are unknown.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Returns the source of each field. The key of a source is the field name.
    pub fn sources(&self) -> &BTreeMap<String, String> {
        &self.sources
    }

    /// Σ Nᵢ: number of thread blocks of all clusters.
    pub fn blocks(&self) -> u64 {
        self.clusters.iter().map(Cluster::blocks).sum()
    }
}

impl TryFrom<KernelShape> for Kernel {
    type Error = Refusal;

    fn try_from(shape: KernelShape) -> Result<Kernel, Refusal> {
        let kernel = Kernel {
            name: shape.name,
            active_blocks: shape.active_blocks,
            regulation_period: shape.regulation_period,
            clusters: shape.clusters,
            intervals: Vec::new(),
            sources: shape.sources,
        };
        let kernel = kernel.checked()?;
        match shape.intervals.is_empty() {
            true => Ok(kernel),
            false => kernel.with_intervals(shape.intervals),
        }
    }
}

impl Document for Kernel {
    const EXPECTED: &str =
        "a kernel: an object such as {\"active_blocks\":4,\"regulation_period\":\"1ms\",\"clusters\":[…]}";

    fn from_json(text: &str) -> Result<Kernel, Fault> {
        from_json::<KernelShape, _>(text)
    }
}
