//! SMs of the partitions of a run.

use crate::machine::Machine;
use crate::warp_run::IndexSet;
use gpusched_model::streams::below;
use rand::Rng;
use serde::{Deserialize, Serialize};

/// Whether partitions share clusters. SMs of a cluster share one port of the crossbar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Each partition has its own clusters.
    Aligned,
    /// At least one cluster has SMs of several partitions.
    Split,
    /// Half of the runs are aligned, and the other half are split. All runs are aligned if a cluster has one SM.
    Mixed,
}

impl Placement {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Placement::Aligned => "aligned",
            Placement::Split => "split",
            Placement::Mixed => "mixed",
        }
    }
}

/// Maximum number of random places that gpusched tries.
const TRIALS: u32 = 1000;

/// Largest number of clusters in a run on few clusters. Few ports carry all replies of such a run.
const FEW: usize = 6;

/// The partition of each SM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Number of partitions.
    partitions: usize,
    /// Number of SMs in a row that always have the same owner: one SM, or the SMs of a cluster.
    unit: usize,
    /// Number of units in a cluster.
    units_per_cluster: usize,
    /// Partition that owns each unit; `None` if the run does not use the unit. Later units are not in use.
    owners: Vec<Option<usize>>,
}

impl Places {
    /// Draws places for `partitions` partitions of `machine`. Half of the places use all clusters, and half use at most
    /// six. Returns `None` if the clusters of the machine do not permit the placement.
    pub fn draw(
        machine: &Machine,
        placement: Placement,
        partitions: usize,
        random: &mut impl Rng,
    ) -> Option<Places> {
        let (clusters, sms) = (machine.clusters as usize, machine.sms_per_cluster as usize);
        let split = match placement {
            Placement::Aligned => false,
            Placement::Split => true,
            Placement::Mixed => sms > 1 && below(random, 2) == 0,
        };
        if split && sms == 1 {
            return None;
        }
        let (unit, units_per_cluster) = if split { (1, sms) } else { (sms, 1) };
        (0..TRIALS).find_map(|_| {
            let used = match below(random, 2) {
                0 => clusters,
                _ => 1 + below(random, clusters.min(FEW)),
            };
            let units = used * units_per_cluster;
            let owners = match below(random, 3) {
                0 => in_a_row(units, partitions, random),
                1 => (0..units).map(|unit| Some(unit % partitions)).collect(),
                // One more owner than partitions: units that the run does not use.
                _ => (0..units)
                    .map(|_| Some(below(random, partitions + 1)).filter(|owner| *owner < partitions))
                    .collect(),
            };
            let places = Places {
                partitions,
                unit,
                units_per_cluster,
                owners,
            };
            places.is_complete().then_some(places)
        })
    }

    /// Gives one random unit to a random partition. Returns `None` if the result is not complete.
    pub fn changed(&self, random: &mut impl Rng) -> Option<Places> {
        let mut places = self.clone();
        let unit = below(random, places.owners.len());
        places.owners[unit] = Some(below(random, self.partitions));
        places.is_complete().then_some(places)
    }

    /// Returns whether each partition has an SM, and whether partitions share a cluster if units are single SMs.
    fn is_complete(&self) -> bool {
        let all = (0..self.partitions).all(|partition| self.owners.contains(&Some(partition)));
        let shares = |cluster: &[Option<usize>]| {
            let mut owners = cluster.iter().flatten();
            let first = owners.next();
            owners.any(|owner| Some(owner) != first)
        };
        let shared = self.owners.chunks(self.units_per_cluster).any(shares);
        all && (self.units_per_cluster == 1 || shared)
    }

    /// Returns the SMs of `partition`.
    pub fn sms(&self, partition: usize) -> Option<IndexSet> {
        let units = self.owners.iter().enumerate();
        let own = units.filter(|(_, owner)| **owner == Some(partition));
        let sms = own.flat_map(|(unit, _)| (unit * self.unit..(unit + 1) * self.unit).map(|sm| sm as u32));
        IndexSet::new(sms.collect())
    }
}

/// Cuts the units into one row for each partition.
fn in_a_row(units: usize, partitions: usize, random: &mut impl Rng) -> Vec<Option<usize>> {
    let mut cuts: Vec<usize> = (1..partitions).map(|_| below(random, units + 1)).collect();
    cuts.sort_unstable();
    let owner = |unit: usize| cuts.iter().filter(|cut| **cut <= unit).count();
    (0..units).map(|unit| Some(owner(unit))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::streams::{Purpose, stream};

    /// Draws and changes places, and checks them against their definition.
    #[test]
    fn partitions_share_clusters_as_stated() {
        let titanv = Machine::named("titanv").unwrap();
        let rtx2060 = Machine::named("rtx2060").unwrap();
        let mut both = [0, 0];
        for index in 0..600 {
            let mut random = stream(1, Purpose::CoRuns, 0, index);
            let (partitions, placement) = (
                2 + index as usize % 2,
                [Placement::Aligned, Placement::Split, Placement::Mixed][index as usize % 3],
            );
            assert_eq!(
                Places::draw(&rtx2060, Placement::Split, partitions, &mut random),
                None
            );
            let aligned = Places::draw(&rtx2060, Placement::Mixed, partitions, &mut random).unwrap();
            let mut places = Places::draw(&titanv, placement, partitions, &mut random).unwrap();
            for _ in 0..5 {
                let clusters = |places: &Places, per_cluster: u32| {
                    let mut sms = Vec::new();
                    let mut clusters = Vec::new();
                    for partition in 0..partitions {
                        let own = places.sms(partition).unwrap();
                        sms.extend(own.indices().to_vec());
                        let mut own: Vec<u32> = own.indices().iter().map(|sm| sm / per_cluster).collect();
                        own.dedup();
                        clusters.extend(own);
                    }
                    for list in [&mut sms, &mut clusters] {
                        list.sort_unstable();
                    }
                    assert!(sms.windows(2).all(|pair| pair[0] < pair[1]), "{sms:?}");
                    clusters.windows(2).any(|pair| pair[0] == pair[1])
                };
                assert!(!clusters(&aligned, 1));
                let shared = clusters(&places, 2);
                match placement {
                    Placement::Mixed => both[usize::from(shared)] += 1,
                    _ => assert_eq!(shared, placement == Placement::Split, "{places:?}"),
                }
                places = places.changed(&mut random).unwrap_or(places);
            }
        }
        assert!(both[0] > 300 && both[1] > 300, "{both:?}");
    }
}
