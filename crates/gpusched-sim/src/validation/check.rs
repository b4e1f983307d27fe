//! One partition: does it keep what the analysis promises?

use super::runs::{Run, critical, drawn};
use super::system::Part;
use crate::tasks::{Event, Simulation, Tally, hyperperiod};
use gpusched_analysis::interference::InflatedWcet;
use gpusched_analysis::partitioning::Problem;
use gpusched_analysis::schedulability;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::{Evidence, Factor, Observer, Policy, Task, TaskSet};

/// Jobs of short runs take at least this share of their WCETs.
pub const SHORTEST: Factor = match Factor::from_billionths(500_000_000) {
    Some(half) => half,
    None => Factor::ONE,
};

/// The most jobs of one run.
const MAX_JOBS: u64 = 1_000_000;

/// A partition by itself: its tasks as a task set, its SMs, its policy.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The tasks.
    pub set: TaskSet,
    /// |P|.
    pub sms: u32,
    /// The test, and the scheduler.
    pub policy: Policy,
    /// The seed of everything random.
    pub seed: u64,
}

/// A promise that was broken.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Breach {
    /// A deadline is missed although the test says that none is.
    Miss,
    /// A response time is longer than its bound.
    AboveBound,
}

/// What the runs of one accepted partition showed.
#[derive(Clone, Debug)]
pub struct Findings {
    /// Runs.
    pub runs: u64,
    /// Jobs in them.
    pub jobs: u64,
    /// Preemptions in them.
    pub preemptions: u64,
    /// The first broken promise, and in which run.
    pub breach: Option<(Breach, Run)>,
    /// The longest response time of each task [ns].
    pub longest: Vec<u64>,
    /// Its bound [ns], where there is one.
    pub bounds: Vec<Option<u64>>,
}

impl Partition {
    /// The tasks at `positions` of `set`, by themselves.
    pub fn new(set: &TaskSet, positions: &[usize], sms: u32, policy: Policy, seed: u64) -> Option<Partition> {
        let tasks: Option<Vec<Task>> = positions.iter().map(|&at| set.tasks().get(at).cloned()).collect();
        Some(Partition {
            set: TaskSet::new(None, tasks?).ok()?,
            sms,
            policy,
            seed,
        })
    }

    /// All positions.
    fn all(&self) -> Vec<usize> {
        (0..self.set.tasks().len()).collect()
    }

    /// Whether the test passes, with WCETs of `model`.
    pub fn accepted(&self, model: &dyn InflatedWcet) -> bool {
        let problem = Problem::new(&self.set, self.sms, self.policy, model);
        problem.is_ok_and(|problem| problem.accepts(&self.all(), self.sms))
    }

    /// Whether the test says that there is more work than time.
    pub fn overloaded(&self, model: &dyn InflatedWcet) -> bool {
        let problem = Problem::new(&self.set, self.sms, self.policy, model);
        problem.is_ok_and(|problem| {
            problem.verdict(&self.all(), self.sms).evidence == Evidence::UtilizationAboveOne
        })
    }

    /// The bounds on the response times [ns] that the test promises, with WCETs of `model`.
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

    /// The partition for the simulator, with WCETs of `truth`; its priorities are those of the analysis with WCETs of `model`.
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

    /// Simulates `run` for a hyperperiod, or for as many as have about `enough` jobs; `None` if one has too many.
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
        let simulation = Simulation::new(&part.tasks, &releases, part.discipline, &part.order, end, numbers);
        simulation.ok()?.run(observer);
        Some(())
    }

    /// The broken promise that `run` shows, if it shows one, and if the test passes: as [`Partition::findings`] for one run.
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

    /// Simulates all runs; the test, with WCETs of `model`, must have accepted the partition. Jobs take the WCETs of `truth`.
    ///
    /// # Errors
    /// Those of [`Part::new`].
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

    /// Whether a critical run shows a miss, where the test rejects the partition; `None` where it cannot be run.
    pub fn misses(&self, truth: &dyn InflatedWcet) -> Option<bool> {
        let part = self.part(truth, truth, Factor::ONE).ok()?;
        for run in critical(part.discipline, part.tasks.len()) {
            // Some overload takes its time to show.
            let mut first = FirstMiss(false);
            self.simulate(&part, run, ENOUGH, &mut first)?;
            if first.0 {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The jobs in which a rejected partition may show why.
const ENOUGH: u64 = 20_000;

fn broken(tally: &Tally, bounds: &[Option<u64>]) -> Option<Breach> {
    if tally.misses() > 0 {
        return Some(Breach::Miss);
    }
    let mut tasks = tally.tasks.iter().zip(bounds);
    let above = tasks.any(|(task, bound)| bound.is_some_and(|bound| task.longest > bound));
    above.then_some(Breach::AboveBound)
}

/// Goes on up to the first miss.
struct FirstMiss(bool);

impl Observer<Event> for FirstMiss {
    fn see(&mut self, _: Time, event: Event) {
        self.0 |= matches!(event, Event::Miss(_));
    }

    fn goes_on(&self) -> bool {
        !self.0
    }
}
