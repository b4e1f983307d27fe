//! `gpusched budget export`: a script that sets a memory bandwidth budget on a real machine.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::chosen;
use crate::arguments::{named, refused, whole};
use crate::report::Output;
use crate::wcet::budget;
use crate::{Global, Outcome, Run, complain};
use gpusched_analysis::bandwidth::machine::{Machine, Regulator};
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Factor};

/// Arguments of `gpusched budget export`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Budgets of a system, written by `budget nominal SYSTEM --deadlines --format json`
    ///
    /// The file states the budget and the regulation period. If the budgets of the system differ, the script sets the least.
    #[arg(value_name = "BUDGETS")]
    budgets: Option<PathBuf>,
    /// Tool that regulates the best-effort cores
    #[arg(long = "as", value_parser = named::<Regulator>(), value_name = "TOOL")]
    tool: Regulator,
    /// Memory bandwidth budget Q of a kernel, e.g., the result of `budget nominal`
    #[arg(long, value_name = "Q", value_parser = budget, conflicts_with = "budgets")]
    q: Option<Factor>,
    /// Regulation period of the analysis, e.g., of the kernel file
    #[arg(long, value_name = "TIME", conflicts_with = "budgets")]
    period: Option<Time>,
    /// Rate of all best-effort cores together without budgets, e.g., 3.9GB/s
    ///
    /// Use the smallest rate of all experiments that gave e1: of kernels, copies and CPU segments. A higher rate, such as the rate
    /// without a kernel, is unsafe here.
    #[arg(long, value_name = "RATE", help_heading = MACHINE)]
    rate: Bandwidth,
    /// CPU numbers of the best-effort cores, e.g., 1,2,3 or 1-3
    #[arg(long, value_name = "CPU,…", value_delimiter = ',', required = true, value_parser = cpus, help_heading = MACHINE)]
    cores: Vec<RangeInclusive<u32>>,
    /// Bytes per cache line
    #[arg(long, value_name = "BYTES", value_parser = whole::<u64>(1..=4096), help_heading = MACHINE)]
    line: u64,
    /// Cache misses of a core between its limit and its stop
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>(0..), help_heading = MACHINE)]
    overshoot: u64,
    /// Cache misses per period of the process that computes budgets
    ///
    /// The default for constant budgets in a file, resctrl and mpam is 0: no such process runs. Otherwise, the default is 470, the
    /// value of [Aghilinasab20].
    #[arg(long, value_name = "N", value_parser = whole::<u64>(0..), help_heading = MACHINE)]
    process_misses: Option<u64>,
    /// Time from the start of this process to the start of the next period
    #[arg(long, value_name = "TIME", default_value = "50us", help_heading = MACHINE)]
    lead: Time,
    /// Largest rate of one best-effort core that runs alone; for resctrl
    #[arg(long, value_name = "RATE", help_heading = MACHINE)]
    core_rate: Option<Bandwidth>,
    /// Memory bandwidth that MPAM divides; for mpam
    #[arg(long, value_name = "RATE", help_heading = MACHINE)]
    memory_rate: Option<Bandwidth>,
    /// Bits of a share of MPAM, BWA_WD in MPAMF_MBW_IDR; for mpam
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=16), help_heading = MACHINE)]
    share_bits: Option<u32>,
}

/// Heading of the options that describe the machine.
const MACHINE: &str = "Machine";

/// Cache misses of the process that computes budgets, per regulation period ([Aghilinasab20] §VI).
const PROCESS_MISSES: u64 = 470;

/// Regulation periods below this time need a regulator that has them.
const SHORT: Time = Time::from_ns(1_000_000);

/// Parses the number of a CPU, or a range such as `1-3`.
fn cpus(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.parse().ok().filter(|cpu| (0..=8191).contains(cpu));
    let range = number(first).zip(number(last)).map(|(first, last)| first..=last);
    range.filter(|range| !range.is_empty()).ok_or_else(|| {
        refused(
            text,
            "the number of a CPU from 0 to 8191, or an ascending range such as 1-3",
        )
    })
}

const EXAMPLE: &str = "\
The script checks the machine before it changes a setting. With SYSFS=FOLDER, it uses this folder instead of /sys.

Examples:
  gpusched budget nominal tasksets/end_to_end/one-kernel.json --deadlines --format json -q | \\
    gpusched budget export - --as resctrl --rate 4GB/s --core-rate 2.5GB/s --line 64 --cores 2,3 -o budget.sh
  gpusched budget export --as memguard --q 0.13 --period 1ms --rate 3.9GB/s --line 64 --cores 1,2,3 -o budget.sh";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(format) = global.format {
            let found = format!("{format} with --as {}", self.tool);
            return Err(Error::parameter("format", found, "only one of --format and --as"));
        }
        let of_one = [
            ("core-rate", self.core_rate.is_some(), Regulator::Resctrl),
            ("memory-rate", self.memory_rate.is_some(), Regulator::Mpam),
            ("share-bits", self.share_bits.is_some(), Regulator::Mpam),
        ];
        for (option, is_given, tool) in of_one {
            if is_given && tool != self.tool {
                let found = format!("a value with --as {}", self.tool);
                return Err(Error::parameter(
                    option,
                    found,
                    format!("--as {tool}, where the option has an effect"),
                ));
            }
        }
        let cores: Vec<u32> = self.cores.iter().cloned().flatten().collect();
        let only_rate = [Regulator::Resctrl, Regulator::Mpam].contains(&self.tool);
        let (q, period, has_process) = match (&self.budgets, self.q, self.period) {
            (Some(path), ..) => match chosen::read(path, &cores, global)? {
                Some(found) => (found.q, found.period, found.has_process),
                None => return Ok(Outcome::Negative),
            },
            (None, Some(q), Some(period)) => (q, period, !only_rate),
            (None, q, _) => {
                let option = if q.is_none() { "q" } else { "period" };
                let expected = "--q and --period of a kernel, or a file with the budgets of a system";
                return Err(Error::parameter(option, "no value", expected));
            }
        };
        let machine = Machine {
            cores,
            rate: self.rate,
            line: self.line,
            process_misses: self
                .process_misses
                .unwrap_or(if has_process { PROCESS_MISSES } else { 0 }),
            overshoot: self.overshoot,
            lead: self.lead,
            core_rate: self.core_rate,
            memory_rate: self.memory_rate,
            share_bits: self.share_bits,
        };
        let allowance = machine.allowance(q, period)?;
        let script = self.tool.script(&machine, &allowance)?;
        Output::open(global)?.answer(script)?;
        if q == Factor::ONE {
            global.note("Q = 1 needs no regulation, because the deadlines hold while best-effort cores access memory all the time");
        }
        if only_rate && period < SHORT {
            complain(&format!(
                "warning: {} has no regulation period; the period of {period} raises the budget of the analysis, but changes nothing on \
                 the machine: use a period of {SHORT} or more",
                self.tool
            ));
        }
        if only_rate {
            global.note(format_args!(
                "with {}, the deadlines are NOT PROVEN but only estimated: the hardware limits the average rate, and does not count the \
                 misses of a regulation period; the script lists what gpusched does not guarantee",
                self.tool
            ));
        } else {
            global.note(format_args!(
                "each core stops after {} misses in {}; the script lists what gpusched does not guarantee",
                allowance.per_core, allowance.period
            ));
        }
        Ok(Outcome::Positive)
    }
}
