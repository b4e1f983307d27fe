//! Validation of many systems with shared memory, on any number of threads. For each analysis, the campaign counts the
//! accepted systems. It also counts how many accepted systems miss a deadline in a simulation.

use gpusched_analysis::interference::model_of;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

use super::draw::{System, policies, system};
use super::hardware::on_device;
use crate::checkpoint::{Chunk, Header, chunks};
use crate::shared_runs::first_miss;
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::Problem;
use gpusched_model::error::{Error, Result};
use gpusched_model::{Policy, Verdict};

/// Parameters of a validation campaign.
#[derive(Copy, Clone, Debug)]
pub struct Campaign {
    /// Number of systems to validate.
    pub systems: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Whether the partitions have sizes that real GPUs support. If true, the campaign uses all
    /// partition granularities in turn.
    pub devices: bool,
    /// Function that returns the verdicts of the analysis that counts memory traffic. The default
    /// is [`verdicts`] with `memory`. Tests can replace this function.
    pub analysis: fn(&System) -> Result<Vec<Verdict>>,
}

/// Results of all systems with one policy.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Number of systems.
    pub systems: u64,
    /// Number of systems that the interference model `conflict` accepts. The model `conflict`
    /// ignores memory traffic.
    pub blind: u64,
    /// Number of systems that `conflict` accepts although they miss a deadline in a simulation.
    /// The cause is contention for memory bandwidth.
    pub blind_missed: u64,
    /// Number of systems that the interference model `conflict+bandwidth` accepts.
    pub accepted: u64,
    /// Number of systems that `conflict+bandwidth` accepts although they miss a deadline in a
    /// simulation. A number above 0 refutes the analysis.
    pub accepted_missed: u64,
    /// Number of simulated runs.
    pub runs: u64,
    /// Number of simulated jobs.
    pub jobs: u64,
}

impl Tally {
    /// Returns the sums of the two tallies.
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

/// The result of a validation campaign.
#[derive(Clone, Debug)]
pub struct Report {
    /// Results for each policy, in the order of [`policies`].
    pub policies: Vec<(Policy, Tally)>,
    /// Number of the first accepted system that missed a deadline, if any.
    pub broken: Option<u64>,
}

impl Report {
    /// Returns the sums over all policies.
    pub fn total(&self) -> Tally {
        let tallies = self.policies.iter().map(|(_, tally)| tally);
        tallies.fold(Tally::default(), |sum, tally| sum.plus(tally))
    }
}

/// The result of one chunk of systems.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    chunk: u64,
    /// Results for each policy.
    tallies: Vec<Tally>,
    /// Number of the first accepted system that missed a deadline.
    broken: Option<u64>,
}

impl Chunk for Record {
    const SYSTEMS: u64 = 144;

    fn number(&self) -> u64 {
        self.chunk
    }
}

impl Campaign {
    /// Runs the campaign on the current threads of `rayon`. If there is a checkpoint at `path`, the campaign continues
    /// from the checkpoint. Calls `advanced` with the number of systems that were completed since the last call.
    ///
    /// # Errors
    /// Fails with [`Error::Internal`] if a system cannot be generated. Fails with [`Error::Io`] or [`Error::Refused`]
    /// if the checkpoint cannot be used.
    pub fn run(&self, path: Option<&Path>, mut advanced: impl FnMut(u64) + Send) -> Result<Report> {
        let policies = policies();
        let mut sum = vec![Tally::default(); policies.len()];
        let mut broken: Option<u64> = None;
        let compute = |chunk, systems| self.chunk(chunk, systems, policies.len());
        let accept = |record: Record, systems| {
            for (sum, tally) in sum.iter_mut().zip(&record.tallies) {
                *sum = sum.plus(tally);
            }
            broken = broken.into_iter().chain(record.broken).min();
            advanced(systems);
        };
        let header = Header::new(self.systems, self.seed).of("shared memory", &self.devices)?;
        chunks(&header, path, compute, accept)?;
        Ok(Report {
            policies: policies.into_iter().zip(sum).collect(),
            broken,
        })
    }

    fn chunk(&self, chunk: u64, systems: Range<u64>, policies: usize) -> Result<Record> {
        let mut record = Record {
            chunk,
            tallies: vec![Tally::default(); policies],
            broken: None,
        };
        for index in systems {
            let (place, tally) = self.examine(index, policies)?;
            if let Some(sum) = record.tallies.get_mut(place) {
                *sum = sum.plus(&tally);
            }
            if tally.accepted_missed > 0 {
                record.broken = record.broken.or(Some(index));
            }
        }
        Ok(record)
    }

    fn examine(&self, index: u64, policies: usize) -> Result<(usize, Tally)> {
        let unusable = || Error::Internal(format!("system {index} cannot be generated"));
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

/// Returns the verdicts of the partitions of `system`. If `memory` is true, the verdicts count
/// the memory traffic of other partitions.
///
/// # Errors
/// Never fails for systems of [`system`].
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
