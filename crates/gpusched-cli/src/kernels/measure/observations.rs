//! Observations of a calibration, as results state them.

use serde::Serialize;

/// Observations of kernels on a GPU. A field is absent if it could not be observed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Observations"))]
pub struct Observations {
    /// Name of the GPU.
    pub gpu: String,
    /// Source of the values: the tool, the identity of the GPU and its driver.
    pub source: String,
    /// Number of SMs of the GPU.
    pub sms: u32,
    /// Numbers of SMs that the driver grants to a single green context; the last is the whole GPU.
    pub sizes: Vec<u32>,
    /// SM ids of green contexts of the smallest size that exist at the same time.
    pub green_contexts: Vec<Vec<u32>>,
    /// Sets of SMs that ran clusters of thread blocks together. The SMs of a set are in one GPC, but two sets may be in one GPC, too.
    pub cluster_sets: Vec<Vec<u32>>,
    /// Number of SMs of a TPC, if each cluster of two blocks ran on the SMs 2t and 2t + 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sms_per_tpc: Option<u32>,
    /// GPC of each TPC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpc_of_tpc: Option<Vec<u32>>,
    /// Reason why `gpc_of_tpc` is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpcs_unknown: Option<String>,
    /// SM of each thread block of launches with one block per SM on the idle GPU.
    pub first_blocks: Vec<Vec<u32>>,
    /// Order of the SMs in all of `first_blocks`: `even-odd`, `ascending` or `descending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sm_order: Option<String>,
    /// Step of the timer of the GPU [ns].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timer_ns: Option<u64>,
    /// Host times of the call that launches an empty kernel.
    pub launch: Times,
    /// Host times from the launch of an empty kernel to its observed end.
    pub empty_kernel: Times,
    /// Lateness of a sleep of the host.
    pub host_timer: Times,
    /// Start of a kernel on a stream of the highest priority, while a kernel of the lowest priority runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<PriorityAnswer>,
    /// Time slices of two contexts whose kernels run at the same time, without MPS and MIG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_slices: Option<SlicesAnswer>,
    /// Rates of reads and writes by number of SMs.
    pub rates: Vec<RateAnswer>,
    /// Times of kernels that use one execution pipe, alone and while another such kernel runs on the same SMs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipes: Option<PipesAnswer>,
}

/// Times of kernels on execution pipes, with one thread block per SM.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ObservedPipes"))]
pub struct PipesAnswer {
    /// Number of SMs of the partition of both kernels.
    pub sms: u32,
    /// Each kernel alone, and each pair of kernels. A pair is absent if its kernels did not run together.
    pub kernels: Vec<PipeAnswer>,
}

/// Times of a kernel on one execution pipe: `float` (32-bit floating point), `integer`, `special` (special functions), `double` (64-bit
/// floating point), or `shared` (shared memory).
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ObservedPipe"))]
pub struct PipeAnswer {
    /// Pipe of the kernel.
    pub pipe: &'static str,
    /// Pipe of the other kernel. Absent for the kernel alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside: Option<&'static str>,
    /// Times of the kernel.
    pub times: Times,
    /// Median time beside the other kernel, in thousandths of the median time alone, rounded up. Absent for the kernel alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor_permille: Option<u64>,
}

/// Statistics of times.
#[derive(Copy, Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ObservedTimes"))]
pub struct Times {
    /// Number of times.
    pub count: usize,
    /// Shortest time [ns].
    pub shortest_ns: u64,
    /// Median time [ns].
    pub median_ns: u64,
    /// Longest time [ns].
    pub longest_ns: u64,
}

/// Start of a kernel on a stream of the highest priority.
#[derive(Copy, Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ObservedPriority"))]
pub struct PriorityAnswer {
    /// Time of one thread block of the other kernel [ns]. It has eight times as many blocks as the SMs hold.
    pub block_ns: u64,
    /// Longest time from the start of the other kernel to the start of the kernel [ns]. A value below a few `block_ns` means that the kernel
    /// waited for running blocks only.
    pub start_ns: u64,
    /// Shortest time from the start of the other kernel to its end [ns].
    pub other_ns: u64,
}

/// Time slices of two contexts.
#[derive(Copy, Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ObservedSlices"))]
pub struct SlicesAnswer {
    /// Times for which a kernel paused.
    pub away: Times,
    /// Times between two pauses of a kernel.
    pub on: Times,
}

/// Rates on one number of SMs, each of the slowest and of the fastest of five launches [bytes per second].
#[derive(Copy, Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ObservedRate"))]
pub struct RateAnswer {
    /// Number of SMs.
    pub sms: u32,
    /// Reads of DRAM. The memory is 16 times as large as L2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_read: Option<[u64; 2]>,
    /// Writes to DRAM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dram_write: Option<[u64; 2]>,
    /// Reads of L2. The memory is a quarter of L2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l2_read: Option<[u64; 2]>,
}

#[cfg(target_os = "linux")]
impl From<gpusched_runtime::run::Statistics> for Times {
    fn from(of: gpusched_runtime::run::Statistics) -> Times {
        Times {
            count: of.count,
            shortest_ns: of.min,
            median_ns: of.p50,
            longest_ns: of.max,
        }
    }
}

#[cfg(target_os = "linux")]
impl From<gpusched_runtime::cuda::Priority> for PriorityAnswer {
    fn from(of: gpusched_runtime::cuda::Priority) -> PriorityAnswer {
        PriorityAnswer {
            block_ns: of.block_ns,
            start_ns: of.start_ns,
            other_ns: of.low_ns,
        }
    }
}

#[cfg(target_os = "linux")]
impl From<gpusched_runtime::cuda::Slices> for SlicesAnswer {
    fn from(of: gpusched_runtime::cuda::Slices) -> SlicesAnswer {
        SlicesAnswer {
            away: of.away.into(),
            on: of.on.into(),
        }
    }
}

#[cfg(target_os = "linux")]
impl From<gpusched_runtime::cuda::Rate> for RateAnswer {
    fn from(of: gpusched_runtime::cuda::Rate) -> RateAnswer {
        RateAnswer {
            sms: of.sms,
            dram_read: of.dram_read,
            dram_write: of.dram_write,
            l2_read: of.l2_read,
        }
    }
}

#[cfg(target_os = "linux")]
impl From<gpusched_runtime::cuda::Pipes> for PipesAnswer {
    fn from(of: gpusched_runtime::cuda::Pipes) -> PipesAnswer {
        let names = gpusched_runtime::cuda::PIPES;
        let mut kernels = Vec::new();
        for ((pipe, alone), beside) in names.into_iter().zip(of.alone).zip(of.beside) {
            kernels.push(PipeAnswer {
                pipe,
                beside: None,
                times: alone.into(),
                factor_permille: None,
            });
            let pairs = names.into_iter().zip(beside);
            kernels.extend(pairs.filter_map(|(other, times)| {
                let times = Times::from(times?);
                let scaled = u128::from(times.median_ns) * 1000;
                let factor = scaled.div_ceil(u128::from(alone.p50.max(1)));
                Some(PipeAnswer {
                    pipe,
                    beside: Some(other),
                    times,
                    factor_permille: Some(u64::try_from(factor).unwrap_or(u64::MAX)),
                })
            }));
        }
        PipesAnswer { sms: of.sms, kernels }
    }
}
