//! The prediction model of [Masola23], with the equations as printed. `docs/errata.md` lists
//! errors in the printed equations.

pub(super) mod isolation;
mod penalties;
mod variant;
mod windows;

pub use isolation::{bandwidth, kai, latency, saturation, saturation_point, utilization};
pub use penalties::{
    equity, penalties, penalty_access, penalty_bandwidth, penalty_density, penalty_sm, request_density,
};
pub use variant::Variant;
pub use windows::{interference, overlap, penalty};

use self::windows::Kernel;
use super::Model;
use super::error::PredictionError;
use super::isolated::Isolated;
use super::result::Prediction;
use gpusched_model::group::MemoryPlatform;

/// Predicts the execution time of each kernel with Eq. 8. The prediction uses Eq. 4 if the
/// measured time C_k(n) is missing, and Eq. 17 if the measured bandwidth BW(k, n) is missing.
///
/// # Errors
/// Returns a [`PredictionError`] if a kernel has no KAI, or if the result of Eq. 4 is not positive.
pub fn predict(
    alone: &[Isolated],
    platform: &MemoryPlatform,
    variant: Variant,
) -> Result<Prediction, PredictionError> {
    let kernels = alone.iter().enumerate();
    let kernels = kernels.map(|(index, alone)| kernel(index, alone, platform, variant));
    let kernels = kernels.collect::<Result<Vec<Kernel>, _>>()?;
    let model = match variant {
        Variant::Printed => Model::Masola,
        Variant::Repaired => Model::MasolaRepaired,
        Variant::Penalty => Model::MasolaPenalty,
    };
    let windows = windows::windows(&kernels, platform, variant);
    let alone: Vec<_> = kernels
        .iter()
        .map(|kernel| (kernel.time, kernel.bandwidth))
        .collect();
    Ok(Prediction::of(model, &alone, windows))
}

/// Returns the values that Eqs 5 to 16 use for a kernel.
fn kernel(
    index: usize,
    alone: &Isolated,
    platform: &MemoryPlatform,
    variant: Variant,
) -> Result<Kernel, PredictionError> {
    let refuse = |field, found: String, expected| PredictionError {
        kernel: index,
        field,
        found,
        expected,
    };
    let Some(kai) = alone.kai else {
        let expected = "`kai`, or `instructions` and `l2_accesses`, as [Masola23] Eq. 4 requires";
        return Err(refuse("profile", "a profile without `kai`".to_owned(), expected));
    };
    let u = utilization(alone.bandwidth_all, platform.bandwidth.as_f64());
    let s_p = saturation_point(platform.l2_banks, platform.sms);
    let sat = saturation(u, platform.alpha.as_f64(), s_p);
    let predicted = latency(alone.time_all, sat, platform.sms, kai, u, alone.sms);
    if !(predicted.is_finite() && predicted > 0.0) {
        let found = format!("`kai` = {kai} and a bandwidth utilization of {u:.3}");
        let expected = "two values with a product below the number of SMs, as [Masola23] Eq. 4 requires";
        return Err(refuse("profile", found, expected));
    }
    let (measured_time, measured_bandwidth) = alone.measured;
    let time = if measured_time { alone.time } else { predicted };
    let bandwidth = match measured_bandwidth {
        true => alone.bandwidth,
        false => bandwidth(alone.bandwidth_all, alone.sms, platform),
    };
    Ok(Kernel {
        sms: alone.sms,
        time,
        latency: match variant {
            Variant::Printed => predicted,
            Variant::Repaired | Variant::Penalty => time,
        },
        bandwidth,
        l2_accesses: alone.l2_accesses,
    })
}
