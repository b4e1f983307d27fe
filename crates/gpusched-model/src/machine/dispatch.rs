//! How kernels and their blocks come to SMs.

use serde::{Deserialize, Serialize};

use super::check::Faults;
use super::multiprocessor::l1::MAX_LATENCY;
use crate::Refusal;

/// How kernels and their blocks come to SMs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dispatch {
    /// From launch to the first block (`-gpgpu_kernel_launch_latency`) [core cycles].
    pub kernel_latency: u32,
    /// For each block of a kernel that its launch takes longer (`-gpgpu_TB_launch_latency`) [core cycles].
    pub block_latency: u32,
    /// Kernels that run at a time (`-gpgpu_max_concurrent_kernel`).
    pub kernels: u32,
    /// Whether kernels share an SM (`-gpgpu_concurrent_kernel_sm`), or each SM has one at a time.
    pub share_sms: bool,
}

impl Dispatch {
    pub(super) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("kernel_latency", self.kernel_latency, 0..=MAX_LATENCY)?;
        faults.within("block_latency", self.block_latency, 0..=MAX_LATENCY)?;
        faults.within("kernels", self.kernels, 1..=4096)
    }
}
