//! Validation of many systems with shared memory, on any number of threads. For each analysis, the campaign counts the
//! accepted systems. It also counts how many accepted systems miss a deadline in a simulation.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::draw::{System, policies, system};
use super::hardware::on_device;
use crate::campaign::{self, Header};
use crate::shared_runs::first_miss;
use crate::validation::tally::Tallies;
use gpusched_analysis::interference::{Interference, model_of};
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

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        self.systems += other.systems;
        self.blind += other.blind;
        self.blind_missed += other.blind_missed;
        self.accepted += other.accepted;
        self.accepted_missed += other.accepted_missed;
        self.runs += other.runs;
        self.jobs += other.jobs;
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
        let mut total = Tally::default();
        self.policies.iter().for_each(|(_, tally)| total += tally);
        total
    }
}

impl campaign::Campaign for Campaign {
    type Record = Tallies<Tally>;
    type Report = Report;
    const CHUNK: u64 = 144;

    fn header(&self) -> Result<Header> {
        Header::new(self.systems, self.seed).of("shared memory", &self.devices)
    }

    fn record(&self, chunk: u64) -> Tallies<Tally> {
        Tallies::new(chunk, policies().len())
    }

    fn check(&self, index: u64, record: &mut Tallies<Tally>) -> Result<()> {
        let tally = self.examine(index)?;
        let turn = index % (record.tallies.len() as u64).max(1);
        let sum = usize::try_from(turn)
            .ok()
            .and_then(|turn| record.tallies.get_mut(turn));
        if let Some(sum) = sum {
            *sum += &tally;
        }
        if tally.accepted_missed > 0 {
            record.broken = record.broken.or(Some(index));
        }
        Ok(())
    }

    fn report(&self, all: Tallies<Tally>) -> Result<Report> {
        Ok(Report {
            policies: policies().into_iter().zip(all.tallies).collect(),
            broken: all.broken,
        })
    }
}

impl Campaign {
    fn examine(&self, index: u64) -> Result<Tally> {
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
        Ok(tally)
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
