//! A kernel alone on its SMs: what its profile says, and what is filled in where it says nothing.

use crate::kernel_wcet::fit::classification::{Class, utilization};
use gpusched_model::group::MemoryPlatform;
use gpusched_model::memory_profile::MeasuredGpu;
use gpusched_model::time::Time;
use gpusched_model::{Factor, MemoryProfile};

/// Bytes of an access of L2, a sector: with it [Masola23] Table 2 agrees with itself.
pub const SECTOR_BYTES: u32 = 32;

/// A kernel alone. What was not measured on the number of SMs in question is filled in: bandwidth lies on straight lines
/// between measured points (none on no SM), and grows in proportion beyond the last one, up to what memory gives; time is
/// such that the bytes transferred stay the same.
#[derive(Clone, PartialEq, Debug)]
pub struct Isolated {
    /// Its name.
    pub name: String,
    /// n, its SMs.
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
    /// Its class on the GPU of its profile, by default the platform; unknown unless BW(N) was measured.
    pub class: Option<Class>,
    /// KAI (Eq. 3).
    pub kai: Option<f64>,
    /// Accesses of L2: as measured, or C(n)·BW(n) in sectors of 32 bytes.
    pub l2_accesses: f64,
}

impl Isolated {
    /// The kernel with `profile` on `sms` SMs of `platform`.
    pub fn new(name: Option<&str>, sms: u32, profile: &MemoryProfile, platform: &MemoryPlatform) -> Isolated {
        let limit = platform.effective_bandwidth.as_f64();
        let all = platform.sms;
        let (time, bandwidth) = (time(profile, sms, limit), bandwidth(profile, sms, limit));
        let measured = |sms| (profile.time(sms).is_some(), profile.bandwidth(sms).is_some());
        let bandwidth_all = self::bandwidth(profile, all, limit);
        // A file that names its GPU has one class, whatever the platform.
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

/// BW(n) [GB/s], at most `limit` where it is beyond what was measured.
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
    // The next larger number of SMs with a time, else the largest: at least one is known.
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
