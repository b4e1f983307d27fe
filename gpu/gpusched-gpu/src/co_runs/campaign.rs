//! Many random runs, compared with their bounds.

use std::collections::BTreeMap;

use crate::machine::Machine;
use crate::program::Program;
use crate::warp_run::WarpRunShape;
use gpusched_model::error::{Error, Result};
use gpusched_model::interrupt;
use gpusched_model::streams::{Purpose, stream};
use serde::{Deserialize, Serialize};

use super::bound::{Examiner, Form, Victim};
use super::division::Division;
use super::draw::{Draft, Kernels};
use super::placement::Placement;
use super::shrink::{TRIALS, fewer_jobs, smaller};
use super::task_sets;
use gpusched_sim::campaign::{self, Header, shrink};

/// Kind of the runs of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Systems {
    /// Co-runs of two or three kernels. Each kernel runs once. The campaign draws a co-run, and then makes this number
    /// of random changes. It keeps a change that increases the largest ratio of time to bound.
    CoRuns(u32),
    /// Task sets on partitions, with periodic jobs.
    TaskSets,
}

/// Parameters of a campaign.
#[derive(Debug)]
pub struct Campaign {
    /// Examiner of the runs.
    pub examiner: Examiner,
    /// Programs of the kernels.
    pub programs: Vec<Program>,
    /// Whether half of the kernels run synthetic programs.
    pub synthetic: bool,
    /// Kind of the runs.
    pub kind: Systems,
    /// Number of runs.
    pub systems: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Form of the bound. A kernel that exceeds this bound is a violation.
    pub form: Form,
    /// How the partitions share the memory.
    pub division: Division,
    /// Whether partitions share clusters.
    pub placement: Placement,
    /// Largest permitted camping factor of a kernel; `None` permits all kernels. The campaign omits runs with a kernel
    /// above this limit.
    pub camping_limit: Option<u32>,
}

/// One run, as a line of the checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Number of the run.
    run: u64,
    /// Results; `None` if the campaign omits the run.
    examined: Option<Examined>,
}

/// Results of runs, by the number of the run. The results of one run are one line of the checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Line", into = "Line")]
pub struct Runs(BTreeMap<u64, Option<Examined>>);

impl From<Line> for Runs {
    fn from(Line { run, examined }: Line) -> Runs {
        Runs(BTreeMap::from([(run, examined)]))
    }
}

impl From<Runs> for Line {
    fn from(mut runs: Runs) -> Line {
        let (run, examined) = runs.0.pop_first().unwrap_or_default(); // a chunk has one run
        Line { run, examined }
    }
}

impl campaign::Record for Runs {
    fn chunk(&self) -> u64 {
        self.0.first_key_value().map_or(0, |(&run, _)| run) // a chunk has one run
    }

    fn add(&mut self, other: Runs) {
        self.0.extend(other.0);
    }
}

/// All parameters of a campaign that the header of its checkpoint does not contain by name.
#[derive(Serialize)]
struct Parameters<'a> {
    machine: &'a Machine,
    variation_percent: u32,
    programs: &'a [Program],
    synthetic: bool,
    kind: Systems,
    form: Form,
    division: Division,
    placement: Placement,
    camping_limit: Option<u32>,
}

/// A run with the results of its kernels.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Examined {
    victims: Vec<Victim>,
    /// If a kernel exceeds the bound: the smallest run found where a kernel still exceeds the bound.
    violation: Option<WarpRunShape>,
}

/// Results of one form of the bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// The form.
    pub form: Form,
    /// Number of kernels whose time exceeds the bound.
    pub exceeded: u64,
    /// Largest ratio of time to bound.
    pub worst: f64,
    /// Median ratio of bound to time.
    pub pessimism: f64,
}

/// Results of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Number of examined runs.
    pub co_runs: u64,
    /// Number of omitted runs. The campaign omits runs that take too long to simulate, runs with a kernel above the
    /// camping limit, and task sets that the analysis does not accept.
    pub left_out: u64,
    /// Number of kernels in the examined runs. Each job of a task counts as one kernel.
    pub kernels: u64,
    /// Median ratio of the time in the run to the time in isolation.
    pub slowdown: f64,
    /// Largest ratio of the time in the run to the time in isolation.
    pub largest_slowdown: f64,
    /// Results of each form.
    pub forms: Vec<Tally>,
    /// Number of the first run where a kernel exceeds the bound, and the smallest run found where a kernel still
    /// exceeds the bound.
    pub violation: Option<(u64, WarpRunShape)>,
}

impl campaign::Campaign for Campaign {
    type Record = Runs;
    type Report = Report;
    const CHUNK: u64 = 1;

    fn header(&self) -> Result<Header> {
        let Campaign {
            examiner,
            programs,
            synthetic,
            kind,
            systems,
            seed,
            form,
            division,
            placement,
            camping_limit,
        } = self;
        let parameters = Parameters {
            machine: examiner.machine(),
            variation_percent: examiner.variation_percent,
            programs,
            synthetic: *synthetic,
            kind: *kind,
            form: *form,
            division: *division,
            placement: *placement,
            camping_limit: *camping_limit,
        };
        let of = match kind {
            Systems::CoRuns(_) => "co-runs",
            Systems::TaskSets => "task sets at warp level",
        };
        Header::new(*systems, *seed).of(of, &parameters)
    }

    fn record(&self, _: u64) -> Runs {
        Runs(BTreeMap::new())
    }

    fn check(&self, index: u64, runs: &mut Runs) -> Result<()> {
        runs.0.insert(index, self.examine(index)?);
        Ok(())
    }

    fn report(&self, Runs(mut runs): Runs) -> Result<Report> {
        let violation = runs.iter_mut().find_map(|(&index, examined)| {
            let run = examined.as_mut()?.violation.take()?;
            Some((index, run))
        });
        let examined: Vec<Examined> = runs.into_values().flatten().collect();
        let victims: Vec<&Victim> = examined.iter().flat_map(|run| &run.victims).collect();
        let slowdowns = victims.iter().map(|victim| ratio(victim.together, victim.alone));
        let slowdowns = sorted(slowdowns);
        let tally = |form| {
            let ratios = sorted(victims.iter().filter_map(|victim| victim.ratio(form)));
            Tally {
                form,
                exceeded: victims.iter().filter(|victim| victim.exceeds(form)).count() as u64,
                worst: ratios.last().copied().unwrap_or(0.0),
                pessimism: median(&sorted(ratios.iter().map(|ratio| ratio.recip()))),
            }
        };
        let forms: &[Form] = match self.kind {
            Systems::CoRuns(_) => &Form::ALL,
            Systems::TaskSets => &[self.form],
        };
        let co_runs = examined.len() as u64;
        Ok(Report {
            co_runs,
            left_out: self.systems - co_runs,
            kernels: victims.len() as u64,
            slowdown: median(&slowdowns),
            largest_slowdown: slowdowns.last().copied().unwrap_or(0.0),
            forms: forms.iter().copied().map(tally).collect(),
            violation,
        })
    }
}

impl Campaign {
    fn examine(&self, index: u64) -> Result<Option<Examined>> {
        match self.kind {
            Systems::CoRuns(changes) => self.co_run(index, changes),
            Systems::TaskSets => self.task_set(index),
        }
    }

    fn kernels(&self) -> Kernels<'_> {
        Kernels {
            machine: self.examiner.machine(),
            programs: &self.programs,
            synthetic: self.synthetic,
            division: self.division,
            placement: self.placement,
        }
    }

    fn co_run(&self, index: u64, changes: u32) -> Result<Option<Examined>> {
        let mut random = stream(self.seed, Purpose::CoRuns, 0, index);
        let kernels = self.kernels();
        let examine = |draft: &Draft| {
            let run = kernels.run(draft)?;
            let victims = match self.camps(&run)? {
                true => None,
                false => self.examiner.examine(&run)?,
            };
            Ok::<_, Error>(victims.map(|victims| (run, victims)))
        };
        let worst = |victims: &[Victim]| {
            let ratios = victims.iter().filter_map(|victim| victim.ratio(self.form));
            ratios.fold(0.0, f64::max)
        };
        let mut draft = kernels.co_run(&mut random)?;
        let mut best = examine(&draft)?;
        for _ in 0..changes {
            interrupt::check();
            let changed = kernels.changed(&draft, &mut random)?;
            let Some(found) = examine(&changed)? else { continue };
            if best
                .as_ref()
                .is_none_or(|(_, victims)| worst(&found.1) >= worst(victims))
            {
                (draft, best) = (changed, Some(found));
            }
        }
        let Some((run, victims)) = best else {
            return Ok(None);
        };
        let exceeds = |victims: &[Victim]| victims.iter().any(|victim| victim.exceeds(self.form));
        let violation = match exceeds(&victims) {
            false => None,
            true => Some(shrink(run, TRIALS, smaller, |run| {
                Ok(exceeds(&self.examiner.examine(run)?.unwrap_or_default()))
            })?),
        };
        Ok(Some(Examined { victims, violation }))
    }

    /// Returns whether a kernel of `run` exceeds the camping limit, or takes too long to determine its camping factor.
    fn camps(&self, run: &WarpRunShape) -> Result<bool> {
        let Some(limit) = self.camping_limit else {
            return Ok(false);
        };
        for kernel in &run.kernels {
            let whole = self.examiner.bench.whole(kernel)?;
            if whole.is_none_or(|whole| whole.camping_percent > 100 * u64::from(limit)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn task_set(&self, index: u64) -> Result<Option<Examined>> {
        let mut random = stream(self.seed, Purpose::CoRuns, 1, index);
        let Some(jobs) = task_sets::draw(&self.kernels(), &self.examiner, self.form, &mut random)? else {
            return Ok(None);
        };
        if self.camps(&jobs.run)? {
            return Ok(None);
        }
        let examine = |run: &WarpRunShape| jobs.examine(&self.examiner, run, self.form);
        // If a task set does not complete before the limit of the simulation, it misses a deadline.
        let exceeds = |victims: &Option<Vec<Victim>>| {
            let mut all = victims.iter().flatten();
            victims.is_none() || all.any(|victim| victim.exceeds(self.form))
        };
        let victims = examine(&jobs.run)?;
        let violation = match exceeds(&victims) {
            false => None,
            true => Some(shrink(jobs.run.clone(), TRIALS, fewer_jobs, |run| {
                Ok(exceeds(&examine(run)?))
            })?),
        };
        Ok(Some(Examined {
            victims: victims.unwrap_or_default(),
            violation,
        }))
    }
}

fn ratio(of: u64, by: u64) -> f64 {
    of as f64 / by.max(1) as f64
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}
