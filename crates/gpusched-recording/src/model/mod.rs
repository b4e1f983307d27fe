//! A recording is one run that a profiler recorded. It contains GPUs, kernel launches and named ranges, in one form for
//! all profilers.
//!
//! A recording contains no environment variables, processes or hosts, because the readers never read these fields.

mod dispatcher;
mod gpu;
mod names;
mod range;
mod source;
mod work;

pub use dispatcher::{DispatchedPartition, DispatchedTask, Dispatcher};
pub use gpu::{Context, Gpu};
pub use names::{NameId, Names};
pub use range::{Range, RangeSum, Side};
pub use source::{Origin, Tool};
pub use work::{Call, KernelSum, Launch, StreamId, StreamKey, Streams};

/// Maximum absolute value of the time of an event [ns]. The limit keeps all sums and differences within 64 bits.
pub const LATEST_NS: i64 = 1 << 61;

/// The content of one recorded file. All times are nanoseconds of the clock of the profiler, which may be negative.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// Profiler that wrote the file.
    pub origin: Origin,
    /// GPUs that the file describes, in the order of the file.
    pub gpus: Vec<Gpu>,
    /// Contexts with known properties, for example green contexts.
    pub contexts: Vec<Context>,
    /// Names of kernels and ranges.
    pub names: Names,
    /// Streams of the launches.
    pub streams: Streams,
    /// Kernel launches with start and end, in the order of the file.
    pub launches: Vec<Launch>,
    /// Host calls of the launches, in the order of the launches. The list is empty if the reader did not read calls.
    pub calls: Vec<Option<Call>>,
    /// Statistics of kernels, from a report that does not list each launch.
    pub kernel_sums: Vec<KernelSum>,
    /// Named ranges with start and end, in the order of the file.
    pub ranges: Vec<Range>,
    /// Statistics of ranges, from a report that does not list each range.
    pub range_sums: Vec<RangeSum>,
    /// Launches and ranges without a start or an end, which the recording omits.
    pub open: Open,
    /// Numbers of launches of CUDA graphs, and of copies. Neither is an execution of one kernel.
    pub other: OtherWork,
    /// Decisions of the reader that the user must know, for example an assumed unit.
    pub notes: Vec<String>,
    /// Memory traffic from hardware counters [bytes], by name of the kernel. The value is the largest number of bytes
    /// that one launch read and wrote in total.
    pub traffic: Vec<(NameId, u64)>,
    /// The dispatcher of gpusched that wrote the file. `None` for the file of a profiler.
    pub dispatcher: Option<Dispatcher>,
}

/// Numbers of events without a start or an end.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Open {
    /// Kernel launches.
    pub launches: u64,
    /// Ranges.
    pub ranges: u64,
}

/// Numbers of operations on the GPU that are not executions of one kernel: CUDA graphs and copies.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct OtherWork {
    /// Number of launches of whole CUDA graphs. Each graph is also a launch of the recording, from the start to the end
    /// of the graph.
    pub graphs: u64,
    /// Number of copies and fills of memory, which the recording omits.
    pub copies: u64,
}

impl Recording {
    /// Adds a launch of the kernel `name` on the stream `key`, from `start` to `end` [ns], if both times are known.
    ///
    /// # Errors
    /// Fails with a message for a launch that ends before its start or that is later than [`LATEST_NS`].
    pub fn launch(
        &mut self,
        name: &str,
        key: StreamKey,
        (start, end): (Option<i64>, Option<i64>),
        call: Option<Call>,
    ) -> Result<(), String> {
        let (Some(start), Some(end)) = (start, end) else {
            self.open.launches += 1;
            return Ok(());
        };
        check(start, end)?;
        let (name, stream) = (self.names.intern(name), self.streams.intern(key));
        self.launches.push(Launch {
            start,
            end,
            name,
            stream,
        });
        if call.is_some() || !self.calls.is_empty() {
            self.calls.resize(self.launches.len() - 1, None);
            self.calls.push(call);
        }
        Ok(())
    }

    /// Adds a range `name` of the thread or stream `lane`, if both times are known.
    ///
    /// # Errors
    /// Fails with a message for a range that ends before its start or that is later than [`LATEST_NS`].
    pub fn range(
        &mut self,
        name: &str,
        side: Side,
        (start, end): (Option<i64>, Option<i64>),
        lane: Option<i64>,
    ) -> Result<(), String> {
        let (Some(start), Some(end)) = (start, end) else {
            self.open.ranges += 1;
            return Ok(());
        };
        check(start, end)?;
        let name = self.names.intern(range::stem(name));
        self.ranges.push(Range {
            start,
            end,
            name,
            side,
            lane,
        });
        Ok(())
    }

    /// Returns the earliest start of a launch or a range [ns]. An empty recording starts at 0.
    pub fn start(&self) -> i64 {
        let launches = self.launches.iter().map(|launch| launch.start);
        let ranges = self.ranges.iter().map(|range| range.start);
        launches.chain(ranges).min().unwrap_or_default()
    }

    /// Returns the properties of the context `key`, or `None` if the file does not describe it.
    pub fn context_of(&self, key: StreamKey) -> Option<&Context> {
        let id = key.green.or(key.context)?;
        let mut contexts = self.contexts.iter();
        contexts.find(|context| context.id == id && key.device.is_none_or(|device| device == context.device))
    }

    /// Returns the host call of launch number `index`, if the file contains it.
    pub fn call(&self, index: usize) -> Option<Call> {
        self.calls.get(index).copied().flatten()
    }
}

fn check(start: i64, end: i64) -> Result<(), String> {
    const EXPECTED: &str = "times within 2^61 ns of 0";
    if !(-LATEST_NS..=LATEST_NS).contains(&start) || !(-LATEST_NS..=LATEST_NS).contains(&end) {
        return Err(format!(
            "found an event from {start} to {end} ns, expected {EXPECTED}"
        ));
    }
    if end < start {
        return Err(format!(
            "found an event from {start} to {end} ns, expected an end after the start"
        ));
    }
    Ok(())
}
