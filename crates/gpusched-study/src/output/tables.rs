//! The tables of a study.

use std::io;
use std::path::PathBuf;

use super::folder::Folder;
use super::table::Table;
use crate::claim::{Claim, Finding, check};
use gpusched_model::error::{Error, Result};

/// The tables of a study as CSV.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tables {
    /// The same bytes in every run.
    pub results: Vec<u8>,
    /// Times, for experiments that measure them.
    pub timing: Option<Vec<u8>>,
    /// Weighted schedulability, for experiments that ask for it.
    pub weighted: Option<Vec<u8>>,
}

impl Tables {
    /// Checks `claims` against them; messages name the files that they have, or would have, in `folder`.
    ///
    /// # Errors
    /// Those of [`check`].
    pub fn check(&self, claims: &[Claim], folder: &Folder) -> Result<Vec<Finding>> {
        let table = |path: PathBuf, bytes: &[u8]| Table::from_reader(&path.display().to_string(), bytes);
        let results = table(folder.results(), &self.results)?;
        let timing = self.timing.as_deref();
        let timing = timing.map(|bytes| table(folder.timing(), bytes)).transpose()?;
        let weighted = self.weighted.as_deref();
        let weighted = weighted
            .map(|bytes| table(folder.weighted(), bytes))
            .transpose()?;
        check(claims, |name| match name {
            "results" => Some(&results),
            "weighted" => weighted.as_ref(),
            "timing" => timing.as_ref(),
            _ => None,
        })
    }
}

/// A table as CSV; `name` is what messages call it.
pub(crate) fn csv_of<C: AsRef<[u8]>>(
    name: &str,
    columns: &[C],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<Vec<u8>> {
    let fail = |error: csv::Error| Error::io(name, "write", io::Error::other(error));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns).map_err(fail)?;
    for row in rows {
        writer.write_record(row).map_err(fail)?;
    }
    writer
        .into_inner()
        .map_err(|error| Error::io(name, "write", error.into_error()))
}
