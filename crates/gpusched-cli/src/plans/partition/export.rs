//! Options `--export` and `--export-to`: write the plan in the format of a tool. gpusched writes the export instead of
//! the result, or to an additional file.

use crate::arguments::{Case, named};
use crate::export::{misnamed, of};
use crate::report::{Content, OutputPath};
use crate::{Global, complain};
use gpusched_analysis::export::Target;
use gpusched_analysis::partitioning::Offer;
use gpusched_model::Plan;
use gpusched_model::error::{Error, Result};

/// Options of the export.
#[derive(Debug, Clone, clap::Args)]
pub struct Export {
    /// Write the plan for a tool instead of the result; requires `--gpu`
    #[arg(long, value_parser = named::<Target>(), value_name = "TOOL", help_heading = "Output")]
    export: Option<Target>,
    /// File for the export, in addition to the result
    #[arg(long, value_name = "FILE", requires = "export", value_parser = OutputPath::of(Content::Export),
        value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    export_to: Option<OutputPath>,
}

impl Export {
    /// Whether the options request an export.
    pub fn is_given(&self) -> bool {
        self.export.is_some()
    }

    /// Checks the options before the search.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for a missing device, for partition sizes that the tool does not support, and for
    /// options on the result if the export replaces the result.
    pub fn check(&self, global: &Global, offer: Option<&Offer>, sensitivity: bool) -> Result<()> {
        let Some(target) = self.export else {
            return Ok(());
        };
        let Some(offer) = offer else {
            return Err(Error::parameter(
                "export",
                format!("{target} without --gpu"),
                "also --gpu",
            ));
        };
        target
            .check(offer.hardware())
            .map_err(|error| of("export", error))?;
        if self.replaces_answer() {
            self.check_alone(global, target, sensitivity)?;
        }
        Ok(())
    }

    /// Checks the options of an export that replaces the result: `--format`, `--sensitivity` and
    /// the ending of `--output`.
    fn check_alone(&self, global: &Global, target: Target, sensitivity: bool) -> Result<()> {
        let place = format!("--export {target}, which replaces the result");
        let beside = "also --export-to FILE, which keeps the result";
        if let Some(format) = global.format {
            return Err(Error::parameter(
                "format",
                format!("{format} with {place}"),
                beside,
            ));
        }
        if sensitivity {
            return Err(Error::parameter(
                "sensitivity",
                format!("the option with {place}"),
                beside,
            ));
        }
        match misnamed(global, target) {
            None => Ok(()),
            Some(path) => {
                let (path, format) = (path.display(), global.format());
                let found =
                    format!("{path} with --export {target}, but the output of this tool is not {format}");
                Err(Error::parameter("output", found, beside))
            }
        }
    }

    /// Whether the export replaces the result.
    pub fn replaces_answer(&self) -> bool {
        self.export.is_some() && self.export_to.is_none()
    }

    /// Whether the command exports the plan for another tool.
    pub fn is_used(&self) -> bool {
        self.export.is_some()
    }

    /// Returns the additional output file; `None` without `--export-to`.
    pub fn beside(&self) -> Option<&OutputPath> {
        self.export_to.as_ref()
    }

    /// Returns `plan` in the format of the tool. Returns `None` without `--export`, and for a
    /// plan that is not schedulable.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for more than one task set, or for a plan that the tool does not support.
    pub fn run(&self, case: &Case<'_>, plan: &Plan) -> Result<Option<String>> {
        let Some(target) = self.export else {
            return Ok(None);
        };
        if !case.alone {
            return Err(Error::parameter(
                "export",
                "more than one task set",
                "one task set",
            ));
        }
        if !plan.schedulable {
            complain("note: gpusched does not export the plan, because the plan is not schedulable");
            return Ok(None);
        }
        let text = target.export(plan, case.set);
        text.map(Some).map_err(|error| of("export", error))
    }
}
