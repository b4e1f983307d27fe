//! The crossbar between SMs and memory partitions.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::machine::Cache;
use crate::machine::check::Faults;

/// Order of inputs that request the same output (`-icnt_arbiter_algo`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arbiter {
    /// Round robin; the first input in the order advances by one in each cycle (0).
    RoundRobin,
    /// iSLIP (1): each output starts after the input that it served last.
    Islip,
}

/// The local crossbar (`-network_mode 2`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Interconnect {
    /// Maximum number of packets at an input (`-icnt_in_buffer_limit`).
    pub input_buffer: u32,
    /// Maximum number of packets at an output (`-icnt_out_buffer_limit`).
    pub output_buffer: u32,
    /// Number of networks (`-icnt_subnets`). Two networks separate requests and replies.
    pub subnets: u32,
    /// Order of inputs that request the same output.
    pub arbiter: Arbiter,
    /// Time that an input keeps its grant (`-icnt_grant_cycles`) [interconnect cycles].
    pub grant_cycles: u32,
    /// Size of a flit (`-icnt_flit_size`) [bytes]. It does not affect the timing of the crossbar.
    pub flit_bytes: u32,
    /// Maximum number of replies at a cluster (`-gpgpu_n_cluster_ejection_buffer_size`).
    pub ejection_buffer: u32,
    /// Maximum number of replies at the load-store unit of an SM (`-gpgpu_n_ldst_response_buffer_size`).
    pub response_buffer: u32,
}

impl Interconnect {
    pub(in crate::machine) fn check(&self, faults: &Faults) -> Result<(), Refusal> {
        let places = 1..=Cache::MAX_PLACES;
        faults.within("input_buffer", self.input_buffer, places.clone())?;
        faults.within("output_buffer", self.output_buffer, places.clone())?;
        faults.within("subnets", self.subnets, 1..=2)?;
        faults.within("grant_cycles", self.grant_cycles, 1..=1000)?;
        faults.within("flit_bytes", self.flit_bytes, 1..=4096)?;
        faults.within("ejection_buffer", self.ejection_buffer, places.clone())?;
        faults.within("response_buffer", self.response_buffer, places)
    }
}
