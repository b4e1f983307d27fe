//! Many systems, on any number of threads: what each analysis accepts, and what of that misses a deadline.

use gpusched_analysis::interference::model_of;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde::Serialize;

use super::draw::{System, policies, system};
use super::hardware::on_device;
use crate::shared_runs::first_miss;
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::Problem;
use gpusched_model::error::{Error, Result};
use gpusched_model::{Policy, Verdict};

/// What is to be validated.
#[derive(Copy, Clone, Debug)]
pub struct Campaign {
    /// How many systems.
    pub systems: u64,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether partitions are those of real GPUs, all granularities in turn.
    pub devices: bool,
    /// The verdicts of the analysis that counts traffic: [`verdicts`] with it, or what a test puts in its place.
    pub analysis: fn(&System) -> Result<Vec<Verdict>>,
}

/// What became of the systems of one policy.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tally {
    /// Systems.
    pub systems: u64,
    /// Those that `conflict` accepts, which is blind to the memory.
    pub blind: u64,
    /// Those of them that miss a deadline when bandwidth is short.
    pub blind_missed: u64,
    /// Those that `conflict+bandwidth` accepts.
    pub accepted: u64,
    /// Those of them that miss a deadline: 0, or the analysis is wrong.
    pub accepted_missed: u64,
    /// Simulations.
    pub runs: u64,
    /// Jobs in these.
    pub jobs: u64,
}

impl Tally {
    /// Both together.
    pub fn plus(&self, other: &Tally) -> Tally {
        Tally {
            systems: self.systems + other.systems,
            blind: self.blind + other.blind,
            blind_missed: self.blind_missed + other.blind_missed,
            accepted: self.accepted + other.accepted,
            accepted_missed: self.accepted_missed + other.accepted_missed,
            runs: self.runs + other.runs,
            jobs: self.jobs + other.jobs,
        }
    }
}

/// What a campaign found.
#[derive(Clone, Debug)]
pub struct Report {
    /// By policy, in the order of [`policies`].
    pub policies: Vec<(Policy, Tally)>,
    /// The first system that was accepted and missed a deadline.
    pub broken: Option<u64>,
}

impl Report {
    /// All policies together.
    pub fn total(&self) -> Tally {
        let tallies = self.policies.iter().map(|(_, tally)| tally);
        tallies.fold(Tally::default(), |sum, tally| sum.plus(tally))
    }
}

impl Campaign {
    /// Runs on the threads of `pool`; `advanced` is told of every system that is done.
    ///
    /// # Errors
    /// [`Error::Internal`] for a system that cannot be drawn.
    pub fn run(&self, pool: &ThreadPool, advanced: impl Fn() + Sync) -> Result<Report> {
        let policies = policies();
        let none = || Ok((vec![Tally::default(); policies.len()], None::<u64>));
        let (tallies, broken) = pool.install(|| {
            (0..self.systems)
                .into_par_iter()
                .map(|index| {
                    let (place, tally) = self.examine(index, policies.len())?;
                    advanced();
                    let mut tallies = vec![Tally::default(); policies.len()];
                    if let Some(slot) = tallies.get_mut(place) {
                        *slot = tally;
                    }
                    Ok((tallies, (tally.accepted_missed > 0).then_some(index)))
                })
                .reduce(none, |a: Result<_>, b| {
                    let ((a, first), (b, second)) = (a?, b?);
                    let sum = a.iter().zip(&b).map(|(a, b)| a.plus(b)).collect();
                    Ok((sum, first.into_iter().chain(second).min()))
                })
        })?;
        Ok(Report {
            policies: policies.into_iter().zip(tallies).collect(),
            broken,
        })
    }

    fn examine(&self, index: u64, policies: usize) -> Result<(usize, Tally)> {
        let unusable = || Error::Internal(format!("system {index} cannot be drawn"));
        let mut system = system(self.seed, index).ok_or_else(unusable)?;
        if self.devices {
            system = on_device(system, self.seed, index).ok_or_else(unusable)?;
        }
        let blind = verdicts(&system, false)?;
        let aware = (self.analysis)(&system)?;
        let all = |verdicts: &[Verdict]| verdicts.iter().all(|verdict| verdict.schedulable);
        let mut tally = Tally {
            systems: 1,
            blind: all(&blind).into(),
            accepted: all(&aware).into(),
            ..Tally::default()
        };
        let mut simulate = |verdicts: &[Verdict]| {
            let (miss, runs, jobs) = first_miss(&system.setting(), verdicts, self.seed, index);
            tally.runs += runs;
            tally.jobs += jobs;
            miss.is_some()
        };
        let missed = all(&blind) && simulate(&blind);
        let accepted_missed = all(&aware) && simulate(&aware);
        tally.blind_missed = missed.into();
        tally.accepted_missed = accepted_missed.into();
        let place = usize::try_from(index % (policies as u64).max(1)).unwrap_or(0);
        Ok((place, tally))
    }
}

/// The verdicts of the partitions of `system`, with the traffic of the others or without.
///
/// # Errors
/// None for drawn systems.
pub fn verdicts(system: &System, memory: bool) -> Result<Vec<Verdict>> {
    let offer = system.device.as_ref().map(|device| &device.offer);
    let sms = match offer {
        Some(offer) => offer.hardware().device.sms(),
        None => u32::try_from(system.parts.len()).unwrap_or(1),
    };
    let mut problem = Problem::new(&system.set, sms, system.policy, model_of(Interference::Conflict))?;
    if let Some(offer) = offer {
        problem = problem.offered(offer)?;
    }
    if memory {
        problem = problem.sharing(system.memory)?;
    }
    Ok(problem.verdicts(&system.parts()))
}
