//! Assumptions of a simulation.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{AccessPattern, BlockTimes, Process};
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_model::time::Time;

/// Assumptions of a simulation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Access pattern of best-effort cores within a period.
    pub pattern: AccessPattern,
    /// Demand d: largest share of a period during which best-effort cores access memory.
    pub demand: Factor,
    /// Demand of each best-effort core as a share of a period. Empty if cores are not separate; `demand` then covers all cores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<Factor>,
    /// Rule by which separate cores share a budget.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sharing: Sharing,
    /// Execution times of blocks.
    pub blocks: BlockTimes,
    /// Start of the kernel, counted from the start of a regulation period [ns]. Absent if it is drawn for each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset_ns: Option<Time>,
    /// Lead: time from the computation of a budget to its period [ns].
    pub lead_ns: Time,
    /// Memory requests per millisecond of the process that computes budgets; the full bandwidth is 60,000.
    pub process_requests: u64,
}

fn is_default(sharing: &Sharing) -> bool {
    *sharing == Sharing::default()
}

impl Setting {
    /// Returns the process that computes budgets for regulation periods of `period`: its lead and its memory time.
    pub(super) fn process(&self, period: Time) -> Process {
        let requests = u128::from(self.process_requests) * u128::from(period.ns());
        let time = requests.div_ceil(60_000).min(period.ns().into());
        Process {
            lead: self.lead_ns,
            traffic: Time::from_ns(u64::try_from(time).unwrap_or(period.ns())),
        }
    }
}

/// Demand of best-effort cores: a share of a period, or its name.
///
/// The named shares are **assumptions**: the paper names its benchmarks and their results (Table IV), but not their demands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Demand(pub Factor);

impl Demand {
    /// Named demands, in billionths of a period.
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

/// Start of a kernel within a regulation period.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Offset {
    /// Random time within the period.
    Random,
    /// Time since the start of the period.
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
    /// Cores use their whole budget at once, blocks take their WCETs, the kernel starts with a period, and decisions cost nothing.
    fn default() -> Setting {
        Setting {
            pattern: AccessPattern::Front,
            demand: Factor::ONE,
            cores: Vec::new(),
            sharing: Sharing::default(),
            blocks: BlockTimes::Wcet,
            offset_ns: Some(Time::ZERO),
            lead_ns: Time::ZERO,
            process_requests: 0,
        }
    }
}
