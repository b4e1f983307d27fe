//! Methods that decide whether a system is schedulable. They are analyses with one partition, plans, and simulation.

use serde::{Deserialize, Serialize};

use gpusched_analysis::end_to_end::{Baseline, Gpu, Search, analyze, analyze_enforced, baseline, plan};
use gpusched_analysis::partitioning::HeuristicKind;
use gpusched_model::Interference;
use gpusched_model::end_to_end::{Draft, System};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_sim::end_to_end::{Arrivals, Drawn, Execution, Extent, Observed, Offsets, Pattern, Simulator};

/// How gpusched decides whether a system is schedulable.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum Method {
    /// One partition contains all SMs. Suspension counts as execution on the core.
    Oblivious,
    /// One partition contains all SMs. Suspension counts as release jitter.
    Jitter,
    /// One partition contains all SMs. Suspension counts as blocking.
    Blocking,
    /// One partition contains all SMs. The end-to-end analysis of gpusched decides.
    Holistic,
    /// One partition contains all SMs. The end-to-end analysis decides, but each kernel has a window of its own.
    SingleWindows,
    /// One partition contains all SMs, and timers release the segments.
    Enforced,
    /// One partition contains all SMs. A system counts as schedulable if no simulated run misses a deadline. No safe
    /// analysis can accept more systems.
    Simulation,
    /// Each task has its own partition for its kernels. The partitions have the smallest sizes that the end-to-end
    /// analysis permits.
    OnePerPartition,
    /// The heuristic SMS (`fewest-sms`) chooses the partitions, and uses the end-to-end analysis.
    FewestSms,
    /// The portfolio `auto` chooses the partitions, and uses the end-to-end analysis.
    Auto,
}

/// The result of a method. If the method has no plan, the numbers of SMs and of partitions are 0.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Found {
    pub schedulable: bool,
    pub sms: u32,
    pub partitions: u64,
}

/// A generated system, with the verdict of the method `holistic`.
pub(super) struct Subject {
    draft: Draft,
    system: System,
    interference: Interference,
    sms: u32,
    holistic: bool,
}

impl Method {
    /// Returns the heuristic that computes the plan; `None` if the method analyzes one partition.
    pub(super) fn heuristic(self) -> Option<HeuristicKind> {
        match self {
            Method::OnePerPartition => Some(HeuristicKind::OnePerPartition),
            Method::FewestSms => Some(HeuristicKind::Sms),
            Method::Auto => Some(HeuristicKind::Auto),
            _ => None,
        }
    }

    /// Whether the method computes bounds on response times for the same system as the method `holistic`.
    pub(super) fn is_bound(self) -> bool {
        matches!(
            self,
            Method::Oblivious | Method::Jitter | Method::Blocking | Method::SingleWindows
        )
    }
}

impl Subject {
    pub(super) fn new(draft: Draft, interference: Interference, sms: u32) -> Result<Subject> {
        let system = System::new(&draft, interference)?;
        let holistic = analyze(&system).schedulable;
        Ok(Subject {
            draft,
            system,
            interference,
            sms,
            holistic,
        })
    }

    /// Whether the system with one partition is schedulable according to the end-to-end analysis.
    pub(super) fn holistic(&self) -> bool {
        self.holistic
    }

    /// Decides with `method` whether the system is schedulable. `numbers` select the random numbers of simulated runs.
    pub(super) fn evaluate(&self, method: Method, tests: u64, numbers: (u64, u64, u64)) -> Result<Found> {
        let decided = |schedulable| Found {
            schedulable,
            ..Found::default()
        };
        Ok(match method {
            Method::Oblivious => decided(self.meets(Baseline::Oblivious)),
            Method::Jitter => decided(self.meets(Baseline::Jitter)),
            Method::Blocking => decided(self.meets(Baseline::Blocking)),
            Method::SingleWindows => decided(self.meets(Baseline::SingleWindows)),
            Method::Holistic => decided(self.holistic),
            Method::Enforced => decided(analyze_enforced(&self.system)?.schedulable),
            Method::Simulation => decided(!self.misses(numbers)?),
            Method::OnePerPartition => self.planned(HeuristicKind::OnePerPartition, tests)?,
            Method::FewestSms => self.planned(HeuristicKind::Sms, tests)?,
            Method::Auto => self.planned(HeuristicKind::Auto, tests)?,
        })
    }

    fn meets(&self, method: Baseline) -> bool {
        let bounds = baseline(&self.system, method);
        let mut tasks = self.system.tasks().iter().enumerate();
        tasks.all(|(index, task)| {
            bounds
                .response_time(index)
                .is_some_and(|bound| bound <= task.deadline)
        })
    }

    fn planned(&self, heuristic: HeuristicKind, tests: u64) -> Result<Found> {
        let gpu = Gpu {
            sms: self.sms,
            offer: None,
        };
        let search = Search {
            heuristic,
            environment: self.interference.into(),
            alternatives: false,
            tests,
        };
        let plan = plan(&self.draft, gpu, search)?;
        Ok(Found {
            schedulable: plan.schedulable,
            sms: plan.sms_used,
            partitions: plan.partitions.len() as u64,
        })
    }

    /// Whether at least one simulated run misses a deadline. Each run contains all jobs that arrive within ten times
    /// the longest period.
    fn misses(&self, (seed, point, set): (u64, u64, u64)) -> Result<bool> {
        let mut simulator = Simulator::new(&self.system, None)?;
        let periods = self.system.tasks().iter().map(|task| task.period.ns());
        let longest = periods.max().unwrap_or(1); // a system has at least one task
        let extent = Extent::before(Time::from_ns(longest.saturating_mul(10)));
        for (number, pattern) in (0..).zip(patterns()) {
            let numbers = (seed, (point << 40 | set << 8) + number);
            let mut observed = Observed::new(&self.system);
            let mut source = Drawn::new(&self.system, &pattern.runs(&self.system, numbers), numbers)?;
            simulator.run(&mut source, extent, &mut observed)?;
            if observed.misses > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the patterns of the runs.
fn patterns() -> [Pattern; 4] {
    let synchronous = Pattern::default();
    let random = Pattern {
        offsets: Offsets::Random,
        ..synchronous
    };
    [
        synchronous,
        Pattern {
            execution: Execution::Extremes,
            ..synchronous
        },
        random,
        Pattern {
            execution: Execution::Extremes,
            arrivals: Arrivals::Sporadic,
            ..random
        },
    ]
}
