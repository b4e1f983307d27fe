//! Guarantee: if the hardware supports only certain partition sizes, plans use supported sizes
//! and valid placements. Each search finds every plan within its stated scope, and exports agree
//! with the plan.

mod command;
mod exports;
mod margin;
mod masks;
mod optimum;
mod places;
mod stored;
mod tampered;

use gpusched::model::device::{Device, Granularity};
use rand::{Rng, RngExt};
use serde_json::json;

/// All granularities of a device.
pub const GRANULARITIES: [Granularity; 6] = [
    Granularity::Sm,
    Granularity::Tpc,
    Granularity::Gpc,
    Granularity::GreenContext,
    Granularity::Mps,
    Granularity::Mig,
];

/// Returns the SM counts of all partitionings of `n` tasks whose candidate partitions pass on up to `sms` SMs, without
/// hardware limits.
fn partitionings(n: usize, sms: u32, passes: impl Fn(&[usize], u32) -> bool) -> Vec<Vec<u32>> {
    let size = |group: usize| {
        let tasks: Vec<usize> = (0..n).filter(|task| group & (1 << task) != 0).collect();
        (1..=sms).find(|&sms| passes(&tasks, sms))
    };
    let sizes: Vec<Option<u32>> = (0..1 << n).map(size).collect();
    let mut all = Vec::new();
    let mut open = vec![((1usize << n) - 1, Vec::new())];
    while let Some((rest, groups)) = open.pop() {
        if rest == 0 {
            all.push(groups);
            continue;
        }
        let first = rest & rest.wrapping_neg();
        let mut group = rest;
        while group != 0 {
            if group & first != 0
                && let Some(sms) = sizes[group]
            {
                let mut groups: Vec<u32> = groups.clone();
                groups.push(sms);
                open.push((rest ^ group, groups));
            }
            group = (group - 1) & rest;
        }
    }
    all
}

/// An instance profile: SMs, compute slices, memory slices, starts.
type Profile = (u32, u32, u32, Vec<u32>);

/// A small device with all features, and the numbers that the reference implementations need.
pub struct Small {
    pub device: Device,
    /// Number of SMs of each GPC.
    gpcs: Vec<u32>,
    tpc: u32,
    min: u32,
    step: u32,
    total: u32,
    chunk: u32,
    profiles: Vec<Profile>,
    slices: (u32, u32),
}

impl Small {
    fn sms(&self) -> u32 {
        self.gpcs.iter().sum()
    }

    pub fn random(rng: &mut impl Rng) -> Small {
        let tpc = rng.random_range(1..=2);
        let tpcs: Vec<u32> = (0..rng.random_range(1..=4))
            .map(|_| rng.random_range(1..=3))
            .collect();
        let gpcs: Vec<u32> = tpcs.iter().map(|tpcs| tpcs * tpc).collect();
        let sms: u32 = gpcs.iter().sum();
        let slices = (rng.random_range(1..=4), rng.random_range(1..=4));
        let profiles: Vec<Profile> = (0..rng.random_range(1..=4))
            .map(|_| {
                let memory = rng.random_range(1..=slices.1);
                let starts: Vec<u32> = (0..=slices.1 - memory).collect();
                let skipped = rng.random_range(0..starts.len());
                (
                    rng.random_range(1..=sms),
                    rng.random_range(1..=slices.0),
                    memory,
                    starts[skipped..].to_vec(),
                )
            })
            .collect();
        let (min, step) = (rng.random_range(1..=sms.min(4)), rng.random_range(1..=sms.min(3)));
        let total = rng.random_range(min..=sms);
        let chunk = rng.random_range(1..=sms.min(4));
        let named = profiles.iter().enumerate().map(|(index, (sms, compute, memory, starts))| {
            json!({"name": format!("p{index}"), "sms": sms, "compute": compute, "memory": memory, "starts": starts})
        });
        let device = json!({
            "name": "small", "sms": sms, "sms_per_tpc": tpc, "tpcs_per_gpc": tpcs,
            "green_context": {"min": min, "step": step, "total": total}, "mps": {"chunk": chunk},
            "mig": {"compute_slices": slices.0, "memory_slices": slices.1, "profiles": named.collect::<Vec<_>>()},
        });
        Small {
            device: serde_json::from_value(device).unwrap(),
            gpcs,
            tpc,
            min,
            step,
            total,
            chunk,
            profiles,
            slices,
        }
    }

    /// Returns whether any number of partitions can have `sms` SMs in total.
    fn is_total(&self, granularity: Granularity, sms: u32) -> bool {
        let is_size = |size: &u32| match granularity {
            Granularity::Gpc => least_gpcs(&self.gpcs, &[*size]) == Some(*size),
            Granularity::Mig => self.profiles.iter().any(|profile| profile.0 == *size),
            _ => self.least(granularity, &[*size]) == Some(*size),
        };
        sms == 0
            || (1..=sms)
                .filter(is_size)
                .any(|size| self.is_total(granularity, sms - size))
    }

    /// Returns the least total number of SMs of concurrent partitions with at least these SMs, by exhaustion; `None` if
    /// the partitions do not fit.
    fn least(&self, granularity: Granularity, needs: &[u32]) -> Option<u32> {
        let steps = |allowed: &dyn Fn(u32) -> bool| {
            let sizes = needs
                .iter()
                .map(|&need| (need.max(1)..=self.sms()).find(|&sms| allowed(sms)));
            let sum: Option<u32> = sizes.sum();
            let all = match granularity {
                Granularity::GreenContext => self.total,
                _ => self.sms(),
            };
            sum.filter(|&sum| sum <= all)
        };
        match granularity {
            Granularity::Sm => steps(&|_| true),
            Granularity::Tpc => steps(&|sms| sms % self.tpc == 0),
            Granularity::GreenContext => steps(&|sms| sms >= self.min && sms % self.step == 0),
            Granularity::Mps => steps(&|sms| sms % self.chunk == 0),
            Granularity::Gpc => least_gpcs(&self.gpcs, needs),
            Granularity::Mig => {
                // Slices of a random device may have more SMs than the device.
                let least = least_instances(&self.profiles, needs, 0, self.slices.0);
                least.filter(|&least| least <= self.sms())
            }
        }
    }
}

/// Tries every assignment of each GPC to at most one partition.
fn least_gpcs(gpcs: &[u32], needs: &[u32]) -> Option<u32> {
    let choices = needs.len() + 1;
    let ways = choices.pow(gpcs.len() as u32);
    let sums = (0..ways).filter_map(|mut way| {
        let mut got = vec![0; choices];
        for sms in gpcs {
            got[way % choices] += sms;
            way /= choices;
        }
        let enough = needs.iter().zip(&got).all(|(need, got)| got >= need);
        enough.then(|| got[..needs.len()].iter().sum())
    });
    sums.min()
}

/// Tries all profiles and starts for each instance. `taken` contains the occupied memory slices, and `compute` is the number
/// of free compute slices.
fn least_instances(profiles: &[Profile], needs: &[u32], taken: u32, compute: u32) -> Option<u32> {
    let Some((need, rest)) = needs.split_first() else {
        return Some(0);
    };
    let mut best: Option<u32> = None;
    for (sms, slices, memory, starts) in profiles {
        for start in starts {
            let own = ((1 << memory) - 1) << start;
            if sms >= need && *slices <= compute && taken & own == 0 {
                let found = least_instances(profiles, rest, taken | own, compute - slices);
                best = best.into_iter().chain(found.map(|found| found + sms)).min();
            }
        }
    }
    best
}
