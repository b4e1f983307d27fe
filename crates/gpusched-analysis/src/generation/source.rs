//! Generator of the task sets for one point of an experiment.

use super::kernels::Kernels;
use super::periods::work;
use super::randfixedsum::{FixedSum, FixedSumError};
use super::recipe::{Generator, Recipe};
use super::times::{block, deadline, jitter};
use super::traffic::traffic;
use super::uunifast;
use gpusched_model::error::{Error, Refusal};
use gpusched_model::streams::{Purpose, stream, unit};
use gpusched_model::time::Time;
use gpusched_model::wcet::WcetError;
use gpusched_model::{Kind, Task, TaskSet, TaskShape, WcetFunction};
use rand::Rng;

/// Largest number of tasks in a set.
pub const MAX_TASKS: usize = 100_000;

/// Largest work of a task [ns], about 73 years. The limit keeps C(1) = 2.53·a below 2⁶³ ns.
const MAX_WORK: f64 = (1u64 << 61) as f64;

/// Task sets for one point of an experiment, with n tasks and total utilization U.
#[derive(Clone, Debug)]
pub struct Source {
    recipe: Recipe,
    tasks: usize,
    utilization: f64,
    seed: u64,
    shares: Shares,
    kernels: Option<Kernels>,
}

/// Generator of utilizations, ready to draw.
#[derive(Clone, Debug)]
enum Shares {
    Uunifast { cap: f64 },
    FixedSum(FixedSum),
}

impl Source {
    /// Prepares to draw sets of `tasks` tasks with the total utilization Σ a/T = U = `utilization`.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if such sets do not exist or exceed a limit of gpusched.
    pub fn new(recipe: &Recipe, tasks: usize, utilization: f64, seed: u64) -> Result<Source, Error> {
        recipe.check()?;
        if tasks == 0 || tasks > MAX_TASKS {
            let expected = format!("from 1 to {MAX_TASKS} tasks");
            return Err(Refusal::new("tasks", tasks, expected).into());
        }
        let found = format!("{utilization:?}");
        if !(utilization > 0.0 && utilization.is_normal()) {
            return Err(Refusal::new("utilization", found, "a finite number above 0").into());
        }
        if let Some(cap) = recipe.cap
            && utilization > tasks as f64 * cap
        {
            let expected = format!("at most tasks x cap = {tasks} x {cap:?}");
            return Err(Refusal::new("utilization", found, expected).into());
        }
        let cap = recipe.cap.unwrap_or(f64::INFINITY);
        let longest = recipe.periods.longest();
        if cap.min(utilization) * longest.ns() as f64 > MAX_WORK {
            let expected =
                format!("a utilization or cap with at most 2^61 ns of work in the longest period, {longest}");
            return Err(Refusal::new("utilization", found, expected).into());
        }
        let shares = match recipe.generator {
            Generator::UunifastDiscard => Shares::Uunifast { cap },
            Generator::Randfixedsum => {
                Shares::FixedSum(FixedSum::new(tasks, utilization, cap).map_err(|error| match error {
                    FixedSumError::Empty => Refusal::new("utilization", found, "a total utilization that \
                                                                                the cap permits"),
                    FixedSumError::TooLarge => Refusal::new(
                        "tasks",
                        tasks,
                        "fewer tasks, a larger cap or the generator uunifast-discard, because the table of randfixedsum is too large",
                    ),
                })?)
            }
        };
        Ok(Source {
            recipe: recipe.clone(),
            tasks,
            utilization,
            seed,
            shares,
            kernels: None,
        })
    }

    /// Replaces the kinds and WCET functions of the recipe by the kinds and WCET functions of `kernels`. Utilizations and
    /// periods stay unchanged.
    ///
    /// # Errors
    /// Returns a [`Refusal`] if the recipe states `blocks`, `saturation`, β or k, because the kernels replace them.
    pub fn with_kernels(mut self, kernels: Kernels) -> Result<Source, Refusal> {
        let unused = [
            ("blocks", self.recipe.blocks),
            ("saturation", self.recipe.saturation),
        ];
        let unused = unused.map(|(field, value)| (field, value.map(|value| value.to_string())));
        let scalings = [
            ("compute-serial", self.recipe.compute_serial),
            ("memory-serial", self.recipe.memory_serial),
            ("compute-conflict", self.recipe.compute_conflict),
            ("memory-conflict", self.recipe.memory_conflict),
        ];
        let scalings = scalings.map(|(field, value)| (field, value.map(|value| value.to_string())));
        for (field, value) in unused.into_iter().chain(scalings) {
            if let Some(value) = value {
                return Err(Refusal::new(
                    field,
                    value,
                    "no value for tasks with measured WCETs",
                ));
            }
        }
        self.kernels = Some(kernels);
        Ok(self)
    }

    /// Draws the utilizations of the tasks of set `set` at point `point`.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] if UUniFast-Discard gives up before it finds a vector without a utilization above the
    /// cap.
    pub fn utilizations(&self, point: u64, set: u64) -> Result<Vec<f64>, Error> {
        let mut rng = stream(self.seed, Purpose::Utilizations, point, set);
        match &self.shares {
            Shares::FixedSum(fixed) => Ok(fixed.draw(&mut rng)),
            Shares::Uunifast { cap } => {
                let mut shares = vec![0.0; self.tasks];
                uunifast::fill_capped(&mut rng, self.utilization, *cap, &mut shares).map_err(|error| {
                    let (tasks, utilization) = (self.tasks, self.utilization);
                    let found = format!("{cap:?} for {tasks} tasks of total utilization {utilization:?}");
                    let refusal = Refusal::new("cap", found, format!("a larger cap, because {error}"));
                    Error::from(refusal.hint("use the generator randfixedsum, which never discards a vector"))
                })?;
                Ok(shares)
            }
        }
    }

    /// Draws set `set` of point `point`. The set has a name such as `p3-s17`.
    ///
    /// # Errors
    /// Fails like [`Source::utilizations`].
    pub fn draw(&self, point: u64, set: u64) -> Result<TaskSet, Error> {
        let name = format!("p{point}-s{set}");
        let shares = self.utilizations(point, set)?;
        let mut periods = stream(self.seed, Purpose::Periods, point, set);
        let mut kinds = stream(self.seed, Purpose::Kinds, point, set);
        let mut scalings = stream(self.seed, Purpose::Scalings, point, set);
        let mut deadlines = stream(self.seed, Purpose::Deadlines, point, set);
        let mut jitters = stream(self.seed, Purpose::Jitter, point, set);
        let mut tasks = Vec::with_capacity(shares.len());
        for share in shares {
            let period = self.recipe.periods.draw(&mut periods, share);
            let work = work(share, period);
            let (kind, wcet) = match &self.kernels {
                Some(kernels) => kernels.draw(&mut kinds, work),
                None => self.model(&mut kinds, &mut scalings, work),
            }
            .map_err(|error| unusable(&name, error))?;
            let deadline = deadline(self.recipe.deadline.draw(&mut deadlines), period)
                .ok_or_else(|| unusable(&name, "a deadline of 2^63 ns or more"))?;
            let jitter = self
                .recipe
                .jitter
                .map(|factor| {
                    jitter(factor.draw(&mut jitters), period, deadline)
                        .ok_or_else(|| unusable(&name, "a jitter of 2^63 ns or more"))
                })
                .transpose()?;
            let block = self
                .recipe
                .blocks
                .map(|blocks| {
                    block(&wcet, blocks).ok_or_else(|| unusable(&name, "blocks of a kernel without C(1)"))
                })
                .transpose()?;
            let (traffic, bandwidth) = match self.recipe.saturation {
                None => (None, None),
                Some(saturation) => {
                    let (bytes, peak) = kind
                        .and_then(|kind| traffic(kind, work, saturation))
                        .ok_or_else(|| unusable(&name, "traffic of 2^63 bytes or more"))?;
                    (Some(bytes), Some(peak.map_err(|error| unusable(&name, error))?))
                }
            };
            let task = Task::from_shape(TaskShape {
                name: None,
                period,
                deadline: Some(deadline),
                jitter,
                block,
                launches: None,
                kind,
                traffic,
                bandwidth,
                sectors: None,
                wcet_source: None,
                measured_on: None,
                wcet,
            });
            tasks.push(task.map_err(|error| unusable(&name, error))?);
        }
        TaskSet::new(Some(name.clone()), tasks).map_err(|error| unusable(&name, error))
    }

    /// Draws the kind of a task, and returns it with the WCET function of the recipe for the work `work`. The function
    /// reads one word of `kinds`. With β and k of [Singh21], the checks in [`Source::new`] exclude all errors.
    fn model(
        &self,
        kinds: &mut impl Rng,
        scalings: &mut impl Rng,
        work: Time,
    ) -> Result<(Option<Kind>, WcetFunction), WcetError> {
        let kind = match unit(kinds) <= self.recipe.memory_share {
            true => Kind::Memory,
            false => Kind::Compute,
        };
        Ok((
            Some(kind),
            WcetFunction::new(self.recipe.form(kind, work, scalings))?,
        ))
    }
}

fn unusable(name: &str, error: impl std::fmt::Display) -> Error {
    Refusal::told(format!("generated set {name}"), error).into()
}
