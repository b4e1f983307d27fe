//! G of one segment, for a stated memory time of best-effort cores.

use gpusched_model::time::Time;
use gpusched_model::{Factor, Kernel};
use num_bigint::BigUint;

/// A segment that takes at most `alone` without accesses, and at most `delay` longer. All times are in ns.
pub(super) struct Exposed {
    pub alone: u64,
    pub delay: u64,
    pub burst: u64,
    pub period: u64,
    pub rate: Factor,
}

impl Exposed {
    /// Returns e⁰ + min(δ, ⌈σ·b·n⌉), where n is the number of regulation periods.
    pub fn within(&self, periods: u128) -> u64 {
        let (numerator, denominator) = self.rate.ratio();
        let memory = u128::from(self.burst).saturating_mul(periods);
        let delay = memory
            .saturating_mul(numerator.into())
            .div_ceil(denominator.into());
        let delay = u64::try_from(delay).unwrap_or(u64::MAX).min(self.delay);
        self.alone.saturating_add(delay)
    }

    /// Returns the least w ≥ e⁰ with w = e⁰ + delay(Y(w)). With k = ⌈w/T⌉, the right side is `within(k + 1)`, and the least
    /// solution has the least k ≥ 1 with `within(k + 1)` ≤ k·T. Both sides grow by at most T per step until the delay is δ, so
    /// each k above this k satisfies the condition, too.
    pub fn uninterrupted(&self) -> u64 {
        let fits =
            |k: u64| u128::from(self.within(u128::from(k) + 1)) <= u128::from(k) * u128::from(self.period);
        let longest = self.alone.saturating_add(self.delay);
        let (mut low, mut high) = (0, longest.div_ceil(self.period).max(1));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match fits(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        self.within(u128::from(high) + 1)
    }
}

/// ⌈w/T⌉ + 1: number of regulation periods that a window intersects.
pub(super) fn periods(window: u64, period: u64) -> u128 {
    u128::from(window.div_ceil(period)) + 1
}

/// Returns G of a kernel with a profile: Eq. 3 or 4 of [Aghilinasab20], or the bound of Eqs 5–12 for a window of `stated` ns.
pub(super) fn of_kernel(kernel: &Kernel, burst: u64, preempts: bool, stated: u64) -> u64 {
    let active = u128::from(kernel.active_blocks());
    let sum = |time: fn(&gpusched_model::Cluster) -> Time| -> u128 {
        let all = kernel.clusters().iter();
        all.map(|cluster| u128::from(cluster.blocks()) * u128::from(time(cluster).ns()))
            .sum()
    };
    let longest = |time: fn(&gpusched_model::Cluster) -> Time| -> u128 {
        kernel
            .clusters()
            .iter()
            .map(|cluster| u128::from(time(cluster).ns()))
            .max()
            .unwrap_or(0)
    };
    let list = |time| ns((sum(time) + (active - 1) * longest(time)).div_ceil(active));
    let (alone, contended) = (
        gpusched_model::Cluster::isolated,
        gpusched_model::Cluster::contended,
    );
    match burst {
        0 => list(alone),
        _ if preempts || sum(alone) < longest(contended) => list(contended),
        _ => regulated(kernel, burst, stated).min(list(contended)),
    }
}

/// Returns `time`, at most 2^64 − 1.
pub(super) fn ns(time: u128) -> u64 {
    u64::try_from(time).unwrap_or(u64::MAX)
}

/// Returns the value of Eq. 8 for a window of `window` ns, rounded up. By duality, the value is the least
/// ((M − 1)·max e¹ + Σ N·e⁰ + λ·B + µ·K + Σ N·max(0, e¹ − e⁰ − min(λ·e¹, µ)))/M over all λ, µ ≥ 0. This function of λ and µ
/// is convex and linear between the lines µ = 0, λ = 0, µ = d, λ·e¹ = d and µ = λ·e¹ with d = e¹ − e⁰. So the minimum lies
/// where two lines meet.
fn regulated(kernel: &Kernel, burst: u64, window: u64) -> u64 {
    let (period, active) = (kernel.regulation_period().ns(), kernel.active_blocks());
    let early = burst.min(window);
    let rest = window - early;
    let memory = u128::from(early)
        + u128::from(rest / period) * u128::from(burst)
        + u128::from((rest % period).min(burst));
    let memory = BigUint::from(memory.min(window.into())) * active;
    let partial = BigUint::from(periods(window, period)) * active;
    let clusters: Vec<(u64, u64, u64)> = kernel
        .clusters()
        .iter()
        .map(|cluster| {
            (
                cluster.blocks(),
                cluster.isolated().ns(),
                cluster.contended().ns(),
            )
        })
        .collect();
    let delays = || {
        clusters
            .iter()
            .map(|(_, alone, contended)| contended - alone)
            .chain([0])
    };
    let mut fixed = BigUint::ZERO;
    for &(blocks, alone, _) in &clusters {
        fixed += BigUint::from(blocks) * alone;
    }
    let longest = clusters
        .iter()
        .map(|&(_, _, contended)| contended)
        .max()
        .unwrap_or(0);
    fixed += BigUint::from(longest) * (active - 1);
    // λ = a/c with c = e¹ of a cluster. All values are multiplied by c.
    let mut least: Option<BigUint> = None;
    for c in clusters.iter().map(|&(_, _, contended)| contended) {
        for a in delays() {
            let of_lambda = clusters
                .iter()
                .map(|&(_, _, contended)| u128::from(a) * u128::from(contended));
            let prices = of_lambda.chain(delays().map(|delay| u128::from(delay) * u128::from(c)));
            for price in prices {
                let mut value = &fixed * c + &memory * a + &partial * price;
                for &(blocks, alone, contended) in &clusters {
                    let delay = u128::from(contended - alone) * u128::from(c);
                    let paid = (u128::from(a) * u128::from(contended)).min(price);
                    value += BigUint::from(delay.saturating_sub(paid)) * blocks;
                }
                let value = (value + BigUint::from(c) * active - 1u8) / (BigUint::from(c) * active);
                least = Some(least.map_or(value.clone(), |least| least.min(value)));
            }
        }
    }
    let least = least.and_then(|least| u64::try_from(least).ok());
    least.unwrap_or(u64::MAX)
}
