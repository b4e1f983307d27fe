//! Validation of many systems. If several systems violate a guarantee, the campaign minimises the system with the lowest
//! number.

use super::check::{Breach, Partition};
use super::draw::{System, policies, system};
use super::minimise::{Reproducer, minimise};
use super::runs::Run;
use super::tally::{PolicyTally, Tallies};
use crate::campaign::{self, Header};
use gpusched_analysis::interference::{InflatedWcet, Interference, model_of};
use gpusched_analysis::partitioning::{Problem, partition};
use gpusched_model::Policy;
use gpusched_model::error::Result;
use gpusched_model::policy::Priorities;

/// Parameters of a validation campaign.
#[derive(Copy, Clone, Debug)]
pub struct Campaign {
    /// Number of systems to validate.
    pub systems: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Only policy of the systems; `None` for all policies in turn. Every policy that has a scheduler is possible.
    pub policy: Option<Policy>,
    /// Function that returns the interference model of the analysis. Simulations always use
    /// [`model_of`]. Tests can use another function.
    pub analysis: fn(Interference) -> &'static dyn InflatedWcet,
}

/// The result of a validation campaign.
#[derive(Clone, Debug)]
pub struct Report {
    /// Results for each policy, in the order of [`policies`].
    pub policies: Vec<(Policy, PolicyTally)>,
    /// Minimised counterexample of the first violation, if any.
    pub reproducer: Option<Reproducer>,
}

impl Report {
    /// Returns the number of partitions that violate a guarantee.
    pub fn breaches(&self) -> u64 {
        self.policies.iter().map(|(_, tally)| tally.breaches()).sum()
    }

    /// Returns the sums over all policies.
    pub fn total(&self) -> PolicyTally {
        let mut total = PolicyTally::default();
        self.policies.iter().for_each(|(_, tally)| total += tally);
        total
    }
}

impl campaign::Campaign for Campaign {
    type Record = Tallies<PolicyTally>;
    type Report = Report;
    const CHUNK: u64 = 576;

    fn header(&self) -> Result<Header> {
        let header = Header::new(self.systems, self.seed);
        match self.policy {
            None => Ok(header),
            Some(policy) => header.of("", &policy),
        }
    }

    fn record(&self, chunk: u64) -> Tallies<PolicyTally> {
        Tallies::new(chunk, policies().len())
    }

    fn check(&self, index: u64, record: &mut Tallies<PolicyTally>) -> Result<()> {
        let system = system(self.seed, self.number(index))?;
        let place = policies().iter().position(|&policy| policy == system.policy);
        if let Some(tally) = place.and_then(|place| record.tallies.get_mut(place))
            && self.examine(&system, tally)?.is_some()
        {
            record.broken = record.broken.or(Some(index));
        }
        Ok(())
    }

    fn report(&self, all: Tallies<PolicyTally>) -> Result<Report> {
        let reproducer = all.broken.map(|index| self.reproduce(index)).transpose()?;
        Ok(Report {
            policies: { policies().into_iter().zip(all.tallies) }
                .filter(|(policy, _)| self.policy.is_none_or(|only| only == *policy))
                .collect(),
            reproducer: reproducer.flatten(),
        })
    }
}

impl Campaign {
    /// Returns the number of the system at `index`. The policies of the systems are in turn.
    fn number(&self, index: u64) -> u64 {
        let policies = policies();
        let place = self
            .policy
            .and_then(|only| policies.iter().position(|&policy| policy == only));
        match place {
            None => index,
            Some(place) => index
                .saturating_mul(policies.len() as u64)
                .saturating_add(place as u64),
        }
    }

    /// Partitions the GPU, simulates each partition and counts the results. Returns the first
    /// violation of a guarantee.
    fn examine(&self, system: &System, tally: &mut PolicyTally) -> Result<Option<(Partition, Breach, Run)>> {
        let (model, truth) = (
            (self.analysis)(system.interference),
            model_of(system.interference),
        );
        let problem = Problem::new(&system.set, system.sms, system.policy, model)?;
        let plan = partition(&problem, &system.heuristic);
        tally.systems += 1;
        tally.schedulable += u64::from(plan.schedulable);
        let mut first = None;
        for planned in &plan.partitions {
            let Some(part) = Partition::new(
                &system.set,
                &planned.tasks,
                planned.sms,
                system.policy,
                system.seed,
            ) else {
                continue;
            };
            if planned.verdict.schedulable {
                let findings = part.findings(model, truth)?;
                tally.partitions += 1;
                tally.runs += findings.runs;
                tally.jobs += findings.jobs;
                tally.preemptions += findings.preemptions;
                for (&longest, bound) in findings.longest.iter().zip(&findings.bounds) {
                    if let Some(bound) = *bound {
                        tally.count(longest, bound);
                    }
                }
                if let Some((breach, run)) = findings.breach {
                    match breach {
                        Breach::Miss => tally.misses += 1,
                        Breach::AboveBound => tally.above_bound += 1,
                    }
                    first = first.or_else(|| Some((part.clone(), breach, run)));
                }
            }
            // A rejected partition keeps its SMs. An accepted partition loses one SM, so that the
            // test may reject it.
            let smaller = Partition {
                sms: planned.sms - u32::from(planned.verdict.schedulable),
                ..part
            };
            let audsley = matches!(system.policy, Policy::FixedPriority(_, Priorities::Audsley));
            if audsley || smaller.sms == 0 || smaller.accepted(truth) {
                continue;
            }
            if let Some(missed) = smaller.misses(truth) {
                tally.rejected += 1;
                tally.rejected_missed += u64::from(missed);
                tally.rejected_overloaded += u64::from(!missed && smaller.overloaded(truth));
            }
        }
        Ok(first)
    }

    /// Returns the minimised counterexample for system `index`.
    fn reproduce(&self, index: u64) -> Result<Option<Reproducer>> {
        let system = system(self.seed, self.number(index))?;
        let found = self.examine(&system, &mut PolicyTally::default())?;
        let minimised = found.map(|(partition, breach, run)| {
            let model = (self.analysis)(system.interference);
            minimise(
                self.number(index),
                partition,
                system.interference,
                model,
                breach,
                run,
            )
        });
        minimised.transpose()
    }
}
