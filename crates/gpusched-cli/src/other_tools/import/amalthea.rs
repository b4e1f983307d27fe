//! `gpusched import amalthea`: converts a task model of APP4MC to an end-to-end system.

use std::path::PathBuf;

use crate::arguments::{named, one_of, refused, whole};
use crate::report::Output;
use crate::{Global, Outcome, Run, complain};
use gpusched_model::counted;
use gpusched_model::end_to_end::{PartitionPolicy, Wait};
use gpusched_model::error::Result;
use gpusched_model::wcet::MAX_SMS;
use gpusched_recording::amalthea::{Imported, Options, Times, system};

/// Arguments of `gpusched import amalthea`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Model file of APP4MC (.amxmi); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Number of SMs of the GPU [default: from a feature of the GPU in the file]
    ///
    /// The format has no field for the number of SMs. Some files state it as a feature of the GPU, such as `SMs/SM_2`.
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_SMS))]
    sms: Option<u32>,
    /// Number of ticks that counts as the WCET [default: max]
    ///
    /// The BCET is always the minimum number of ticks.
    #[arg(long, value_parser = named::<Times>())]
    ticks: Option<Times>,
    /// Scheduling rule of the GPU [default: np-fifo]
    #[arg(long, value_parser = one_of(&GPU_POLICIES))]
    gpu_policy: Option<PartitionPolicy>,
    /// Waiting mode of all tasks [default: as in the file]
    #[arg(long, value_parser = named::<Wait>())]
    wait: Option<Wait>,
    /// Allocate TASK to CORE and ignore its allocation in the file; repeatable
    ///
    /// If TASK runs on the GPU, the core executes its kernel, and gpusched omits the memory copies of the kernel. The
    /// task that triggers TASK also moves to this core. A moved task needs ticks for the type of the core.
    #[arg(long = "move", value_name = "TASK=CORE", value_parser = moved)]
    moves: Vec<(String, String)>,
}

/// Scheduling rules for which the model file states all parameters.
const GPU_POLICIES: [PartitionPolicy; 3] = [
    PartitionPolicy::NpFifo,
    PartitionPolicy::NpFp,
    PartitionPolicy::Fp,
];

const EXAMPLE: &str = "\
The result is an end-to-end system (JSON): all tasks with their segments on cores, copy engines and the GPU, and chains of tasks. Notes list
the assumptions, and the parts of the model without an effect.

Examples:
  gpusched import amalthea tasksets/amalthea/waters-challenge-2019.amxmi -o system.json
  gpusched import amalthea tasksets/amalthea/waters-challenge-2019.amxmi --gpu-policy fp --move Lane_detection=Core2 --move Localization=Core1";

/// Parses `TASK=CORE`.
fn moved(text: &str) -> Result<(String, String), String> {
    let parts = text.rsplit_once('=');
    let parts = parts.filter(|(task, core)| !task.is_empty() && !core.is_empty());
    let parts = parts.map(|(task, core)| (task.to_owned(), core.to_owned()));
    parts.ok_or_else(|| refused(text, "TASK=CORE, such as detection=Core2"))
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json, because a system is JSON")?;
        let options = Options {
            sms: self.sms,
            times: self.ticks.unwrap_or_default(),
            gpu_policy: self.gpu_policy.unwrap_or(PartitionPolicy::NpFifo),
            wait: self.wait,
            moves: self.moves.clone(),
        };
        let imported = system(&self.file, &options)?;
        let draft = &imported.result;
        Output::open(global)?.json(draft)?;
        let content = format!(
            "{} with {} on {}",
            counted(draft.tasks.len(), "task"),
            counted(draft.chains.len(), "chain"),
            counted(draft.cores.len(), "core")
        );
        tell(&imported, &content, global.quiet);
        Ok(Outcome::Positive)
    }
}

/// Writes warnings and assumptions. Unless `quiet`, also writes notes about the GPU and the ignored parts. `content` describes the
/// result.
fn tell(imported: &Imported, content: &str, quiet: bool) {
    for warning in &imported.warnings {
        complain(&format!("warning: {warning}"));
    }
    if quiet {
        imported.assumptions.iter().for_each(Global::assumption);
        return;
    }
    let gpu = imported.gpu.as_ref().map(|gpu| {
        let origin = gpu
            .feature
            .as_ref()
            .map(|feature| format!(" (feature {feature})"));
        format!(
            "; the GPU is {:?} with {}{}, at {}",
            gpu.name,
            counted(gpu.sms, "SM"),
            origin.unwrap_or_default(),
            gpu.frequency
        )
    });
    complain(&format!("note: {content}{}", gpu.unwrap_or_default()));
    for note in &imported.notes {
        complain(&format!("note: {note}"));
    }
    imported.assumptions.iter().for_each(Global::assumption);
    for ignored in &imported.ignored {
        complain(&format!("note: ignored: {ignored}"));
    }
}
