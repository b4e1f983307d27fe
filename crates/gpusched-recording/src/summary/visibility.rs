//! Kinds of data that a recording shows, or cannot show.

use serde::Serialize;

use crate::model::Recording;

/// Data that an audit or a task set may need.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, strum::VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Aspect {
    /// Start and end of each launch. Without them, the file has only statistics.
    Launches,
    /// Ranges, which show where jobs start.
    Ranges,
    /// Process of each launch.
    Processes,
    /// Stream or queue of each launch.
    Streams,
    /// Context of each launch, which shows the partition.
    Contexts,
    /// Number of SMs of the contexts.
    ContextSizes,
    /// Kernels inside CUDA graphs. A file without graphs shows all kernels.
    GraphKernels,
    /// Memory traffic of kernels.
    MemoryTraffic,
    /// SMs of the kernels of a context.
    ContextSms,
    /// SM of each thread block.
    BlockSms,
    /// Arrivals of jobs, and which jobs wait.
    WaitingJobs,
}

impl Aspect {
    /// Returns the data in words, for a list.
    pub fn words(self) -> &'static str {
        match self {
            Aspect::Launches => "times of launches",
            Aspect::Ranges => "ranges",
            Aspect::Processes => "processes",
            Aspect::Streams => "streams",
            Aspect::Contexts => "contexts",
            Aspect::ContextSizes => "context sizes",
            Aspect::GraphKernels => "kernels inside CUDA graphs",
            Aspect::MemoryTraffic => "memory traffic",
            Aspect::ContextSms => "SMs of a context",
            Aspect::BlockSms => "SM of a block",
            Aspect::WaitingJobs => "waiting jobs",
        }
    }

    /// Whether `recording` shows the data for at least one launch or job.
    pub fn is_shown(self, recording: &Recording) -> bool {
        let launches = &recording.launches;
        let any = |is: &dyn Fn(crate::model::StreamKey) -> bool| {
            launches
                .iter()
                .any(|launch| is(recording.streams.get(launch.stream)))
        };
        let dispatched = recording.dispatcher.as_ref();
        match self {
            Aspect::Launches => !launches.is_empty(),
            Aspect::Ranges => !recording.ranges.is_empty(),
            Aspect::Processes => any(&|key| key.process.is_some()),
            Aspect::Streams => any(&|key| key.stream.is_some()),
            Aspect::Contexts => any(&|key| key.context.is_some() || key.green.is_some()),
            Aspect::ContextSizes => any(&|key| {
                recording
                    .context_of(key)
                    .is_some_and(|context| context.sms.is_some())
            }),
            Aspect::GraphKernels => !launches.is_empty() && recording.other.graphs == 0,
            Aspect::MemoryTraffic => !recording.traffic.is_empty(),
            Aspect::ContextSms => dispatched
                .is_some_and(|dispatcher| dispatcher.partitions.iter().any(|part| part.sm_ids.is_some())),
            // Records of blocks are in other files, which `block_trace` reads.
            Aspect::BlockSms => false,
            Aspect::WaitingJobs => dispatched.is_some(),
        }
    }
}
