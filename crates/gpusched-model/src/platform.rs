//! The GPUs we know, from `tasksets/platforms/`: one file each, with its source.

use serde::{Deserialize, Serialize};

use super::SmOrder;

/// Public figures of one GPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Platform {
    /// The name on the command line.
    pub name: String,
    /// The product's name.
    pub title: String,
    /// M, the number of streaming multiprocessors.
    pub sms: u32,
    /// CUDA cores in each SM.
    pub cores_per_sm: u32,
    /// Threads that can be resident on one SM.
    pub threads_per_sm: u32,
    /// Thread blocks that can be resident on one SM.
    pub blocks_per_sm: u32,
    /// Registers of one SM.
    pub registers_per_sm: u32,
    /// Shared memory of one SM [KiB].
    pub shared_memory_per_sm_kib: u32,
    /// SMs in each GPC, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms_per_gpc: Option<u32>,
    /// The order in which the block scheduler prefers equally good SMs; even numbers first, where nothing else is known.
    #[serde(default)]
    pub sm_order: SmOrder,
    /// Registers one thread block may use.
    pub registers_per_block: u32,
    /// Shared memory one thread block may use by default [KiB].
    pub shared_memory_per_block_kib: u32,
    /// Level-2 cache [KiB].
    pub l2_cache_kib: u32,
    /// Where the figures come from.
    pub source: String,
}

/// The files, built into the program so that it needs no data directory.
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
    /// All platforms, by ascending number of SMs.
    pub fn all() -> impl Iterator<Item = Platform> {
        FILES.iter().filter_map(|file| serde_json::from_str(file).ok())
    }

    /// The platform called `name`.
    pub fn named(name: &str) -> Option<Platform> {
        Platform::all().find(|platform| platform.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_reads_and_names_its_source() {
        let platforms: Vec<_> = Platform::all().collect();
        assert_eq!(platforms.len(), FILES.len());
        assert!(platforms.iter().all(|p| !p.source.is_empty()));
        assert!(platforms.is_sorted_by_key(|p| p.sms));
    }

    #[test]
    fn sms_are_the_published_numbers() {
        for (name, sms) in [
            ("tx2", 2),
            ("k5000", 8),
            ("xavier", 8),
            ("orin", 16),
            ("rtx2060", 30),
            ("pegasus", 44),
            ("rtx2080ti", 68),
            ("titanv", 80),
            ("a100", 108),
            ("h100", 132),
        ] {
            assert_eq!(Platform::named(name).map(|p| p.sms), Some(sms), "{name}");
        }
        assert_eq!(Platform::named("gtx1"), None);
    }
}
