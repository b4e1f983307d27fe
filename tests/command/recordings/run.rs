//! A run on a GPU, as the tests know it: the reference for all readers.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// One kernel launch. Times are in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    pub name: String,
    pub start: i64,
    pub end: i64,
    pub device: i64,
    pub context: i64,
    pub green: i64,
    pub stream: i64,
    /// Start of the host call, and its thread.
    pub call: (i64, i64),
}

/// A named range of a host thread. `end` is `None` if the range was open at the end of the recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    pub name: String,
    pub start: i64,
    pub end: Option<i64>,
    pub thread: i64,
}

#[derive(Clone, Debug, Default)]
pub struct Run {
    pub kernels: Vec<Kernel>,
    pub ranges: Vec<Range>,
    /// Number of SMs of each green context: (number of the context, SMs).
    pub green: Vec<(i64, u32)>,
    /// Name and number of SMs of the GPU. If absent, the GPU is `NVIDIA Test` with 48 SMs.
    pub gpu: Option<(&'static str, u32)>,
}

/// Creates a run with awkward names, several streams, negative times, open ranges and kernels of length 0.
pub fn random(seed: u64) -> Run {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let names = [
        "void gemm<float, 128>(Params const&)",
        "naïve, \"quoted\" kernel; with ',' and \\ backslash",
        "k",
        "at::native::(anonymous namespace)::copy<4>(int, T2)",
    ];
    let mut run = Run::default();
    let mut now = -5_000i64;
    for number in 0..rng.random_range(1..60) {
        now += rng.random_range(0..3_000);
        let length = if number % 7 == 0 {
            0
        } else {
            rng.random_range(1..5_000)
        };
        run.kernels.push(Kernel {
            name: names[rng.random_range(0..names.len())].to_owned(),
            start: now,
            end: now + length,
            device: rng.random_range(0..2),
            context: rng.random_range(1..3),
            green: 0,
            stream: rng.random_range(7..10),
            call: (now - rng.random_range(1..500), 100 + rng.random_range(0..2)),
        });
    }
    for number in 0..rng.random_range(0..12) {
        let start = rng.random_range(-9_000..50_000);
        run.ranges.push(Range {
            name: format!("step#{number}"),
            start,
            end: (number % 5 != 4).then(|| start + rng.random_range(0..9_000)),
            thread: 100,
        });
    }
    run
}

/// Counts of a run, computed in the most obvious way.
#[derive(Debug, PartialEq)]
pub struct Counts {
    pub launches: usize,
    pub streams: usize,
    pub span: Option<i64>,
    pub busy: Option<i64>,
    /// Name, launches, sum, minimum, median, 99th percentile, maximum; by name.
    pub kernels: Vec<(String, usize, i64, [i64; 4])>,
    /// Name, count and maximum of the closed ranges.
    pub ranges: Vec<(String, usize, i64)>,
}

impl Run {
    pub fn counts(&self) -> Counts {
        let mut streams: Vec<_> = self
            .kernels
            .iter()
            .map(|k| (k.device, k.context, k.stream))
            .collect();
        streams.sort_unstable();
        streams.dedup();
        let first = self.kernels.iter().map(|kernel| kernel.start).min();
        let last = self.kernels.iter().map(|kernel| kernel.end).max();
        let span = first.zip(last).map(|(first, last)| last - first);
        let runs_at = |time: i64| self.kernels.iter().any(|k| k.start <= time && time < k.end);
        let busy = first
            .zip(last)
            .map(|(first, last)| (first..last).filter(|&time| runs_at(time)).count() as i64);
        let mut names: Vec<&String> = self.kernels.iter().map(|kernel| &kernel.name).collect();
        names.sort_unstable();
        names.dedup();
        let kernels = names.into_iter().map(|name| {
            let of = self.kernels.iter().filter(|kernel| kernel.name == *name);
            let mut times: Vec<i64> = of.map(|kernel| kernel.end - kernel.start).collect();
            times.sort_unstable();
            let rank = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
            let statistics = [times[0], rank(50), rank(99), times[times.len() - 1]];
            (name.clone(), times.len(), times.iter().sum(), statistics)
        });
        let closed: Vec<i64> = self
            .ranges
            .iter()
            .filter_map(|range| Some(range.end? - range.start))
            .collect();
        let ranges = closed
            .iter()
            .max()
            .map(|&most| ("step".to_owned(), closed.len(), most));
        Counts {
            launches: self.kernels.len(),
            streams: streams.len(),
            span,
            busy,
            kernels: kernels.collect(),
            ranges: ranges.into_iter().collect(),
        }
    }
}
