//! Properties of a kernel in isolation: Eqs 1 to 4 and Eq. 17 of [Masola23].

use gpusched_model::group::MemoryPlatform;

/// Eq. 1: bandwidth utilization U_bw(k) = BW_isolated(k, N) / BW_max, with both bandwidths in
/// GB/s.
pub fn utilization(bandwidth_all: f64, bandwidth_max: f64) -> f64 {
    bandwidth_all / bandwidth_max
}

/// Saturation point S_p = L2 banks / N (§6), for example 24/30 on the RTX 2060.
pub fn saturation_point(l2_banks: u32, sms: u32) -> f64 {
    f64::from(l2_banks) / f64::from(sms)
}

/// Eq. 2: saturation Sat(U) = 1 / (1 + e^(−α·(U − S_p))).
pub fn saturation(u: f64, alpha: f64, s_p: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-alpha * (u - s_p)))
}

/// Eq. 3: arithmetic intensity KAI = (executed instructions) / (L2 accesses) / 1000.
pub fn kai(instructions: f64, l2_accesses: f64) -> f64 {
    instructions / l2_accesses / 1000.0
}

/// Eq. 4: execution time T_c(k, n) = C_k(N) / ((Sat + 1)·(N − KAI·U)) · N²/n, in the unit of
/// C_k(N).
pub fn latency(time_all: f64, sat: f64, all: u32, kai: f64, u: f64, sms: u32) -> f64 {
    let (all, sms) = (f64::from(all), f64::from(sms));
    time_all / ((sat + 1.0) * (all - kai * u)) * (all * all / sms)
}

/// Eq. 17: bandwidth BW(k, n) of kernel k on n SMs, computed from BW_isolated(k, N) [GB/s].
///
/// If BW_isolated(k, N) is below the threshold BW_max·S_p, BW(k, n) is proportional to n. At or above the threshold,
/// BW(k, n) is EM_BW·(1 − e^(−n / max(1, N − banks))).
pub fn bandwidth(bandwidth_all: f64, sms: u32, platform: &MemoryPlatform) -> f64 {
    let (all, n) = (f64::from(platform.sms), f64::from(sms));
    let threshold = platform.bandwidth.as_f64() * f64::from(platform.l2_banks) / all;
    if bandwidth_all < threshold {
        return bandwidth_all / all * n;
    }
    let missing_banks = f64::from(platform.sms.saturating_sub(platform.l2_banks).max(1));
    platform.effective_bandwidth.as_f64() * (1.0 - libm::exp(-n / missing_banks))
}
