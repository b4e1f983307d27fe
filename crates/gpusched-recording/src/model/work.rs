//! Kernel launches and their streams.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Lane, NameId};

/// One execution of a kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Launch {
    /// Start on the GPU [ns].
    pub start: i64,
    /// End on the GPU [ns].
    pub end: i64,
    /// Full name of the kernel.
    pub name: NameId,
    /// Stream of the launch.
    pub stream: StreamId,
}

impl Launch {
    /// Time from start to end [ns].
    pub fn duration(&self) -> u64 {
        self.end.abs_diff(self.start)
    }
}

/// A copy or fill of memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MemoryCopy {
    /// Start on the GPU [ns].
    pub start: i64,
    /// End on the GPU [ns].
    pub end: i64,
    /// Host call of the copy.
    pub call: Call,
}

/// An execution of a kernel whose start or end the file does not contain.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OpenLaunch {
    /// Full name of the kernel. The name is empty if only the host call is recorded.
    pub name: NameId,
    /// Stream of the launch. All its numbers may be unknown.
    pub key: StreamKey,
    /// Host call of the launch, if the file contains it.
    pub call: Option<Call>,
}

/// The call on the host that launched a kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Start of the call [ns].
    pub start: i64,
    /// Thread of the call.
    pub thread: Lane,
}

impl Call {
    /// Returns the call of `thread` at `start` [ns], or `None` if the profiler has not measured it. Profilers write the start 0 for
    /// such a call.
    pub fn measured(start: Option<i64>, thread: Option<Lane>) -> Option<Call> {
        let start = start.filter(|&start| start != 0)?;
        Some(Call {
            start,
            thread: thread?,
        })
    }
}

/// Identity of a stream: the numbers of the process, the device, the context and the stream.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct StreamKey {
    /// Number of the process, if the file states it. Two processes number their contexts and streams alike.
    pub process: Option<i64>,
    /// Number of the GPU.
    pub device: Option<i64>,
    /// Number of the context.
    pub context: Option<i64>,
    /// Number of the stream or queue.
    pub stream: Option<i64>,
    /// Number of the green context of a launch. The number does not identify the stream.
    pub green: Option<i64>,
}

/// Position of a stream among all streams.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StreamId(u32);

/// All streams of a recording, in the order of their first launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Streams {
    keys: Vec<StreamKey>,
    numbers: HashMap<StreamKey, StreamId>,
}

impl Streams {
    /// Adds `key` if it is new, and returns its position.
    pub fn intern(&mut self, key: StreamKey) -> StreamId {
        let next = StreamId(u32::try_from(self.keys.len()).unwrap_or(u32::MAX));
        let id = *self.numbers.entry(key).or_insert(next);
        if id == next {
            self.keys.push(key);
        }
        id
    }

    /// Returns the identity of a stream.
    pub fn get(&self, id: StreamId) -> StreamKey {
        self.keys.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// Number of different processes that the launches state.
    pub fn processes(&self) -> usize {
        let processes = self.keys.iter().filter_map(|key| key.process);
        processes.collect::<HashSet<i64>>().len()
    }

    /// Whether at least one launch states its stream.
    pub fn are_stated(&self) -> bool {
        self.keys.iter().any(|key| key.stream.is_some())
    }

    /// Returns the numbers of the GPUs of the launches, in increasing order.
    pub fn devices(&self) -> Vec<i64> {
        let devices = self.keys.iter().filter_map(|key| key.device);
        devices.collect::<BTreeSet<i64>>().into_iter().collect()
    }

    /// Number of different streams, identified by process, device, context and stream.
    pub fn count(&self) -> usize {
        let keys = self.keys.iter();
        let mut keys: Vec<_> = keys
            .map(|key| (key.process, key.device, key.context, key.stream))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    }
}

/// Statistics of all launches of one kernel, from a report that does not list each launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelSum {
    /// Full name of the kernel.
    pub name: NameId,
    /// Number of launches.
    pub launches: u64,
    /// Sum of the durations [ns].
    pub total_ns: Option<u64>,
    /// Shortest duration [ns].
    pub min_ns: Option<u64>,
    /// Median duration [ns].
    pub median_ns: Option<u64>,
    /// Longest duration [ns].
    pub max_ns: Option<u64>,
}
