//! Validation of many end-to-end systems, on any number of threads. The campaign simulates several runs of each system.
//! It compares every bound with the longest simulated time of the segment, task or chain.

use gpusched_analysis::end_to_end::{analyze, analyze_enforced};
use gpusched_model::Interference;
use gpusched_model::end_to_end::{Answer, Communication, Draft, System};
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

use super::draw::system;
use super::{pipelines, traffic, turns};
use crate::campaign::{self, Header};
use crate::end_to_end::{
    Arrivals, ChainTimes, Drawn, Execution, Extent, Jitter, Observed, Offsets, Pattern, Simulator,
};

/// A function that returns the bounds on a system.
pub type Analyze = fn(&System) -> Answer;

/// Sharing of time or memory by the resources of a generated system.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// Nothing.
    Nothing,
    /// All resources share a memory.
    Memory,
    /// The contexts of a partition share its SMs by time slices.
    Time,
}

/// Parameters of a validation campaign.
#[derive(Copy, Clone, Debug)]
pub struct Campaign {
    /// Number of systems to validate.
    pub systems: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Sharing by the resources of each system.
    pub sharing: Sharing,
    /// Whether each system has pipelined tasks. Not with [`Sharing::Memory`].
    pub pipelined: bool,
    /// Analysis without enforced releases. The default is [`analyze`]. Tests can replace this function.
    pub analysis: Analyze,
}

/// Counts of a validation campaign.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "EndToEndTally"))]
pub struct Tally {
    /// Number of validated systems.
    pub systems: u64,
    /// Number of systems where at least one task has a bound.
    pub bounded_systems: u64,
    /// Number of tasks of all systems.
    pub tasks: u64,
    /// Number of tasks with a bound.
    pub bounds: u64,
    /// Number of tasks whose longest simulated response time equals the bound.
    pub attained: u64,
    /// Sum of the ratios of simulated response time to bound, over all tasks with a bound [thousandths].
    pub ratio_permille: u64,
    /// Number of chains with a bound.
    pub chains: u64,
    /// Sum of the ratios of simulated reaction time to bound, over all chains with a bound [thousandths].
    pub chain_ratio_permille: u64,
    /// Number of tasks with a bound under enforced releases.
    pub enforced_bounds: u64,
    /// Number of simulated runs.
    pub runs: u64,
    /// Number of simulated jobs.
    pub jobs: u64,
    /// Number of systems where a simulated time exceeds its bound. A number above 0 refutes the analysis.
    pub exceeded: u64,
}

impl AddAssign<&Tally> for Tally {
    fn add_assign(&mut self, other: &Tally) {
        self.systems += other.systems;
        self.bounded_systems += other.bounded_systems;
        self.tasks += other.tasks;
        self.bounds += other.bounds;
        self.attained += other.attained;
        self.ratio_permille += other.ratio_permille;
        self.chains += other.chains;
        self.chain_ratio_permille += other.chain_ratio_permille;
        self.enforced_bounds += other.enforced_bounds;
        self.runs += other.runs;
        self.jobs += other.jobs;
        self.exceeded += other.exceeded;
    }
}

/// A simulated time that exceeds its bound.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Excess {
    /// Number of the random system.
    pub system: u64,
    /// Name of the bound that the time exceeds, such as `task2 segment 1`.
    pub of: String,
    /// Bound [ns].
    pub bound_ns: Time,
    /// Simulated time [ns].
    pub simulated_ns: Time,
    /// Whether timers released the segments.
    pub enforced: bool,
}

/// The result of a validation campaign.
#[derive(Clone, Debug)]
pub struct Report {
    /// Sums over all systems.
    pub tally: Tally,
    /// Excess in the first system that has an excess, if any.
    pub excess: Option<Excess>,
    /// System with the excess.
    pub draft: Option<Draft>,
}

/// Results of some systems.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub(super) chunk: u64,
    /// Sums over the systems.
    pub(super) tally: Tally,
    /// Excess in the first system that has an excess, if any.
    pub(super) excess: Option<Excess>,
}

impl Record {
    /// Creates a record without systems.
    pub(super) fn new(chunk: u64) -> Record {
        Record {
            chunk,
            tally: Tally::default(),
            excess: None,
        }
    }

    /// Adds the result of the next system.
    pub(super) fn count(&mut self, (tally, excess): (Tally, Option<Excess>)) {
        self.tally += &tally;
        self.excess = self.excess.take().or(excess);
    }
}

impl campaign::Record for Record {
    fn chunk(&self) -> u64 {
        self.chunk
    }

    fn add(&mut self, other: Record) {
        self.tally += &other.tally;
        let found = self.excess.take().into_iter().chain(other.excess);
        self.excess = found.min_by_key(|excess| excess.system);
    }
}

/// Longest times of all runs of a system.
pub(super) struct Longest {
    pub observed: Observed,
    pub chains: Vec<(Option<Time>, Option<Time>)>,
    pub runs: u64,
}

impl Campaign {
    /// Creates a campaign that validates the analysis of gpusched. All tasks are sequential.
    pub fn new(systems: u64, seed: u64, sharing: Sharing) -> Campaign {
        Campaign {
            systems,
            seed,
            sharing,
            pipelined: false,
            analysis: analyze,
        }
    }

    fn draft(&self, index: u64) -> Option<(Draft, Option<usize>)> {
        let (draft, numbers) = (system(self.seed, index)?, (self.seed, index));
        let (draft, channels) = match self.sharing {
            Sharing::Nothing => (draft, None),
            Sharing::Memory => {
                let (draft, channels) = traffic::with_traffic(draft, numbers);
                (draft, Some(channels))
            }
            Sharing::Time => (turns::with_time_slices(draft, numbers), None),
        };
        Some(match self.pipelined {
            true => (pipelines::with_pipelines(draft, numbers), channels),
            false => (draft, channels),
        })
    }

    /// Returns system `index`, and the number of channels of its memory. The number is `None` if the system has no
    /// shared memory.
    ///
    /// # Errors
    /// Fails with [`Error::Internal`] if the system cannot be generated.
    pub fn system(&self, index: u64) -> Result<(System, Option<usize>)> {
        let drawn = self.draft(index);
        let (draft, channels) = drawn.ok_or_else(|| Error::Internal(format!("no system {index}")))?;
        let environment = match self.sharing {
            Sharing::Memory => traffic::environment(),
            Sharing::Nothing | Sharing::Time => Interference::Conflict.into(),
        };
        Ok((System::new(&draft, environment)?, channels))
    }

    fn examine(&self, index: u64) -> Result<(Tally, Option<Excess>)> {
        let (system, channels) = self.system(index)?;
        let answer = (self.analysis)(&system);
        let longest = self.longest(&system, (index, channels), None)?;
        let mut tally = longest.tally(&answer);
        let mut excess = excess(&system, &answer, &longest);
        if let Ok(enforced) = analyze_enforced(&system)
            && let Some(offsets) = &enforced.evidence.offsets_ns
            && enforced.response_times_ns.iter().all(Option::is_some)
        {
            tally.enforced_bounds = enforced.response_times_ns.len() as u64;
            let longest = self.longest(&system, (index, channels), Some(offsets))?;
            tally.runs += longest.runs;
            let found = self::excess(&system, &enforced, &longest);
            excess = excess.or_else(|| {
                found.map(|found| Excess {
                    enforced: true,
                    ..found
                })
            });
        }
        let excess = excess.map(|excess| Excess {
            system: index,
            ..excess
        });
        tally.exceeded = u64::from(excess.is_some());
        Ok((tally, excess))
    }

    /// Simulates `system` under all patterns.
    fn longest(
        &self,
        system: &System,
        (index, channels): (u64, Option<usize>),
        offsets: Option<&[Vec<Time>]>,
    ) -> Result<Longest> {
        let mut simulator = Simulator::new(system, offsets)?;
        let mut longest = Longest::new(system);
        for (number, pattern) in patterns().into_iter().enumerate() {
            let numbers = (self.seed, index * 16 + number as u64);
            if let Some(channels) = channels {
                simulator.share(traffic::memory(system, channels, numbers))?;
            }
            simulator.set_turns(turns::turns(numbers));
            longest.run(&mut simulator, system, (&pattern, numbers))?;
        }
        Ok(longest)
    }
}

impl Longest {
    /// Returns the times before the first run of `system`.
    pub fn new(system: &System) -> Longest {
        Longest {
            observed: Observed::new(system),
            chains: vec![(None, None); system.chains().len()],
            runs: 0,
        }
    }

    /// Adds a run of `simulator` with `pattern`. `numbers` select the random streams.
    pub fn run(
        &mut self,
        simulator: &mut Simulator,
        system: &System,
        (pattern, numbers): (&Pattern, (u64, u64)),
    ) -> Result<()> {
        let periods = system.tasks().iter().map(|task| task.period.ns());
        let period = periods.max().unwrap_or(1);
        let mut source = Drawn::new(system, &pattern.runs(system, numbers), numbers)?;
        let mut chains = ChainTimes::new(system);
        let extent = Extent::before(Time::from_ns(6 * period));
        simulator.run(&mut source, extent, &mut (&mut self.observed, &mut chains))?;
        self.runs += 1;
        if pattern.arrivals == Arrivals::Periodic {
            for (longest, time) in self.chains.iter_mut().zip(chains.times()) {
                longest.0 = longest.0.max(time.reaction);
                longest.1 = longest.1.max(time.age);
            }
        }
        Ok(())
    }

    /// Returns the counts of a system with these times. `answer` has its bounds.
    pub fn tally(&self, answer: &Answer) -> Tally {
        let mut tally = Tally {
            systems: 1,
            tasks: self.observed.tasks.len() as u64,
            runs: self.runs,
            jobs: self.observed.tasks.iter().map(|task| task.jobs).sum(),
            ..Tally::default()
        };
        let permille = |part: Time, whole: Time| part.ns() * 1000 / whole.ns().max(1);
        for (task, bound) in self.observed.tasks.iter().zip(&answer.response_times_ns) {
            if let Some(bound) = *bound {
                tally.bounds += 1;
                tally.attained += u64::from(task.response == bound);
                tally.ratio_permille += permille(task.response, bound);
            }
        }
        tally.bounded_systems = u64::from(tally.bounds > 0);
        for (simulated, chain) in self.chains.iter().zip(&answer.chains) {
            if let (Some(bound), Some(simulated)) = (chain.reaction_ns, simulated.0) {
                tally.chains += 1;
                tally.chain_ratio_permille += permille(simulated, bound);
            }
        }
        tally
    }
}

impl campaign::Campaign for Campaign {
    type Record = Record;
    type Report = Report;
    const CHUNK: u64 = 64;

    fn header(&self) -> Result<Header> {
        let header = Header::new(self.systems, self.seed);
        match (self.sharing, self.pipelined) {
            (sharing, true) => header.of("pipelined", &(sharing == Sharing::Time)),
            (Sharing::Time, false) => header.of("time-sliced", &true),
            (sharing, false) => header.of("end-to-end", &(sharing == Sharing::Memory)),
        }
    }

    fn record(&self, chunk: u64) -> Record {
        Record::new(chunk)
    }

    fn check(&self, index: u64, record: &mut Record) -> Result<()> {
        record.count(self.examine(index)?);
        Ok(())
    }

    fn report(&self, Record { tally, excess, .. }: Record) -> Result<Report> {
        let system = excess.as_ref().map(|excess| excess.system);
        let draft = system.and_then(|system| self.draft(system));
        Ok(Report {
            tally,
            excess,
            draft: draft.map(|(draft, _)| draft),
        })
    }
}

/// Returns the patterns of the runs.
pub(super) fn patterns() -> [Pattern; 6] {
    let periodic = Pattern::default();
    let random = Pattern {
        offsets: Offsets::Random,
        ..periodic
    };
    [
        periodic,
        Pattern {
            execution: Execution::Extremes,
            jitter: Jitter::Random,
            ..periodic
        },
        random,
        Pattern {
            execution: Execution::Extremes,
            jitter: Jitter::Random,
            ..random
        },
        Pattern {
            execution: Execution::Random,
            jitter: Jitter::Late,
            ..random
        },
        Pattern {
            execution: Execution::Extremes,
            jitter: Jitter::Random,
            arrivals: Arrivals::Sporadic,
            ..random
        },
    ]
}

/// Returns the first time above its bound.
pub(super) fn excess(system: &System, answer: &Answer, longest: &Longest) -> Option<Excess> {
    let above = |of: String, bound: Option<Time>, simulated: Time| {
        bound.filter(|&bound| simulated > bound).map(|bound_ns| Excess {
            system: 0,
            of,
            bound_ns,
            simulated_ns: simulated,
            enforced: false,
        })
    };
    let bounds = &answer.evidence.bounds;
    for (index, (task, observed)) in system.tasks().iter().zip(&longest.observed.tasks).enumerate() {
        for (segment, (&end, &delay)) in observed.ends.iter().zip(&observed.delays).enumerate() {
            let name = |what: &str| format!("{} segment {segment}, {what}", task.name);
            let found = above(name("end"), bounds.end(index, segment), end);
            // Delays count from releases, so they are valid even for tasks without bounds. The delays of a pipelined task count
            // from the latest release that its table allows.
            let delay = match task.is_pipelined() {
                true => None,
                false => above(name("delay"), bounds.delay(index, segment), delay),
            };
            let found = found.or(delay);
            if found.is_some() {
                return found;
            }
        }
    }
    for ((chain, bound), &(reaction, age)) in system.chains().iter().zip(&answer.chains).zip(&longest.chains)
    {
        let by_let = chain.communication == Communication::Let;
        let met = chain.tasks.iter().all(|&task| {
            longest
                .observed
                .tasks
                .get(task)
                .is_some_and(|task| task.misses == 0)
        });
        if by_let && !met {
            continue;
        }
        let reaction =
            reaction.and_then(|time| above(format!("{}, reaction", chain.name), bound.reaction_ns, time));
        let age = age.and_then(|time| above(format!("{}, age", chain.name), bound.age_ns, time));
        if let Some(found) = reaction.or(age) {
            return Some(found);
        }
    }
    None
}
