//! Memory requests within the periods of a run, and the summary of runs.

use gpusched::bandwidth::BudgetPolicy;
use gpusched::simulator::regulation::{AccessPattern, Estimate, REQUESTS_PER_NS, Run, Tally};
use gpusched::time::Time;

use crate::bandwidth::cases::Case;
use crate::kernel_wcet::random;
use crate::support::rounds;

/// Under every access pattern, best-effort cores use their whole memory time in each period that the kernel fills.
#[test]
fn no_memory_time_is_lost() {
    let mut rng = random::rng(44);
    for pattern in AccessPattern::ALL {
        let mut full = 0;
        for run in 0..rounds(1_000) {
            let case = Case::new(&mut rng, 44, run, &[pattern]);
            let found = case.run(&mut case.allocator.clone(), true);
            let period = case.kernel.regulation_period().ns() as f64;
            let last = found.periods.len() - 1;
            for (index, row) in found.periods.iter().enumerate() {
                if index == last || index == 0 && case.execution.offset > Time::ZERO {
                    continue; // the kernel runs only in a part of the period
                }
                let expected = (row.q * period).min(case.setting.demand.as_f64() * period) * REQUESTS_PER_NS;
                assert!(
                    (row.requests - expected).abs() <= 1e-9 * (1.0 + expected),
                    "{pattern} {index}: {} {expected} {:?}",
                    row.requests,
                    case.kernel
                );
                full += usize::from(expected > 0.0);
            }
        }
        assert!(full > rounds(1_000), "{pattern}: {full}");
    }
}

#[test]
fn intervals_are_those_of_the_textbook() {
    let run = |requests| Run {
        run: 0,
        policy: BudgetPolicy::Fair,
        finish: 0.0,
        late: false,
        requests,
        cores: Vec::new(),
        tasks: Vec::new(),
        core_time: Time::ZERO,
        q_mean: 0.0,
        q_std: 0.0,
        count: 1,
        periods: Vec::new(),
    };
    let mut tally = Tally::new(BudgetPolicy::Fair, Time::ZERO);
    let nominal = run(0.0);
    tally.add(&run(2.0), &nominal);
    let one = tally.summary();
    assert_eq!((one.requests.mean, one.requests.low), (2.0, None));
    assert_eq!((one.improvement, one.fairness), (None, None));
    for requests in [4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
        tally.add(&run(requests), &nominal);
    }
    // The values have mean 5, sample variance 32/7 and standard error √(32/7/8). The factor is the 97.5 % quantile of the
    // standard normal distribution.
    let Estimate { mean, low, high } = tally.summary().requests;
    let half = 1.959_963_984_540_054 * (32.0f64 / 7.0 / 8.0).sqrt();
    assert!((mean - 5.0).abs() < 1e-12);
    assert!((low.unwrap() - (5.0 - half)).abs() < 1e-12 && (high.unwrap() - (5.0 + half)).abs() < 1e-12);
}
