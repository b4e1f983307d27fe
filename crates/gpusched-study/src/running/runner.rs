//! Runs a study or one shard of a study. Several threads compute chunks and write the results to the journal. A run can
//! resume an interrupted run.

use std::fs;
use std::path::Path;

use rayon::ThreadPool;

use super::difference;
use super::journal::{Header, Journal, Record, START_ANEW};
use crate::definition::folder::Folder;
use crate::output::provenance::Provenance;
use crate::output::results;
use crate::spec::Spec;
use crate::work::collection::Added;
use crate::work::{Chunk, Shard};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_sim::campaign::each;

/// Receives reports about the progress of a run, one report at a time and from several threads.
pub trait Observer {
    /// Reports the start of a run of `total` task sets or cases. Earlier runs finished `resumed` of these sets or
    /// cases.
    fn started(&mut self, total: u64, resumed: u64) {
        let _ = (total, resumed);
    }

    /// Reports that `units` more task sets or cases are finished and recorded.
    fn advanced(&mut self, units: u64) {
        let _ = units;
    }
}

/// Ignores all reports about progress.
impl Observer for () {}

/// The result of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Number of task sets or cases in the study or shard. [`Kind::units`](crate::Kind::units)
    /// names the units.
    pub units: u64,
    /// Number of task sets or cases that were finished before this run.
    pub resumed: u64,
}

/// Runs `shard` of the study `spec` on the threads of `pool`, or resumes an earlier run. Writes the files of the study into
/// the folder at `path`. The folder is created if its parent folder exists. A shard writes its journal and its provenance.
/// A run of the whole study also writes the results.
///
/// # Errors
/// Fails with [`Error::Refused`] if another process uses the folder, or if the folder contains a journal of another study.
/// Fails with [`Error::Io`] if a file cannot be accessed. After every error, the same command resumes the run.
pub fn run(
    spec: &Spec,
    path: impl AsRef<Path>,
    shard: Shard,
    pool: &ThreadPool,
    observer: &mut (dyn Observer + Send),
) -> Result<Summary> {
    let folder = Folder::new(path, spec.name());
    make(folder.path())?;
    let work = spec.work();
    let mut collection = spec.kind().collection();
    let header = Header::new(spec, shard)?;
    let path = folder.journal(shard);
    let mut journal = Journal::open(&path, &header, &mut collection)
        .map_err(|error| differing(error, spec, &folder, &path))?;
    folder.write_spec(spec.outputs(), spec.text(), &spec.inputs().texts)?;

    let pending: Vec<Chunk> = work
        .of_shard(shard)
        .filter(|chunk| !collection.contains(chunk.index))
        .collect();
    let resumed = collection.units();
    let units = resumed
        + pending
            .iter()
            .map(|chunk| chunk.sets.end - chunk.sets.start)
            .sum::<u64>();
    observer.started(units, resumed);
    if !pending.is_empty() {
        let compute = |chunk: &Chunk, goes_on: &dyn Fn() -> bool| record(spec, chunk, goes_on);
        let accept = |record: Record| {
            let before = collection.units();
            // Chunks of an earlier run may have another kind of answers.
            if let Added::Mixed(algorithm) = collection.add(record.chunk, &record.content) {
                let refusal = collection.mixed(algorithm).at(&path, None);
                return Err(refusal.hint(START_ANEW).into());
            }
            journal.record(&record)?;
            observer.advanced(collection.units() - before);
            Ok(())
        };
        pool.install(|| each(&pending, compute, accept))?;
    }
    journal.sync()?;

    if shard.is_whole() {
        results::write(spec, &folder, &collection)?;
    } else {
        let mut outputs = spec.outputs();
        Provenance::new(spec, shard)?.write(&mut outputs, &folder.provenance(shard))?;
        outputs.commit()?;
    }
    Ok(Summary { units, resumed })
}

/// Writes a copy of the study `spec`, and of the files that its cases name, to the folder at `path`. The folder is created
/// if its parent folder exists. Later changes of the original files have no effect on the copy.
///
/// # Errors
/// Fails with [`Error::Io`] if a file cannot be written.
pub fn copy(spec: &Spec, path: impl AsRef<Path>) -> Result<()> {
    let folder = Folder::new(path, spec.name());
    make(folder.path())?;
    folder.write_spec(spec.outputs(), spec.text(), &spec.inputs().texts)
}

/// Deletes the finished chunks of `shard` of the study `spec` in the folder at `path`, so that the next run starts anew.
///
/// # Errors
/// Fails with [`Error::Refused`] if another process uses the journal, and with [`Error::Io`] if the file cannot be accessed.
pub fn discard(spec: &Spec, path: impl AsRef<Path>, shard: Shard) -> Result<()> {
    let journal = Folder::new(path, spec.name()).journal(shard);
    match journal.is_file() {
        true => Journal::discard(&journal),
        false => Ok(()),
    }
}

/// If the journal at `journal` belongs to another experiment, replaces `error`. The new error states the differences
/// between the study file in `folder` and `spec`. If both are equal, it states the files named by the study that differ.
fn differing(error: Error, spec: &Spec, folder: &Folder, journal: &Path) -> Error {
    let is_other = |refusal: &Refusal| matches!(refusal.field(), "experiment" | "seed");
    if !matches!(&error, Error::Refused(refusal) if is_other(refusal)) {
        return error;
    }
    let before = fs::read_to_string(folder.spec()).ok();
    let of_spec = before.and_then(|before| difference::refusal(&before, spec.text()));
    let of_files = || {
        let before = fs::read(folder.inputs()).ok()?;
        let before = serde_json::from_slice(&before).ok()?;
        difference::of_files(&before, &spec.inputs().texts)
    };
    let Some(refusal) = of_spec.or_else(of_files) else {
        return error;
    };
    error.map_refusal(|error| match error.advice() {
        Some(hint) => refusal.at(journal, None).hint(hint),
        None => refusal.at(journal, None),
    })
}

/// Creates the folder at `path`. The parent folder must exist.
pub(crate) fn make(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    match fs::create_dir(path) {
        // Another shard may have created the folder just before.
        Err(_) if path.is_dir() => Ok(()),
        other => other.map_err(|cause| Error::io(path, "create folder", cause)),
    }
}

/// Computes one chunk. Returns `None` if the run was stopped before the end of the chunk.
fn record(spec: &Spec, chunk: &Chunk, goes_on: impl Fn() -> bool) -> Result<Option<Record>> {
    let content = spec.kind().compute(spec.name(), chunk, goes_on)?;
    Ok(content.map(|content| Record {
        chunk: chunk.index,
        content,
    }))
}
