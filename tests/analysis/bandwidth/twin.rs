//! Reference implementation of a run: a simulation event by event that recomputes all values
//! after each event.

use gpusched::simulator::regulation::{AccessPattern, REQUESTS_PER_NS};
use gpusched::time::Time;
use rand::RngExt;

use crate::bandwidth::cases::Case;
use crate::kernel_wcet::random;
use crate::support::rounds;

/// Results of the reference implementation: end of the kernel, memory requests, and for each period the budget and the
/// remaining blocks.
struct Found {
    finish: f64,
    requests: f64,
    periods: Vec<(f64, Vec<u64>)>,
}

/// Returns whether best-effort cores access memory at time `at`, and the end of this state. Each
/// period of `period` ns has `memory` ns of memory time.
fn phase(pattern: AccessPattern, memory: f64, period: f64, at: f64) -> (bool, f64) {
    let bursts = match pattern {
        AccessPattern::Uniform => 64,
        _ => 1,
    };
    let (step, length) = (period / f64::from(bursts), memory / f64::from(bursts));
    for burst in 0..bursts {
        let start = f64::from(burst) * step
            + if pattern == AccessPattern::Back {
                period - memory
            } else {
                0.0
            };
        if at < start {
            return (false, start);
        }
        if at < start + length {
            return (true, start + length);
        }
    }
    (false, period)
}

fn twin(case: &Case) -> Found {
    let kernel = &case.kernel;
    let period = kernel.regulation_period().ns() as f64;
    let offset = case.execution.offset.ns() as f64;
    let clusters: Vec<usize> = match kernel.intervals() {
        [] => kernel
            .clusters()
            .iter()
            .enumerate()
            .flat_map(|(index, cluster)| vec![index; cluster.blocks() as usize])
            .collect(),
        intervals => intervals
            .iter()
            .flat_map(|interval| vec![interval.cluster; (interval.last - interval.first + 1) as usize])
            .collect(),
    };
    let traffic = case.process.traffic.ns() as f64;
    let demand = case.setting.demand.as_f64() * period;
    let mut allocator = case.allocator.clone();
    let mut left: Vec<f64> = case.execution.blocks.iter().map(|block| block.alone).collect();
    let count = |left: &[f64]| {
        let mut counts = vec![0u64; kernel.clusters().len()];
        left.iter()
            .zip(&clusters)
            .filter(|pair| *pair.0 > 0.0)
            .for_each(|pair| counts[*pair.1] += 1);
        counts
    };
    let mut seen: Option<Vec<u64>> = None; // observations of the process in this period
    let mut last = count(&left);
    let mut budget = allocator.nominal();
    let look = period - case.process.lead.ns() as f64;
    let (mut index, mut now) = (0u64, offset); // the period, and the time within it
    let (mut requests, mut periods) = (0.0, Vec::new());
    let mut used = 0.0;
    let mut begin = true;
    loop {
        if begin {
            if index > 0
                && let Some(counts) = seen.take()
            {
                let elapsed =
                    Time::from_ns(index * kernel.regulation_period().ns() - case.execution.offset.ns());
                budget = allocator.decide(elapsed, &counts);
                last = counts;
            }
            seen = (now == look).then(|| count(&left));
            let granted = (budget.ns() as f64 - traffic).max(0.0);
            used = granted.min(demand);
            periods.push((granted / period, last.clone()));
            begin = false;
        }
        let memory = (used + traffic).min(period);
        let (contended, until) = phase(case.setting.pattern, memory, period, now);
        let running: Vec<usize> = (0..left.len())
            .filter(|&block| left[block] > 0.0)
            .take(kernel.active_blocks() as usize)
            .collect();
        let speed = |block: usize| {
            if contended {
                case.execution.blocks[block].speed
            } else {
                1.0
            }
        };
        // The next event is the end of a block, an observation of the process, the start or end of memory time, or the
        // end of the period.
        let mut next = until.min(period);
        if now < look {
            next = next.min(look);
        }
        for &block in &running {
            next = next.min(now + left[block] / speed(block));
        }
        for &block in &running {
            let ends = now + left[block] / speed(block) <= next;
            left[block] = if ends {
                0.0
            } else {
                left[block] - (next - now) * speed(block)
            };
        }
        if contended {
            requests += (next - now) * used / memory * REQUESTS_PER_NS;
        }
        now = next;
        if now == look {
            seen = Some(count(&left));
        }
        if left.iter().all(|&work| work == 0.0) {
            let finish = index as f64 * period + now - offset;
            return Found {
                finish,
                requests,
                periods,
            };
        }
        if now >= period {
            (index, now, begin) = (index + 1, 0.0, true);
        }
    }
}

/// In 3,000 runs under all policies and supported patterns, the simulator and the reference
/// implementation have the same end, requests, budgets and remaining blocks.
#[test]
fn fast_and_slow_runs_are_the_same() {
    let mut rng = random::rng(43);
    let patterns = [AccessPattern::Front, AccessPattern::Back, AccessPattern::Uniform];
    let (mut decisions, mut raised) = (0, 0);
    for run in 0..rounds(3_000) {
        let mut case = Case::new(&mut rng, 43, run, &patterns);
        if case.kernel.blocks() > 120 {
            continue;
        }
        // Block ends never coincide with an observation, because rounding would decide their order.
        for block in &mut case.execution.blocks {
            block.alone *= 1.0 - 1e-3 * rng.random_range(0.0..1.0);
        }
        let slow = twin(&case);
        let fast = case.run(&mut case.allocator.clone(), true);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()));
        assert_eq!(fast.periods.len(), slow.periods.len());
        for (index, (fast, slow)) in fast.periods.iter().zip(&slow.periods).enumerate() {
            assert!(
                close(fast.q, slow.0),
                "{index}: {} {} {:?}",
                fast.q,
                slow.0,
                case.kernel
            );
            assert_eq!(fast.remaining, slow.1, "{index} {:?}", case.kernel);
            raised += u32::from(
                fast.q
                    > slow
                        .0
                        .min(case.allocator.nominal().ns() as f64 / case.allocator.period().ns() as f64),
            );
        }
        assert!(
            close(fast.finish, slow.finish),
            "{} {} {:?}",
            fast.finish,
            slow.finish,
            case.kernel
        );
        assert!(
            close(fast.requests, slow.requests),
            "{} {} {:?}",
            fast.requests,
            slow.requests,
            case.kernel
        );
        decisions += fast.periods.len();
    }
    println!("{decisions} periods, {raised} above the nominal budget");
    assert!(
        decisions > rounds(5_000) && raised > rounds(500),
        "{decisions} {raised}"
    );
}
