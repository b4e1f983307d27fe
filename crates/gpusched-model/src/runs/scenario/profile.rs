//! Block times from a kernel profile: WCETs of clusters, in isolation and under interference from CPU cores.

use serde::{Deserialize, Serialize};

use super::is_default;
use crate::Refusal;
use crate::kernel::Interval;
use crate::time::Time;
use crate::{Cluster, Kernel};

/// Maximum slowdown of a block due to memory traffic. With this limit, the progress rates of simulated blocks have a
/// precision of at least six digits.
const MAX_SLOWDOWN: u64 = 1000;

/// Clusters of thread blocks of a kernel profile ([Aghilinasab20] §IV).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProfileTime {
    /// Clusters: groups of blocks with the same WCETs.
    pub clusters: Vec<Cluster>,
    /// Intervals of block numbers. They assign each block to a cluster. The list is ascending, from block 0 to the last
    /// block. By default, the first blocks belong to the first cluster, the next blocks to the second cluster, and so
    /// on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub intervals: Vec<Interval>,
}

impl ProfileTime {
    /// Returns the kernel with these clusters and the given regulation period. At most `active_blocks` blocks of the
    /// kernel run at the same time.
    ///
    /// # Errors
    /// Fails if the resulting kernel is invalid.
    pub fn kernel(&self, active_blocks: u32, regulation_period: Time) -> Result<Kernel, Refusal> {
        let kernel = Kernel::new(active_blocks, regulation_period, self.clusters.clone())?;
        match self.intervals.as_slice() {
            [] => Ok(kernel),
            intervals => kernel.with_intervals(intervals.to_vec()),
        }
    }

    /// Returns the number of blocks of all clusters.
    pub fn blocks(&self) -> u64 {
        let blocks = self.clusters.iter().map(Cluster::blocks);
        blocks.fold(0, u64::saturating_add)
    }

    /// Checks the clusters. An error states the first fault and its field.
    pub(super) fn check(&self) -> Result<(), String> {
        self.kernel(1, Time::from_ns(1))
            .map_err(|error| error.to_string())?;
        for (index, cluster) in self.clusters.iter().enumerate() {
            let (e0, e1) = (cluster.isolated(), cluster.contended());
            if e1.ns() > e0.ns().saturating_mul(MAX_SLOWDOWN) {
                return Err(format!(
                    "clusters[{index}].e1: found {e1}, expected at most {MAX_SLOWDOWN} times `e0`, which is {e0}"
                ));
            }
        }
        Ok(())
    }
}
