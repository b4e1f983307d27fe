//! Figures of a study with results.

use std::fs;
use std::path::PathBuf;

use super::findings::Study;
use super::provenance::Provenance;
use crate::definition::figures::table_of;
use crate::plot::{self, Options};
use crate::table::Table;
use crate::work::Shard;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Result};

/// A figure of a study.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Path of the SVG file of the figure, inside the folder of the results.
    pub path: PathBuf,
    /// Options of the figure, including the defaults of the study.
    pub options: Options,
    table: Table,
}

impl Figure {
    /// Draws the figure as SVG text.
    ///
    /// # Errors
    /// Fails in the same cases as [`plot::svg`].
    pub fn svg(&self) -> Result<String> {
        plot::svg(std::slice::from_ref(&self.table), &self.options)
    }
}

impl Study {
    /// Returns the figures that the study defines. A figure over the utilization has one panel for each number of tasks. If
    /// the figure states other panels, or if the study has more than six numbers of tasks, the list contains one figure for
    /// each number. If the study has more numbers of tasks than utilizations, the number of tasks and the utilization
    /// exchange their roles.
    ///
    /// # Errors
    /// Fails in the same cases as [`Study::findings`].
    pub fn figures(&self) -> Result<Vec<Figure>> {
        let tables = self.tables()?;
        let mut figures = Vec::new();
        for figure in self.spec.figures() {
            let table = table_of(figure, &tables)?;
            for (part, options) in self.spec.complete(figure, &table) {
                let path = self.folder.figure(part.as_deref());
                let table = table.clone();
                figures.push(Figure { path, options, table });
            }
        }
        Ok(figures)
    }

    /// Adds the study file to `outputs`, if the copy next to the results differs from it. The differences do not change
    /// the experiment, so only the hash of the study file changes in the provenance.
    ///
    /// # Errors
    /// Fails in the same cases as [`Study::findings`], and with
    /// [`Error::Io`] if a file cannot be read or written.
    pub fn write_spec(&self, outputs: &mut Outputs) -> Result<()> {
        let path = self.folder.spec();
        let found = fs::read(&path).map_err(|cause| Error::io(&path, "read", cause))?;
        if found == self.spec.text().as_bytes() {
            return Ok(());
        }
        let provenance = Provenance::new(&self.spec, Shard::WHOLE)?.of_results(&self.tables()?.results);
        provenance.write(outputs, &self.folder.provenance(Shard::WHOLE))?;
        outputs.write(&path, self.spec.text())
    }
}
