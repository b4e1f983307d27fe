//! Assumptions of a simulation of bandwidth regulation.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{AccessPattern, BlockTimes, CoreTasks, Process};
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_model::time::Time;

/// Assumptions of a simulation of bandwidth regulation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Access pattern of best-effort cores within a regulation period.
    pub pattern: AccessPattern,
    /// Demand d of best-effort cores: largest share of a regulation period during which they
    /// access memory.
    pub demand: Factor,
    /// Demand of each best-effort core, as a share of a regulation period. If the list is empty,
    /// the cores have no individual demands, and `demand` applies to all cores together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<Factor>,
    /// Rule that divides a budget among cores with individual demands.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sharing: Sharing,
    /// Tasks of one best-effort core, which gets the whole budget. If present, `demand` and `cores` have no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<CoreTasks>,
    /// Choice of the execution times of thread blocks.
    pub blocks: BlockTimes,
    /// Start of the kernel, counted from the start of a regulation period [ns]. If absent, the
    /// kernel starts at a random time in each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset_ns: Option<Time>,
    /// Lead: time from the computation of a budget to the start of its regulation period [ns].
    pub lead_ns: Time,
    /// Number of memory requests that the process for computing budgets makes per millisecond. gpusched counts the full
    /// memory bandwidth as 60,000 requests per millisecond.
    pub process_requests: u64,
}

fn is_default(sharing: &Sharing) -> bool {
    *sharing == Sharing::default()
}

impl Setting {
    /// Returns the process that computes budgets. Its memory time applies to regulation periods of length `period`.
    pub(super) fn process(&self, period: Time) -> Process {
        let requests = u128::from(self.process_requests) * u128::from(period.ns());
        let time = requests.div_ceil(60_000).min(period.ns().into());
        Process {
            lead: self.lead_ns,
            traffic: Time::from_ns(u64::try_from(time).unwrap_or(period.ns())),
        }
    }
}

/// Demand of best-effort cores, as a share of a regulation period. The value is a number or the name of a benchmark.
///
/// The demands of the named benchmarks are **assumptions**. [Aghilinasab20] Table IV states the results of these
/// benchmarks, but not the demands of these benchmarks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Demand(pub Factor);

impl Demand {
    /// Name and demand of each benchmark. The unit is one billionth of a regulation period.
    pub const NAMED: [(&'static str, u64); 4] = [
        ("bandwidth", 1_000_000_000),
        ("libquantum", 600_000_000),
        ("gcc", 200_000_000),
        ("sjeng", 140_000_000),
    ];
}

impl FromStr for Demand {
    type Err = String;

    fn from_str(text: &str) -> Result<Demand, String> {
        let named = Demand::NAMED.iter().find(|(name, _)| *name == text);
        let share = match named {
            Some(&(_, billionths)) => Factor::from_billionths(billionths),
            None => text.parse().ok().and_then(Factor::from_f64),
        };
        match share {
            Some(share) if share <= Factor::ONE => Ok(Demand(share)),
            _ => Err(format!(
                "found {:?}, expected bandwidth, libquantum, gcc, sjeng or a number from 0 to 1 with at most nine decimals",
                text.chars().take(40).collect::<String>()
            )),
        }
    }
}

/// Start of a kernel, relative to the start of a regulation period.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Offset {
    /// A random time within the period.
    Random,
    /// A fixed time after the start of the period.
    At(Time),
}

impl FromStr for Offset {
    type Err = String;

    fn from_str(text: &str) -> Result<Offset, String> {
        match text {
            "random" => Ok(Offset::Random),
            _ => text.parse().map(Offset::At).map_err(|_| {
                format!(
                    "found {:?}, expected `random` or a time with its unit such as \"2.5us\"",
                    text.chars().take(40).collect::<String>()
                )
            }),
        }
    }
}

impl Default for Setting {
    /// Returns the default assumptions: cores use their whole budget at once, blocks take their
    /// WCETs, the kernel starts together with a period, and decisions have no cost.
    fn default() -> Setting {
        Setting {
            pattern: AccessPattern::Front,
            demand: Factor::ONE,
            cores: Vec::new(),
            sharing: Sharing::default(),
            tasks: None,
            blocks: BlockTimes::Wcet,
            offset_ns: Some(Time::ZERO),
            lead_ns: Time::ZERO,
            process_requests: 0,
        }
    }
}
