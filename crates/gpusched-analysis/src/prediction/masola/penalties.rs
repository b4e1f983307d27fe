//! Penalties of a kernel in a window whose total bandwidth demand is at least EM_BW: Eqs 9 to 16
//! of [Masola23].

/// Eq. 10: Penalty_SM = N/n / size(K(w)), where K(w) is the set of kernels in the window w.
pub fn penalty_sm(all: u32, sms: u32, present: usize) -> f64 {
    f64::from(all) / f64::from(sms) / present as f64
}

/// Eqs 11 and 13: Penalty_access = L2Accesses(k, w) / Σ L2Accesses(l, w) · P_overlap.
pub fn penalty_access(accesses: f64, accesses_of_all: f64, overlap: f64) -> f64 {
    match accesses_of_all > 0.0 {
        true => accesses / accesses_of_all * overlap,
        false => 0.0,
    }
}

/// Eq. 14: Equity_BW = BW_max / size(K(w)) [GB/s].
pub fn equity(bandwidth_max: f64, present: usize) -> f64 {
    bandwidth_max / present as f64
}

/// Eq. 12: Penalty_BW = BW_isolated(k, n) / Equity_BW(w).
pub fn penalty_bandwidth(bandwidth: f64, equity: f64) -> f64 {
    bandwidth / equity
}

/// Eq. 16b: request density DR = L2Access(k, w) / T_c(k, n) [per ns].
pub fn request_density(accesses: f64, latency: f64) -> f64 {
    accesses / latency
}

/// Eq. 16a: Penalty_MPD = DR(k, n, w) / MDA(w). MDA(w) is the largest request density in the
/// window (Eq. 16c).
pub fn penalty_density(density: f64, largest: f64) -> f64 {
    match largest > 0.0 {
        true => density / largest,
        false => 1.0,
    }
}

/// Eq. 15: the penalties, which depend on the product of Eq. 9.
///
/// gpusched assumes that the printed "Penalties_BW" means Penalty_BW. For the `elected` kernel,
/// the function uses the case of Eq. 15 for products below 1.
pub fn penalties(product: f64, elected: bool, bandwidth: f64, interference: f64, density: f64) -> f64 {
    if elected || product < 1.0 {
        bandwidth.min(interference)
    } else if product >= 2.0 {
        density
    } else {
        product
    }
}
