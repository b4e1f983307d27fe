//! Guarantee of the policy `concurrent` at the cycle level: in random groups of kernels that share SMs, each job ends by the
//! bound with the default variation. Without the variation, some jobs exceed the bound.

use gpusched::model::streams::{Purpose, below, stream};
use gpusched_gpu::WarpRun;
use gpusched_gpu::scenario::{Options, Setup};
use rand::Rng;
use serde_json::{Value, json};

use crate::support::{root, rounds};

/// Default variation of `concurrent` [%].
const VARIATION: u64 = 20;

/// Programs of random groups.
const PROGRAMS: [&str; 9] = [
    "vadd",
    "pc",
    "matmul",
    "copyl",
    "transpose",
    "singh22/2dc",
    "singh22/bin",
    "singh22/vec",
    "singh22/his",
];

/// A job of a stream.
struct Job {
    stream: usize,
    release: u64,
    end: u64,
}

/// Kernels on a part of a simulated GPU.
struct Group {
    machine: &'static str,
    sms: u32,
    scheduler: &'static str,
    /// Program and number of blocks of each stream.
    streams: Vec<(Value, u64)>,
}

impl Group {
    fn draw(random: &mut impl Rng) -> Group {
        let stream = |random: &mut _| {
            let name = PROGRAMS[below(random, PROGRAMS.len())];
            let path = root().join(format!("tasksets/kernels/programs/{name}.json"));
            let program = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            (program, [1, 2, 4, 5, 8, 12][below(random, 6)])
        };
        Group {
            machine: ["rtx2060", "titanv"][below(random, 2)],
            sms: [2, 4][below(random, 2)],
            scheduler: ["lrr", "gto"][below(random, 2)],
            streams: (0..2 + below(random, 3)).map(|_| stream(random)).collect(),
        }
    }

    /// Returns the ends of `jobs`, which are pairs of stream and release. Each stream runs its jobs in the order of `jobs`.
    fn ends(&self, jobs: &[(usize, u64)], warm: bool) -> Vec<u64> {
        let kernels = jobs.iter().enumerate().map(|(index, &(stream, release))| {
            let (program, blocks) = &self.streams[stream];
            json!({"name": format!("{index}"), "program": program, "grid": blocks, "launch": release,
                "queue": {"name": format!("{stream}"), "priority": index}})
        });
        let run = json!({"machine": self.machine, "share": "sm", "sms": self.sms, "warm": warm, "scheduler": self.scheduler,
            "kernels": kernels.collect::<Vec<_>>()});
        let run: WarpRun = serde_json::from_value(run).unwrap();
        let setup = Setup::new(&run, &root().join("run.json")).unwrap();
        let (results, _) = setup.run(Options::default(), &mut |_| ()).unwrap();
        results.kernels.iter().map(|kernel| kernel.finish + 1).collect()
    }

    /// Returns the longer time of a warm and a cold run of each stream in isolation.
    fn times(&self) -> Vec<u64> {
        let time = |stream| [true, false].map(|warm| self.ends(&[(stream, 0)], warm)[0]);
        (0..self.streams.len())
            .map(|stream| time(stream).into_iter().max().unwrap())
            .collect()
    }
}

/// Returns the least w > 0 with w ≥ W(w), where W(w) is the work of the jobs that are released in [s, s + w), without later
/// jobs of the stream of `jobs[of]`. `works` contains the work of a job of each stream.
fn bound(jobs: &[Job], of: usize, s: u64, works: &[u64]) -> u64 {
    let mut w = 1;
    loop {
        let counted = jobs.iter().enumerate().filter(|&(index, job)| {
            let later = job.stream == jobs[of].stream && index > of;
            (s..s + w).contains(&job.release) && !later
        });
        let work: u64 = counted.map(|(_, job)| works[job.stream]).sum();
        if work <= w {
            return w;
        }
        w = work;
    }
}

/// Returns the start of the busy period of `jobs[of]`: the last instant up to its release such that no job that was released
/// earlier is pending.
fn start(jobs: &[Job], of: usize) -> u64 {
    let mut start = jobs[of].release;
    while let Some(earlier) = { jobs.iter() }
        .filter(|job| job.release < start && start < job.end)
        .map(|job| job.release)
        .min()
    {
        start = earlier;
    }
    start
}

#[test]
fn kernels_together_are_no_slower_than_one_after_another_with_20_percent() {
    let (mut checked, mut beyond, mut shared) = (0u64, 0u64, 0u64);
    for index in 0..rounds(300) {
        let random = &mut stream(541, Purpose::CoRuns, 2, index);
        let group = Group::draw(random);
        let times = group.times();
        let span = match below(random, 4) {
            0 => 0,
            divisor => times.iter().sum::<u64>() / divisor as u64,
        };
        let mut jobs: Vec<(usize, u64)> = (0..times.len())
            .flat_map(|stream| {
                let count = 1 + below(random, 3);
                let releases: Vec<_> = (0..count)
                    .map(|_| (stream, below(random, span as usize + 1) as u64))
                    .collect();
                releases
            })
            .collect();
        jobs.sort_by_key(|&(_, release)| release);
        let ends = group.ends(&jobs, below(random, 2) == 0);
        let jobs: Vec<Job> = { jobs.iter().zip(ends) }
            .map(|(&(stream, release), end)| Job { stream, release, end })
            .collect();
        let works = times.iter().map(|time| (time * (100 + VARIATION)).div_ceil(100));
        let works: Vec<u64> = works.collect();
        for (of, job) in jobs.iter().enumerate() {
            let s = start(&jobs, of);
            let w = bound(&jobs, of, s, &works);
            assert!(job.end - s <= w, "group {index}, job {of}: {} > {w}", job.end - s);
            beyond += u64::from(job.end - s > bound(&jobs, of, s, &times));
            shared += u64::from(job.end - job.release > times[job.stream]);
            checked += 1;
        }
    }
    assert!(
        2 * shared > checked,
        "{shared} of {checked} jobs are slower than in isolation"
    );
    assert!(
        beyond > 0 && 10 * beyond < checked,
        "{beyond} of {checked} jobs need a variation"
    );
}
