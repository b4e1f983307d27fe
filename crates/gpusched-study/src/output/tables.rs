//! The tables that a study writes.

use std::io;
use std::path::PathBuf;

use super::folder::Folder;
use crate::claim::{Claim, Finding, check};
use crate::table::Table;
use gpusched_model::error::{Error, Result};
use gpusched_model::spreadsheet::shielded;

/// The tables of a study, each as CSV text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tables {
    /// Table of results. This table has the same bytes in every run.
    pub results: Vec<u8>,
    /// Table of times. Absent if the study does not measure times.
    pub timing: Option<Vec<u8>>,
    /// Table of weighted schedulability. Absent if the study does not request it.
    pub weighted: Option<Vec<u8>>,
    /// Table of pairs of algorithms. Absent if the study does not request it.
    pub paired: Option<Vec<u8>>,
}

impl Tables {
    /// Checks `claims` against the tables. Error messages contain the paths of the tables in `folder`.
    ///
    /// # Errors
    /// Fails under the same conditions as [`check`].
    pub fn check(&self, claims: &[Claim], folder: &Folder) -> Result<Vec<Finding>> {
        let table = |path: PathBuf, bytes: &[u8]| Table::from_reader(&path.display().to_string(), bytes);
        let results = table(folder.results(), &self.results)?;
        let timing = self.timing.as_deref();
        let timing = timing.map(|bytes| table(folder.timing(), bytes)).transpose()?;
        let weighted = self.weighted.as_deref();
        let weighted = weighted
            .map(|bytes| table(folder.weighted(), bytes))
            .transpose()?;
        let paired = self.paired.as_deref();
        let paired = paired.map(|bytes| table(folder.paired(), bytes)).transpose()?;
        check(claims, |name| match name {
            "results" => Some(&results),
            "paired" => paired.as_ref(),
            "weighted" => weighted.as_ref(),
            "timing" => timing.as_ref(),
            _ => None,
        })
    }
}

/// Returns a table as CSV text. Error messages call the table `name`.
pub(crate) fn csv_of<C: AsRef<[u8]>>(
    name: &str,
    columns: &[C],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<Vec<u8>> {
    let fail = |error: csv::Error| Error::io(name, "write", io::Error::other(error));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns).map_err(fail)?;
    for row in rows {
        for cell in &row {
            writer.write_field(&*shielded(cell)).map_err(fail)?;
        }
        writer.write_record(None::<&[u8]>).map_err(fail)?;
    }
    writer
        .into_inner()
        .map_err(|error| Error::io(name, "write", error.into_error()))
}
