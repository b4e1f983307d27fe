//! `gpusched budget export`: a script that sets a memory bandwidth budget on a real machine.

use crate::arguments::{named, whole};
use crate::report::Output;
use crate::wcet::budget;
use crate::{Global, Outcome, Run};
use gpusched_analysis::bandwidth::machine::{Machine, Regulator};
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_model::{Bandwidth, Factor};

/// Arguments of `gpusched budget export`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Tool that regulates the best-effort cores
    #[arg(long = "as", value_parser = named::<Regulator>(), value_name = "TOOL")]
    tool: Regulator,
    /// Memory bandwidth budget Q, e.g., the result of `budget nominal`
    #[arg(long, value_name = "Q", value_parser = budget)]
    q: Factor,
    /// Regulation period of the analysis, e.g., of the kernel file
    #[arg(long, value_name = "TIME")]
    period: Time,
    /// Rate of all best-effort cores together while a kernel runs without budgets, e.g., 3.9GB/s
    ///
    /// Use the smallest rate that you measured, with the programs that caused e1 of the kernel. If the cores reach a
    /// higher rate without the kernel, that rate is unsafe here.
    #[arg(long, value_name = "RATE", help_heading = MACHINE)]
    rate: Bandwidth,
    /// CPU numbers of the best-effort cores, e.g., 1,2,3
    #[arg(long, value_name = "CPU,…", value_delimiter = ',', required = true, value_parser = whole::<u32>(0..=8191), help_heading = MACHINE)]
    cores: Vec<u32>,
    /// Bytes per cache line
    #[arg(long, value_name = "BYTES", value_parser = whole::<u64>(1..=4096), help_heading = MACHINE)]
    line: u64,
    /// Cache misses of a core between its limit and its stop
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>(0..), help_heading = MACHINE)]
    overshoot: u64,
    /// Cache misses per period of the process that computes budgets
    ///
    /// The default is the value of [Aghilinasab20]. With 0, budgets are constant, and no such process runs.
    #[arg(long, value_name = "N", default_value_t = 470, value_parser = whole::<u64>(0..), help_heading = MACHINE)]
    process_misses: u64,
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

const EXAMPLE: &str = "\
The script checks the machine before it changes a setting. With SYSFS=FOLDER, it uses this folder instead of /sys.

Example:
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
        let machine = Machine {
            cores: self.cores.clone(),
            rate: self.rate,
            line: self.line,
            process_misses: self.process_misses,
            overshoot: self.overshoot,
            lead: self.lead,
            core_rate: self.core_rate,
            memory_rate: self.memory_rate,
            share_bits: self.share_bits,
        };
        let allowance = machine.allowance(self.q, self.period)?;
        let script = self.tool.script(&machine, &allowance)?;
        Output::open(global)?.answer(script)?;
        global.note(format_args!(
            "each core stops after {} misses in {}; the script lists what gpusched does not guarantee",
            allowance.per_core, allowance.period
        ));
        Ok(Outcome::Positive)
    }
}
