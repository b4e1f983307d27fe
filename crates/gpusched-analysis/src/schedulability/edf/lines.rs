//! A fast sufficient test: straight lines above the demand. It decides most sets, and limits the intervals that QPA must check.
//!
//! For all t, dbfᵢ(t) ≤ Uᵢ·(t + max(0, Tᵢ − Dᵢ)), and dbfᵢ(t) = 0 for t < Dᵢ. Consider the t from one deadline to the next larger
//! deadline. There, the demand is at most the line S·t + W with S = Σ Uᵢ and W = Σ Uᵢ·max(0, Tᵢ − Dᵢ) over the tasks with deadlines
//! of at most t. The value of the line is at most t for t ≥ W/(1 − S) (Devi, ECRTS 2003; Albers & Slomka, ECRTS 2004). A test of
//! all lines is sufficient. If it fails, the undecided intervals are between the first and the last line that fails. QPA decides
//! them.
//!
//! Sorting many deadlines would take longer than all other steps. So if there are more than a few tasks, all deadlines with the
//! same highest bit count as the smallest of these deadlines. This is slightly pessimistic, and QPA corrects it.

use super::blocking::Blocking;
use crate::schedulability::{Demand, share};
use gpusched_model::time::Time;

/// Largest number of tasks for which the test sorts the deadlines.
const FEW: usize = 16;

/// Largest Σ U·max(0, T − D) [ns] for which the short cut decides. For larger sums, and for a utilization close to 1, the full test
/// decides, because it may reach its step limit.
const OFFSET_LIMIT: u64 = 1 << 53;

/// Number of QPA steps after which the full test decides.
const STEPS: u32 = 10_000;

/// Contribution of one task, or of several tasks, to the lines above the demand.
#[derive(Copy, Clone, Default)]
struct Step {
    /// Smallest deadline of the tasks [ns]. For shorter intervals, the demand of the tasks is 0.
    from: u64,
    /// Σ U [units of 2⁻³²].
    slope: u64,
    /// Σ U·max(0, T − D) [ns].
    offset: u64,
    /// Blocking that a job of these tasks causes [ns].
    hold: u64,
}

/// Returns whether dbf(t) + B(t) > t at the earliest deadline t. Without preemption, most unschedulable sets fail at this deadline.
pub(super) fn fails_at_first_deadline(tasks: &[Demand], blocking: &Blocking) -> bool {
    let Some(earliest) = tasks.iter().map(|task| task.deadline.ns()).min() else {
        return false;
    };
    let due = super::demand_bound(tasks, earliest);
    due > 0 && due.saturating_add(blocking.most().into()) > earliest.into()
}

/// Returns whether U ≤ 1, and dbf(t) + B(t) ≤ t for all t. Returns `None` if no short cut decides. If there is blocking, the tasks
/// must have no jitter.
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
        // A task can block a task with an earlier deadline in the same octave.
        let mut later = 0;
        for octave in octaves.iter_mut().rev() {
            later = octave.hold.max(later);
            octave.hold = later;
        }
        decide(demands, blocking, octaves, 0)
    }
}

/// Replaces the blocking that each step causes by the blocking that each step suffers. This is the maximum over the steps with
/// larger deadlines.
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
    /// Creates the step of one task. Returns `Err` if this task alone determines the result of [`answer`].
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

/// Returns the largest D − J, or `None` if not all D − J are positive.
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

/// Returns the result for all lines. `steps` are sorted by deadline, and their `hold` is the blocking that they suffer. The
/// function ignores steps without a task. The caller has checked that there is no violation at `checked`.
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
        // The line is at most t if and only if `offset` ≤ (1 − `slope`)·t. Blocking increases the offset.
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

/// Range of intervals for which lines fail.
#[derive(Copy, Clone)]
struct Open {
    /// Shortest interval of the range.
    from: u64,
    /// Offset of the last line that fails. For t ≥ `line`/`room`, this line is at most t. It ends at `next`.
    line: u128,
    room: u128,
    /// Deadline at which the next line begins.
    next: u64,
}

/// Returns whether dbf(t) + B(t) ≤ t for all t from `to` down to `from`. Returns `None` if it is not decided within [`STEPS`] and
/// in 64 bits (Zhang & Burns 2009).
fn qpa(demands: &[Demand], blocking: Blocking, from: u64, to: u64) -> Option<bool> {
    let mut t = to;
    for _ in 0..STEPS {
        let step = blocking.at(demands, t);
        let demand = demand_bound(demands, t)?.checked_add(step.hold)?;
        if demand > t {
            return Some(false);
        }
        // As long as B does not change, there is no violation from `demand` to t, because dbf does not decrease in t.
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

/// Returns dbf(t), or `None` if it exceeds 64 bits. All D − J must be positive.
fn demand_bound(demands: &[Demand], t: u64) -> Option<u64> {
    let mut total = 0u64;
    for demand in demands {
        let deadline = demand.deadline.ns() - demand.jitter.ns();
        if t >= deadline {
            let jobs = (t - deadline) / demand.period.ns() + 1;
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
            Some(t - 1 - room % demand.period.ns())
        })
        .max()
}
