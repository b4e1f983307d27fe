//! Searches for single changes that make a task set schedulable: more SMs, less traffic, shorter WCETs, or a later
//! deadline. A search confirms each reported change.

use std::cell::Cell;

use super::called;
use crate::arguments::{Case, Request};
use gpusched_analysis::interference::model_of;
use gpusched_analysis::partitioning::{Offer, Problem};
use gpusched_model::assumptions::Counted;
use gpusched_model::counted;
use gpusched_model::device::Granularity;
use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Bandwidth, Contention, Factor, SharedMemory, TaskSet, TaskShape};

/// Maximum number of searches.
const MOST_RUNS: u32 = 20;

/// Maximum number of further searches for the least later deadline. Halving the range of any deadline needs no more.
const MOST_HALVINGS: u32 = 64;

/// Maximum number of schedulability tests in all searches together. The last search may exceed
/// this limit.
const MOST_TESTS: u64 = 400_000;

/// Largest number of SMs of a GPU for which gpusched searches for shorter WCETs. A shorter WCET
/// function is a table with one entry per number of SMs.
const MOST_POINTS: u32 = 1024;

/// Largest number of tasks for which gpusched searches for changes. Each search copies the task set.
const MOST_TASKS: usize = 2_000;

/// Result of the search for a plan of a changed problem.
pub struct Trial {
    /// Whether the search found a plan.
    pub found: bool,
    /// Number of tests that the search executed.
    pub tests: u64,
    /// Whether no time is left after the search.
    pub late: bool,
}

/// Search for a plan of a changed problem. Returns `None` without a search if no time is left.
pub type Find<'f> = dyn Fn(&Problem<'_>) -> Option<Trial> + 'f;

/// Searches for plans of changed problems. Each search changes the problem in one place.
pub struct Trials<'t, 'c> {
    request: &'t Request,
    case: &'t Case<'c>,
    find: &'t Find<'t>,
    runs: Cell<u32>,
    most_runs: Cell<u32>,
    tests: Cell<u64>,
    late: Cell<bool>,
}

impl<'t, 'c> Trials<'t, 'c> {
    /// Creates trials that search with `find`.
    pub fn new(request: &'t Request, case: &'t Case<'c>, find: &'t Find<'t>) -> Trials<'t, 'c> {
        Trials {
            request,
            case,
            find,
            runs: Cell::new(0),
            most_runs: Cell::new(MOST_RUNS),
            tests: Cell::new(0),
            late: Cell::new(false),
        }
    }

    /// Returns one line for each change that leads to a plan. The search for more SMs starts at `from` SMs. `task` is
    /// the task that caused the failure; `None` if no single task caused the failure.
    pub fn report(&self, from: u32, task: Option<usize>) -> Vec<String> {
        if self.case.set.tasks().len() > MOST_TASKS {
            return Vec::new();
        }
        let found: Vec<String> = [self.memory(), self.sms(from), self.wcets(), self.deadline(task)]
            .into_iter()
            .flatten()
            .collect();
        let tried = counted(self.runs.get(), "change");
        let late = self.late.get();
        match (found.is_empty(), self.runs.get()) {
            (true, 0) if late => vec![
                "The search used the whole time limit, so gpusched tried no changes of the task set."
                    .to_owned(),
            ],
            (true, 0) => Vec::new(),
            (true, _) if late => vec![format!(
                "gpusched tried {tried} within the time limit, and found no plan."
            )],
            (true, _) => vec![format!(
                "gpusched tried {tried}. No single change makes the task set schedulable."
            )],
            (false, _) => {
                let title = "Each of these changes makes the task set schedulable:".to_owned();
                let lines = found.into_iter().map(|line| format!("  {line}"));
                let end = late.then(|| "The time limit ended the search for further changes.".to_owned());
                std::iter::once(title).chain(lines).chain(end).collect()
            }
        }
    }

    /// Whether the limits allow no further search.
    fn is_over(&self) -> bool {
        self.late.get() || self.runs.get() >= self.most_runs.get() || self.tests.get() >= MOST_TESTS
    }

    /// Whether a search finds a plan for `set` on `sms` SMs with `memory`. After [`MOST_RUNS`] searches, after
    /// [`MOST_TESTS`] tests, or if no time is left, returns false without a search.
    fn passes(&self, set: &TaskSet, sms: u32, memory: Option<SharedMemory>) -> bool {
        if self.is_over() {
            return false;
        }
        let offer = self
            .case
            .problem
            .offer()
            .filter(|_| sms == self.case.problem.sms());
        let model = model_of(self.request.interference());
        let problem = Problem::new(set, sms, self.request.policy(), model)
            .and_then(|problem| problem.varied(self.request.variation()))
            .and_then(|problem| memory.map_or(Ok(problem), |memory| problem.sharing(memory)))
            .and_then(|problem| offer.map_or(Ok(problem), |offer| problem.offered(offer)))
            .and_then(|problem| problem.with_overheads(self.request.overheads(set)));
        let Ok(problem) = problem else { return false };
        let Some(trial) = (self.find)(&problem) else {
            self.late.set(true);
            return false;
        };
        self.late.set(trial.late);
        self.runs.set(self.runs.get() + 1);
        self.tests.set(self.tests.get().saturating_add(trial.tests));
        trial.found
    }

    /// Returns a change of the memory that leads to a plan. The change adds bandwidth, or removes the memory traffic of
    /// other partitions.
    fn memory(&self) -> Option<String> {
        let (set, sms) = (self.case.set, self.case.problem.sms());
        let memory = self.case.problem.memory()?;
        if !self.passes(set, sms, None) {
            return None;
        }
        let counts_bytes = memory.time.is_none();
        for times in [2, 4, 8].into_iter().filter(|_| counts_bytes) {
            let Some(bandwidth) = { memory.bandwidth.bytes_per_second() }
                .checked_mul(times)
                .and_then(Bandwidth::new)
            else {
                break;
            };
            if self.passes(set, sms, Some(SharedMemory { bandwidth, ..memory })) {
                return Some(format!(
                    "a guaranteed memory bandwidth of {bandwidth} instead of {}",
                    memory.bandwidth
                ));
            }
        }
        Some("no memory traffic of other partitions".to_owned())
    }

    /// Searches by bisection, and returns the smallest number of SMs above the present number that leads to a plan.
    fn sms(&self, from: u32) -> Option<String> {
        let (set, present) = (self.case.set, self.case.problem.sms());
        let memory = self.case.problem.memory();
        let granularity = { self.case.problem.offer() }.map(|offer| offer.hardware().granularity);
        if granularity.is_some_and(|granularity| granularity != Granularity::Sm) {
            return None;
        }
        // A search with another number of SMs has no device, so it would count no delay at ports.
        let counts = |offer: &Offer| Counted::of(&offer.hardware().device) != Counted::default();
        if memory.is_some() && self.case.problem.offer().is_some_and(counts) {
            return None;
        }
        let (mut fails, mut high) = (present, from.max(present + 1).min(MAX_SMS));
        for _ in 0..4 {
            if self.passes(set, high, memory) {
                while high - fails > 1 && self.runs.get() < MOST_RUNS / 2 {
                    let middle = fails + (high - fails) / 2;
                    match self.passes(set, middle, memory) {
                        true => high = middle,
                        false => fails = middle,
                    }
                }
                return Some(format!("{} instead of {present}", counted(high, "SM")));
            }
            (fails, high) = (high, high.saturating_mul(2).min(MAX_SMS));
        }
        None
    }

    /// Searches by bisection, and returns the smallest reduction of all WCETs that leads to a plan.
    fn wcets(&self) -> Option<String> {
        let sms = self.case.problem.sms();
        let passes = |percent: u64| {
            let factor = Factor::from_billionths(percent * 10_000_000);
            let set = factor.and_then(|factor| self.case.set.scaled(factor, sms));
            set.is_some_and(|set| self.passes(&set, sms, self.case.problem.memory()))
        };
        let (mut holds, mut fails) = (50, 100);
        if sms > MOST_POINTS || !passes(holds) {
            return None;
        }
        for _ in 0..6 {
            let middle = (holds + fails) / 2;
            if middle == holds {
                break;
            }
            match passes(middle) {
                true => holds = middle,
                false => fails = middle,
            }
        }
        Some(format!("WCETs of all tasks shorter by {} %", 100 - holds))
    }

    /// Returns a later deadline that leads to a plan, at most the period of a task, or twice its old deadline. Bisection shortens it
    /// until one nanosecond less leads to no plan, or until the limits end the search.
    fn deadline(&self, task: Option<usize>) -> Option<String> {
        let (set, sms) = (self.case.set, self.case.problem.sms());
        let tasks = set.tasks();
        let mut candidates: Vec<usize> = (0..tasks.len())
            .filter(|&index| Some(index) == task || tasks[index].deadline() < tasks[index].period())
            .collect();
        // First try the task that caused the failure. Then try the tasks in descending order of
        // the ratio of WCET to deadline.
        let urgency = |index: usize| {
            let wcet = tasks[index]
                .wcet()
                .at(sms, Contention::Isolated)
                .unwrap_or_default();
            u128::from(wcet.ns()) * 1_000_000 / u128::from(tasks[index].deadline().ns().max(1))
        };
        candidates.sort_by_key(|&index| (Some(index) != task, std::cmp::Reverse(urgency(index))));
        candidates.truncate(4);
        candidates.into_iter().find_map(|index| {
            let deadline = tasks[index].deadline();
            let later = match deadline < tasks[index].period() {
                true => tasks[index].period(),
                false => Time::from_ns(deadline.ns().checked_mul(2)?),
            };
            let passes = |later: u64| {
                let set = set.changed(|position, task| match position == index {
                    true => {
                        let shape = TaskShape::from(task.clone()).deadline(Time::from_ns(later));
                        shape.build().ok()
                    }
                    false => Some(task.clone()),
                });
                set.is_some_and(|set| self.passes(&set, sms, self.case.problem.memory()))
            };
            let (mut fails, mut holds) = (deadline.ns(), later.ns());
            if !passes(holds) {
                return None;
            }
            self.most_runs.set(self.runs.get() + MOST_HALVINGS);
            while holds - fails > 1 && !self.is_over() {
                let middle = fails + (holds - fails) / 2;
                match passes(middle) {
                    true => holds = middle,
                    // The search may have used the rest of the time.
                    false if self.late.get() => break,
                    false => fails = middle,
                }
            }
            let least = match holds - fails {
                1 => "1ns less fails",
                _ => "a shorter one may also suffice",
            };
            let later = Time::from_ns(holds);
            Some(format!(
                "a deadline of {later} instead of {deadline} for {} ({least})",
                called(set, index)
            ))
        })
    }
}
