//! Kernels with known clusters.

use gpusched::kernel_wcet::clustering::{Clustering, Options};
use gpusched::kernel_wcet::synthesis::{Synthesizer, alternate};
use gpusched::kernel_wcet::trace::{Level, Recorder, Row, Trace};
use gpusched::model::kernel::Distribution;
use gpusched::model::{Cluster, Kernel};
use gpusched::time::Time;

pub fn normal(mean_ns: f64, std_ns: f64) -> Option<Distribution> {
    Some(Distribution {
        samples: None,
        mean_ns,
        std_ns,
        goodness_of_fit: None,
        lilliefors: None,
        percentile: None,
        tail: None,
    })
}

/// Blocks of a cluster: their number, and WCET, mean and standard deviation [ns] without and with interference.
pub type Group = (u64, [f64; 3], [f64; 3]);

/// Returns the kernel histo of [Aghilinasab20], Table I, with `blocks` blocks of each cluster.
pub fn histo(blocks: u64) -> Kernel {
    let groups: [Group; 3] = [
        (blocks, [1_700.0, 1_610.0, 35.0], [3_690.0, 3_440.0, 90.0]),
        (blocks, [2_500.0, 2_300.0, 67.0], [6_520.0, 6_270.0, 99.0]),
        (blocks, [3_300.0, 3_210.0, 39.0], [8_830.0, 8_530.0, 110.0]),
    ];
    kernel(&groups, 14)
}

/// Returns a kernel of these groups in `intervals` intervals, with four concurrent blocks.
pub fn kernel(groups: &[Group], intervals: usize) -> Kernel {
    let clusters: Vec<Cluster> = groups
        .iter()
        .map(|&(blocks, [e0, mean0, std0], [e1, mean1, std1])| {
            let cluster = Cluster::new(blocks, Time::from_ns(e0 as u64), Time::from_ns(e1 as u64)).unwrap();
            cluster.with_distributions(normal(mean0, std0), normal(mean1, std1))
        })
        .collect();
    let intervals = alternate(&clusters, intervals).unwrap();
    let kernel = Kernel::new(4, Time::from_ns(1_000_000), clusters).unwrap();
    kernel.with_intervals(intervals).unwrap()
}

/// Returns groups of `blocks` blocks with these means and standard deviations in isolation, and doubled values under
/// interference.
pub fn groups(blocks: u64, moments: &[(f64, f64)]) -> Vec<Group> {
    let group = |&(mean, std): &(f64, f64)| {
        let isolated = [(mean + 4.0 * std).ceil(), mean, std];
        (blocks, isolated, isolated.map(|ns| 2.0 * ns))
    };
    moments.iter().map(group).collect()
}

/// Returns a trace of `runs` runs without interference, with `samples` stored runs, and one run with interference.
pub fn trace(kernel: &Kernel, runs: u64, samples: usize, seed: u64) -> Trace {
    let synthesizer = Synthesizer::new(kernel, seed).unwrap();
    let mut recorder = Recorder::new(samples, seed);
    let isolated = (0..runs).map(|run| synthesizer.draw(Level::Isolated, run));
    for row in isolated
        .chain([synthesizer.draw(Level::Interference, 0)])
        .flatten()
    {
        recorder.row(&row).unwrap();
    }
    recorder.end_file().unwrap();
    recorder.finish().unwrap()
}

/// Returns a trace of these durations [ns], by run and block, and a run under interference that repeats the first run.
pub fn trace_of(runs: &[Vec<u64>]) -> Trace {
    recorded(Recorder::new(runs.len(), 1), runs)
}

/// Returns the trace of `recorder` after these runs.
pub fn recorded(mut recorder: Recorder, runs: &[Vec<u64>]) -> Trace {
    let levels = (0u64..).zip(runs).map(|run| (Level::Isolated, run));
    for (level, (run, durations)) in levels.chain([(Level::Interference, (0, &runs[0]))]) {
        for (block, &duration) in (0u64..).zip(durations) {
            recorder
                .row(&Row {
                    run,
                    block,
                    start: None,
                    duration,
                    level,
                })
                .unwrap();
        }
    }
    recorder.end_file().unwrap();
    recorder.finish().unwrap()
}

pub fn clustering(trace: &Trace) -> Clustering {
    Clustering::new(trace, &Options::default()).unwrap()
}

/// Returns the planted cluster of each block.
pub fn truth(kernel: &Kernel) -> Vec<usize> {
    let intervals = kernel.intervals().iter();
    intervals
        .flat_map(|interval| (interval.first..=interval.last).map(|_| interval.cluster))
        .collect()
}
