//! Reference implementation of the step: Algorithm 4 and the policies of [Aghilinasab20] §V with integers of any size.

use gpusched_budget::{Cluster, Policy, Setting};
use num_bigint::BigInt;

pub struct Reference {
    setting: Setting,
    clusters: Vec<Cluster>,
    previous: u64,
}

impl Reference {
    pub fn new(setting: Setting, clusters: &[Cluster]) -> Reference {
        let mut clusters = clusters.to_vec();
        for (position, cluster) in clusters.iter_mut().enumerate() {
            cluster.position = position as u64;
        }
        let ratio = |cluster: &Cluster| (BigInt::from(cluster.e0), BigInt::from(cluster.e1));
        clusters.sort_by(|a, b| {
            let ((a0, a1), (b0, b1)) = (ratio(a), ratio(b));
            (a0 * b1).cmp(&(b0 * a1))
        });
        Reference {
            setting,
            clusters,
            previous: setting.nominal,
        }
    }

    pub fn decide(&mut self, elapsed: u64, remaining: &[u64]) -> u64 {
        let Setting {
            policy,
            period,
            nominal,
            deadline,
            ..
        } = self.setting;
        if elapsed > deadline {
            self.previous = nominal;
            return nominal;
        }
        let window = deadline - elapsed;
        let chosen = match self.memory(window, remaining) {
            _ if policy == Policy::Nominal => nominal,
            None => period,
            Some(memory) => self.within(&memory, window),
        };
        self.previous = chosen.max(nominal);
        self.previous
    }

    fn within(&self, memory: &BigInt, window: u64) -> u64 {
        let Setting {
            policy,
            period,
            nominal,
            ..
        } = self.setting;
        let at_most = |value: BigInt| u64::try_from(value.max(0.into())).unwrap_or(u64::MAX).min(period);
        let time =
            |burst: u64, window: u64| BigInt::from(window / period) * burst + (window % period).min(burst);
        // The largest burst with the memory time, by bisection.
        let (mut fits, mut exceeds) = (0, period + 1);
        while exceeds - fits > 1 {
            let middle = fits + (exceeds - fits) / 2;
            match time(middle, window) <= *memory {
                true => fits = middle,
                false => exceeds = middle,
            }
        }
        let greedy = at_most(memory - time(nominal, window.saturating_sub(period)));
        match policy {
            Policy::Nominal => nominal,
            Policy::Fair => fits,
            Policy::Greedy => greedy,
            Policy::Smooth => {
                let filtered = (BigInt::from(greedy) * 3 + BigInt::from(self.previous) * 7) / 10;
                at_most(filtered).min(greedy).max(fits)
            }
        }
    }

    fn memory(&self, window: u64, remaining: &[u64]) -> Option<BigInt> {
        let left: Vec<(BigInt, &Cluster)> = self
            .clusters
            .iter()
            .map(|cluster| {
                let found = remaining.get(cluster.position as usize);
                (found.copied().unwrap_or(cluster.blocks).into(), cluster)
            })
            .filter(|(blocks, _)| *blocks > 0.into())
            .collect();
        let active = BigInt::from(self.setting.active);
        let longest = left.iter().map(|(_, cluster)| cluster.e1).max().unwrap_or(0);
        let largest = left
            .iter()
            .map(|(_, cluster)| cluster.e1 - cluster.e0)
            .max()
            .unwrap_or(0);
        let alone: BigInt = left.iter().map(|(blocks, cluster)| blocks * cluster.e0).sum();
        let delays: BigInt = left
            .iter()
            .map(|(blocks, cluster)| blocks * (cluster.e1 - cluster.e0))
            .sum();
        let allowed = &active * window - (&active - 1) * longest - alone;
        if delays <= allowed {
            return None;
        }
        let ends = if self.setting.both_ends { 2 } else { 1 };
        let periods = BigInt::from(window.div_ceil(self.setting.period)) + 1;
        let mut allowed = allowed - &active * ends * periods * largest;
        let mut memory = BigInt::ZERO;
        for (blocks, cluster) in left {
            let (delay, e1) = (cluster.e1 - cluster.e0, cluster.e1);
            if allowed <= BigInt::ZERO || delay == 0 {
                break;
            }
            if &blocks * delay <= allowed {
                allowed -= &blocks * delay;
                memory += blocks * e1;
            } else {
                memory += &allowed * e1 / delay;
                break;
            }
        }
        Some(memory / active)
    }
}
