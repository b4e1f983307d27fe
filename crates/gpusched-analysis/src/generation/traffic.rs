//! Memory traffic of generated kernels.

use gpusched_model::Kind;
use gpusched_model::time::Time;
use gpusched_model::traffic::{Bandwidth, Bytes, Peak, PeakError};
use gpusched_model::wcet::MAX_SMS;

/// B, the bandwidth of the memory for which traffic is generated: 100 GB/s. All rates are fractions of B.
pub const DRAWN_BANDWIDTH: u64 = 100_000_000_000;

/// Largest valid value of `saturation`, the number of SMs on which a memory-intensive kernel
/// saturates the memory.
pub const MAX_SATURATION: u32 = 1000;

/// Returns two percentages for kernels of `kind`, where r is B/`saturation`. The first percentage is the transfer time
/// of a job's bytes at the rate r, relative to the work a. The second percentage is the peak bandwidth of the kernel on
/// one SM, relative to r.
const fn appetite(kind: Kind) -> (u64, u64) {
    match kind {
        Kind::Memory => (60, 100),
        Kind::Compute => (5, 25),
    }
}

/// Returns the bytes per job and the peak bandwidth of a kernel of `kind` with the work `work`.
/// Memory-intensive kernels saturate the memory on `saturation` SMs. Returns `None` if
/// `saturation` is out of range.
pub(super) fn traffic(kind: Kind, work: Time, saturation: u32) -> Option<(Bytes, Result<Peak, PeakError>)> {
    let (busy, peak) = appetite(kind);
    let per_sm = DRAWN_BANDWIDTH.checked_div(saturation.into())?;
    let bytes = u128::from(work.ns()) * u128::from(per_sm) * u128::from(busy) / 100 / 1_000_000_000;
    let bytes = Bytes::new(u64::try_from(bytes).ok()?.max(1))?;
    // The peak bandwidth increases with the number of SMs, up to B.
    let full = u64::from(saturation) * 100 / peak;
    let rising = (1..=full).map(|sms| (sms, per_sm * sms * peak / 100));
    let points = rising.take_while(|&(sms, rate)| sms < MAX_SMS.into() && rate < DRAWN_BANDWIDTH);
    let points = points.chain([(MAX_SMS.into(), DRAWN_BANDWIDTH)]);
    let points = points.map(|(sms, rate)| Some((u32::try_from(sms).ok()?, Bandwidth::new(rate.max(1))?)));
    Some((bytes, Peak::curve(points.collect::<Option<Vec<_>>>()?)))
}
