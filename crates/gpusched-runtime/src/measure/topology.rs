//! TPCs, GPCs and the order of the SMs, from observed thread blocks.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::{SmOrder, counted};

/// SMs of a GPU that belong together, as far as observations show it. An unknown value is absent: the code never guesses it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Topology {
    /// Sets of SMs that ran clusters together, directly or through other clusters. The SMs of a set are in one GPC, but two sets may be
    /// in one GPC, too.
    pub sets: Vec<Vec<u32>>,
    /// Number of SMs of a TPC: 2 if each cluster of two thread blocks ran on the SMs 2t and 2t + 1, for all t.
    pub sms_per_tpc: Option<u32>,
    /// GPC of each TPC. GPCs are numbered by their smallest SM.
    pub gpc_of_tpc: Option<Vec<u32>>,
    /// Reason why the GPCs are unknown.
    pub unknown: Option<String>,
}

impl Topology {
    /// Derives the topology of a GPU with `sms` SMs. Each of `clusters` contains the SMs of the thread blocks of one cluster, which one GPC
    /// runs. `most_per_gpc` is the largest number of SMs of one GPC, or `None` if it is unknown: then two sets may be in one GPC.
    pub fn of(clusters: &[Vec<u32>], sms: u32, most_per_gpc: Option<u32>) -> Topology {
        let sets = sets(clusters);
        let pairs = || clusters.iter().filter(|cluster| cluster.len() == 2);
        let of_tpc = |cluster: &Vec<u32>| match cluster.as_slice() {
            &[a, b] if a / 2 == b / 2 && a != b => Some(a / 2),
            _ => None,
        };
        let tpcs: Option<BTreeSet<u32>> = pairs().map(of_tpc).collect();
        let all = tpcs.is_some_and(|tpcs| tpcs.into_iter().eq(0..sms / 2));
        let sms_per_tpc = (sms > 0 && sms.is_multiple_of(2) && all).then_some(2);
        let known = gpcs(&sets, sms, sms_per_tpc, most_per_gpc);
        let (gpc_of_tpc, unknown) = match known {
            Ok(gpcs) => (Some(gpcs), None),
            Err(reason) => (None, Some(reason)),
        };
        Topology {
            sets,
            sms_per_tpc,
            gpc_of_tpc,
            unknown,
        }
    }

    /// Returns the number of TPCs of each GPC, if the GPCs are known.
    pub fn tpcs_per_gpc(&self) -> Option<Vec<u32>> {
        let of_tpc = self.gpc_of_tpc.as_ref()?;
        let mut counts = BTreeMap::<u32, u32>::new();
        for gpc in of_tpc {
            *counts.entry(*gpc).or_default() += 1;
        }
        Some(counts.into_values().collect())
    }
}

/// Returns the connected components of `clusters`, sorted by their smallest SM.
fn sets(clusters: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut sets: Vec<BTreeSet<u32>> = Vec::new();
    for cluster in clusters {
        let mut joined: BTreeSet<u32> = cluster.iter().copied().collect();
        sets.retain(|set| {
            let apart = set.is_disjoint(&joined);
            if !apart {
                joined.extend(set);
            }
            apart
        });
        sets.push(joined);
    }
    let mut sets: Vec<Vec<u32>> = { sets.into_iter() }
        .map(|set| set.into_iter().collect())
        .filter(|set: &Vec<u32>| !set.is_empty())
        .collect();
    sets.sort();
    sets
}

/// Returns the GPC of each TPC, or the reason why it is unknown.
fn gpcs(
    sets: &[Vec<u32>],
    sms: u32,
    sms_per_tpc: Option<u32>,
    most_per_gpc: Option<u32>,
) -> Result<Vec<u32>, String> {
    if sets.is_empty() {
        return Err("no cluster of thread blocks ran".to_owned());
    }
    let gpc_of: BTreeMap<u32, u32> = { (0u32..).zip(sets) }
        .flat_map(|(gpc, set)| set.iter().map(move |&sm| (sm, gpc)))
        .collect();
    if !gpc_of.keys().copied().eq(0..sms) {
        let seen = counted(gpc_of.len(), "SM");
        return Err(format!("clusters ran on {seen} of {sms}"));
    }
    let Some(unit) = sms_per_tpc else {
        return Err("clusters of two thread blocks do not show the TPCs".to_owned());
    };
    let Some(most) = most_per_gpc else {
        return Err("the largest GPC of this compute capability is unknown".to_owned());
    };
    let mut sizes: Vec<usize> = sets.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    let most = most as usize;
    if let Some(larger) = sizes.iter().find(|&&size| size > most) {
        return Err(format!(
            "a set of {larger} SMs is larger than a GPC of {most} SMs"
        ));
    }
    if let [first, second, ..] = sizes.as_slice()
        && first + second <= most
    {
        return Err(format!(
            "sets of {first} and {second} SMs may be in one GPC, which has up to {most} SMs"
        ));
    }
    let of_tpc = (0..sms / unit).map(|tpc| gpc_of.get(&(tpc * unit)).copied());
    of_tpc
        .collect::<Option<Vec<u32>>>()
        .ok_or_else(|| format!("clusters ran on fewer than {sms} SMs"))
}

/// Returns the order of the SMs that an idle GPU with `sms` SMs gives to thread blocks, if all of `starts` have it. Each of `starts` contains
/// the SM of each thread block of a launch with one block per SM. Returns `None` for another order, and without launches.
pub fn sm_order(starts: &[Vec<u32>], sms: u32) -> Option<SmOrder> {
    let orders = [SmOrder::EvenOdd, SmOrder::Ascending, SmOrder::Descending];
    let has = |order: &SmOrder| starts.iter().all(|start| *start == order.of(sms));
    // With one SM, all orders are equal.
    orders
        .into_iter()
        .find(has)
        .filter(|_| !starts.is_empty() && sms > 1)
}
