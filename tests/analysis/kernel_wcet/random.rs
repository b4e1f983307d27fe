//! Random kernels that include all special cases.

use gpusched::kernel_wcet::Exposure;
use gpusched::model::{Cluster, Kernel};
use gpusched::time::Time;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Returns a number from 1 to 2^`bits`; small numbers are as likely as large numbers.
pub fn magnitude(rng: &mut impl Rng, bits: u32) -> u64 {
    let bits = rng.random_range(0..=bits);
    rng.random_range(1..=1u64 << bits)
}

/// Returns a kernel with one to eight clusters of one to 2^`bits` blocks that take one to 2^`bits` ns. In a quarter of
/// the kernels, times are small integers, so ties are frequent. Some clusters have no interference delay.
pub fn kernel(rng: &mut impl Rng, bits: u32) -> Kernel {
    let small = rng.random_bool(0.25);
    let bits = if small { 3 } else { bits };
    let clusters = (0..rng.random_range(1..=8))
        .map(|_| {
            let alone = magnitude(rng, bits);
            let delay = match rng.random_range(0..8) {
                0 => 0,
                1 => magnitude(rng, bits),
                _ => rng.random_range(0..=2 * alone),
            };
            let times = [alone, alone + delay].map(Time::from_ns);
            Cluster::new(magnitude(rng, bits), times[0], times[1]).unwrap()
        })
        .collect();
    let active = magnitude(rng, 7) as u32;
    let period = magnitude(rng, 2 * bits);
    Kernel::new(active, Time::from_ns(period), clusters).unwrap()
}

/// Returns Σ Nᵢeᵢ¹.
pub fn work(kernel: &Kernel) -> u64 {
    let clusters = kernel.clusters().iter();
    clusters
        .map(|cluster| cluster.blocks() * cluster.contended().ns())
        .sum()
}

/// Returns right-hand sides for Eqs 9 and 10: zero, exactly sufficient, or more than sufficient.
pub fn exposure(rng: &mut impl Rng, kernel: &Kernel) -> Exposure {
    let mut amount = |all: u64| match rng.random_range(0..6) {
        0 => 0,
        1 => all,
        2 => all + magnitude(rng, 20),
        _ => rng.random_range(0..=all),
    };
    Exposure {
        memory_ns: amount(work(kernel)),
        partial_blocks: amount(kernel.blocks()),
    }
}
