//! Masks for libsmctrl (J. Bakita and J. H. Anderson, *Hardware compute partitioning on NVIDIA GPUs*, RTAS 2023).
//!
//! A set bit *disables* a TPC. A stream mask has 64 bits, or 128 bits if the device has more than 64 TPCs.

use super::content::{Export, unplaced};
use gpusched_model::device::{Device, Granularity, Hardware, Place};
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
/// different GPCs. So masks of GPCs require a map of the card. A program reads it with `libsmctrl_get_gpc_info`, which returns masks
/// of 64 bits.
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
    if reads_card(hardware) && tpcs > 64 {
        return refused(
            format!("libsmctrl for GPCs of device {name} with {tpcs} TPCs, whose TPC numbers are unknown"),
            "granularity tpc, or a device file that states `tpc_masks` or `gpc_of_tpc` as read from your card, because \
             libsmctrl_get_gpc_info returns masks of 64 bits",
        );
    }
    Ok(())
}

/// Whether a program must read the TPC numbers of the GPCs from its card.
fn reads_card(hardware: &Hardware) -> bool {
    hardware.granularity == Granularity::Gpc && !hardware.device.states_gpc_of_tpc()
}

/// Returns the number of TPCs. The number is known, because the granularity is TPCs or GPCs.
fn tpcs(device: &Device) -> u32 {
    device.tpcs().unwrap_or(0)
}

/// Returns a C header with one mask per partition.
pub(super) fn export(out: &Export<'_>) -> Result<String, Error> {
    if reads_card(out.hardware) {
        return read_at_run_time(out);
    }
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

/// Returns a C header with a function that reads the masks of the GPCs from the card. It gives each GPC of the plan a GPC of the card
/// with equally many TPCs. Until it succeeds, the masks disable all TPCs.
fn read_at_run_time(out: &Export<'_>) -> Result<String, Error> {
    let device = out.device();
    let sizes = device.tpcs_per_gpc();
    let mut owners = vec![None; sizes.len()];
    let mut comments = String::new();
    for (index, partition) in out.partitions() {
        let Some(Place::Gpcs(gpcs)) = &partition.place else {
            return Err(unplaced(index));
        };
        for &gpc in gpcs {
            let owner = usize::try_from(gpc).ok().and_then(|gpc| owners.get_mut(gpc));
            *owner.ok_or_else(|| unplaced(index))? = Some(index);
        }
        comments += &format!("// {}\n", out.comment(index, partition));
    }
    let list = |values: Vec<String>| values.join(", ");
    let partitions = out.plan.partitions.len();
    Ok(format!(
        "// TPC masks for libsmctrl on device {} ({} TPCs with {} SMs each). A mask has 64 bits. A set bit disables a TPC.\n\
         // Cards number their TPCs differently, so call gpusched_read_masks(device) first. It reads the GPCs of the card through the\n\
         // kernel module nvdebug, for which `device` is the number of the GPU. It returns 0, an error of libsmctrl_get_gpc_info, or\n\
         // ENODEV if the GPCs of the card have other sizes than the plan. After an error, the masks disable all TPCs.\n\
         // To run the kernels of partition i in a stream, call libsmctrl_set_stream_mask(stream, gpusched_tpc_mask[i]).\n\
         {}{comments}\
         #include <errno.h>\n\
         #include <stdint.h>\n\
         #include \"libsmctrl.h\"\n\
         enum {{ GPUSCHED_PARTITIONS = {partitions}, GPUSCHED_GPCS = {} }};\n\
         static uint64_t gpusched_tpc_mask[GPUSCHED_PARTITIONS] = {{{}}};\n\
         // TPCs of each GPC of the plan, and its partition; -1: none\n\
         static const int gpusched_gpc_tpcs[GPUSCHED_GPCS] = {{{}}};\n\
         static const int gpusched_gpc_partition[GPUSCHED_GPCS] = {{{}}};\n\
         {READ_MASKS}",
        device.name(),
        tpcs(device),
        device.sms_per_tpc().unwrap_or(0),
        out.assumptions("//"),
        sizes.len(),
        list(vec!["UINT64_MAX".to_owned(); partitions]),
        list(sizes.iter().map(u32::to_string).collect()),
        list(
            { owners.iter() }
                .map(|owner| owner.map_or("-1".to_owned(), |index| index.to_string()))
                .collect()
        ),
    ))
}

const READ_MASKS: &str = r#"static inline int gpusched_read_masks(int device) {
    uint32_t count = 0;
    uint64_t *of_gpc = 0;
    const int error = libsmctrl_get_gpc_info(&count, &of_gpc, device);
    if (error) return error;
    if (count != GPUSCHED_GPCS || !of_gpc) return ENODEV;
    uint64_t masks[GPUSCHED_PARTITIONS], all = 0;
    int taken[GPUSCHED_GPCS] = {0};
    for (int i = 0; i < GPUSCHED_PARTITIONS; i++) masks[i] = UINT64_MAX;
    for (int gpc = 0; gpc < GPUSCHED_GPCS; gpc++) {
        int card = 0;
        while (card < GPUSCHED_GPCS && (taken[card] || __builtin_popcountll(of_gpc[card]) != gpusched_gpc_tpcs[gpc])) card++;
        if (card == GPUSCHED_GPCS || (all & of_gpc[card])) return ENODEV;
        taken[card] = 1;
        all |= of_gpc[card];
        const int partition = gpusched_gpc_partition[gpc];
        if (partition >= 0) masks[partition] &= ~of_gpc[card];
    }
    for (int i = 0; i < GPUSCHED_PARTITIONS; i++) gpusched_tpc_mask[i] = masks[i];
    return 0;
}
"#;
