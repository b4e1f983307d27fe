//! Lemma 1 of [Aghilinasab20] for each kernel of a sequence: no kernel takes longer than its nominal WCET.

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::simulator::regulation::{AccessPattern, Governor};
use gpusched::time::Time;

use crate::kernel_wcet::random;
use crate::sequence::cases::Case;
use crate::support::rounds;

#[test]
fn no_kernel_is_late_in_company() {
    let mut rng = random::rng(61);
    let (mut jobs, mut within, mut back_to_back, mut raised) = (0, 0, 0, 0);
    let mut worst = 0.0f64;
    for run in 0..rounds(6_000) {
        let case = Case::new(&mut rng, 61, run, &AccessPattern::ALL);
        let record = run % 4 == 0;
        let found = case.run(&mut case.allocators.clone(), record);
        let period = case.system.regulation_period().ns();
        let mut last = None;
        for job in &found.jobs {
            let deadline = case.allocators[job.kernel].deadline().ns();
            assert!(
                !job.late(),
                "{job:?} {:?} {:?} {:?} {:?}",
                case.policy,
                case.dispatch,
                case.setting,
                case.system
            );
            let length = job.finish_ns.ns() - job.start_ns.ns();
            assert_eq!(job.margin_ns, deadline as i64 - length as i64);
            // Very short kernels are excluded, because rounding dominates their ratio.
            if length > 1_000 {
                worst = worst.max(length as f64 / deadline as f64);
            }
            let begin = job.start_ns.ns() + case.setting.offset_ns.unwrap().ns();
            within += u32::from(!begin.is_multiple_of(period));
            back_to_back += u32::from(last == Some(job.start_ns));
            last = Some(job.finish_ns);
            jobs += 1;
        }
        // Stretches cover the whole time, and their sums equal the totals.
        if record {
            let mut now = Time::ZERO;
            let mut requests = [0.0; 2];
            for stretch in &found.stretches {
                assert_eq!(stretch.begin, now);
                assert!(
                    stretch.end > now && stretch.end.ns() - now.ns() <= period,
                    "{stretch:?}"
                );
                requests[usize::from(stretch.job.is_none())] += stretch.requests;
                if let Some((kernel, _)) = stretch.job {
                    let nominal = case.allocators[kernel].nominal().ns() as f64 / period as f64;
                    raised += u32::from(stretch.q > nominal + 0.01);
                }
                now = stretch.end;
            }
            assert_eq!((now, found.length), (found.length, case.sequencer.horizon()));
            for (sum, total) in requests.iter().zip([found.running_requests, found.idle_requests]) {
                assert!((sum - total).abs() <= 1e-6 * (1.0 + total), "{sum} {total}");
            }
        }
    }
    println!(
        "{jobs} jobs, {within} start within a period, {back_to_back} at the end of another; at most {worst} of the nominal WCET; \
         {raised} stretches above the nominal budget"
    );
    assert!(
        jobs > rounds(20_000)
            && within > rounds(10_000)
            && back_to_back > rounds(5_000)
            && raised > rounds(1_000)
    );
    assert!(worst > 0.995, "{worst}");
}

/// An allocator with a defect.
struct Broken {
    allocator: Allocator,
    /// Excess of each decision, as a share of T.
    more: f64,
    /// Whether best-effort cores stay unregulated until the next period.
    unlocked: bool,
}

impl Governor for Broken {
    fn deadline(&self) -> Time {
        self.allocator.deadline()
    }

    fn nominal(&self) -> Time {
        if self.unlocked {
            self.allocator.period()
        } else {
            self.allocator.nominal()
        }
    }

    fn restart(&mut self) {
        self.allocator.restart();
    }

    fn decide(&mut self, elapsed: Time, remaining: &[u64]) -> Time {
        let period = self.allocator.period().ns();
        let more = (self.more * period as f64) as u64;
        let budget = self.allocator.decide(elapsed, remaining).ns() + more;
        Time::from_ns(budget.min(period))
    }

    fn memory(&self, window: u64, remaining: &[u64]) -> Option<u64> {
        self.allocator.memory(window, remaining)
    }
}

/// Returns the number of runs with a missed deadline among 1,000 runs, by policy.
fn late(seed: u64, more: f64, unlocked: bool) -> [u32; 4] {
    let mut rng = random::rng(seed);
    let mut late = [0; 4];
    for run in 0..1_000 {
        let case = Case::new(&mut rng, seed, run, &AccessPattern::ALL);
        let broken = case.allocators.iter().map(|allocator| Broken {
            allocator: allocator.clone(),
            more,
            unlocked,
        });
        let found = case.run(&mut broken.collect::<Vec<_>>(), false);
        let policy = BudgetPolicy::ALL.iter().position(|&policy| policy == case.policy);
        late[policy.unwrap()] += u32::from(found.jobs.iter().any(|job| job.late()));
    }
    println!("{late:?} of some 250 runs each");
    late
}

/// The test of Lemma 1 is effective: it detects an excess of five percentage points under each
/// policy.
#[test]
fn five_points_too_many_are_noticed() {
    let late = late(62, 0.05, false);
    assert!(late.iter().all(|&late| late > 0), "{late:?}");
}

/// Locking is necessary: if best-effort cores stay unregulated until the period after the start, kernels exceed their
/// deadlines.
#[test]
fn cores_that_are_not_locked_are_noticed() {
    let late = late(63, 0.0, true);
    assert!(late.iter().all(|&late| late > 0), "{late:?}");
}

/// The defect is the cause of the misses: without the defect, the systems miss no deadline.
#[test]
fn what_is_noticed_is_broken() {
    assert_eq!(late(62, 0.0, false), [0; 4]);
    assert_eq!(late(63, 0.0, false), [0; 4]);
}
