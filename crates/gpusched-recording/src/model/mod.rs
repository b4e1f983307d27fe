//! A recording is one run that a profiler recorded. It contains GPUs, kernel launches and named ranges, in one form for
//! all profilers.
//!
//! A recording contains no environment variables and no names of processes or hosts, because the readers never read
//! these fields. Numbers of processes keep apart what several processes number alike.

mod dispatcher;
mod gpu;
mod missing;
mod names;
mod range;
mod source;
mod work;

pub use dispatcher::{DispatchedPartition, DispatchedTask, Dispatcher};
pub use gpu::{Context, Gpu};
pub use missing::Missing;
pub use names::{NameId, Names};
pub use range::{Lane, Range, RangeSum, Side, stem as range_name};
pub use source::{Origin, Tool};
pub use work::{Call, KernelSum, Launch, MemoryCopy, OpenLaunch, StreamId, StreamKey, Streams};

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
    /// Whether the file has a column for the green context of each kernel. Then a kernel without a number ran in none, or the profiler did
    /// not see it.
    pub has_green_column: bool,
    /// Names of kernels and ranges.
    pub names: Names,
    /// Streams of the launches.
    pub streams: Streams,
    /// Kernel launches with start and end, in the order of the file.
    pub launches: Vec<Launch>,
    /// Host calls of the launches, in the order of the launches. The list is empty if the reader did not read calls.
    pub calls: Vec<Option<Call>>,
    /// Copies and fills of memory with known times and a known host call, in the order of the file. Some readers read none.
    pub copies: Vec<MemoryCopy>,
    /// Statistics of kernels, from a report that does not list each launch.
    pub kernel_sums: Vec<KernelSum>,
    /// Named ranges with start and end, in the order of the file.
    pub ranges: Vec<Range>,
    /// Statistics of ranges, from a report that does not list each range.
    pub range_sums: Vec<RangeSum>,
    /// Launches without a start or an end, in the order of the file. Their jobs are incomplete.
    pub open: Vec<OpenLaunch>,
    /// Records that are missing in the file.
    pub missing: Missing,
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

/// Numbers of operations on the GPU that are not executions of one kernel: CUDA graphs and copies.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct OtherWork {
    /// Number of launches of whole CUDA graphs. Each graph is also a launch of the recording, from the start to the end
    /// of the graph.
    pub graphs: u64,
    /// Number of copies and fills of memory. The recording may omit their times.
    pub copies: u64,
}

impl Recording {
    /// Adds a launch of the kernel `name` on the stream `key`, from `start` to `end` [ns]. A launch without both times is
    /// [open](Recording::open). Start and end 0 mean that the profiler has not measured the times, and so does a launch
    /// that ends before its start or that is later than [`LATEST_NS`].
    pub fn launch(
        &mut self,
        name: &str,
        key: StreamKey,
        times: (Option<i64>, Option<i64>),
        call: Option<Call>,
    ) {
        let times = self.measured(times, name);
        let name = self.names.intern(name);
        let Some((start, end)) = times else {
            self.open.push(OpenLaunch { name, key, call });
            return;
        };
        // Most launches are on the stream of the launch before.
        let last = self.launches.last().map(|launch| launch.stream);
        let last = last.filter(|&last| self.streams.get(last) == key);
        let stream = last.unwrap_or_else(|| self.streams.intern(key));
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
    }

    /// Adds a copy or fill of memory from `start` to `end` [ns], if its times and its host call are measured.
    pub fn copy(&mut self, times: (Option<i64>, Option<i64>), call: Option<Call>) {
        let (Some(start), Some(end)) = times else { return };
        let known = -LATEST_NS..=LATEST_NS;
        let measured =
            (start, end) != (0, 0) && start <= end && known.contains(&start) && known.contains(&end);
        if let Some(call) = call.filter(|_| measured) {
            self.copies.push(MemoryCopy { start, end, call });
        }
    }

    /// Adds a launch of an unknown kernel on an unknown stream, whose record is damaged.
    pub fn unknown_launch(&mut self) {
        self.launch("", StreamKey::default(), (None, None), None);
    }

    /// Assigns the launches and the open launches to the processes of their host calls, if these are several processes. Otherwise,
    /// the launches of several processes on streams with equal numbers would be launches of one stream. Returns whether these are
    /// several processes.
    pub fn keep_apart(&mut self, launches: &[Option<i64>], open: &[Option<i64>]) -> bool {
        let known = || launches.iter().chain(open).flatten();
        if known().all(|process| Some(process) == known().next()) {
            return false;
        }
        let before = std::mem::take(&mut self.streams);
        for (launch, &process) in self.launches.iter_mut().zip(launches) {
            let key = before.get(launch.stream);
            launch.stream = self.streams.intern(StreamKey { process, ..key });
        }
        for (launch, &process) in self.open.iter_mut().zip(open) {
            launch.key.process = process;
        }
        true
    }

    /// Adds a range `name` of the thread or stream `lane`, if both times are known. The rules for unknown times are the
    /// rules of [`launch`](Recording::launch).
    pub fn range(&mut self, name: &str, side: Side, times: (Option<i64>, Option<i64>), lane: Option<Lane>) {
        let Some((start, end)) = self.measured(times, name) else {
            self.missing.ranges += 1;
            return;
        };
        let name = self.names.intern(range::stem(name));
        self.ranges.push(Range {
            start,
            end,
            name,
            side,
            lane,
        });
    }

    /// Returns the start and the end of an event, or `None` if the profiler has not measured them.
    fn measured(&mut self, times: (Option<i64>, Option<i64>), name: &str) -> Option<(i64, i64)> {
        let (Some(start), Some(end)) = times else {
            return None;
        };
        // CUPTI and rocprof write 0 for times that they have not measured.
        if (start, end) == (0, 0) {
            return None;
        }
        let known = -LATEST_NS..=LATEST_NS;
        if end < start || !known.contains(&start) || !known.contains(&end) {
            self.missing
                .impossible(format_args!("{name:?} from {start} to {end} ns"));
            return None;
        }
        Some((start, end))
    }

    /// Returns the earliest start of a launch or a range [ns]. An empty recording starts at 0.
    pub fn start(&self) -> i64 {
        let launches = self.launches.iter().map(|launch| launch.start);
        let ranges = self.ranges.iter().map(|range| range.start);
        launches.chain(ranges).min().unwrap_or_default()
    }

    /// Returns the properties of the context `key`, or `None` if the file does not describe it. If the file describes
    /// contexts of several processes with this number and not of the process of `key`, they must have equal properties.
    pub fn context_of(&self, key: StreamKey) -> Option<&Context> {
        let id = key.green.or(key.context)?;
        let same_device = |context: &&Context| key.device.is_none_or(|device| device == context.device);
        let mut contexts = self.contexts.iter().filter(|context| context.id == id);
        let mut contexts = contexts.by_ref().filter(same_device);
        let first = contexts.next()?;
        if first.process == key.process {
            return Some(first);
        }
        let mut equal = true;
        for context in contexts {
            if context.process == key.process {
                return Some(context);
            }
            equal &= (context.sms, context.green) == (first.sms, first.green);
        }
        equal.then_some(first)
    }

    /// Returns the GPUs on which launches of the GPUs `devices` may have run. Without a link between launches and GPUs, these
    /// are all GPUs.
    pub fn gpus_of(&self, devices: &[i64]) -> Vec<&Gpu> {
        let linked = |&device: &i64| self.gpus.iter().any(|gpu| gpu.device == Some(device));
        let all_linked = !devices.is_empty() && devices.iter().all(linked);
        let used = |gpu: &&Gpu| !all_linked || gpu.device.is_some_and(|device| devices.contains(&device));
        self.gpus.iter().filter(used).collect()
    }

    /// Returns the number of SMs of the GPUs on which launches of the GPUs `devices` may have run, or `None` if the file does
    /// not state it, or if these GPUs have different numbers.
    pub fn sms_of(&self, devices: &[i64]) -> Option<u32> {
        let mut sizes = self.gpus_of(devices).into_iter().map(|gpu| gpu.sms);
        let first = sizes.next()??;
        sizes.all(|sms| sms == Some(first)).then_some(first)
    }

    /// Returns the host call of launch number `index`, if the file contains it.
    pub fn call(&self, index: usize) -> Option<Call> {
        self.calls.get(index).copied().flatten()
    }
}
