//! Reference implementation of the runs: it simulates event by event and checks all blocks and all jobs each time.

use gpusched::simulator::regulation::sequence::Dispatch;
use gpusched::simulator::regulation::{AccessPattern, REQUESTS_PER_NS, tolerance};
use gpusched::time::Time;
use rand::RngExt;

use crate::kernel_wcet::random;
use crate::sequence::cases::Case;
use crate::support::rounds;

#[derive(Clone, Copy)]
struct Waiting {
    kernel: usize,
    job: u64,
    release: u64,
    deadline: u64,
    period: u64,
}

#[derive(Default)]
struct Found {
    /// Kernel, job, start and finish of each job.
    jobs: Vec<(usize, u64, u64, u64)>,
    running: f64,
    idle: f64,
    /// Start, Q and remaining blocks of each stretch with a running kernel.
    stretches: Vec<(u64, f64, u64)>,
}

/// Returns whether best-effort cores access memory at `at` of a stretch of `room`, and until when.
fn phase(pattern: AccessPattern, memory: f64, room: f64, at: f64) -> (bool, f64) {
    let (bursts, late) = match pattern {
        AccessPattern::Front => (1, 0.0),
        AccessPattern::Back => (1, room - memory),
        _ => (64, 0.0),
    };
    for burst in 0..bursts {
        let start = room / f64::from(bursts) * f64::from(burst) + late;
        let end = start + memory / f64::from(bursts);
        if at < start {
            return (false, start);
        }
        if at < end {
            return (true, end);
        }
    }
    (false, room)
}

fn twin(case: &Case) -> Found {
    let hyperperiod = case.system.hyperperiod().unwrap_or_default().ns();
    let demand = case.setting.demand.as_f64();
    let mut waiting: Vec<Waiting> = Vec::new();
    for (kernel, task) in case.system.kernels().iter().enumerate() {
        let every = task.period().map_or(u64::MAX, |period| period.ns());
        let (mut release, mut job) = (task.offset().ns(), 0);
        while job == 0 || release < hyperperiod {
            let deadline = task.deadline().map_or(1 << 60, |deadline| deadline.ns());
            waiting.push(Waiting {
                kernel,
                job,
                release,
                deadline,
                period: every,
            });
            (release, job) = (release.saturating_add(every), job + 1);
        }
    }
    let mut found = Found::default();
    let mut now = 0u64;
    while !waiting.is_empty() {
        let mut best: Option<usize> = None;
        for (index, job) in waiting.iter().enumerate().filter(|(_, job)| job.release <= now) {
            let first = |other: &Waiting| match case.dispatch {
                Dispatch::Fifo => job.release < other.release,
                Dispatch::NpEdf => job.release + job.deadline < other.release + other.deadline,
                Dispatch::NpFp => job.deadline < other.deadline,
                Dispatch::NpFpRm => job.period < other.period,
                Dispatch::NpFpGiven => job.kernel < other.kernel,
            };
            // `waiting` is ordered by kernel and job.
            if best.is_none_or(|best| first(&waiting[best])) {
                best = Some(index);
            }
        }
        match best {
            Some(index) => {
                let job = waiting.remove(index);
                let finish = execute(case, job.kernel, now, &mut found);
                found.jobs.push((job.kernel, job.job, now, finish));
                now = finish;
            }
            None => {
                let next = waiting.iter().map(|job| job.release).min().unwrap();
                found.idle += (next - now) as f64 * demand * REQUESTS_PER_NS;
                now = next;
            }
        }
    }
    let tasks = case.system.kernels().iter().zip(&case.allocators);
    // The horizon: all jobs, ordered by release, each with its maximum length.
    let mut releases: Vec<(u64, u64)> = tasks
        .flat_map(|(task, allocator)| {
            let wcet = allocator.deadline().ns();
            let every = task.period().map_or(0, |period| period.ns());
            (0..case.system.jobs(task)).map(move |job| (task.offset().ns() + job * every, wcet))
        })
        .collect();
    releases.sort();
    let end = releases
        .iter()
        .fold(0, |end, &(release, wcet)| release.max(end) + wcet)
        .max(hyperperiod);
    found.idle += (end - now) as f64 * demand * REQUESTS_PER_NS;
    found
}

/// Runs a job of `kernel` from `start` on and returns its end.
fn execute(case: &Case, kernel: usize, start: u64, found: &mut Found) -> u64 {
    let task = case.system.kernels()[kernel].kernel();
    let period = task.regulation_period().ns();
    let offset = case.setting.offset_ns.unwrap().ns();
    let blocks = &case.blocks[kernel];
    let clusters: Vec<usize> = task
        .clusters()
        .iter()
        .enumerate()
        .flat_map(|(index, cluster)| vec![index; cluster.blocks() as usize])
        .collect();
    let mut left: Vec<f64> = blocks.iter().map(|block| block.alone).collect();
    let count = |left: &[f64]| {
        let mut counts = vec![0u64; task.clusters().len()];
        let undone = left.iter().zip(&clusters).filter(|pair| *pair.0 > 0.0);
        undone.for_each(|pair| counts[*pair.1] += 1);
        counts
    };
    let mut allocator = case.allocators[kernel].clone();
    let mut budget = allocator.nominal();
    let traffic = case.process.traffic.ns() as f64;
    let mut last = count(&left);
    let mut begin = start;
    loop {
        // A stretch ends at the next period boundary.
        let end = (begin + offset) / period * period + period - offset;
        let room = (end - begin) as f64;
        let look = room - case.process.lead.ns() as f64;
        let mut seen = None;
        let granted = (budget.ns() as f64 - traffic).max(0.0);
        let used = granted.min(case.setting.demand.as_f64() * room);
        let memory = (used + traffic).min(room);
        found
            .stretches
            .push((begin, granted / period as f64, last.iter().sum()));
        let mut at = 0.0;
        while at < room {
            if at == look {
                seen = Some(count(&left));
            }
            let (contended, until) = phase(case.setting.pattern, memory, room, at);
            let running: Vec<usize> = (0..left.len())
                .filter(|&block| left[block] > 0.0)
                .take(task.active_blocks() as usize)
                .collect();
            let speed = |block: usize| if contended { blocks[block].speed } else { 1.0 };
            let mut next = until.min(room);
            if at < look {
                next = next.min(look);
            }
            for &block in &running {
                next = next.min(at + left[block] / speed(block));
            }
            for &block in &running {
                let ends = at + left[block] / speed(block) <= next;
                left[block] = if ends {
                    0.0
                } else {
                    left[block] - (next - at) * speed(block)
                };
            }
            if contended {
                found.running += (next - at) * used / memory * REQUESTS_PER_NS;
            }
            at = next;
            if left.iter().all(|&work| work == 0.0) {
                let finish = (begin - start) as f64 + at;
                let rounding = tolerance(allocator.deadline(), Time::from_ns(period));
                return start + ((finish - rounding).ceil() as u64).max(1);
            }
        }
        if at == look {
            seen = Some(count(&left)); // no lead
        }
        begin = end;
        if let Some(counts) = seen {
            budget = allocator.decide(Time::from_ns(begin - start), &counts);
            last = counts;
        }
    }
}

/// Runs under all policies, orders and supported patterns have the same jobs, budgets, remaining blocks and requests.
#[test]
fn fast_and_slow_sequences_are_the_same() {
    let mut rng = random::rng(64);
    let patterns = [AccessPattern::Front, AccessPattern::Back, AccessPattern::Uniform];
    let (mut jobs, mut stretches, mut within) = (0, 0, 0);
    for run in 0..rounds(6_000) {
        let mut case = Case::new(&mut rng, 64, run, &patterns);
        if case.blocks.iter().any(|blocks| blocks.len() > 150) {
            continue;
        }
        // No block ends exactly at an observation, and no kernel ends on a nanosecond boundary, because rounding would
        // decide their order.
        for block in case.blocks.iter_mut().flatten() {
            block.alone *= 1.0 - 1e-3 * rng.random_range(0.0..1.0);
        }
        let case = case.with_blocks();
        let slow = twin(&case);
        let fast = case.run(&mut case.allocators.clone(), true);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-7 * (1.0 + a.abs().max(b.abs()));
        let found = fast
            .jobs
            .iter()
            .map(|job| (job.kernel, job.job, job.start_ns.ns(), job.finish_ns.ns()));
        assert_eq!(
            found.collect::<Vec<_>>(),
            slow.jobs,
            "{:?} {:?}",
            case.dispatch,
            case.system
        );
        assert!(
            close(fast.running_requests, slow.running) && close(fast.idle_requests, slow.idle),
            "{} {} {} {}",
            fast.running_requests,
            slow.running,
            fast.idle_requests,
            slow.idle
        );
        let busy: Vec<_> = fast
            .stretches
            .iter()
            .filter(|stretch| stretch.job.is_some())
            .collect();
        assert_eq!(busy.len(), slow.stretches.len(), "{:?}", case.system);
        for (fast, slow) in busy.iter().zip(&slow.stretches) {
            assert_eq!(
                (fast.begin.ns(), fast.remaining.iter().sum::<u64>()),
                (slow.0, slow.2)
            );
            assert!(close(fast.q, slow.1), "{} {}", fast.q, slow.1);
            let begin = slow.0 + case.setting.offset_ns.unwrap().ns();
            within += u32::from(!begin.is_multiple_of(case.system.regulation_period().ns()));
        }
        (jobs, stretches) = (jobs + slow.jobs.len(), stretches + slow.stretches.len());
    }
    println!("{jobs} jobs, {stretches} stretches, {within} of which begin within a period");
    assert!(
        jobs > rounds(2_000) && stretches > rounds(5_000) && within > rounds(500),
        "{jobs} {stretches} {within}"
    );
}
