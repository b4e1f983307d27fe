//! The result files of a complete study.

use std::io;

use super::collection::Collection;
use super::findings::Findings;
use super::folder::Folder;
use super::provenance::Provenance;
use super::spec::Spec;
use super::work::Shard;
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

/// Writes all result files, which appear together. A claim may fail on results that are good: then only the claims are missing.
pub(super) fn write(spec: &Spec, folder: &Folder, collection: &Collection) -> Result<()> {
    let tables = spec.kind().tables(spec.name(), collection)?;
    let findings = Findings::new(spec, folder, &tables);
    let mut outputs = spec.outputs();
    if let Some(timing) = &tables.timing {
        outputs.write(folder.timing(), timing)?;
    }
    if let Some(weighted) = &tables.weighted {
        outputs.write(folder.weighted(), weighted)?;
    }
    outputs.write(folder.results(), &tables.results)?;
    Provenance::new(spec, Shard::WHOLE)?
        .of_results(&tables.results)
        .write(&mut outputs, &folder.provenance(Shard::WHOLE))?;
    if let Ok(findings) = &findings {
        findings.write(&mut outputs, &folder.claims())?;
    }
    outputs.commit()?;
    findings.map(drop)
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
