//! The class and the kind of a kernel. Both state whether the kernel mostly computes or mostly transfers data. The
//! commands `predict` and `wcet fit` use both.
//!
//! The analysis counts contention only between tasks of the same kind. So a wrong kind is unsafe,
//! and a missing kind is pessimistic. gpusched assigns a kind only if the memory bandwidth of the
//! kernel on all SMs shows the kind:
//!
//! | share of the nominal bandwidth | class ([Masola23] §5.1) | kind |
//! |---|---|---|
//! | at least 70 % | memory | memory |
//! | from 10 to 70 % | hybrid | absent: the kernel uses both |
//! | less than 10 % | compute | compute, if the times do not saturate ([`super::saturation`]) |
//!
//! **Times alone do not determine a kind.** By Definition 1 of [Singh21], a kernel is memory-intensive if its execution
//! time saturates: more SMs no longer make the kernel faster. But a kernel that uses 94 % of the bandwidth on all SMs
//! may become faster with each additional SM. And a kernel with few thread blocks, or with serial memory accesses,
//! saturates although it transfers almost no data. If a kernel saturates at low bandwidth, another resource is the
//! bottleneck, such as the memory latency. gpusched assigns no kind to such a kernel.

use serde::{Deserialize, Serialize};

use gpusched_model::memory_profile::MeasuredGpu;
use gpusched_model::{Factor, Kind};

/// Class of a kernel by its share of the nominal memory bandwidth ([Masola23] §5.1).
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Class {
    /// At least 70 % of the nominal bandwidth on all SMs.
    Memory,
    /// From 10 to 70 % of the nominal bandwidth on all SMs.
    Hybrid,
    /// Less than 10 % of the nominal bandwidth on all SMs.
    Compute,
}

impl Class {
    /// Returns the class of a kernel with bandwidth utilization `u`, which is U_bw of Eq. 1.
    pub fn of(u: f64) -> Class {
        match u {
            u if u >= 0.7 => Class::Memory,
            u if u >= 0.1 => Class::Hybrid,
            _ => Class::Compute,
        }
    }
}

/// Reason why gpusched assigns this kind, or no kind.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The memory bandwidth shows the kind.
    Bandwidth,
    /// No kind: the kernel uses both compute units and memory.
    Hybrid,
    /// No kind: the bandwidth is low, but the kernel does not become faster on more SMs.
    Saturates,
    /// No kind: the bandwidth is low, and the times do not show whether the kernel becomes faster on more SMs.
    FewSms,
    /// No kind: the bandwidth on all SMs was not measured.
    NotOnAllSms,
    /// No kind: the number of SMs and the nominal bandwidth of the GPU are unknown.
    UnknownGpu,
    /// No kind: times alone do not show which resource a kernel uses.
    NoBandwidth,
    /// No kind: the bandwidth is an estimate.
    Estimated,
}

/// Returns U_bw (Eq. 1) of a kernel with the bandwidth `on_all` [GB/s] on all SMs of `gpu`.
pub fn utilization(on_all: Factor, gpu: MeasuredGpu) -> f64 {
    on_all.as_f64() / gpu.bandwidth.as_f64()
}

/// Returns the kind of a kernel, or `None` if the kind is not clear, and the reason.
/// `utilization` is U_bw, or the reason why U_bw is unknown. `by_times` is the kind by Definition
/// 1 of [Singh21], or `None` if the times cannot show the kind.
pub fn kind(utilization: Result<f64, Reason>, by_times: Option<Kind>) -> (Option<Kind>, Reason) {
    match (utilization.map(Class::of), by_times) {
        (Ok(Class::Memory), _) => (Some(Kind::Memory), Reason::Bandwidth),
        (Ok(Class::Compute), Some(Kind::Compute)) => (Some(Kind::Compute), Reason::Bandwidth),
        (Ok(Class::Compute), Some(Kind::Memory)) => (None, Reason::Saturates),
        (Ok(Class::Compute), None) => (None, Reason::FewSms),
        (Ok(Class::Hybrid), _) => (None, Reason::Hybrid),
        (Err(reason), _) => (None, reason),
    }
}
