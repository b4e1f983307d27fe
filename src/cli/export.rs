//! `gpusched export`: a stored plan in the words of a tool that divides a GPU.

use std::path::{Path, PathBuf};

use super::{Format, Global, Outcome, complain};
use crate::cli::arguments::named;
use crate::cli::report::Output;
use crate::error::{Error, Refusal, Result};
use crate::export::Target;
use crate::model::reader::{Plans, TaskSets};
use crate::model::{Device, Plan, TaskSet};
use crate::verification::{Stated, verify};

/// Exports a plan for libsmctrl, MPS, MIG or CUDA green contexts.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Plan of `partition --gpu NAME --format json`
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Task set of the plan
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// Tool that uses the plan
    #[arg(long = "as", value_parser = named::<Target>(), value_name = "TOOL")]
    target: Target,
    /// GPU of the machine, which must be the GPU of the plan: a name or a device file
    #[arg(long, alias = "device", value_name = "NAME|FILE", value_parser = crate::cli::arguments::device)]
    gpu: Option<Device>,
}

const EXAMPLE: &str = "\
`export` first verifies the plan except for its lower bound. The output is the same as of `partition --export`.
Exit code 1: the result of the plan is not schedulable, and `export` writes nothing. 2: the plan is wrong, or the tool cannot use it.

Example:
  gpusched partition tasksets/tasksets/adas.json --gpu a100 --granularity tpc --format json | gpusched export - tasksets/tasksets/adas.json --as libsmctrl";

impl Args {
    /// Writes the plan in other words.
    ///
    /// # Errors
    /// Bad input, a plan that does not hold or that the tool cannot carry out, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(format) = global.format {
            return Err(Error::parameter(
                "format",
                format!("{format} with --as {}", self.target),
                "one of the two",
            ));
        }
        if let Some(path) = misnamed(global, self.target) {
            return Err(Error::parameter(
                "output",
                format!(
                    "{} with --as {}, which is no {}",
                    path.display(),
                    self.target,
                    global.format()
                ),
                "a name with another ending",
            ));
        }
        let plan = Plans::only(&self.plan, "plan")?;
        let set = TaskSets::only(&self.set, "task set")?;
        let Some(hardware) = &plan.hardware else {
            let expected = "the GPU of a plan by `partition --gpu`";
            return Err(Refusal::new("hardware", "none", expected)
                .at(&self.plan, None)
                .into());
        };
        self.target.check(hardware).map_err(|error| of("as", error))?;
        self.check_device(&plan)?;
        if !plan.schedulable {
            complain("not schedulable: nothing is exported");
            return Ok(Outcome::Negative);
        }
        self.verify(&plan, &set)?;
        let text = self.target.export(&plan, &set).map_err(|error| of("as", error))?;
        Output::open(global)?.answer(text)?;
        Ok(Outcome::Positive)
    }

    /// The plan is for the GPU that was named, or else for what its built-in name stands for.
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

    /// What is exported holds. How good it is, which the bound says, does not matter here.
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

/// The file of `--output`, where its ending promises something other than the words of `target`.
pub(super) fn misnamed(global: &Global, target: Target) -> Option<&Path> {
    let other = match global.format() {
        Format::Text => false,
        Format::Csv => target != Target::Csv,
        Format::Json => true,
    };
    global.file().filter(|_| other)
}

/// `error` about the value of `option`.
pub(super) fn of(option: &str, error: Error) -> Error {
    error.map_refusal(|refusal| refusal.of_field(option))
}
