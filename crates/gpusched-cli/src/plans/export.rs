//! `gpusched export`: a stored plan in the format of a tool that partitions a GPU.

use std::path::{Path, PathBuf};

use crate::arguments::named;
use crate::report::Output;
use crate::{Format, Global, Outcome, Run, complain};
use gpusched_analysis::export::Target;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::{Plans, TaskSets};
use gpusched_model::{Device, Plan, TaskSet};
use gpusched_verify::{Stated, verify};

/// Arguments of `gpusched export`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Plan file, written by `partition --gpu NAME --format json`
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Task set of the plan
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// Tool that uses the plan
    #[arg(long = "as", value_parser = named::<Target>(), value_name = "TOOL")]
    target: Target,
    /// GPU that must equal the GPU of the plan: a name or a device file
    #[arg(long, alias = "device", value_name = "NAME|FILE", value_parser = crate::arguments::device)]
    gpu: Option<Device>,
}

const EXAMPLE: &str = "\
`export` first verifies the plan, but not the lower bound. The output is equal to the output of `partition --export`.
Exit code 1: the plan is not schedulable, and `export` writes nothing. 2: the plan is wrong, or the tool cannot use it.

Example:
  gpusched partition tasksets/tasksets/adas.json --gpu a100 --granularity tpc --format json | gpusched export - tasksets/tasksets/adas.json --as libsmctrl";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(format) = global.format {
            return Err(Error::parameter(
                "format",
                format!("{format} with --as {}", self.target),
                "only one of --format and --as",
            ));
        }
        if let Some(path) = misnamed(global, self.target) {
            return Err(Error::parameter(
                "output",
                format!(
                    "{} with --as {}, but the output of this tool is not {}",
                    path.display(),
                    self.target,
                    global.format()
                ),
                "a file name with another ending",
            ));
        }
        let plan = Plans::only(&self.plan, "plan")?;
        let set = TaskSets::only(&self.set, "task set")?;
        let Some(hardware) = &plan.hardware else {
            let expected = "a plan for a GPU, as `partition --gpu` writes it";
            return Err(Refusal::new("hardware", "none", expected)
                .at(&self.plan, None)
                .into());
        };
        self.target.check(hardware).map_err(|error| of("as", error))?;
        self.check_device(&plan)?;
        if !plan.schedulable {
            complain("note: gpusched does not export the plan, because the plan is not schedulable");
            return Ok(Outcome::Negative);
        }
        self.verify(&plan, &set)?;
        let text = self.target.export(&plan, &set).map_err(|error| of("as", error))?;
        Output::open(global)?.answer(text)?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Checks that the plan is for the GPU of `--gpu`. Without `--gpu`, a plan that names a
    /// built-in GPU must contain the description of this GPU.
    fn check_device(&self, plan: &Plan) -> Result<()> {
        let stated = Stated {
            device: self.gpu.clone(),
            ..Stated::default()
        };
        match stated.check(plan) {
            Ok(_) => Ok(()),
            Err(found) => Err(Refusal::told(found.field, found.message)
                .at(&self.plan, None)
                .into()),
        }
    }

    /// Verifies the plan without its lower bound. The exported data do not contain the lower
    /// bound.
    fn verify(&self, plan: &Plan, set: &TaskSet) -> Result<()> {
        let plan = Plan {
            bound: None,
            ..plan.clone()
        };
        match verify(&plan, set) {
            Ok(_) => Ok(()),
            Err(found) => Err(Refusal::told(found.field, found.message)
                .at(&self.plan, None)
                .into()),
        }
    }
}

/// Returns the path that `--output` states, if the ending of the path does not match the format of `target`.
pub(super) fn misnamed(global: &Global, target: Target) -> Option<&Path> {
    let other = match global.format() {
        Format::Text => false,
        Format::Csv => target != Target::Csv,
        Format::Json => true,
    };
    global.file().filter(|_| other)
}

/// Returns `error` with `option` as its field.
pub(super) fn of(option: &str, error: Error) -> Error {
    error.map_refusal(|refusal| refusal.of_field(option))
}
