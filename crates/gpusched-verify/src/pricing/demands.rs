//! Minimum demand of tasks on m SMs. The check uses this demand to prove that a group of tasks fails its test. Without
//! blocking, the proof is valid for every policy. With blocking, it is valid for every policy with this blocking.

use gpusched_model::Task;

/// The whole processor time, as a share [2⁻⁴⁸].
pub(super) const WHOLE: u64 = 1 << 48;

/// The whole processor time, as a sum of shares [2⁻⁶⁴].
const ONE: u128 = 1 << 64;

/// The proof for one group examines at most this number of deadlines.
const DEADLINES: usize = 4_000;

/// Demand of one task on m SMs.
#[derive(Copy, Clone, Debug)]
pub(super) struct Demand {
    wcet: u64,
    period: u64,
    /// D − J: time from the latest release to the deadline.
    due: u64,
    /// Time for which a job of the task blocks jobs with earlier deadlines, if it starts as late as possible before their
    /// release. 0 under immediate preemption.
    blocking: u64,
    /// Utilization C/T, rounded down [2⁻⁶⁴].
    load: u128,
    /// Density C/min(T, D − J), rounded up [2⁻⁶⁴].
    density: u128,
}

/// Reusable buffers for the proofs of groups of tasks.
#[derive(Default)]
pub(super) struct Group {
    group: Vec<Demand>,
    next: Vec<u64>,
}

impl Group {
    /// Returns `true` only if tasks with `demands` fail their test under every policy with their blocking. The result
    /// `false` proves nothing.
    pub fn is_hopeless<'a>(&mut self, demands: impl Iterator<Item = &'a Demand>) -> bool {
        self.group.clear();
        let (mut load, mut density, mut blocking) = (0u128, 0u128, 0u64);
        for demand in demands {
            load = load.saturating_add(demand.load);
            density = density.saturating_add(demand.density);
            blocking = blocking.max(demand.blocking);
            if load > ONE {
                return true;
            }
            self.group.push(*demand);
        }
        (density > ONE || blocking > 0) && self.exceeds_some_interval()
    }

    /// Returns whether demand plus blocking exceeds the length of some interval [0, t]: Σ (⌊(t − D)/T⌋ + 1)·C + B > t
    /// for a deadline t. B is the longest blocking by a task with D > t.
    ///
    /// The check ends at the least L with Σ ⌈L/T⌉·C ≤ L. If the demand of an interval longer than L exceeds its length,
    /// so does the demand of an interval of at most L.
    fn exceeds_some_interval(&mut self) -> bool {
        let Some(length) = busy(&self.group) else {
            return false; // the least L is unknown
        };
        if self.group.iter().all(|demand| demand.blocking == 0)
            && deadlines(&self.group, length) <= DEADLINES as u64
        {
            return exceeds(&self.group, length);
        }
        self.exceeds_at_some_deadline(length)
    }

    /// Does the same as [`Group::exceeds_some_interval`], for L = `length`. Examines up to [`DEADLINES`] deadlines in ascending order.
    fn exceeds_at_some_deadline(&mut self, length: u64) -> bool {
        let blocks = self.group.iter().filter(|demand| demand.blocking > 0);
        let length = blocks.map(|demand| demand.due).fold(length, u64::max);
        self.next.clear();
        self.next.extend(self.group.iter().map(|demand| demand.due));
        let mut due = 0u64;
        for _ in 0..DEADLINES {
            let Some(t) = self.next.iter().copied().min().filter(|&t| t <= length) else {
                return false;
            };
            for (demand, next) in self.group.iter().zip(&mut self.next) {
                if *next == t {
                    due = due.saturating_add(demand.wcet);
                    *next = next.saturating_add(demand.period);
                }
            }
            let later = self.group.iter().filter(|demand| demand.due > t);
            let blocking = later.map(|demand| demand.blocking).max().unwrap_or(0);
            if due.saturating_add(blocking) > t {
                return true;
            }
        }
        false
    }
}

/// Returns the number of deadlines of `group` up to `length`. Equal deadlines of several tasks count several times.
fn deadlines(group: &[Demand], length: u64) -> u64 {
    let of_one = |demand: &Demand| demand.jobs(length);
    group.iter().map(of_one).fold(0, u64::saturating_add)
}

/// Returns whether the demand of `group`, whose tasks have no blocking, exceeds the length of some interval of at most `length` (QPA: Zhang
/// & Burns, IEEE Transactions on Computers 58, 2009). If the demand h of an interval of length t is below t, every interval with a
/// length above h and up to t is longer than its demand. So the next interval has the length h.
fn exceeds(group: &[Demand], length: u64) -> bool {
    let mut t = length;
    loop {
        let demands = group
            .iter()
            .map(|demand| demand.jobs(t).saturating_mul(demand.wcet));
        let due = demands.fold(0, u64::saturating_add);
        if due > t {
            return true;
        }
        let earlier = || {
            let before = t.checked_sub(1)?;
            let last = |demand: &Demand| {
                Some((before.checked_sub(demand.due)? / demand.period) * demand.period + demand.due)
            };
            group.iter().filter_map(last).max()
        };
        let next = if due < t { Some(due) } else { earlier() };
        match next {
            Some(next) if next > 0 => t = next,
            _ => return false,
        }
    }
}

/// Returns the least L > 0 with Σ ⌈L/T⌉·C ≤ L, or `None` if the iteration reaches its limit.
fn busy(group: &[Demand]) -> Option<u64> {
    let mut length = 1u64;
    for _ in 0..DEADLINES {
        let mut work = 0u64;
        for demand in group {
            work = work.checked_add(length.div_ceil(demand.period).checked_mul(demand.wcet)?)?;
        }
        if work <= length {
            return Some(length);
        }
        length = work;
    }
    None
}

impl Demand {
    /// Returns the utilization C/T, rounded down [2⁻⁴⁸].
    pub fn load(&self) -> u64 {
        u64::try_from(self.load >> 16).unwrap_or(u64::MAX)
    }

    /// Returns the demand in the interval [0, `t`] divided by `t`, rounded down [2⁻⁴⁸]. `t` is in
    /// ns, and positive.
    pub fn demand(&self, t: u64) -> u64 {
        let due = (u128::from(self.jobs(t)) * u128::from(self.wcet)).saturating_mul(WHOLE.into())
            / u128::from(t.max(1));
        u64::try_from(due).unwrap_or(u64::MAX)
    }

    /// Returns the number of jobs with a deadline in the interval [0, `t`]. The first job is released at 0.
    fn jobs(&self, t: u64) -> u64 {
        match t.checked_sub(self.due) {
            Some(beyond) => (beyond / self.period.max(1)).saturating_add(1),
            None => 0,
        }
    }

    /// Returns D − J [ns].
    pub fn due(&self) -> u64 {
        self.due
    }

    /// Returns the time for which a job blocks jobs with earlier deadlines [ns].
    pub fn blocking(&self) -> u64 {
        self.blocking
    }

    /// Returns the demand of `task` with the WCET `wcet` [ns]. A job runs for up to `longest` ns without preemption, and it
    /// starts at least `lead` ns before the release of a job that it blocks. The release jitter is `jitter` ns. Returns `None` if the task misses its
    /// deadline even in isolation.
    pub fn of(task: &Task, wcet: u128, (longest, lead): (u128, u128), jitter: u64) -> Option<Demand> {
        let wcet = u64::try_from(wcet).ok()?;
        let blocking = longest.min(wcet.into()).saturating_sub(lead);
        let due = task.deadline().ns().checked_sub(jitter)?;
        if wcet > due {
            return None;
        }
        let period = task.period().ns();
        let share = u128::from(wcet) << 64;
        Some(Demand {
            wcet,
            period,
            due,
            blocking: u64::try_from(blocking).ok()?,
            load: share / u128::from(period.max(1)),
            density: share.div_ceil(period.min(due).max(1).into()),
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn long_steps_find_what_all_deadlines_show() {
        let rng = &mut ChaCha8Rng::seed_from_u64(5);
        let (mut exceeded, mut kept) = (0, 0);
        for round in 0..20_000 {
            let count = rng.random_range(1..7u64);
            let mut group = Group::default();
            for _ in 0..count {
                let period = match round % 3 {
                    0 => [4, 6, 12][rng.random_range(0..3)],
                    _ => rng.random_range(1..200),
                };
                let wcet = rng.random_range(0..=(3 * period / 2 / count).max(1));
                group.group.push(Demand {
                    wcet,
                    period,
                    due: rng.random_range(wcet..=wcet.max(period)),
                    blocking: 0,
                    load: 0,
                    density: 0,
                });
            }
            let Some(length) =
                busy(&group.group).filter(|&length| deadlines(&group.group, length) <= DEADLINES as u64)
            else {
                continue;
            };
            let found = exceeds(&group.group, length);
            assert_eq!(found, group.exceeds_at_some_deadline(length), "{:?}", group.group);
            *if found { &mut exceeded } else { &mut kept } += 1;
        }
        assert!(exceeded > 2_000 && kept > 2_000, "{exceeded} {kept}");
    }
}
