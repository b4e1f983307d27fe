//! Masks for libsmctrl (J. Bakita and J. H. Anderson, *Hardware compute partitioning on NVIDIA GPUs*, RTAS 2023).
//!
//! A set bit *disables* a TPC. A stream mask has 64 bits, or 128 bits if the device has more than 64 TPCs.

use super::content::{Export, unplaced};
use gpusched_model::device::{Device, Granularity, Hardware};
use gpusched_model::error::Error;

/// Compute capabilities that libsmctrl supports, with bits that are TPC numbers (libsmctrl's README, supported GPUs).
const CAPABILITIES: std::ops::Range<(u32, u32)> = (3, 5)..(9, 0);

/// Checks that masks can describe the partitions of `hardware`.
///
/// From compute capability 9.0 on, the bit numbers of a mask are not TPC numbers. The bit numbers count units on the
/// chip, including disabled units (libsmctrl's README, known issues). A device without a compute capability may be of
/// this kind, or it may be no GPU of NVIDIA.
///
/// The TPC numbers of a GPC differ between cards. On published maps of V100 and A100, consecutive TPC numbers belong to
/// different GPCs. So masks of GPCs require a map of the card.
pub(super) fn check(hardware: &Hardware) -> Result<(), Error> {
    let device = &hardware.device;
    let tpcs = tpcs(device);
    let refused = |found: String, expected: &str| Err(Error::parameter("target", found, expected));
    let name = device.name();
    if tpcs > 128 {
        return refused(
            format!("libsmctrl for the {tpcs} TPCs of device {name}"),
            "at most 128 TPCs, because a mask has 128 bits",
        );
    }
    match device.compute_numbers() {
        Some(numbers) if CAPABILITIES.contains(&numbers) => {}
        Some((major, minor)) => {
            return refused(
                format!("libsmctrl for device {name} of compute capability {major}.{minor}"),
                "compute capability 3.5 to 8.x, because from 9.0 on the bits of a mask are not TPC numbers",
            );
        }
        None => {
            return refused(
                format!("libsmctrl for device {name} without `compute_capability`"),
                "the `compute_capability` of an NVIDIA GPU, 3.5 to 8.x, because from 9.0 on the bits of a mask are not TPC \
                 numbers",
            );
        }
    }
    if hardware.granularity == Granularity::Gpc && !device.states_gpc_of_tpc() {
        return refused(
            format!("libsmctrl for GPCs of device {name}, whose TPC numbers are unknown"),
            "granularity tpc, or a device file that states `tpc_masks` or `gpc_of_tpc` as read from your card \
             (libsmctrl_get_gpc_info), because cards number their TPCs differently",
        );
    }
    Ok(())
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
