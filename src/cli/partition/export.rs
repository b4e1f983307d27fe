//! `--export`: the plan in the words of a tool, in place of the answer or in a file beside it.

use crate::cli::arguments::{Case, named};
use crate::cli::export::{misnamed, of};
use crate::cli::report::{Content, OutputPath};
use crate::cli::{Global, complain};
use crate::error::{Error, Result};
use crate::export::Target;
use crate::model::Plan;
use crate::partitioning::Offer;

/// The options of an export.
#[derive(Debug, Clone, clap::Args)]
pub struct Export {
    /// Export the plan for a tool, in place of the result; requires `--gpu`
    #[arg(long, value_parser = named::<Target>(), value_name = "TOOL", help_heading = "Output")]
    export: Option<Target>,
    /// File of the export, in addition to the result
    #[arg(long, value_name = "FILE", requires = "export", value_parser = OutputPath::of(Content::Export),
        value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    export_to: Option<OutputPath>,
}

impl Export {
    /// Whether the export makes sense, to be asked before a search.
    ///
    /// # Errors
    /// [`Error::Refused`] for a missing device, sizes that the tool cannot give, and options about an answer that is not given.
    pub fn check(&self, global: &Global, offer: Option<&Offer>, sensitivity: bool) -> Result<()> {
        let Some(target) = self.export else {
            return Ok(());
        };
        let Some(offer) = offer else {
            return Err(Error::parameter(
                "export",
                format!("{target} without --gpu"),
                format!("--gpu, which says what {target} can give"),
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

    /// The same of what stands in place of the answer.
    fn check_alone(&self, global: &Global, target: Target, sensitivity: bool) -> Result<()> {
        let place = format!("--export {target}, which stands in place of the answer");
        let beside = "--export-to FILE beside it, which leaves the answer as it is";
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
                format!("it with {place}"),
                beside,
            ));
        }
        match misnamed(global, target) {
            None => Ok(()),
            Some(path) => {
                let (path, format) = (path.display(), global.format());
                let found = format!("{path} with --export {target}, which is no {format}");
                Err(Error::parameter("output", found, beside))
            }
        }
    }

    /// Whether the export goes where the answer would.
    pub fn replaces_answer(&self) -> bool {
        self.export.is_some() && self.export_to.is_none()
    }

    /// The file beside the answer, if there is one.
    pub fn beside(&self) -> Option<&OutputPath> {
        self.export_to.as_ref()
    }

    /// The plan of `case` in other words, if asked for: in place of the answer or beside it. A plan that is not schedulable is
    /// not exported.
    ///
    /// # Errors
    /// [`Error::Refused`] for one of many task sets, or for what the tool cannot carry out.
    pub fn run(&self, case: &Case<'_>, plan: &Plan) -> Result<Option<String>> {
        let Some(target) = self.export else {
            return Ok(None);
        };
        if !case.alone {
            return Err(Error::parameter("export", "more than one task set", "one"));
        }
        if !plan.schedulable {
            complain("not schedulable: nothing is exported");
            return Ok(None);
        }
        let text = target.export(plan, case.set);
        text.map(Some).map_err(|error| of("export", error))
    }
}
