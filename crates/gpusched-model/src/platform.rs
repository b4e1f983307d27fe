//! Platform presets from `tasksets/platforms/`. Each GPU has one file, which states the source of
//! its values.

use serde::{Deserialize, Serialize};

use super::{Bandwidth, SmOrder};

/// Platform preset: published properties of one GPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// Name of the platform on the command line.
    pub name: String,
    /// Product name of the GPU.
    pub title: String,
    /// M: number of streaming multiprocessors (SMs).
    pub sms: u32,
    /// Number of CUDA cores of one SM.
    pub cores_per_sm: u32,
    /// Maximum number of resident threads of one SM.
    pub threads_per_sm: u32,
    /// Maximum number of resident thread blocks of one SM.
    pub blocks_per_sm: u32,
    /// Number of registers of one SM.
    pub registers_per_sm: u32,
    /// Shared memory of one SM [KiB].
    pub shared_memory_per_sm_kib: u32,
    /// Number of SMs of each GPC. If the field is absent, the number is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms_per_gpc: Option<u32>,
    /// Order of the SMs. If several SMs are equally good, the block scheduler chooses the first of them in this order.
    /// The default is `even-odd`: SMs with even numbers precede SMs with odd numbers.
    #[serde(default)]
    pub sm_order: SmOrder,
    /// Maximum number of registers of one thread block.
    pub registers_per_block: u32,
    /// Maximum shared memory that one thread block may use by default [KiB].
    pub shared_memory_per_block_kib: u32,
    /// Size of the L2 cache [KiB].
    pub l2_cache_kib: u32,
    /// Peak memory bandwidth according to the data sheet [bytes per second]. If the field is absent, the peak is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_bandwidth: Option<Bandwidth>,
    /// Source of the values.
    pub source: String,
}

/// Platform files. The program contains the files, so it needs no data directory.
const FILES: [&str; 10] = [
    include_str!("../data/platforms/tx2.json"),
    include_str!("../data/platforms/k5000.json"),
    include_str!("../data/platforms/xavier.json"),
    include_str!("../data/platforms/orin.json"),
    include_str!("../data/platforms/rtx2060.json"),
    include_str!("../data/platforms/pegasus.json"),
    include_str!("../data/platforms/rtx2080ti.json"),
    include_str!("../data/platforms/titanv.json"),
    include_str!("../data/platforms/a100.json"),
    include_str!("../data/platforms/h100.json"),
];

impl Platform {
    /// Returns all platforms, sorted by ascending number of SMs.
    pub fn all() -> impl Iterator<Item = Platform> {
        FILES.iter().filter_map(|file| serde_json::from_str(file).ok())
    }

    /// Returns the platform called `name`.
    pub fn named(name: &str) -> Option<Platform> {
        Platform::all().find(|platform| platform.name == name)
    }
}
