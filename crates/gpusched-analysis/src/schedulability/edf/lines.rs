//! A fast sufficient test for EDF that bounds the demand by straight lines. The test decides most task sets. For the
//! other sets, it limits the intervals that QPA must check.
//!
//! For all t, dbfᵢ(t) ≤ Uᵢ·(t + max(0, Tᵢ − Dᵢ)), and dbfᵢ(t) = 0 for t < Dᵢ. So
//! between two consecutive relative deadlines, the straight line S·t + W bounds the total demand.
//! The sums S = Σ Uᵢ and W = Σ Uᵢ·max(0, Tᵢ − Dᵢ) include the tasks with deadlines of at most t.
//! The line is at most t for t ≥ W/(1 − S) (Devi, ECRTS 2003; Albers & Slomka, ECRTS 2004).
//!
//! If every line is at most t in its range, the set is schedulable. If some lines exceed t in their ranges, only the
//! range from the first to the last of these lines is undecided. QPA decides this range.
//!
//! For many tasks, sorting the deadlines would take longer than all other steps. So for more than [`FEW`] tasks, the
//! test groups deadlines with the same highest bit. The test replaces all deadlines of a group by the smallest of these
//! deadlines. The result is slightly pessimistic, and QPA corrects it.

use super::blocking::Blocking;
use crate::schedulability::{Demand, share};
use gpusched_model::quotient::quotient;
use gpusched_model::time::Time;

/// Largest number of tasks for which the test sorts the deadlines.
const FEW: usize = 16;

/// Largest Σ U·max(0, T − D) for which the fast test decides [ns]. For larger sums, and for a utilization close to 1,
/// the full test may reach its step limit. In these cases the full test decides, so that the fast test never gives
/// another result.
const OFFSET_LIMIT: u64 = 1 << 53;

/// Number of QPA steps after which the fast test leaves the decision to the full test.
const STEPS: u32 = 10_000;

/// Contribution of one task, or of several tasks with similar deadlines, to the lines.
#[derive(Copy, Clone, Default)]
struct Step {
    /// Smallest deadline of the tasks [ns]. In an interval that is shorter than this deadline, the demand of the tasks
    /// is 0.
    from: u64,
    /// Σ U: total utilization of the tasks [units of 2⁻³²].
    slope: u64,
    /// Σ U·max(0, T − D) over the tasks [ns].
    offset: u64,
    /// Blocking that a job of these tasks causes [ns].
    hold: u64,
}

/// Returns whether dbf(t) + B(t) > t at the earliest deadline t. Under non-preemptive EDF, most
/// unschedulable sets fail at this deadline.
pub(super) fn fails_at_first_deadline(tasks: &[Demand], blocking: &Blocking) -> bool {
    let Some(earliest) = tasks.iter().map(|task| task.deadline.ns()).min() else {
        return false;
    };
    let due = super::demand_bound(tasks, earliest);
    due > 0 && due.saturating_add(blocking.most().into()) > earliest.into()
}

/// Returns whether U ≤ 1 and dbf(t) + B(t) ≤ t for all t. Returns `None` if the fast test does not decide. If there is
/// blocking, the tasks must have no jitter.
pub(super) fn answer(demands: &[Demand], blocking: Blocking) -> Option<bool> {
    if demands.len() <= FEW {
        let last = last_first_deadline(demands)?;
        if demand_bound(demands, last)? > last {
            return Some(false); // most unschedulable sets fail at this deadline
        }
        let mut steps = [Step::default(); FEW];
        for (count, demand) in demands.iter().enumerate() {
            let step = match Step::of(demand, &blocking) {
                Ok(step) => step,
                Err(answer) => return answer,
            };
            let mut place = count;
            while place > 0 && steps[place - 1].from > step.from {
                steps[place] = steps[place - 1];
                place -= 1;
            }
            steps[place] = step;
        }
        let steps = &mut steps[..demands.len()];
        if blocking.most() > 0 {
            hold_before(steps);
        }
        decide(demands, blocking, steps, last)
    } else {
        let mut octaves = [Step::default(); 64];
        let mut occupied = 0u64; // one bit per octave that contains a deadline
        for demand in demands {
            let step = match Step::of(demand, &blocking) {
                Ok(step) => step,
                Err(answer) => return answer,
            };
            let index = step.from.ilog2();
            let octave = &mut octaves[index as usize];
            octave.from = if octave.slope == 0 {
                step.from
            } else {
                octave.from.min(step.from)
            };
            octave.slope += step.slope;
            octave.offset = octave.offset.checked_add(step.offset)?;
            octave.hold = octave.hold.max(step.hold);
            occupied |= 1 << index;
        }
        let (first, last) = (occupied.trailing_zeros(), occupied.ilog2());
        let octaves = &mut octaves[first as usize..=last as usize];
        // A task in this octave (deadlines with the same highest bit) may block another task in the octave, because its
        // deadline may be later.
        let mut later = 0;
        for octave in octaves.iter_mut().rev() {
            later = octave.hold.max(later);
            octave.hold = later;
        }
        decide(demands, blocking, octaves, 0)
    }
}

/// Changes `hold` of each step from the blocking that the step causes to the blocking that the step suffers. A step
/// suffers the longest blocking that any step with a larger deadline causes.
fn hold_before(steps: &mut [Step]) {
    let (mut later, mut equal, mut from) = (0, 0, u64::MAX);
    for step in steps.iter_mut().rev() {
        if step.from < from {
            later = equal.max(later);
            (equal, from) = (0, step.from);
        }
        equal = step.hold.max(equal);
        step.hold = later;
    }
}

impl Step {
    /// Creates the step of one task. If this task alone determines the result of [`answer`], the
    /// function returns the result as `Err`.
    #[inline]
    fn of(demand: &Demand, blocking: &Blocking) -> Result<Step, Option<bool>> {
        if demand.wcet == Time::ZERO {
            return Err(None);
        }
        let from = match demand.deadline.checked_sub(demand.jitter) {
            Some(deadline) if demand.wcet <= deadline => deadline.ns(),
            _ => return Err(Some(false)), // misses its deadline even in isolation
        };
        let slope = share::above(demand.wcet, demand.period).ok_or(None)?;
        let offset = share::of(slope, demand.period.ns().saturating_sub(from)).ok_or(None)?;
        Ok(Step {
            from,
            slope,
            offset,
            hold: blocking.by(demand),
        })
    }
}

/// Returns the largest D − J over all tasks, or `None` if a task has D − J ≤ 0.
fn last_first_deadline(demands: &[Demand]) -> Option<u64> {
    let mut last = 0;
    for demand in demands {
        let deadline = demand.deadline.checked_sub(demand.jitter)?.ns();
        if deadline == 0 || demand.period == Time::ZERO {
            return None;
        }
        last = last.max(deadline);
    }
    Some(last)
}

/// Returns the result of all lines. `steps` are sorted by deadline, and their `hold` is the blocking that they suffer.
/// The function ignores steps without a task. The caller has already checked the interval `checked` and found no
/// violation.
fn decide(demands: &[Demand], blocking: Blocking, steps: &[Step], checked: u64) -> Option<bool> {
    let load: u64 = steps.iter().map(|step| step.slope).sum();
    if load > share::ONE + share::EXCESS * demands.len() as u64 {
        return Some(false); // U > 1
    }
    let total = steps
        .iter()
        .try_fold(0u64, |total, step| total.checked_add(step.offset))?;
    if load > share::NEXT_TO_ONE || total > OFFSET_LIMIT {
        return None;
    }
    let mut open: Option<Open> = None;
    let (mut slope, mut offset) = (0u64, 0u64);
    let mut steps = steps.iter().filter(|step| step.from > 0).peekable();
    while let Some(step) = steps.next() {
        slope += step.slope;
        offset += step.offset;
        // At `step.from`, the line is at most t if and only if `offset` ≤ (1 − `slope`)·t.
        // Blocking increases the offset.
        let (line, room) = (
            u128::from(offset.checked_add(step.hold)?) << 32,
            u128::from(share::ONE - slope),
        );
        if line > room * u128::from(step.from) {
            // Most violations occur at the first deadline of a task.
            if step.from != checked {
                let hold = blocking.at(demands, step.from).hold;
                if demand_bound(demands, step.from)?.checked_add(hold)? > step.from {
                    return Some(false);
                }
            }
            open = Some(Open {
                from: open.map_or(step.from, |open| open.from),
                line,
                room,
                next: steps.peek().map_or(u64::MAX, |next| next.from),
            });
        }
    }
    let Some(open) = open else {
        return Some(true);
    };
    let holds_from = match (u64::try_from(open.line), u64::try_from(open.room)) {
        (Ok(line), Ok(room)) => line / room, // division in 64 bits is several times faster
        _ => u64::try_from(open.line / open.room).ok()?,
    }
    .checked_add(1)?;
    qpa(demands, blocking, open.from, holds_from.min(open.next))
}

/// Range of interval lengths where lines fail. QPA must check this range.
#[derive(Copy, Clone)]
struct Open {
    /// Shortest interval of the range.
    from: u64,
    /// Offset of the last line that fails. The line is at most t for t ≥ `line`/`room`, and it
    /// ends at `next`.
    line: u128,
    room: u128,
    /// Deadline at which the next line begins.
    next: u64,
}

/// Returns whether dbf(t) + B(t) ≤ t for all t from `to` down to `from` (Zhang & Burns 2009).
/// Returns `None` if QPA does not decide within [`STEPS`] steps and 64 bits.
fn qpa(demands: &[Demand], blocking: Blocking, from: u64, to: u64) -> Option<bool> {
    let mut t = to;
    for _ in 0..STEPS {
        let step = blocking.at(demands, t);
        let demand = demand_bound(demands, t)?.checked_add(step.hold)?;
        if demand > t {
            return Some(false);
        }
        // While B is constant, there is no violation from `demand` to t, because dbf never
        // decreases as t increases.
        t = match demand {
            _ if demand < step.since => last_deadline_before(demands, step.since).unwrap_or(0),
            _ if demand < t => demand,
            _ => last_deadline_before(demands, t).unwrap_or(0),
        };
        if t < from {
            return Some(true);
        }
    }
    None
}

/// Returns dbf(t), or `None` if dbf(t) exceeds 64 bits. Every task must have D − J > 0.
fn demand_bound(demands: &[Demand], t: u64) -> Option<u64> {
    let mut total = 0u64;
    for demand in demands {
        let deadline = demand.deadline.ns() - demand.jitter.ns();
        if t >= deadline {
            let jobs = quotient(t - deadline, demand.period.ns()) + 1;
            total = total.checked_add(jobs.checked_mul(demand.wcet.ns())?)?;
        }
    }
    Some(total)
}

fn last_deadline_before(demands: &[Demand], t: u64) -> Option<u64> {
    demands
        .iter()
        .filter_map(|demand| {
            let room = (t - 1).checked_sub(demand.deadline.ns() - demand.jitter.ns())?;
            let period = demand.period.ns();
            Some(t - 1 - (room - quotient(room, period) * period))
        })
        .max()
}
