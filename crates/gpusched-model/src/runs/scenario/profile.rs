//! Block times of a kernel profile: clusters of blocks, alone and beside CPU cores that access memory.

use serde::{Deserialize, Serialize};

use super::is_default;
use crate::Refusal;
use crate::kernel::Interval;
use crate::time::Time;
use crate::{Cluster, Kernel};

/// The most by which memory traffic may slow down a block: rates then keep six digits.
const MAX_SLOWDOWN: u64 = 1000;

/// The clusters of a kernel ([Aghilinasab20] §IV), as in its profile.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileTime {
    /// Groups of blocks that take equally long.
    pub clusters: Vec<Cluster>,
    /// Which blocks belong to which cluster: runs of block numbers, in their order, from block 0 to the last; without, the
    /// clusters follow each other.
    #[serde(default, skip_serializing_if = "is_default")]
    pub intervals: Vec<Interval>,
}

impl ProfileTime {
    /// The kernel with these clusters, of which `active_blocks` blocks run at a time, under a regulation period.
    ///
    /// # Errors
    /// [`Refusal`] for what is no kernel.
    pub fn kernel(&self, active_blocks: u32, regulation_period: Time) -> Result<Kernel, Refusal> {
        let kernel = Kernel::new(active_blocks, regulation_period, self.clusters.clone())?;
        match self.intervals.as_slice() {
            [] => Ok(kernel),
            intervals => kernel.with_intervals(intervals.to_vec()),
        }
    }

    /// The blocks of all clusters.
    pub fn blocks(&self) -> u64 {
        let blocks = self.clusters.iter().map(Cluster::blocks);
        blocks.fold(0, u64::saturating_add)
    }

    /// What is wrong with it: the field and what was expected.
    pub(super) fn check(&self) -> Result<(), String> {
        self.kernel(1, Time::from_ns(1))
            .map_err(|error| error.to_string())?;
        for (index, cluster) in self.clusters.iter().enumerate() {
            let (e0, e1) = (cluster.isolated(), cluster.contended());
            if e1.ns() > e0.ns().saturating_mul(MAX_SLOWDOWN) {
                return Err(format!(
                    "clusters[{index}].e1: found {e1}, expected at most {MAX_SLOWDOWN} times e0, {e0}"
                ));
            }
        }
        Ok(())
    }
}
