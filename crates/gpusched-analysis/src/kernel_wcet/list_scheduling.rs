//! Bounds on the execution time of a kernel under list scheduling: whenever a block ends, the GPU
//! starts the next block ([Aghilinasab20] Eqs 2–4).

use gpusched_model::time::Time;
use gpusched_model::{Cluster, Kernel};

/// Returns (Σ Nᵢvᵢ − v_max)/M + v_max, rounded up ([Aghilinasab20] Eq. 2). Each block of cluster
/// i takes at most vᵢ = `time`. The result bounds the execution time for every order of the
/// blocks.
fn bound(kernel: &Kernel, time: fn(&Cluster) -> Time) -> Time {
    let clusters = kernel.clusters().iter();
    let work: u128 = clusters
        .clone()
        .map(|cluster| u128::from(cluster.blocks()) * u128::from(time(cluster).ns()))
        .sum();
    let longest = u128::from(clusters.map(time).max().unwrap_or(Time::ZERO).ns());
    let ns = (work - longest).div_ceil(u128::from(kernel.active_blocks())) + longest;
    Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX)) // at most the total work, which is a valid time
}

/// Returns G(0), the WCET in isolation ([Aghilinasab20] Eq. 3).
pub fn isolated(kernel: &Kernel) -> Time {
    bound(kernel, Cluster::isolated)
}

/// Returns G(1), the WCET under full interference on every block ([Aghilinasab20] Eq. 4).
pub fn contended(kernel: &Kernel) -> Time {
    bound(kernel, Cluster::contended)
}
