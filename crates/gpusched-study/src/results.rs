//! The result files of a complete study.

use super::collection::Collection;
use super::findings::Findings;
use super::folder::Folder;
use super::provenance::Provenance;
use super::spec::Spec;
use super::work::Shard;
use gpusched_model::artifact::Artifact;
use gpusched_model::error::Result;

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
