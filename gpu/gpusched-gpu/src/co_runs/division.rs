//! Division of the memory among the partitions of a run.

use std::ops::Range;

use crate::machine::Machine;
use crate::warp_run::{IndexSet, RunKernel};
use serde::{Deserialize, Serialize};

/// How the partitions of a run share the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Division {
    /// All partitions use all ways of L2 and all channels.
    #[default]
    Shared,
    /// Each partition has its own ways of L2, and all partitions use all channels.
    L2Ways,
    /// Each partition has its own channels and the L2 slices of these channels. Memory slices of MIG and page coloring
    /// have this effect.
    Channels,
}

impl Division {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Division::Shared => "shared",
            Division::L2Ways => "l2-ways",
            Division::Channels => "channels",
        }
    }

    /// Gives `kernel` the part of the memory of `machine` that belongs to `clusters`. The size of the part is
    /// proportional to the number of clusters. Disjoint clusters have disjoint parts. Returns `None` if the machine has
    /// too few ways or channels, or if its address mapping does not permit the number of channels.
    pub fn apply(self, machine: &Machine, kernel: &mut RunKernel, clusters: Range<usize>) -> Option<()> {
        let part = |count: u32| {
            let all = u64::from(machine.clusters);
            // Rounded up at both ends, so that the parts neither overlap nor leave a gap.
            let at = |cluster: usize| (cluster as u64 * u64::from(count)).div_ceil(all) as u32;
            IndexSet::new((at(clusters.start)..at(clusters.end)).collect())
        };
        let memory = &machine.memory;
        match self {
            Division::Shared => {}
            Division::L2Ways => kernel.l2_ways = Some(part(memory.l2.ways)?),
            Division::Channels => {
                let channels = part(memory.channels)?;
                memory.part(channels.indices().len() as u32).ok()?;
                kernel.channels = Some(channels);
            }
        }
        Some(())
    }
}
