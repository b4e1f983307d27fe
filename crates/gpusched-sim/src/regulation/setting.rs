//! What a simulation assumes.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{AccessPattern, BlockTimes, Process};
use gpusched_analysis::bandwidth::Sharing;
use gpusched_model::Factor;
use gpusched_model::time::Time;

/// What a simulation assumes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// When in a period best-effort cores access memory.
    pub pattern: AccessPattern,
    /// d: they access memory at most in this share of a period.
    pub demand: Factor,
    /// What each best-effort core wants, as a share of a period; none where cores are not told apart, and `demand` is that of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<Factor>,
    /// How cores that are told apart share a budget.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sharing: Sharing,
    /// How long blocks take.
    pub blocks: BlockTimes,
    /// When the kernel starts, after the beginning of a regulation period [ns]; absent: drawn for each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset_ns: Option<Time>,
    /// How long before a period its budget is computed [ns].
    pub lead_ns: Time,
    /// The memory requests per millisecond of the process that computes budgets, of 60,000.
    pub process_requests: u64,
}

fn is_default(sharing: &Sharing) -> bool {
    *sharing == Sharing::default()
}

impl Setting {
    /// The process that computes budgets in regulation periods of `period`: when it looks, and the memory time it takes.
    pub(super) fn process(&self, period: Time) -> Process {
        let requests = u128::from(self.process_requests) * u128::from(period.ns());
        let time = requests.div_ceil(60_000).min(period.ns().into());
        Process {
            lead: self.lead_ns,
            traffic: Time::from_ns(u64::try_from(time).unwrap_or(period.ns())),
        }
    }
}

/// How much of a period best-effort cores want: a share, or the name of one.
///
/// The shares are **assumptions**: the paper names its benchmarks and what became of them (Table IV), not what they want.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Demand(pub Factor);

impl Demand {
    /// The named demands, in billionths of a period.
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

/// When a kernel starts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Offset {
    /// At a random time in a period.
    Random,
    /// That long after the beginning of a period.
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
    /// Cores that want all they get at once, blocks at their WCETs, a start with a period, budgets out of thin air.
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
