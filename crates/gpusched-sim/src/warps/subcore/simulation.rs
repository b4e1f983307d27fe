//! Cycle-by-cycle simulation of a sub-core.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::warps::policy::{self, AnyPolicy, Policy as _, Pool, WarpSet};
use gpusched_model::warp_scenario::{LatencyInstruction, MAX_CYCLES};
use gpusched_model::{Observer, WarpScenario};

/// Issue of one instruction by a warp.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Number of the warp, counted over all kernels in the order of the scenario.
    pub warp: usize,
    /// Index of the kernel.
    pub kernel: usize,
    /// Index of the instruction in the program.
    pub instruction: usize,
    /// Latency of the instruction [cycles].
    pub latency: u32,
    /// Whether this instruction is the last of the warp.
    pub last: bool,
}

/// Error: the run exceeds the maximum number of cycles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found a run of more than {MAX_CYCLES} cycles, expected a shorter run")]
pub struct TooLong;

/// Simulates `scenario` from cycle 0 to its last issue, or until `observer` stops the simulation.
///
/// # Errors
/// Fails with [`TooLong`] if the run exceeds [`MAX_CYCLES`].
pub fn simulate(scenario: &WarpScenario, observer: &mut impl Observer<Issue, u64>) -> Result<(), TooLong> {
    let mut subcore = SubCore::new(scenario);
    let mut now = 0;
    while observer.goes_on() {
        if now > MAX_CYCLES {
            return Err(TooLong);
        }
        subcore.arrive(now);
        subcore.policy.begin(&subcore.pool, subcore.ready);
        if let Some(slot) = subcore.policy.first(&subcore.pool, subcore.ready) {
            observer.see(now, subcore.issue(now, slot));
            now += 1;
        } else if let Some(next) = subcore.next_event() {
            // No warp can issue until `next`.
            subcore.policy.rest(&subcore.pool, next - now - 1);
            now = next;
        } else {
            break;
        }
    }
    Ok(())
}

/// Warp with its remaining instructions.
#[derive(Debug)]
struct Warp<'a> {
    program: &'a [LatencyInstruction],
    next: usize,
}

#[derive(Debug)]
struct SubCore<'a> {
    policy: AnyPolicy,
    pool: Pool,
    warps: Vec<Warp<'a>>,
    /// Warps that can issue in this cycle.
    ready: WarpSet,
    /// Warps that must wait before their next issue. Each entry contains the first cycle when the warp can issue.
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
    /// Warps that are not yet launched, sorted by launch cycle, then by number.
    launches: VecDeque<(u64, usize)>,
}

impl<'a> SubCore<'a> {
    fn new(scenario: &'a WarpScenario) -> SubCore<'a> {
        let shape = scenario.shape();
        let budgets: Vec<u32> = shape
            .kernels
            .iter()
            .map(|kernel| kernel.budget.unwrap_or(0))
            .collect();
        let (mut warps, mut launches, mut kernels) = (Vec::new(), Vec::new(), Vec::new());
        for (index, kernel) in shape.kernels.iter().enumerate() {
            for _ in 0..kernel.warps.get() {
                launches.push((kernel.launch, warps.len()));
                kernels.push(index);
                warps.push(Warp {
                    program: &kernel.program,
                    next: 0,
                });
            }
        }
        launches.sort_unstable();
        let mut age = vec![0; warps.len()];
        for (place, &(_, slot)) in (0..).zip(&launches) {
            age[slot] = place;
        }
        let live = WarpSet::default();
        SubCore {
            policy: policy::of(shape.scheduler, &budgets),
            pool: Pool {
                age,
                kernel: kernels,
                live,
            },
            warps,
            ready: WarpSet::default(),
            waiting: BinaryHeap::new(),
            launches: launches.into(),
        }
    }

    /// Adds the warps that are launched in cycle `now`, and marks warps that can issue again.
    fn arrive(&mut self, now: u64) {
        while let Some(&(launch, slot)) = self.launches.front() {
            if launch > now {
                break;
            }
            self.launches.pop_front();
            self.pool.live.insert(slot);
            self.ready.insert(slot);
        }
        while let Some(&Reverse((at, slot))) = self.waiting.peek() {
            if at > now {
                break;
            }
            self.waiting.pop();
            self.ready.insert(slot);
        }
    }

    /// Issues the next instruction of the warp in `slot`, which must be ready.
    fn issue(&mut self, now: u64, slot: usize) -> Issue {
        self.policy.issued(&self.pool, slot);
        let warp = &mut self.warps[slot];
        let instruction = warp.next;
        let latency = warp.program[instruction].latency.get();
        warp.next += 1;
        let last = warp.next == warp.program.len();
        if last {
            self.pool.live.remove(slot);
        }
        if last || latency > 1 {
            self.ready.remove(slot);
        }
        if !last && latency > 1 {
            self.waiting.push(Reverse((now + u64::from(latency), slot)));
        }
        Issue {
            warp: slot,
            kernel: self.pool.kernel[slot],
            instruction,
            latency,
            last,
        }
    }

    /// Returns the next cycle when a warp is launched or can issue again. The caller calls this
    /// function only if no warp can issue now.
    fn next_event(&self) -> Option<u64> {
        let launch = self.launches.front().map(|&(launch, _)| launch);
        let wake = self.waiting.peek().map(|&Reverse((at, _))| at);
        launch.into_iter().chain(wake).min()
    }
}
