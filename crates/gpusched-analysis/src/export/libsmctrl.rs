//! Masks for libsmctrl (J. Bakita and J. H. Anderson, *Hardware compute partitioning on NVIDIA GPUs*, RTAS 2023).
//!
//! A set bit *disables* a TPC. A stream mask has 64 bits, or 128 bits if the device has more than 64 TPCs.

use super::content::{Export, unplaced};
use gpusched_model::Device;
use gpusched_model::error::Error;

/// Checks that masks can describe the partitions of `device`.
///
/// From compute capability 9.0 on, the bit numbers of a mask are not TPC numbers. The bit numbers count units on the
/// chip, including disabled units (libsmctrl's README, known issues).
pub(super) fn check(device: &Device) -> Result<(), Error> {
    let tpcs = tpcs(device);
    if tpcs > 128 {
        return Err(Error::parameter(
            "target",
            format!("libsmctrl for the {tpcs} TPCs of device {}", device.name()),
            "at most 128 TPCs, because a mask has 128 bits",
        ));
    }
    match device.compute_major() {
        Some(major) if major >= 9 => Err(Error::parameter(
            "target",
            format!(
                "libsmctrl for device {} of compute capability {major}.x",
                device.name()
            ),
            "compute capability 8.x or lower, because from 9.0 on the bits of a mask are not TPC numbers",
        )),
        _ => Ok(()),
    }
}

/// Returns the number of TPCs. The number is known, because the granularity is TPCs or GPCs.
fn tpcs(device: &Device) -> u32 {
    device.tpcs().unwrap_or(0)
}

/// Returns a C header with one mask per partition.
pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    let device = out.device();
    let wide = tpcs(device) > 64;
    let (call, kind) = match wide {
        true => (
            "libsmctrl_set_stream_mask_ext(stream, (unsigned __int128)gpusched_tpc_mask[i][1] << 64 | gpusched_tpc_mask[i][0])",
            "two 64-bit words, {low, high}",
        ),
        false => (
            "libsmctrl_set_stream_mask(stream, gpusched_tpc_mask[i])",
            "64 bits",
        ),
    };
    let mut text = format!(
        "// TPC masks for libsmctrl on device {} ({} TPCs with {} SMs each). A mask has {kind}. A set bit disables a TPC.\n\
         // To run the kernels of partition i in a stream, call {call}.\n\
         {}#include <stdint.h>\n\
         static const uint64_t gpusched_tpc_mask[{}]{} = {{\n",
        device.name(),
        tpcs(device),
        device.sms_per_tpc().unwrap_or(0),
        out.assumptions("//"),
        out.plan.partitions.len(),
        if wide { "[2]" } else { "" },
    );
    for (index, partition) in out.partitions() {
        let tpcs = out.tpcs(partition).ok_or_else(|| unplaced(index))?;
        let mut mask = u128::MAX;
        for tpc in tpcs {
            mask &= !(1u128.checked_shl(tpc).unwrap_or(0));
        }
        let (low, high) = (mask & u128::from(u64::MAX), mask >> 64);
        text += &format!("    // {}\n", out.comment(index, partition));
        text += &match wide {
            true => format!("    {{UINT64_C({low:#018x}), UINT64_C({high:#018x})}},\n"),
            false => format!("    UINT64_C({low:#018x}),\n"),
        };
    }
    text += "};\n";
    Ok(text)
}
