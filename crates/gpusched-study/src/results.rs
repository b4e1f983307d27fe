//! The result files of a complete study.

use std::io;

use super::collection::Collection;
use super::findings::Findings;
use super::folder::Folder;
use super::provenance::Provenance;
use super::spec::Spec;
use super::work::Shard;
use gpusched_model::artifact::Artifact;
use gpusched_model::error::{Error, Result};

/// The tables of a study as CSV.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tables {
    /// The same bytes in every run.
    pub results: Vec<u8>,
    /// Times, for experiments that measure them.
    pub timing: Option<Vec<u8>>,
    /// Weighted schedulability, for experiments that ask for it.
    pub weighted: Option<Vec<u8>>,
}

/// Writes all result files; the claims last, because a claim may fail on results that are good.
pub(super) fn write(spec: &Spec, folder: &Folder, collection: &Collection) -> Result<()> {
    let tables = spec.kind().tables(spec.name(), collection)?;
    if let Some(timing) = &tables.timing {
        Artifact::write(folder.timing(), timing)?;
    }
    if let Some(weighted) = &tables.weighted {
        Artifact::write(folder.weighted(), weighted)?;
    }
    Artifact::write(folder.results(), &tables.results)?;
    Provenance::new(spec, Shard::WHOLE)?
        .of_results(&tables.results)
        .write(&folder.provenance(Shard::WHOLE))?;
    Findings::new(spec, folder, &tables)?.write(&folder.claims())
}

/// A table as CSV; `name` is what messages call it.
pub(super) fn csv_of<C: AsRef<[u8]>>(
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
