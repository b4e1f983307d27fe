//! Time windows, and the contribution of each window to the predicted times: Eqs 5 to 8 of
//! [Masola23].
//!
//! §7.1 of the paper assumes that all kernels start at time 0, and that each kernel runs for its
//! isolated execution time. In addition, gpusched assumes that the L2 accesses of a kernel are evenly distributed over
//! its execution time. This assumption determines L2Accesses(k, w).

use super::isolation::saturation_point;
use super::penalties::{
    equity, penalties, penalty_access, penalty_bandwidth, penalty_density, penalty_sm, request_density,
};
use super::variant::Variant;
use crate::prediction::{Part, Window};
use gpusched_model::group::MemoryPlatform;

/// Values that the equations of the windows use for a kernel.
pub(super) struct Kernel {
    pub sms: u32,
    /// C_k(n): isolated execution time [ns].
    pub time: f64,
    /// T_c(k, n): execution time that Eq. 8 uses [ns].
    pub latency: f64,
    /// BW_isolated(k, n): isolated bandwidth [GB/s].
    pub bandwidth: f64,
    pub l2_accesses: f64,
}

/// Eq. 5: overlap P_overlap(k, n, w) = size(w) / C_k(n).
pub fn overlap(size: f64, time: f64) -> f64 {
    size / time
}

/// Eq. 6: penalty Π(k, n, w). The penalty is 1 if the bandwidth demand in the window is below EM_BW
/// [GB/s].
pub fn penalty(demand: f64, effective_bandwidth: f64, penalties: f64) -> f64 {
    match demand < effective_bandwidth {
        true => 1.0,
        false => penalties,
    }
}

/// Eq. 7: interference I(w) = max(1, Σ BW_isolated(l, n) / (BW_max·S_p)).
pub fn interference(demand: f64, bandwidth_max: f64, s_p: f64) -> f64 {
    f64::max(1.0, demand / (bandwidth_max * s_p))
}

/// Returns all time windows, each with the summand of Eq. 8 for each of its kernels.
pub(super) fn windows(kernels: &[Kernel], platform: &MemoryPlatform, variant: Variant) -> Vec<Window> {
    let mut ends: Vec<f64> = kernels.iter().map(|kernel| kernel.time).collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let mut start = 0.0;
    let mut windows = Vec::new();
    for end in ends {
        windows.push(window(kernels, platform, variant, start, end));
        start = end;
    }
    windows
}

/// Returns the window from `start` to `end`.
fn window(kernels: &[Kernel], platform: &MemoryPlatform, variant: Variant, start: f64, end: f64) -> Window {
    let present: Vec<(usize, &Kernel)> = kernels
        .iter()
        .enumerate()
        .filter(|(_, kernel)| kernel.time >= end)
        .collect();
    let size = end - start;
    let (bandwidth_max, effective) = (platform.bandwidth.as_f64(), platform.effective_bandwidth.as_f64());
    let demand: f64 = present.iter().map(|(_, kernel)| kernel.bandwidth).sum();
    let interference = interference(
        demand,
        bandwidth_max,
        saturation_point(platform.l2_banks, platform.sms),
    );
    let accesses = |kernel: &Kernel| kernel.l2_accesses * overlap(size, kernel.time);
    let accesses_of_all: f64 = present.iter().map(|(_, kernel)| accesses(kernel)).sum();
    let density = |kernel: &Kernel| request_density(accesses(kernel), kernel.latency);
    let largest = present
        .iter()
        .map(|(_, kernel)| density(kernel))
        .fold(0.0, f64::max);
    // The elected kernel has the largest bandwidth demand. If several kernels have this demand,
    // the function elects the first of these kernels.
    let elected = present
        .iter()
        .rev()
        .max_by(|(_, a), (_, b)| a.bandwidth.total_cmp(&b.bandwidth));
    let elected = elected.map(|&(index, _)| index);
    let part = |&(index, kernel): &(usize, &Kernel)| {
        let overlap = overlap(size, kernel.time);
        let bandwidth = penalty_bandwidth(kernel.bandwidth, equity(bandwidth_max, present.len()));
        // Eq. 9
        let product = penalty_sm(platform.sms, kernel.sms, present.len())
            * penalty_access(accesses(kernel), accesses_of_all, overlap)
            * bandwidth;
        let density = penalty_density(density(kernel), largest);
        let penalties = penalties(product, elected == Some(index), bandwidth, interference, density);
        let penalties = match variant {
            Variant::Printed => penalties,
            Variant::Repaired | Variant::Penalty => penalties.max(1.0),
        };
        let penalty = penalty(demand, effective, penalties);
        let shared = match variant {
            Variant::Printed | Variant::Repaired => interference,
            Variant::Penalty => 1.0,
        };
        // One summand of Eq. 8.
        let time = kernel.latency * overlap * shared * penalty;
        Part {
            kernel: index,
            progress: overlap,
            share: None,
            penalty: Some(penalty),
            factor: time / size,
            time,
        }
    };
    Window {
        start,
        end,
        demand,
        interference: Some(interference),
        parts: present.iter().map(part).collect(),
    }
}
