//! Many random co-runs, compared with their bounds.

use gpusched_model::Program;
use gpusched_model::error::Result;
use gpusched_model::interrupt;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::warp_run::WarpRunShape;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::bound::{Examiner, Form, Victim};
use super::draw::co_run;
use super::shrink::shrink;

/// Parameters of a campaign.
#[derive(Debug)]
pub struct Campaign {
    /// Examiner of the co-runs.
    pub examiner: Examiner,
    /// Programs of the kernels.
    pub programs: Vec<Program>,
    /// Whether half of the kernels run synthetic programs.
    pub synthetic: bool,
    /// Number of co-runs.
    pub systems: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Form whose excess is a violation.
    pub form: Form,
}

/// Results of one form of the bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    /// The form.
    pub form: Form,
    /// Number of kernels whose time exceeds the bound.
    pub exceeded: u64,
    /// Largest time divided by its bound.
    pub worst: f64,
    /// Median of bound divided by time.
    pub pessimism: f64,
}

/// Results of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Number of examined co-runs.
    pub co_runs: u64,
    /// Number of co-runs that take too long to simulate.
    pub left_out: u64,
    /// Number of kernels in the examined co-runs.
    pub kernels: u64,
    /// Median time beside the others, divided by the time in isolation.
    pub slowdown: f64,
    /// Largest such ratio.
    pub largest_slowdown: f64,
    /// Results of each form.
    pub forms: Vec<Tally>,
    /// Number of the first co-run that exceeds the form of the campaign, and a small co-run that exceeds it.
    pub violation: Option<(u64, WarpRunShape)>,
}

impl Campaign {
    /// Runs the campaign on the threads of `pool`. Calls `advanced` after every co-run.
    ///
    /// # Errors
    /// Fails if a program cannot be simulated on the machine.
    pub fn run(&self, pool: &ThreadPool, advanced: impl Fn() + Sync) -> Result<Report> {
        let examined: Vec<Result<Option<Vec<Victim>>>> = pool.install(|| {
            let indices: Vec<u64> = (0..self.systems).collect();
            let examine = |index| {
                if interrupt::is_requested() {
                    return Ok(None);
                }
                let victims = self.examiner.examine(&self.draw(index)?);
                advanced();
                victims
            };
            indices.into_par_iter().with_max_len(1).map(examine).collect()
        });
        interrupt::check();
        let examined = examined.into_iter().collect::<Result<Vec<_>>>()?;
        let broken = examined.iter().position(|victims| {
            let mut victims = victims.iter().flatten();
            victims.any(|victim| victim.exceeds(self.form))
        });
        let violation = match broken {
            None => None,
            Some(index) => {
                let index = index as u64;
                Some((
                    index,
                    pool.install(|| shrink(&self.examiner, &self.draw(index)?, self.form))?,
                ))
            }
        };
        let co_runs = examined.iter().flatten().count() as u64;
        let victims: Vec<&Victim> = examined.iter().flatten().flatten().collect();
        let slowdowns = victims.iter().map(|victim| ratio(victim.together, victim.alone));
        let slowdowns = sorted(slowdowns);
        let tally = |form| {
            let worst = victims
                .iter()
                .map(|victim| ratio(victim.together, victim.bound(form)));
            let pessimism = victims
                .iter()
                .map(|victim| ratio(victim.bound(form), victim.together));
            Tally {
                form,
                exceeded: victims.iter().filter(|victim| victim.exceeds(form)).count() as u64,
                worst: sorted(worst).last().copied().unwrap_or(0.0),
                pessimism: median(&sorted(pessimism)),
            }
        };
        Ok(Report {
            co_runs,
            left_out: self.systems - co_runs,
            kernels: victims.len() as u64,
            slowdown: median(&slowdowns),
            largest_slowdown: slowdowns.last().copied().unwrap_or(0.0),
            forms: Form::ALL.map(tally).into(),
            violation,
        })
    }

    /// Draws co-run `index`.
    ///
    /// # Errors
    /// Fails without programs.
    pub fn draw(&self, index: u64) -> Result<WarpRunShape> {
        let mut random = stream(self.seed, Purpose::CoRuns, 0, index);
        co_run(
            self.examiner.machine(),
            &self.programs,
            self.synthetic,
            &mut random,
        )
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
