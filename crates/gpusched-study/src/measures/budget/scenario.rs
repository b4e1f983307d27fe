//! A kernel, its memory bandwidth budgets, and assumptions about the best-effort cores.

use std::fmt::Display;
use std::str::FromStr;

use super::statistics::Statistics;
use crate::measures::cluster_bounds::kernels::alternating;
use crate::measures::limits::combinations;
use crate::measures::{Files, Labels};
use gpusched_analysis::bandwidth::{Allocator, BudgetPolicy, nominal};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Kernel, Straddling};
use gpusched_sim::regulation::{AccessPattern, BlockTimes, Demand, Offset, Setting, Simulator};

/// Parameters of the process that computes budgets ([Aghilinasab20] §VI-B and §VII-C). The process
/// computes a budget 50 µs before the regulation period starts, and causes 470 cache misses per
/// millisecond.
const PROCESS: (Time, u64) = (Time::from_ns(50_000), 470);

/// Maximum number of scenarios of one case.
const MAX_SCENARIOS: usize = 1000;

/// A kernel with its nominal budget.
#[derive(Debug)]
pub(super) struct Subject {
    kernel: Kernel,
    q: Factor,
    straddling: Straddling,
    /// Deadline of the kernel: its nominal WCET G(Q̄).
    deadline: Time,
}

/// A demand of the best-effort cores, with its name.
#[derive(Clone, Debug)]
pub(super) struct NamedDemand {
    pub name: String,
    share: Factor,
}

/// One combination of assumptions about block times, start, access pattern and demand.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    blocks: BlockTimes,
    offset: String,
    offset_ns: Option<Time>,
    pattern: AccessPattern,
    pub(super) demand: NamedDemand,
}

/// Parses each text in `texts` as a demand.
pub(super) fn demands(field: &str, texts: &[String]) -> Result<Vec<NamedDemand>, Refusal> {
    let read = |text: &String| {
        let Demand(share) = parsed(field, text)?;
        let name = text.clone();
        Ok(NamedDemand { name, share })
    };
    texts.iter().map(read).collect()
}

/// Parses each text in `texts` as a start of the kernel. The start is relative to the start of a regulation period.
pub(super) fn offsets(field: &str, texts: &[String]) -> Result<Vec<(String, Option<Time>)>, Refusal> {
    let read = |text: &String| {
        let time = match parsed(field, text)? {
            Offset::Random => None,
            Offset::At(time) => Some(time),
        };
        Ok((text.clone(), time))
    };
    texts.iter().map(read).collect()
}

fn parsed<T: FromStr<Err: Display>>(field: &str, text: &str) -> Result<T, Refusal> {
    text.parse().map_err(Refusal::about(field))
}

impl Scenario {
    /// Returns all combinations of assumptions. Combinations with the same block times and the same start are adjacent.
    pub(super) fn all(
        blocks: &[BlockTimes],
        offsets: &[(String, Option<Time>)],
        patterns: &[AccessPattern],
        demands: &[NamedDemand],
    ) -> Result<Vec<Scenario>, Refusal> {
        let lengths = [blocks.len(), offsets.len(), patterns.len(), demands.len()];
        let what = "combinations of blocks, offsets, patterns and demands";
        if combinations("", what, &lengths, MAX_SCENARIOS)? == 0 {
            return Err(Refusal::new(
                "",
                format_args!("0 {what}"),
                "at least 1 combination",
            ));
        }
        let mut scenarios = Vec::new();
        for &blocks in blocks {
            for (offset, offset_ns) in offsets {
                for &pattern in patterns {
                    scenarios.extend(demands.iter().map(|demand| Scenario {
                        blocks,
                        offset: offset.clone(),
                        offset_ns: *offset_ns,
                        pattern,
                        demand: demand.clone(),
                    }));
                }
            }
        }
        Ok(scenarios)
    }

    /// Returns whether both scenarios have the same block times and the same start.
    pub(super) fn shares_runs(&self, other: &Scenario) -> bool {
        (self.blocks, &self.offset) == (other.blocks, &other.offset)
    }

    /// Returns the columns whose texts identify the scenario of a row.
    pub(super) fn labels(&self) -> Labels {
        Labels::of("blocks", self.blocks)
            .with("offset", &self.offset)
            .with("pattern", self.pattern)
            .with("demand", &self.demand.name)
            .with("share", self.demand.share)
    }

    fn setting(&self) -> Setting {
        let (lead_ns, process_requests) = PROCESS;
        Setting {
            pattern: self.pattern,
            demand: self.demand.share,
            blocks: self.blocks,
            offset_ns: self.offset_ns,
            lead_ns,
            process_requests,
            ..Setting::default()
        }
    }
}

impl Subject {
    /// Reads the kernel in the file at `path` and computes its nominal budget.
    pub fn read(
        files: &mut Files,
        path: &str,
        intervals: Option<usize>,
        slowdown: Factor,
        straddling: Straddling,
    ) -> Result<Subject, Refusal> {
        let kernel = alternating(files, path, intervals)?;
        let found = nominal(&kernel, slowdown, false, straddling).map_err(Refusal::about("kernel"))?;
        Ok(Subject {
            kernel,
            q: found.nominal_q,
            straddling,
            deadline: found.wcet_nominal_ns,
        })
    }

    pub fn name(&self) -> &str {
        self.kernel.name().unwrap_or("")
    }

    /// Returns the maximum number of regulation periods in a run that meets its deadline.
    pub fn periods(&self) -> u64 {
        self.deadline
            .ns()
            .div_ceil(self.kernel.regulation_period().ns().max(1))
            + 1
    }

    /// Returns one budget allocator for each budget policy. NOMINAL is the first policy.
    pub fn allocators(&self) -> Result<Vec<(BudgetPolicy, Allocator)>> {
        let allocators = BudgetPolicy::ALL.into_iter().map(|policy| {
            let allocator = Allocator::new(&self.kernel, self.q, policy, self.straddling);
            Ok((
                policy,
                allocator.map_err(|error| Error::Internal(error.to_string()))?,
            ))
        });
        allocators.collect()
    }

    /// Creates the simulator of the kernel in `scenario`.
    pub fn simulator(&self, scenario: &Scenario, seed: u64) -> Result<Simulator, Refusal> {
        Simulator::new(&self.kernel, scenario.setting(), seed).map_err(Refusal::in_file("", self.name()))
    }

    /// Converts a refusal of parameters into an error. The parameters were checked before, so such a refusal is
    /// unexpected.
    pub fn explain(refusal: Refusal) -> Error {
        refusal.into()
    }

    /// Creates statistics without any runs.
    pub fn statistics(&self) -> Statistics {
        Statistics::new(self.deadline)
    }
}
