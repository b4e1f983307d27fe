//! `gpusched import examiner`: converts logs of cuda_scheduling_examiner to a scenario, or
//! compares them with a simulation.

mod report;

use std::path::PathBuf;

use crate::arguments::{named, platform};
use crate::report::{About, Output};
use crate::{Global, Outcome, Run};
use gpusched_model::Platform;
use gpusched_model::error::Result;
use gpusched_model::scenario::Device;
use gpusched_model::time::Time;
use gpusched_recording::examiner::{LaunchTime, Log, MeasuredBlock, import};
use gpusched_sim::blocks::{Comparison, Measured, Record};

/// Arguments of `gpusched import examiner`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Log files of one run, one file per benchmark; `-` is standard input
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// GPU of the run: a GPU with known thread-block limits
    #[arg(long, alias = "platform", value_name = "NAME", value_parser = platform)]
    gpu: Platform,
    /// Logged time that counts as the submission time of a kernel
    #[arg(long, value_parser = named::<LaunchTime>(), default_value_t)]
    launch: LaunchTime,
    /// Compare the measured SM of each block with the simulation
    #[arg(long)]
    compare: bool,
    /// Largest time between a block end and a nearby block start, for --compare
    #[arg(long, value_name = "TIME", default_value = "2us", requires = "compare")]
    window: Time,
}

const EXAMPLE: &str = "\
The result is a scenario (JSON) for `gpusched simulate blocks`. With --compare, the result is a comparison as text, JSON, or CSV
with one row per thread block.

Example:
  gpusched import examiner tasksets/scenarios/examiner/spin-*.json --gpu k5000 --compare";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if !self.compare {
            global.only_json("json, or --compare")?;
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
        Output::open(global)?.last(&About((&run, &record), comparison))?;
        Ok(Outcome::Positive)
    }
}
