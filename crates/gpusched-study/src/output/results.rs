//! The result files of a completed study.

use super::findings::Findings;
use super::provenance::Provenance;
use crate::definition::folder::Folder;
use crate::spec::Spec;
use crate::work::Shard;
use crate::work::collection::Collection;
use gpusched_model::error::Result;

/// Writes all result files in one step. If the check of the claims fails, gpusched writes all files except the file
/// with the claims.
pub(crate) fn write(spec: &Spec, folder: &Folder, collection: &Collection) -> Result<()> {
    let tables = spec.kind().tables(spec.name(), collection)?;
    let findings = Findings::new(spec, folder, &tables);
    let mut outputs = spec.outputs();
    if let Some(timing) = &tables.timing {
        outputs.write(folder.timing(), timing)?;
    }
    if let Some(paired) = &tables.paired {
        outputs.write(folder.paired(), paired)?;
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
