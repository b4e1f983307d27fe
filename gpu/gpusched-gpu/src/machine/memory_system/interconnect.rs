//! The crossbar between the SMs and the memory partitions.

use serde::{Deserialize, Serialize};

use super::gpcs::Gpcs;
use crate::machine::Cache;
use crate::machine::check::Faults;
use gpusched_model::Refusal;

/// Rule by which an output selects one of the inputs with packets for this output (`-icnt_arbiter_algo`).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Arbiter {
    /// Round robin: the highest priority moves to the next input in each cycle (GPGPU-Sim: 0).
    RoundRobin,
    /// iSLIP: after an output has served an input, the next input has the highest priority
    /// (GPGPU-Sim: 1).
    Islip,
}

/// Parameters of the local crossbar (`-network_mode 2`).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interconnect {
    /// Maximum number of packets in the buffer of an input (`-icnt_in_buffer_limit`).
    pub input_buffer: u32,
    /// Maximum number of packets in the buffer of an output (`-icnt_out_buffer_limit`).
    pub output_buffer: u32,
    /// Number of networks (`-icnt_subnets`). With two networks, requests and replies use separate networks.
    pub subnets: u32,
    /// Rule by which an output selects one of the inputs with packets for this output.
    pub arbiter: Arbiter,
    /// Time for which an input keeps its grant (`-icnt_grant_cycles`) [interconnect cycles].
    pub grant_cycles: u32,
    /// Size of a flit (`-icnt_flit_size`) [bytes]. The size does not affect the timing of the
    /// crossbar.
    pub flit_bytes: u32,
    /// Maximum number of replies in the buffer of a cluster (`-gpgpu_n_cluster_ejection_buffer_size`).
    pub ejection_buffer: u32,
    /// Maximum number of replies in the buffer of the load-store unit of an SM (`-gpgpu_n_ldst_response_buffer_size`).
    pub response_buffer: u32,
    /// GPCs whose clusters share a port. Without this field, each cluster has its own port to the crossbar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpcs: Option<Gpcs>,
}

impl Interconnect {
    pub(in crate::machine) fn check(&self, clusters: u32, faults: &Faults) -> Result<(), Refusal> {
        let places = 1..=Cache::MAX_PLACES;
        faults.within("input_buffer", self.input_buffer, places.clone())?;
        faults.within("output_buffer", self.output_buffer, places.clone())?;
        faults.within("subnets", self.subnets, 1..=2)?;
        faults.within("grant_cycles", self.grant_cycles, 1..=1000)?;
        faults.within("flit_bytes", self.flit_bytes, 1..=4096)?;
        faults.within("ejection_buffer", self.ejection_buffer, places.clone())?;
        faults.within("response_buffer", self.response_buffer, places)?;
        match &self.gpcs {
            Some(gpcs) => gpcs.check(clusters, &faults.of("gpcs")),
            None => Ok(()),
        }
    }
}
