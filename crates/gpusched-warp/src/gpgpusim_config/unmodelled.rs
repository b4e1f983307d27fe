//! What the reference simulates and we do not.

use super::settings::Settings;
use gpusched_model::error::Result;

/// An option that changes what the reference simulates, and has no effect on a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmodelled {
    /// The option.
    pub option: String,
    /// Its value.
    pub value: String,
    /// What is simulated instead.
    pub instead: &'static str,
}

/// Options, the reference's default, the value that is what we simulate, and what that is.
const OPTIONS: [(&str, &str, &str, &str); 13] = [
    ("-network_mode", "1", "2", "the local crossbar"),
    ("-gpgpu_cache:dl2_texture_only", "1", "0", "an L2 for all data"),
    ("-l2_ideal", "0", "0", "an L2 that misses"),
    ("-gpgpu_perfect_mem", "0", "0", "a memory that takes its time"),
    ("-gpgpu_simple_dram_model", "0", "0", "banks and rows"),
    (
        "-gpgpu_simt_core_sim_order",
        "1",
        "1",
        "the SMs of a cluster in turn",
    ),
    (
        "-gpgpu_simd_model",
        "1",
        "1",
        "lanes that meet again at the post-dominator",
    ),
    ("-gpgpu_cdp_enabled", "0", "0", "no kernels launched by kernels"),
    (
        "-gpgpu_ignore_resources_limitation",
        "0",
        "0",
        "no kernel that does not fit on an SM",
    ),
    (
        "-gpgpu_cache:dl1PrefL1",
        "none",
        "none",
        "the one L1 configuration",
    ),
    (
        "-gpgpu_cache:dl1PrefShared",
        "none",
        "none",
        "the one L1 configuration",
    ),
    ("-gpgpu_max_cycle", "0", "0", "all cycles"),
    ("-gpgpu_max_insn", "0", "0", "all instructions"),
];

/// Specialized units, which a machine has if the value begins with 1.
const UNITS: [&str; 8] = [
    "-specialized_unit_1",
    "-specialized_unit_2",
    "-specialized_unit_3",
    "-specialized_unit_4",
    "-specialized_unit_5",
    "-specialized_unit_6",
    "-specialized_unit_7",
    "-specialized_unit_8",
];

pub(super) fn unmodelled(settings: &mut Settings) -> Result<Vec<Unmodelled>> {
    let mut found = Vec::new();
    let mut note = |option: &str, value: String, instead| {
        found.push(Unmodelled {
            option: option.to_owned(),
            value,
            instead,
        });
    };
    for (option, default, ours, instead) in OPTIONS {
        let value = settings
            .optional(option)?
            .map_or(default.to_owned(), |value| value.text);
        if value != ours {
            note(option, value, instead);
        }
    }
    for option in UNITS {
        if let Some(value) = settings.optional(option)?
            && !value.text.starts_with("0,")
        {
            note(option, value.text, "the units of the SM");
        }
    }
    Ok(found)
}
