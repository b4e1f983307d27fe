//! Options whose effect GPGPU-Sim simulates but gpusched does not.

use super::settings::Settings;
use gpusched_model::error::Result;

/// Option that changes the simulation of GPGPU-Sim but has no effect on a machine of gpusched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmodelled {
    /// Name of the option.
    pub option: String,
    /// Value of the option in the files.
    pub value: String,
    /// Behavior that gpusched simulates instead.
    pub instead: &'static str,
}

/// Each row contains the option, its default in GPGPU-Sim, the value for which GPGPU-Sim behaves like gpusched, and the
/// behavior of gpusched.
const OPTIONS: [(&str, &str, &str, &str); 13] = [
    ("-network_mode", "1", "2", "the local crossbar"),
    (
        "-gpgpu_cache:dl2_texture_only",
        "1",
        "0",
        "an L2 cache for all data",
    ),
    ("-l2_ideal", "0", "0", "an L2 cache with misses"),
    ("-gpgpu_perfect_mem", "0", "0", "a memory with latency"),
    (
        "-gpgpu_simple_dram_model",
        "0",
        "0",
        "the banks and rows of the DRAM",
    ),
    (
        "-gpgpu_simt_core_sim_order",
        "1",
        "1",
        "an order of the SMs of a cluster that rotates in each cycle",
    ),
    (
        "-gpgpu_simd_model",
        "1",
        "1",
        "reconvergence of threads at the post-dominator",
    ),
    (
        "-gpgpu_cdp_enabled",
        "0",
        "0",
        "a GPU without dynamic parallelism",
    ),
    (
        "-gpgpu_ignore_resources_limitation",
        "0",
        "0",
        "only kernels that fit on an SM",
    ),
    (
        "-gpgpu_cache:dl1PrefL1",
        "none",
        "none",
        "the L1 configuration of -gpgpu_cache:dl1",
    ),
    (
        "-gpgpu_cache:dl1PrefShared",
        "none",
        "none",
        "the L1 configuration of -gpgpu_cache:dl1",
    ),
    ("-gpgpu_max_cycle", "0", "0", "all cycles of the run"),
    ("-gpgpu_max_insn", "0", "0", "all instructions of the run"),
];

/// Options of specialized units, by number. A value that starts with 1 adds the unit to the SM. In the opcode tables of
/// Accel-Sim, no instruction uses a unit after the fourth.
pub(super) const SPECIALIZED_UNITS: [&str; 8] = [
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
    for option in &SPECIALIZED_UNITS[4..] {
        if let Some(value) = settings.optional(option)?
            && !value.text.starts_with("0,")
        {
            note(option, value.text, "an SM without this specialized unit");
        }
    }
    Ok(found)
}
