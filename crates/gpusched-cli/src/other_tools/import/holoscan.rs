//! `gpusched import holoscan`: converts a graph of operators of a Holoscan application to an end-to-end system.

use std::path::PathBuf;

use crate::arguments::{named, one_of, whole};
use crate::report::Output;
use crate::{Global, Outcome, Run};
use gpusched_model::end_to_end::{PartitionPolicy, Wait};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::wcet::MAX_SMS;
use gpusched_recording::holoscan::{Options, system};
use gpusched_recording::task_files::Unit;

/// Arguments of `gpusched import holoscan`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Graph of operators (DOT) with their WCETs; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Time between two executions of the operator without inputs, e.g., 33ms
    #[arg(long, value_name = "TIME")]
    period: Time,
    /// Relative deadline of the last operator [default: the period]
    #[arg(long, value_name = "TIME")]
    deadline: Option<Time>,
    /// Unit of the WCETs, which the format does not state
    #[arg(long, value_name = "UNIT", value_parser = named::<Unit>())]
    unit: Unit,
    /// Number of SMs on which each `GPU_WCET` holds; required with kernels
    ///
    /// On more SMs, the kernels have the same WCETs. On fewer SMs, their WCETs are unknown.
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_SMS))]
    sms: Option<u32>,
    /// Scheduling rule of the GPU [default: np-fifo]
    #[arg(long, value_parser = one_of(&GPU_POLICIES))]
    gpu_policy: Option<PartitionPolicy>,
    /// Waiting mode of the thread while a kernel executes [default: busy]
    #[arg(long, value_parser = named::<Wait>())]
    wait: Option<Wait>,
}

/// Scheduling rules for which the file states all parameters.
const GPU_POLICIES: [PartitionPolicy; 3] = [
    PartitionPolicy::NpFifo,
    PartitionPolicy::NpFp,
    PartitionPolicy::Fp,
];

const EXAMPLE: &str = "\
The result is an end-to-end system (JSON) with one task: the thread that executes all operators. Notes list the assumptions.

Example:
  gpusched import holoscan tasksets/other_tools/holoscan-endoscopy.dot --unit us --period 33ms --sms 8 -o endoscopy.json";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json, because a system is JSON")?;
        let options = Options {
            unit: self.unit,
            period: self.period,
            deadline: self.deadline,
            sms: self.sms,
            gpu_policy: self.gpu_policy.unwrap_or(PartitionPolicy::NpFifo),
            wait: self.wait.unwrap_or(Wait::Busy),
        };
        let imported = system(&self.file, &options)?;
        Output::open(global)?.json(&imported.result)?;
        for note in imported.notes {
            global.note(note);
        }
        imported.assumptions.iter().for_each(Global::assumption);
        Ok(Outcome::Positive)
    }
}
