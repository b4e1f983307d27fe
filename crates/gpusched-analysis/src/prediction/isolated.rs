//! Execution time and bandwidth of a kernel in isolation: the measured values of its profile, and
//! estimates of missing values.

use super::masola::isolation::kai;
use crate::kernel_wcet::fit::classification::{Class, utilization};
use gpusched_model::group::MemoryPlatform;
use gpusched_model::memory_profile::MeasuredGpu;
use gpusched_model::time::Time;
use gpusched_model::{Factor, MemoryProfile};

/// Number of bytes per L2 access: the size of an L2 cache sector. With this size, the values of
/// [Masola23] Table 2 are consistent.
pub const SECTOR_BYTES: u32 = 32;

/// A kernel in isolation on a given number of SMs. If the profile has no measured value for this
/// number of SMs, gpusched estimates the value.
///
/// gpusched interpolates the bandwidth linearly between measured points. On 0 SMs, the bandwidth is 0. Above the
/// largest measured number of SMs, the bandwidth increases in proportion to the number of SMs, up to the largest
/// bandwidth of the memory. An estimated time assumes that the number of transferred bytes does not depend on the
/// number of SMs.
#[derive(Clone, PartialEq, Debug)]
pub struct Isolated {
    /// Name of the kernel.
    pub name: String,
    /// n: number of SMs of the kernel.
    pub sms: u32,
    /// C(n): execution time on n SMs [ns].
    pub time: f64,
    /// BW(n): bandwidth on n SMs [GB/s].
    pub bandwidth: f64,
    /// C(N): execution time on all N SMs of the platform [ns].
    pub time_all: f64,
    /// BW(N): bandwidth on all N SMs of the platform [GB/s].
    pub bandwidth_all: f64,
    /// Whether C(n) was measured, and whether BW(n) was measured.
    pub measured: (bool, bool),
    /// Class of the kernel (compute, hybrid or memory) on the GPU that the profile states, or on
    /// the platform if the profile states no GPU. `None` if the profile has no bandwidth on all SMs of this GPU.
    pub class: Option<Class>,
    /// Arithmetic intensity KAI of the kernel (Eq. 3).
    pub kai: Option<f64>,
    /// Number of L2 accesses. If this number was not measured, gpusched uses C(n)·BW(n) divided by the sector size of
    /// 32 bytes.
    pub l2_accesses: f64,
}

impl Isolated {
    /// Creates the kernel with profile `profile` on `sms` SMs of `platform`.
    pub fn new(name: Option<&str>, sms: u32, profile: &MemoryProfile, platform: &MemoryPlatform) -> Isolated {
        let limit = platform.effective_bandwidth.as_f64();
        let all = platform.sms;
        let (time, bandwidth) = (time(profile, sms, limit), bandwidth(profile, sms, limit));
        let measured = |sms| (profile.time(sms).is_some(), profile.bandwidth(sms).is_some());
        let bandwidth_all = self::bandwidth(profile, all, limit);
        // If the profile states its GPU, the class does not depend on the platform.
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
                (None, Some((instructions, accesses))) => Some(kai(instructions as f64, accesses as f64)),
                (None, None) => None,
            },
            l2_accesses: match profile.l2_accesses() {
                Some(accesses) => accesses as f64,
                None => time * bandwidth / f64::from(SECTOR_BYTES),
            },
        }
    }
}

/// Returns BW(n) [GB/s]. Beyond the last measured point, BW(n) is at most `limit`, or the
/// bandwidth of the last point if this is larger.
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

/// Returns C(n) [ns].
fn time(profile: &MemoryProfile, sms: u32, limit: f64) -> f64 {
    let known = || {
        let points = profile.points().iter();
        points.filter_map(|point| Some((point.sms, point.time.map(Time::ns)? as f64)))
    };
    // Take the measured time on the next larger number of SMs. If no larger number has a measured
    // time, take the time on the largest number of SMs. A profile has at least one measured time.
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
