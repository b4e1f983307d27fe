//! `gpusched import csv`, `simso` and `schedcat`: convert the files of other tools to task sets.

use std::path::{Path, PathBuf};

use crate::arguments::{named, whole};
use crate::report::task_sets;
use crate::{Global, Outcome, Run, complain};
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::reader::TaskSets;
use gpusched_model::wcet::MAX_SMS;
use gpusched_recording::task_files::{Meaning, Tool, Unit};

/// Arguments of `gpusched import csv`.
#[derive(Debug, clap::Args)]
#[command(after_help = CSV)]
pub struct Csv {
    /// Table with one row per task; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

const CSV: &str = "\
Other commands also read such tables, so an import is only necessary for other programs. The result is JSONL with one task set per line.

Example:
  gpusched import csv tasksets/tasksets/camera.csv -o camera.json";

/// Arguments of `gpusched import simso`.
#[derive(Debug, clap::Args)]
#[command(after_help = SIMSO)]
pub struct Simso {
    /// Configuration file of SimSo (XML); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    sms: Sms,
}

const SIMSO: &str = "\
The result is a task set (JSON). Notes name the parts of the file without an effect.

Example:
  gpusched import simso tasksets/other_tools/simso-script.xml -o set.json";

/// Arguments of `gpusched import schedcat`.
#[derive(Debug, clap::Args)]
#[command(after_help = SCHEDCAT)]
pub struct Schedcat {
    /// File with a task set or a test point (XML); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Unit of the times [default: us]
    #[arg(long, value_name = "UNIT", value_parser = named::<Unit>())]
    unit: Option<Unit>,
    #[command(flatten)]
    sms: Sms,
}

const SCHEDCAT: &str = "\
The result is JSONL with one task set per line. Notes name the parts of the file without an effect.

Example:
  gpusched import schedcat tasksets/other_tools/schedcat-nolock.xml -o set.json";

/// Number of SMs of the WCETs.
#[derive(Debug, clap::Args)]
struct Sms {
    /// Number of SMs on which the WCETs hold [default: 1]
    ///
    /// On more SMs, a task has the same WCET. On fewer SMs, the WCET is unknown, so no test accepts the task there.
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_SMS))]
    sms: Option<u32>,
}

impl Run for Csv {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.check_task_sets()?;
        task_sets(
            global,
            TaskSets::open(&self.file)?.map(|set| set.map(|(_, set)| set)),
        )?;
        Ok(Outcome::Positive)
    }
}

impl Run for Simso {
    fn run(&self, global: &Global) -> Result<Outcome> {
        import(global, Tool::Simso, &self.file, (&self.sms, Unit::Ms))
    }
}

impl Run for Schedcat {
    fn run(&self, global: &Global) -> Result<Outcome> {
        import(
            global,
            Tool::Schedcat,
            &self.file,
            (&self.sms, self.unit.unwrap_or_default()),
        )
    }
}

fn import(global: &Global, tool: Tool, file: &Path, (sms, unit): (&Sms, Unit)) -> Result<Outcome> {
    global.check_task_sets()?;
    let sms = sms.sms.unwrap_or(1);
    let imported = tool.read(file, Meaning { sms, unit })?;
    let tasks: usize = imported.sets.iter().map(|set| set.tasks().len()).sum();
    let content = format!(
        "{} with {}",
        counted(imported.sets.len(), "task set"),
        counted(tasks, "task")
    );
    task_sets(global, imported.sets.into_iter().map(Ok))?;
    for warning in &imported.remarks.warnings {
        complain(&format!("warning: {warning}"));
    }
    global.note(content);
    Global::assumption(format_args!("each WCET holds on {}", counted(sms, "SM")));
    imported.remarks.notes.iter().for_each(|note| global.note(note));
    Ok(Outcome::Positive)
}
