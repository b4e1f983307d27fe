//! `gpusched export`: a stored plan in the format of a tool that partitions a GPU, or a task set in the format of
//! another tool.

mod set;

use std::path::{Path, PathBuf};

use crate::arguments::{Either, either, named, whole};
use crate::plans::{MEASURE_OVERHEADS, wrong_plan};
use crate::report::Output;
use crate::{Format, Global, Outcome, Run, complain};
use gpusched_analysis::export::Target;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::{Plans, TaskSets};
use gpusched_model::wcet::MAX_SMS;
use gpusched_model::{Device, Plan, TaskSet};
use gpusched_recording::task_files::{Tool, Unit};
use gpusched_verify::{Stated, verify};

/// Arguments of `gpusched export`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Plan file, written by `partition --gpu NAME --format json`; or only a task set
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Task set of the plan
    #[arg(value_name = "SET")]
    set: Option<PathBuf>,
    /// Tool that uses the plan, or the task set
    ///
    /// `csv`, `simso` and `schedcat` also export a task set without a plan.
    #[arg(long = "as", value_parser = either::<Target, Tool>(), value_name = "TOOL")]
    tool: Either<Target, Tool>,
    /// GPU that must equal the GPU of the plan: a name or a device file
    #[arg(long, alias = "device", value_name = "NAME|FILE", value_parser = crate::arguments::device)]
    gpu: Option<Device>,
    /// Number of SMs of the exported WCETs
    ///
    /// Required for `simso` and `schedcat`, whose tasks have one WCET: the WCET of a single partition with all tasks. With
    /// `csv`, the table has WCETs on 1 to N SMs instead of the parameters of WCET functions.
    #[arg(long, value_name = "N", value_parser = whole(1..=MAX_SMS), help_heading = SETS)]
    sms: Option<u32>,
    /// Unit of the times for `schedcat` [default: us]
    #[arg(long, value_name = "UNIT", value_parser = named::<Unit>(), help_heading = SETS)]
    unit: Option<Unit>,
}

/// Heading of the options for task sets without a plan.
const SETS: &str = "Task sets without a plan";

const EXAMPLE: &str = "\
`export` first verifies the plan, but not the lower bound. The output is equal to the output of `partition --export`.
Exit code 1: the plan is not schedulable, and `export` writes nothing. 2: the plan is wrong, or the tool cannot use it.

Examples:
  gpusched partition tasksets/tasksets/adas.json --gpu a100 --granularity tpc --format json | gpusched export - tasksets/tasksets/adas.json --as libsmctrl
  gpusched export tasksets/tasksets/adas.json --as simso --sms 16 -o adas.xml";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        match (self.tool, &self.set) {
            (Either::First(target), Some(set)) => self.plan(global, target, set),
            (Either::First(Target::Csv), None) => set::table(global, &self.plan, self.sms),
            (Either::First(target), None) => Err(Error::parameter(
                "set",
                format!("no file with --as {target}"),
                "the plan and its task set",
            )),
            (Either::Second(tool), None) => set::export(global, &self.plan, tool, (self.sms, self.unit)),
            (Either::Second(tool), Some(set)) => Err(Error::parameter(
                "set",
                format!("{} with --as {tool}", set.display()),
                "only a task set",
            )),
        }
    }
}

impl Args {
    /// Exports the plan for `target`. `set` is the file with its task set.
    fn plan(&self, global: &Global, target: Target, set: &Path) -> Result<Outcome> {
        for (option, is_given) in [("sms", self.sms.is_some()), ("unit", self.unit.is_some())] {
            if is_given {
                return Err(Error::parameter(
                    option,
                    "a plan",
                    "a task set without a plan, where the option has an effect",
                ));
            }
        }
        if let Some(format) = global.format {
            return Err(Error::parameter(
                "format",
                format!("{format} with --as {target}"),
                "only one of --format and --as",
            ));
        }
        if let Some(path) = misnamed(global, target) {
            return Err(Error::parameter(
                "output",
                format!(
                    "{} with --as {target}, but the output of this tool is not {}",
                    path.display(),
                    global.format()
                ),
                "a file name with another ending",
            ));
        }
        let plan = Plans::only(&self.plan, "plan")?;
        let set = TaskSets::only(set, "task set")?;
        let Some(hardware) = &plan.hardware else {
            let expected = "a plan for a GPU, as `partition --gpu` writes it";
            return Err(Refusal::new("hardware", "none", expected)
                .at(&self.plan, None)
                .into());
        };
        target.check(hardware).map_err(|error| of("as", error))?;
        self.check_device(&plan)?;
        if !plan.schedulable {
            complain("note: gpusched does not export the plan, because the plan is not schedulable");
            return Ok(Outcome::Negative);
        }
        self.verify(&plan, &set)?;
        if let Some(origin) = plan.overheads_origin.as_ref().filter(|_| target != Target::Csv) {
            let at = |refusal: Refusal| refusal.hint(MEASURE_OVERHEADS).at(&self.plan, None);
            origin.check_gpu().map_err(at)?;
        }
        let text = target.export(&plan, &set).map_err(|error| of("as", error))?;
        Output::open(global)?.answer(text)?;
        Ok(Outcome::Positive)
    }

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
            Err(found) => Err(wrong_plan(found).at(&self.plan, None).into()),
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
