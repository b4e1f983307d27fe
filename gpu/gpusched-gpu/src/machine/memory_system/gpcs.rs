//! GPCs between the clusters of SMs and the crossbar.

use serde::{Deserialize, Serialize};

use super::cache::SECTOR;
use crate::machine::Clocks;
use crate::machine::check::Faults;
use gpusched_model::{Factor, Refusal};

/// GPCs of a simulated GPU. The clusters of a GPC share a port to the crossbar, in both directions. If a port has too
/// little room for all waiting packets of a core cycle, its clusters take turns. GPGPU-Sim has no GPCs.
///
/// A sector passes the port once: with the reply to a read, or with the request of a write or an atomic. Requests of reads
/// and acknowledgments carry no sector.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Gpcs {
    /// GPC of each cluster. GPC numbers start at 0 without a gap.
    pub of_cluster: Vec<u32>,
    /// Sectors of reads that the port of a GPC passes per core cycle; 1 to 128.
    pub reads_per_cycle: Factor,
    /// Sectors of writes and atomics that the port of a GPC passes per core cycle; 1 to 128.
    pub writes_per_cycle: Factor,
}

impl Gpcs {
    /// Largest rate [sectors per core cycle].
    const MOST: u32 = 128;

    /// Returns the number of clusters of each GPC.
    pub(crate) fn sizes(&self) -> Vec<u32> {
        let mut sizes = Vec::new();
        for &gpc in &self.of_cluster {
            let gpc = gpc as usize;
            sizes.resize(sizes.len().max(gpc + 1), 0);
            sizes[gpc] += 1;
        }
        sizes
    }

    /// Returns the rate of a port that passes `sectors` per core cycle [bytes per second]. Rounds down.
    pub(crate) fn bytes_per_second(sectors: Factor, clocks: &Clocks) -> u64 {
        let (numerator, denominator) = sectors.ratio();
        let per_cycle = u128::from(SECTOR) * u128::from(numerator);
        let bytes = per_cycle * u128::from(clocks.core_khz) * 1000 / u128::from(denominator);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    pub(in crate::machine) fn check(&self, clusters: u32, faults: &Faults) -> Result<(), Refusal> {
        if u32::try_from(self.of_cluster.len()) != Ok(clusters) {
            let expected = format!("{clusters}, one for each cluster");
            faults.refuse("of_cluster", format!("{} GPCs", self.of_cluster.len()), expected)?;
        }
        let gpcs = self
            .of_cluster
            .iter()
            .max()
            .map_or(0, |&last| u64::from(last) + 1);
        if let Some(missing) = (0..gpcs).find(|gpc| !self.of_cluster.iter().any(|of| u64::from(*of) == *gpc))
        {
            let found = format!("no cluster of GPC {missing}, but clusters of GPC {}", gpcs - 1);
            faults.refuse("of_cluster", found, "numbers of GPCs from 0 without a gap")?;
        }
        let most = Factor::from_billionths(u64::from(Self::MOST) * 1_000_000_000);
        for (field, rate) in [
            ("reads_per_cycle", self.reads_per_cycle),
            ("writes_per_cycle", self.writes_per_cycle),
        ] {
            if rate < Factor::ONE || most.is_some_and(|most| rate > most) {
                let expected = format!(
                    "1 to {}: a cluster alone passes up to one sector per cycle",
                    Self::MOST
                );
                faults.refuse(field, rate, expected)?;
            }
        }
        Ok(())
    }
}
