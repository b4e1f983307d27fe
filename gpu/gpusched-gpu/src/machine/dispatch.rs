//! Dispatch of kernels and thread blocks to the SMs of a simulated GPU.

use serde::{Deserialize, Serialize};

use super::check::Faults;
use super::multiprocessor::l1::MAX_LATENCY;
use gpusched_model::Refusal;

/// Parameters of the dispatch of kernels and thread blocks to SMs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Dispatch {
    /// Time from the launch of a kernel to the start of its first block (`-gpgpu_kernel_launch_latency`) [core cycles].
    pub kernel_latency: u32,
    /// Additional launch time of a kernel for each of its blocks (`-gpgpu_TB_launch_latency`) [core cycles].
    pub block_latency: u32,
    /// Maximum number of kernels that run at the same time (`-gpgpu_max_concurrent_kernel`).
    pub kernels: u32,
    /// Whether several kernels can share an SM (`-gpgpu_concurrent_kernel_sm`). If the value is
    /// false, each SM runs one kernel at a time.
    pub share_sms: bool,
}

impl Dispatch {
    pub(super) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        faults.within("kernel_latency", self.kernel_latency, 0..=MAX_LATENCY)?;
        faults.within("block_latency", self.block_latency, 0..=MAX_LATENCY)?;
        faults.within("kernels", self.kernels, 1..=4096)
    }
}
