//! The tests with interfering partitions, against scans of every window, nanosecond by nanosecond.

use gpusched::interference::bandwidth::Delay;
use gpusched::model::policy::{Policy, Preemption, Priorities};
use gpusched::model::{Evidence, Verdict};
use gpusched::schedulability::Demand;
use gpusched::schedulability::shared_memory::{self, Contended};
use rand::Rng;

use crate::shared_memory::{between, capacity, loads, ns, rng};
use crate::support::rounds;

/// Limit of all scans [ns].
const FAR: u64 = 3_000;

struct Case {
    demands: Vec<Demand>,
    slowest: Option<Vec<Demand>>,
    delay: Delay,
}

impl Case {
    fn draw(rng: &mut impl Rng) -> Case {
        let count = between(rng, 1, 3);
        let demands: Vec<Demand> = (0..count)
            .map(|_| {
                let period = between(rng, 5, 40);
                let wcet = between(rng, 1, (period / (count + 1)).max(1));
                let deadline = between(rng, wcet, 2 * period);
                let jitter = if between(rng, 0, 3) == 0 {
                    between(rng, 0, deadline / 2)
                } else {
                    0
                };
                Demand::new(ns(wcet), ns(period), ns(deadline)).with_jitter(ns(jitter))
            })
            .collect();
        let slowest = (between(rng, 0, 1) == 0).then(|| {
            let slower = demands.iter().map(|demand| {
                let wcet = ns(demand.wcet.ns() * between(rng, 10, 30) / 10);
                Demand {
                    wcet,
                    block: wcet,
                    ..*demand
                }
            });
            slower.collect()
        });
        let most = between(rng, 1, 40);
        let loads = loads(rng, most);
        Case {
            demands,
            slowest,
            delay: Delay::new(capacity(between(rng, 5, 30)), loads),
        }
    }

    fn contended(&self) -> Contended<'_> {
        Contended {
            demands: &self.demands,
            slowest: self.slowest.as_deref(),
            delay: &self.delay,
        }
    }

    fn verdict(&self, policy: Policy) -> Verdict {
        shared_memory::test(policy, &self.contended(), 1)
    }

    /// Returns the first length of a window that completes its own `work`.
    fn done(&self, limit: u64, work: impl Fn(&[Demand], u64) -> u64) -> Option<u64> {
        (1..=limit).find(|&time| {
            work(&self.demands, time) + self.delay.within(time) <= time
                || self
                    .slowest
                    .as_ref()
                    .is_some_and(|slowest| work(slowest, time) <= time)
        })
    }

    /// Checks every deadline up to the longest busy window; `None` if the window is too long to scan.
    fn edf(&self, runs_on: bool) -> Option<bool> {
        let due = |demand: &Demand| demand.deadline.ns() - demand.jitter.ns();
        let block = |demands: &[Demand], t: u64| {
            let later = demands.iter().filter(|demand| runs_on && due(demand) > t);
            later.map(|demand| demand.wcet.ns()).max().unwrap_or(0)
        };
        let earliest = self.demands.iter().map(due).min().unwrap();
        let busy = self.done(FAR, |demands, time| {
            let released =
                |demand: &Demand| (time + demand.jitter.ns()).div_ceil(demand.period.ns()) * demand.wcet.ns();
            demands.iter().map(released).sum::<u64>() + block(demands, earliest)
        })?;
        let fits = |t: u64| {
            let needed = |demands: &[Demand]| {
                let jobs = |demand: &Demand| match t.checked_sub(due(demand)) {
                    Some(room) => (room / demand.period.ns() + 1) * demand.wcet.ns(),
                    None => 0,
                };
                let due: u64 = demands.iter().map(jobs).sum();
                if due == 0 { 0 } else { due + block(demands, t) }
            };
            needed(&self.demands) == 0 || self.done(t, |demands, _| needed(demands)).is_some()
        };
        Some((1..=busy).all(fits))
    }

    /// Returns response times in this priority order; `Err(None)` if a time is too long to scan, `Err(Some)` if a
    /// deadline is missed.
    fn responses(&self, order: &[usize], runs_on: bool) -> Result<Vec<u64>, Option<()>> {
        let mut times = vec![0; order.len()];
        for (rank, &task) in order.iter().enumerate() {
            let (higher, lower) = (&order[..rank], &order[rank + 1..]);
            let own = &self.demands[task];
            let work = |demands: &[Demand], count: u64, window: u64, closed: bool| {
                let above = higher.iter().map(|&other| {
                    let (demand, reach) = (&demands[other], window + demands[other].jitter.ns());
                    let jobs = match closed {
                        true => reach / demand.period.ns() + 1,
                        false => reach.div_ceil(demand.period.ns()),
                    };
                    jobs * demand.wcet.ns()
                });
                let block = lower
                    .iter()
                    .filter(|_| runs_on)
                    .map(|&other| demands[other].wcet.ns());
                above.sum::<u64>() + block.max().unwrap_or(0) + count * demands[task].wcet.ns()
            };
            for q in 0.. {
                let done = match runs_on {
                    true => {
                        let start = self
                            .done(FAR, |demands, time| work(demands, q, time, true))
                            .ok_or(None)?;
                        (start..=FAR)
                            .find(|&time| {
                                work(&self.demands, q + 1, start, true) + self.delay.within(time) <= time
                                    || self
                                        .slowest
                                        .as_ref()
                                        .is_some_and(|slowest| work(slowest, q + 1, start, true) <= time)
                            })
                            .ok_or(None)?
                    }
                    false => self
                        .done(FAR, |demands, time| work(demands, q + 1, time, false))
                        .ok_or(None)?,
                };
                times[task] = times[task].max((done + own.jitter.ns()).saturating_sub(q * own.period.ns()));
                if times[task] > own.deadline.ns() {
                    return Err(Some(()));
                }
                let idle = self
                    .done(FAR, |demands, time| work(demands, q + 1, time, false))
                    .ok_or(None)?;
                if idle + own.jitter.ns() <= (q + 1) * own.period.ns() {
                    break;
                }
            }
        }
        Ok(times)
    }
}

/// Returns whether the partition passes in isolation. If not, this is the reason for the rejection.
fn alone(case: &Case, policy: Policy) -> bool {
    gpusched::schedulability::accepts(policy, &case.demands, 1)
}

#[test]
fn edf_is_what_every_window_says() {
    let mut rng = rng(11);
    let (mut accepted, mut held_up) = (0, 0);
    for _ in 0..rounds(20_000) {
        let case = Case::draw(&mut rng);
        for (policy, runs_on) in [(Policy::Edf, false), (Policy::NpEdf, true)] {
            let verdict = case.verdict(policy);
            if !alone(&case, policy) || verdict.strength != gpusched::model::policy::Strength::Sufficient {
                continue;
            }
            let Some(expected) = case.edf(runs_on) else {
                continue;
            };
            assert_eq!(
                verdict.schedulable, expected,
                "{policy} {:?} {:?}",
                case.demands, case.slowest
            );
            accepted += usize::from(expected);
            held_up += usize::from(!expected);
        }
    }
    assert!(
        accepted > rounds(2_000) && held_up > rounds(2_000),
        "{accepted} {held_up}"
    );
}

/// The answer for searches, with its short cut for overloaded partitions, is the verdict of the test. The delay in each
/// window is at least the share of the window from which the short cut computes.
#[test]
fn answers_of_searches_are_those_of_the_test() {
    let mut rng = rng(15);
    let (mut passed, mut failed, mut overloaded) = (0, 0, 0);
    for _ in 0..rounds(20_000) {
        let case = Case::draw(&mut rng);
        let lost = u128::from(case.delay.least_share());
        for window in [1, 2, 3, 5, 8, 20, 100, 999, 1_000_000] {
            let delay = u128::from(case.delay.within(window)) << 48;
            assert!(delay >= lost * u128::from(window), "{window} {:?}", case.delay);
        }
        let load: f64 = { case.demands.iter() }
            .map(|demand| demand.wcet.ns() as f64 / demand.period.ns() as f64)
            .sum();
        overloaded += usize::from(load <= 1.0 && load + lost as f64 / 2f64.powi(48) > 1.001);
        for policy in Policy::all().filter(|policy| policy.shares_memory()) {
            let verdict = case.verdict(policy);
            let expected = match verdict.evidence {
                Evidence::Undecided { .. } => None,
                _ => Some(verdict.schedulable),
            };
            let answer = shared_memory::answer(policy, &case.contended(), 1);
            // Without the short cut, a test of an overloaded partition may reach its limit on steps. At this limit, only
            // the test examines early deadlines, and it then rejects the set.
            let early = matches!((answer, expected), (Some(false), None) | (None, Some(false)));
            assert!(
                answer == expected || early,
                "{policy} {:?} {:?}",
                case.demands,
                case.slowest
            );
            passed += usize::from(answer == Some(true));
            failed += usize::from(answer == Some(false));
        }
    }
    assert!(
        passed > rounds(10_000) && failed > rounds(10_000) && overloaded > rounds(900),
        "{passed} {failed} {overloaded}"
    );
}

#[test]
fn response_times_are_what_every_window_says() {
    let mut rng = rng(12);
    let (mut accepted, mut held_up) = (0, 0);
    for _ in 0..rounds(20_000) {
        let case = Case::draw(&mut rng);
        let order: Vec<usize> = (0..case.demands.len()).collect();
        for preemption in [Preemption::Preemptive, Preemption::NonPreemptive] {
            let policy = Policy::FixedPriority(preemption, Priorities::Given);
            let verdict = case.verdict(policy);
            if !alone(&case, policy) || verdict.strength != gpusched::model::policy::Strength::Sufficient {
                continue;
            }
            match case.responses(&order, preemption == Preemption::NonPreemptive) {
                Err(None) => {}
                Err(Some(())) => {
                    assert!(!verdict.schedulable, "{policy} {:?}", case.demands);
                    held_up += 1;
                }
                Ok(times) => {
                    accepted += 1;
                    let Evidence::ResponseTimes {
                        response_times_ns, ..
                    } = &verdict.evidence
                    else {
                        panic!("{policy} {:?}: {verdict:?}, expected {times:?}", case.demands);
                    };
                    let found: Vec<u64> = response_times_ns.iter().map(|time| time.ns()).collect();
                    assert_eq!(found, times, "{policy} {:?}", case.demands);
                }
            }
        }
    }
    assert!(
        accepted > rounds(2_000) && held_up > rounds(2_000),
        "{accepted} {held_up}"
    );
}

/// Audsley's algorithm accepts a set iff some order passes.
#[test]
fn audsley_finds_an_order_if_there_is_one() {
    let mut rng = rng(13);
    let (mut found, mut none) = (0, 0);
    for _ in 0..rounds(10_000) {
        let case = Case::draw(&mut rng);
        let mut orders = vec![vec![]];
        for task in 0..case.demands.len() {
            let longer = |order: &Vec<usize>| {
                let order = order.clone();
                (0..=order.len()).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, task);
                    longer
                })
            };
            orders = orders.iter().flat_map(longer).collect();
        }
        for preemption in [Preemption::Preemptive, Preemption::NonPreemptive] {
            let policy = Policy::FixedPriority(preemption, Priorities::Audsley);
            if !alone(&case, policy) {
                continue;
            }
            let verdict = case.verdict(policy);
            if verdict.strength != gpusched::model::policy::Strength::Sufficient {
                continue;
            }
            let runs_on = preemption == Preemption::NonPreemptive;
            let answers: Vec<_> = orders
                .iter()
                .map(|order| case.responses(order, runs_on))
                .collect();
            if answers.iter().any(Result::is_ok) {
                assert!(verdict.schedulable, "{policy} {:?}", case.demands);
                found += 1;
            } else if answers.iter().all(|answer| *answer == Err(Some(()))) {
                assert!(!verdict.schedulable, "{policy} {:?}", case.demands);
                none += 1;
            }
        }
    }
    assert!(found > rounds(1_000) && none > rounds(1_000), "{found} {none}");
}
