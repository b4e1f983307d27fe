//! `--export`: the plan in the words of a tool, in place of the answer or in a file beside it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::artifact::Artifact;
use crate::cli::export::{misnamed, of};
use crate::cli::names::named;
use crate::cli::question::Case;
use crate::cli::{Global, complain};
use crate::error::{Error, Result};
use crate::export::Target;
use crate::model::Plan;
use crate::partitioning::Offer;

/// The options of an export.
#[derive(Debug, Clone, clap::Args)]
pub struct Export {
    /// Say the plan in the words of a tool that divides the GPU, in place of the answer; needs --device.
    #[arg(long, value_parser = named::<Target>(), value_name = "TOOL")]
    export: Option<Target>,
    /// --export: to this file, beside the answer.
    #[arg(long, value_name = "FILE", requires = "export")]
    export_to: Option<PathBuf>,
}

impl Export {
    /// Whether the export makes sense, to be asked before a search.
    ///
    /// # Errors
    /// [`Error::Usage`] for a missing device, sizes that the tool cannot give, the same file twice, and options about an answer
    /// that is not given.
    pub fn check(&self, global: &Global, offer: Option<&Offer>, sensitivity: bool) -> Result<()> {
        let Some(target) = self.export else {
            return Ok(());
        };
        let Some(offer) = offer else {
            return Err(Error::Usage(format!(
                "--export: found {target} without --device, expected --device, which says what {target} can give"
            )));
        };
        target
            .check(offer.hardware())
            .map_err(|error| of("--export", error))?;
        if self.replaces_answer() {
            self.check_alone(global, target, sensitivity)?;
        }
        match &self.export_to {
            Some(path) if path == Path::new("-") => Err(Error::Usage(
                "--export-to: found -, expected a file; without the option, the export goes where the answer would".to_owned(),
            )),
            Some(path) if global.file() == Some(path) => Err(Error::Usage(
                "--output, --export-to: found the same file, expected two".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// The same of what stands in place of the answer.
    fn check_alone(&self, global: &Global, target: Target, sensitivity: bool) -> Result<()> {
        let beside = "expected --export-to FILE beside it, which leaves the answer as it is";
        if let Some(format) = global.format {
            return Err(Error::Usage(format!(
                "--format: found {format} with --export {target}, which stands in place of the answer, {beside}"
            )));
        }
        if sensitivity {
            return Err(Error::Usage(format!(
                "--sensitivity: found it with --export {target}, which stands in place of the answer, {beside}"
            )));
        }
        match misnamed(global, target) {
            None => Ok(()),
            Some(path) => Err(Error::Usage(format!(
                "--output: found {} with --export {target}, which is no {}, {beside}",
                path.display(),
                global.format()
            ))),
        }
    }

    /// Whether the export goes where the answer would.
    pub fn replaces_answer(&self) -> bool {
        self.export.is_some() && self.export_to.is_none()
    }

    /// What to answer in place of the plan of `case`, if anything. A plan that is not schedulable is not exported: there is
    /// nothing in its place.
    ///
    /// # Errors
    /// [`Error::Usage`] for one of many task sets; those of writing the file.
    pub fn run(&self, case: &Case<'_>, plan: &Plan) -> Result<Option<String>> {
        let Some(target) = self.export else {
            return Ok(None);
        };
        if !case.alone {
            return Err(Error::Usage(
                "--export: found more than one task set, expected one".to_owned(),
            ));
        }
        if !plan.schedulable {
            complain("not schedulable: nothing is exported");
            return Ok(self.replaces_answer().then(String::new));
        }
        let text = target
            .export(plan, case.set)
            .map_err(|error| of("--export", error))?;
        let Some(path) = &self.export_to else {
            return Ok(Some(text));
        };
        let mut file = Artifact::create(path)?;
        file.write_all(text.as_bytes())
            .map_err(|cause| Error::io(path, "write", cause))?;
        file.commit()?;
        Ok(None)
    }
}
