//! Validation of one partition. The guarantees of the analysis must hold in all simulations of the partition.

use super::runs::{Run, critical, drawn};
use super::system::Part;
use crate::tasks::{Event, Simulation, Tally, hyperperiod};
use gpusched_analysis::interference::InflatedWcet;
use gpusched_analysis::partitioning::Problem;
use gpusched_analysis::schedulability;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Factor, Observer, Policy, Task, TaskSet};

/// Shortest execution time of a job as a share of its WCET, in runs with random execution times.
pub const SHORTEST: Factor = match Factor::from_billionths(500_000_000) {
    Some(half) => half,
    None => Factor::ONE,
};

/// Maximum number of jobs in one run.
const MAX_JOBS: u64 = 1_000_000;

/// A partition without interference from other partitions. It has a task set, a number of SMs and a policy.
#[derive(Clone, Debug)]
pub struct Partition {
    /// Tasks of the partition.
    pub set: TaskSet,
    /// |P|: number of SMs of the partition.
    pub sms: u32,
    /// Scheduling policy, for the schedulability test and for the simulation.
    pub policy: Policy,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Kinds of violations of a guarantee.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Breach {
    /// A job misses its deadline, although the schedulability test accepts the partition.
    Miss,
    /// The response time of a job exceeds the response-time bound of its task.
    AboveBound,
}

/// Results of all runs of one accepted partition.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Number of simulated runs.
    pub runs: u64,
    /// Number of jobs in all runs.
    pub jobs: u64,
    /// Number of preemptions in all runs.
    pub preemptions: u64,
    /// First violation of a guarantee, with the run that shows it.
    pub breach: Option<(Breach, Run)>,
    /// Longest response time of each task in all runs [ns].
    pub longest: Vec<u64>,
    /// Response-time bound of each task [ns]. `None` if the test computes no bound for the task.
    pub bounds: Vec<Option<u64>>,
}

impl Partition {
    /// Creates a partition of `sms` SMs with the tasks at `positions` of `set`.
    pub fn new(set: &TaskSet, positions: &[usize], sms: u32, policy: Policy, seed: u64) -> Option<Partition> {
        let tasks: Option<Vec<Task>> = positions.iter().map(|&at| set.tasks().get(at).cloned()).collect();
        Some(Partition {
            set: TaskSet::new(None, tasks?).ok()?,
            sms,
            policy,
            seed,
        })
    }

    /// Returns the positions of all tasks of the partition.
    fn all(&self) -> Vec<usize> {
        (0..self.set.tasks().len()).collect()
    }

    /// Returns whether the test accepts the partition under the interference model `model`.
    pub fn accepted(&self, model: &dyn InflatedWcet) -> bool {
        let problem = Problem::new(&self.set, self.sms, self.policy, model);
        problem.is_ok_and(|problem| problem.accepts(&self.all(), self.sms))
    }

    /// Returns whether the test computes a utilization above 1.
    pub fn overloaded(&self, model: &dyn InflatedWcet) -> bool {
        let problem = Problem::new(&self.set, self.sms, self.policy, model);
        problem.is_ok_and(|problem| {
            problem.verdict(&self.all(), self.sms).evidence == Evidence::UtilizationAboveOne
        })
    }

    /// Returns the response-time bounds that the test computes under the interference model
    /// `model` [ns].
    fn bounds(&self, model: &dyn InflatedWcet) -> Vec<Option<u64>> {
        let none = vec![None; self.set.tasks().len()];
        let Ok(problem) = Problem::new(&self.set, self.sms, self.policy, model) else {
            return none;
        };
        let Ok(demands) = problem.demands(&self.all(), self.sms) else {
            return none;
        };
        match schedulability::response_times(self.policy, &demands) {
            Some(times) => times.into_iter().map(|time| time.map(Time::ns)).collect(),
            None => none,
        }
    }

    /// Returns the partition for the simulator. WCETs are from the interference model `truth`.
    /// Priorities are from the analysis under `model`.
    fn part(&self, model: &dyn InflatedWcet, truth: &dyn InflatedWcet, shortest: Factor) -> Result<Part> {
        let problem = |model| Problem::new(&self.set, self.sms, self.policy, model);
        let order = Part::new(&problem(model)?, &self.all(), self.sms, self.policy, shortest)?.order;
        Part::with_order(
            &problem(truth)?,
            &self.all(),
            self.sms,
            self.policy,
            shortest,
            Some(order),
        )
        .map_err(Into::into)
    }

    /// Simulates `run` for at least one hyperperiod, and for enough hyperperiods to simulate
    /// about `enough` jobs. Returns `None` if one hyperperiod has too many jobs.
    fn simulate(
        &self,
        part: &Part,
        run: Run,
        enough: u64,
        observer: &mut impl Observer<Event>,
    ) -> Option<()> {
        let releases = run.pattern.releases(&part.tasks, (self.seed, 0));
        let last = releases.iter().map(|release| release.earliest).max()?;
        let hyperperiod = hyperperiod(&part.tasks)?.ns();
        let tasks = part.tasks.iter();
        let jobs: u64 = tasks.map(|task| hyperperiod / task.period.ns().max(1)).sum();
        if jobs > MAX_JOBS {
            return None;
        }
        let span = hyperperiod.checked_mul((enough / jobs.max(1)).max(1))?;
        let end = last.checked_add(Time::from_ns(span))?;
        let numbers = (self.seed, 0);
        let starving = run.starved.map(|task| part.starving(task as u64));
        let part = starving.as_ref().unwrap_or(part);
        let simulation = Simulation::new(&part.tasks, &releases, part.discipline, &part.order, end, numbers);
        simulation.ok()?.run(observer);
        Some(())
    }

    /// Simulates `run` and returns the violation of a guarantee in this run, if any. Returns
    /// `None` if the test rejects the partition.
    pub fn breach(&self, model: &dyn InflatedWcet, truth: &dyn InflatedWcet, run: Run) -> Option<Breach> {
        if !self.accepted(model) {
            return None;
        }
        let part = self
            .part(model, truth, if run.short { SHORTEST } else { Factor::ONE })
            .ok()?;
        let mut tally = Tally::new(part.tasks.len());
        self.simulate(&part, run, 0, &mut tally)?;
        broken(&tally, &self.bounds(model))
    }

    /// Simulates all runs of the partition. The test must have accepted the partition under the
    /// interference model `model`. In the simulation, jobs have the WCETs of the model `truth`.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Part::new`].
    pub fn findings(&self, model: &dyn InflatedWcet, truth: &dyn InflatedWcet) -> Result<Findings> {
        let full = self.part(model, truth, Factor::ONE)?;
        let short = self.part(model, truth, SHORTEST)?;
        let mut findings = Findings {
            runs: 0,
            jobs: 0,
            preemptions: 0,
            breach: None,
            longest: vec![0; full.tasks.len()],
            bounds: self.bounds(model),
        };
        for run in critical(full.discipline, full.tasks.len()).chain(drawn()) {
            let mut tally = Tally::new(full.tasks.len());
            let part = if run.short { &short } else { &full };
            if self.simulate(part, run, 0, &mut tally).is_none() {
                continue;
            }
            findings.runs += 1;
            findings.jobs += tally.jobs();
            findings.preemptions += tally.preemptions();
            if findings.breach.is_none() {
                findings.breach = broken(&tally, &findings.bounds).map(|breach| (breach, run));
            }
            for (longest, task) in findings.longest.iter_mut().zip(&tally.tasks) {
                *longest = task.longest.max(*longest);
            }
        }
        Ok(findings)
    }

    /// Returns whether a critical run of the rejected partition misses a deadline. Returns `None`
    /// if the partition cannot be simulated.
    pub fn misses(&self, truth: &dyn InflatedWcet) -> Option<bool> {
        let part = self.part(truth, truth, Factor::ONE).ok()?;
        for run in critical(part.discipline, part.tasks.len()) {
            // In some overloaded partitions, the first deadline miss occurs after many jobs.
            let mut first = FirstMiss(false);
            self.simulate(&part, run, ENOUGH, &mut first)?;
            if first.0 {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// Approximate number of jobs in the search for a deadline miss of a rejected partition.
const ENOUGH: u64 = 20_000;

fn broken(tally: &Tally, bounds: &[Option<u64>]) -> Option<Breach> {
    if tally.misses() > 0 {
        return Some(Breach::Miss);
    }
    let mut tasks = tally.tasks.iter().zip(bounds);
    let above = tasks.any(|(task, bound)| bound.is_some_and(|bound| task.longest > bound));
    above.then_some(Breach::AboveBound)
}

/// Observer that stops the simulation at the first deadline miss.
struct FirstMiss(bool);

impl Observer<Event> for FirstMiss {
    fn see(&mut self, _: Time, event: Event) {
        self.0 |= matches!(event, Event::Miss(_));
    }

    fn goes_on(&self) -> bool {
        !self.0
    }
}
