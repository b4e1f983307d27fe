//! `gpusched import examiner`: logs of cuda_scheduling_examiner as a scenario, or beside its simulation.

mod report;

use std::path::PathBuf;

use self::report::COLUMNS;
use crate::cli::arguments::{named, platform};
use crate::cli::report::{About, Output};
use crate::cli::{Global, Outcome};
use crate::error::Result;
use crate::examiner::{LaunchTime, Log, MeasuredBlock, import};
use crate::model::Platform;
use crate::model::scenario::Device;
use crate::simulator::blocks::{Comparison, Measured, Record};
use crate::time::Time;

/// Reads the logs of one run of cuda_scheduling_examiner as a scenario, or compares them with its simulation.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The logs of one run, one of each benchmark; `-` reads standard input.
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// The GPU on which it ran: one whose limits of thread blocks are known.
    #[arg(long, alias = "platform", value_name = "NAME", value_parser = platform)]
    gpu: Platform,
    /// When a kernel counts as submitted.
    #[arg(long, value_parser = named::<LaunchTime>(), default_value_t)]
    launch: LaunchTime,
    /// Answer with where blocks ran beside where the simulation puts them, instead of the scenario.
    #[arg(long)]
    compare: bool,
    /// How close in time to the start of a block the end of another counts as near.
    #[arg(long, value_name = "TIME", default_value = "2us", requires = "compare")]
    window: Time,
}

const EXAMPLE: &str = "\
Answers with the scenario as JSON, for `gpusched simulate blocks`; with --compare for people, as JSON, or as CSV with each thread block.

Example:
  gpusched import examiner tasksets/scenarios/examiner/spin-*.json --gpu k5000 --compare";

impl Args {
    /// Reads the logs.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        if !self.compare {
            global.only_json("that of a scenario, or --compare")?;
        }
        let logs = self.logs.iter().map(Log::read).collect::<Result<Vec<Log>>>()?;
        let device = Device::from(&self.gpu);
        let run = import(&logs, &device, &self.gpu.name, self.launch)?;
        if !self.compare {
            Output::open(global)?.json(&run.scenario)?;
            return Ok(Outcome::Positive);
        }
        let sms = |blocks: &[MeasuredBlock]| blocks.iter().map(|block| block.sm).collect();
        let measured: Measured = run.executions.iter().map(|run| sms(&run.blocks)).collect();
        let mut record = Record::default();
        let comparison = Comparison::new(&run.scenario, &measured, self.window, global.seed(), &mut record)?;
        record.sort();
        Output::open(global)?.only(COLUMNS, &About((&run, &record), comparison))?;
        Ok(Outcome::Positive)
    }
}
