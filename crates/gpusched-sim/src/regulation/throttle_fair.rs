//! A best-effort core with several tasks under regulation, and throttle-fair scheduling (TFS).
//!
//! The scheduler of the core is fair: at each tick, it chooses the task with the least *virtual time*. The virtual time of a task is its
//! execution time. If the core has used its budget, the regulation stops the core until the next period. Without TFS, this *throttled
//! time* counts for no task. So a task with many memory accesses, which executes only until the budget is used, is chosen again and
//! again, and the core stands still for most of the time. TFS adds ρ times the throttled time to the virtual time of the task that was
//! stopped. [Aghilinasab20] §II names TFS as a part of BWLOCK++, and the source of BWLOCK++ has this rule
//! (github.com/wali-ku/BWLOCK-GPU, `kernel_module/src/overflow.c`).
//!
//! The budget remains a limit: the scheduler decides only who uses it. So kernels keep their deadlines with and without TFS.

use serde::{Deserialize, Serialize};

use super::MAX_CORES;
use gpusched_model::Factor;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;

/// Largest number of decisions in a regulation period.
const MAX_TICKS: u64 = 1_000;

/// Tasks of a best-effort core, and their scheduler.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CoreTasks {
    /// Memory time of each task per ns of its execution, from 0 to 1. All tasks are always ready, and have equal weights.
    pub demands: Vec<Factor>,
    /// ρ: how often throttled time counts as execution of the task that was stopped; 0 without throttle-fair scheduling.
    pub throttle_factor: u32,
    /// Time between two decisions of the scheduler [ns]; > 0. Each regulation period begins with a decision.
    pub tick_ns: Time,
}

/// Execution and throttled time of a task on a best-effort core.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Received {
    /// Number of decisions for the task.
    pub slices: u64,
    /// Execution time [ns].
    pub execution: u64,
    /// Time during which the regulation stopped the core while the task was chosen [ns].
    pub throttled: u64,
    /// Execution time plus ρ times the throttled time.
    virtual_time: u64,
}

impl CoreTasks {
    /// Checks `self` for the regulation period `period`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if there are too many tasks or decisions.
    pub(super) fn check(&self, period: Time) -> Result<()> {
        if self.demands.len() > MAX_CORES {
            let expected = format!("at most {MAX_CORES} tasks");
            return Err(Error::parameter("tasks", self.demands.len(), expected));
        }
        if self.tick_ns.ns().saturating_mul(MAX_TICKS) < period.ns() {
            let expected = format!("at most {MAX_TICKS} ticks in {period}, the regulation period");
            return Err(Error::parameter("tick", self.tick_ns, expected));
        }
        Ok(())
    }

    /// Simulates a regulation period of length `period`, where the core may use at most `budget` ns of memory time. Adds the times of the tasks
    /// to `tasks`, which has one element per task. Returns the memory time of the core, at most `budget`.
    pub fn spend(&self, period: Time, budget: u64, tasks: &mut [Received]) -> u64 {
        let (mut now, mut used) = (0, 0);
        let period = period.ns();
        while now < period {
            // If two virtual times are equal, the first task goes first.
            let chosen = tasks.iter_mut().zip(&self.demands);
            let Some((task, &demand)) = chosen.min_by_key(|(task, _)| task.virtual_time) else {
                return 0;
            };
            let slice = self.tick_ns.ns().max(1).min(period - now);
            let (executed, memory) = within(slice, demand, budget - used);
            task.slices += 1;
            task.execution = task.execution.saturating_add(executed);
            task.virtual_time = task.virtual_time.saturating_add(executed);
            (now, used) = (now + executed, used + memory);
            if executed < slice {
                let throttled = period - now;
                let counted = throttled.saturating_mul(self.throttle_factor.into());
                task.throttled = task.throttled.saturating_add(throttled);
                task.virtual_time = task.virtual_time.saturating_add(counted);
                break;
            }
        }
        used
    }
}

/// Returns for how long a task executes in a slice of `slice` ns, and its memory time, if it may use `left` ns of memory time.
fn within(slice: u64, demand: Factor, left: u64) -> (u64, u64) {
    let (numerator, denominator) = demand.ratio();
    let (numerator, denominator) = (u128::from(numerator), u128::from(denominator));
    // Rounded up, so that the core never exceeds its budget.
    let wanted = (u128::from(slice) * numerator).div_ceil(denominator);
    if wanted <= u128::from(left) {
        return (slice, u64::try_from(wanted).unwrap_or(left));
    }
    // `wanted` exceeds `left`, so the demand is above 0, and the slice is not whole.
    let executed = (u128::from(left) * denominator).checked_div(numerator);
    let executed = executed.and_then(|time| u64::try_from(time).ok());
    (executed.unwrap_or(slice).min(slice.saturating_sub(1)), left)
}
