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

use gpusched_model::Factor;
use gpusched_model::time::Time;

/// A best-effort core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BestEffortCore {
    /// For each task, the memory time per ns of its execution, from 0 to 1. All tasks are always ready, and have equal weights.
    pub demands: Vec<Factor>,
    /// ρ: how often throttled time counts for the task that was stopped; 0 without TFS.
    pub throttle_factor: u32,
    /// Time between two decisions of the scheduler; > 0. Each regulation period begins with a decision.
    pub tick: Time,
    /// T: regulation period; > 0.
    pub period: Time,
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
}

/// A simulated run of a best-effort core.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shared {
    /// The tasks of the core.
    pub tasks: Vec<Received>,
    /// Memory time of the core in each period [ns]; at most the budget of the period.
    pub memory: Vec<u64>,
}

impl Shared {
    /// Returns the time during which the regulation stopped the core [ns].
    pub fn throttled(&self) -> u64 {
        self.tasks
            .iter()
            .map(|task| task.throttled)
            .fold(0, u64::saturating_add)
    }
}

impl BestEffortCore {
    /// Simulates one regulation period for each of `budgets`: the memory time that the core may use in this period [ns].
    pub fn run(&self, budgets: impl IntoIterator<Item = u64>) -> Shared {
        let mut tasks = vec![Received::default(); self.demands.len()];
        let mut virtual_times = vec![0_u64; self.demands.len()];
        let mut memory = Vec::new();
        for budget in budgets {
            memory.push(self.period(budget, &mut tasks, &mut virtual_times));
        }
        Shared { tasks, memory }
    }

    /// Simulates a period, and returns its memory time.
    fn period(&self, budget: u64, tasks: &mut [Received], virtual_times: &mut [u64]) -> u64 {
        let (mut now, mut used) = (0, 0);
        let period = self.period.ns();
        while now < period {
            // If two virtual times are equal, the first task goes first.
            let Some(chosen) = (0..tasks.len()).min_by_key(|&task| virtual_times[task]) else {
                return 0;
            };
            let slice = self.tick.ns().max(1).min(period - now);
            let (executed, memory) = within(slice, self.demands[chosen], budget - used);
            let task = &mut tasks[chosen];
            task.slices += 1;
            task.execution = task.execution.saturating_add(executed);
            virtual_times[chosen] = virtual_times[chosen].saturating_add(executed);
            (now, used) = (now + executed, used + memory);
            if executed < slice {
                let throttled = period - now;
                task.throttled = task.throttled.saturating_add(throttled);
                let penalty = throttled.saturating_mul(self.throttle_factor.into());
                virtual_times[chosen] = virtual_times[chosen].saturating_add(penalty);
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
