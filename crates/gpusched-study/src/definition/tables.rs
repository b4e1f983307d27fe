//! The tables that a study writes.

use std::path::PathBuf;

use super::folder::Folder;
use crate::claim::{Claim, Finding, check};
use crate::table::Table;
use gpusched_model::error::Result;

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
