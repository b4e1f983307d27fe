//! A kernel in isolation on its SMs: measurements of its profile, and estimates where the profile has no measurement.

use crate::kernel_wcet::fit::classification::{Class, utilization};
use gpusched_model::group::MemoryPlatform;
use gpusched_model::memory_profile::MeasuredGpu;
use gpusched_model::time::Time;
use gpusched_model::{Factor, MemoryProfile};

/// Bytes per L2 access, a sector. With this size, [Masola23] Table 2 is consistent.
pub const SECTOR_BYTES: u32 = 32;

/// A kernel in isolation. gpusched estimates what was not measured on its number of SMs.
///
/// Bandwidth is interpolated linearly between measured points, from 0 on no SM. Beyond the last point it grows in proportion to the
/// SMs, up to the bandwidth that memory gives. Times follow from a constant number of transferred bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Isolated {
    /// Name of the kernel.
    pub name: String,
    /// n, its number of SMs.
    pub sms: u32,
    /// C(n) [ns].
    pub time: f64,
    /// BW(n) [GB/s].
    pub bandwidth: f64,
    /// C(N), on all SMs [ns].
    pub time_all: f64,
    /// BW(N), on all SMs [GB/s].
    pub bandwidth_all: f64,
    /// Whether C(n) and BW(n) were measured.
    pub measured: (bool, bool),
    /// Class on the GPU of its profile, or by default on the platform. `None` unless BW(N) was measured.
    pub class: Option<Class>,
    /// KAI (Eq. 3).
    pub kai: Option<f64>,
    /// L2 accesses: measured, or C(n)·BW(n) in sectors of 32 bytes.
    pub l2_accesses: f64,
}

impl Isolated {
    /// Creates the kernel with `profile` on `sms` SMs of `platform`.
    pub fn new(name: Option<&str>, sms: u32, profile: &MemoryProfile, platform: &MemoryPlatform) -> Isolated {
        let limit = platform.effective_bandwidth.as_f64();
        let all = platform.sms;
        let (time, bandwidth) = (time(profile, sms, limit), bandwidth(profile, sms, limit));
        let measured = |sms| (profile.time(sms).is_some(), profile.bandwidth(sms).is_some());
        let bandwidth_all = self::bandwidth(profile, all, limit);
        // If the file states its GPU, the class does not depend on the platform.
        let gpu = profile.gpu().unwrap_or(MeasuredGpu {
            sms: all,
            bandwidth: platform.bandwidth,
        });
        let counted = profile.instructions().zip(profile.l2_accesses());
        Isolated {
            name: name.unwrap_or(profile.name()).to_owned(),
            sms,
            time,
            bandwidth,
            time_all: self::time(profile, all, limit),
            bandwidth_all,
            measured: measured(sms),
            class: profile
                .bandwidth(gpu.sms)
                .map(|on_all| Class::of(utilization(on_all, gpu))),
            kai: match (profile.kai(), counted) {
                (Some(kai), _) => Some(kai.as_f64()),
                (None, Some((instructions, accesses))) => {
                    Some(super::masola::kai(instructions as f64, accesses as f64))
                }
                (None, None) => None,
            },
            l2_accesses: match profile.l2_accesses() {
                Some(accesses) => accesses as f64,
                None => time * bandwidth / f64::from(SECTOR_BYTES),
            },
        }
    }
}

/// BW(n) [GB/s], at most `limit` beyond the last measured point.
fn bandwidth(profile: &MemoryProfile, sms: u32, limit: f64) -> f64 {
    let known = profile
        .points()
        .iter()
        .filter_map(|point| Some((f64::from(point.sms), point.bandwidth.map(Factor::as_f64)?)));
    let n = f64::from(sms);
    let (mut x, mut y) = (0.0, 0.0);
    for (next_x, next_y) in known {
        if n == next_x {
            return next_y;
        }
        if n < next_x {
            return y + (next_y - y) * (n - x) / (next_x - x);
        }
        (x, y) = (next_x, next_y);
    }
    // At least one bandwidth is known, so x is positive.
    (y * n / x).min(limit.max(y))
}

/// C(n) [ns].
fn time(profile: &MemoryProfile, sms: u32, limit: f64) -> f64 {
    let known = || {
        let points = profile.points().iter();
        points.filter_map(|point| Some((point.sms, point.time.map(Time::ns)? as f64)))
    };
    // The next larger number of SMs with a measured time, or else the largest. At least one time is known.
    let Some((m, time)) = known().find(|&(m, _)| m >= sms).or(known().next_back()) else {
        return 0.0;
    };
    if m == sms {
        return time;
    }
    let (there, here) = (bandwidth(profile, m, limit), bandwidth(profile, sms, limit));
    match there > 0.0 && here > 0.0 {
        true => time * there / here,
        false => time * f64::from(m) / f64::from(sms),
    }
}
