//! Merge of the shards of a study.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::journal::{self, Header};
use super::runner::make;
use crate::definition::folder::{Folder, JOURNAL};
use crate::output::results;
use crate::spec::{Overrides, Spec};
use crate::work::Shard;
use crate::work::collection::Collection;
use gpusched_model::error::{Error, Refusal, Result};

/// Merges the shards of all studies that have journals in `folders`. Writes the files of the whole study into the
/// folder at `output`, as a run of the whole study does. Returns the studies in the order of their names.
///
/// The memory for a merge does not depend on the number of journals, because gpusched reads the journals one after the
/// other, line by line.
///
/// Several journals may contain the same chunk if its results are equal. In this case, the merge uses the times of the
/// first journal.
///
/// # Errors
/// Fails with [`Error::Refused`] if there is no journal, or if a shard is still running. Also fails if journals belong to
/// different experiments, if they contradict each other, or if chunks are missing. In these cases, no file is written.
pub fn merge<P: AsRef<Path>>(folders: &[P], output: impl AsRef<Path>) -> Result<Vec<Merged>> {
    let output = output.as_ref();
    let mut merged = Vec::new();
    for (study, journals) in find(folders)? {
        merged.push(merge_study(&study, &journals)?);
    }
    make(output)?;
    for (Merged { spec, .. }, collection) in &merged {
        let folder = Folder::new(output, spec.name());
        folder.write_spec(spec.outputs(), spec.text(), &spec.inputs().texts)?;
        results::write(spec, &folder, collection)?;
    }
    Ok(merged.into_iter().map(|(merged, _)| merged).collect())
}

/// A merged study.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The study.
    pub spec: Spec,
    /// Number of journals.
    pub journals: usize,
    /// Longest search time of a journal, divided by the mean search time of all journals. `None` for studies of cases.
    pub balance: Option<f64>,
}

/// The path of a journal, and the path of its folder.
type Found = (PathBuf, PathBuf);

/// Returns the journals of each study, sorted by the order of `folders`, then by name.
fn find<P: AsRef<Path>>(folders: &[P]) -> Result<BTreeMap<String, Vec<Found>>> {
    let mut journals: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for folder in folders {
        let folder = folder.as_ref();
        let fail = |cause| Error::io(folder, "read", cause);
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.to_string_lossy().ends_with(JOURNAL) {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            return Err(Error::file(
                folder,
                "no journal",
                format!("a journal (*{JOURNAL}) of a study"),
            ));
        }
        paths.sort();
        for path in paths {
            let study = study_of(&path)?;
            journals.entry(study).or_default().push((folder.to_owned(), path));
        }
    }
    Ok(journals)
}

/// Returns the name of the study that the first line of the journal at `path` states.
fn study_of(path: &Path) -> Result<String> {
    let text = journal::first_line(path)?;
    serde_json::from_str::<Header>(&text)
        .map(|header| header.study)
        .map_err(|error| {
            let refusal = Refusal::told(
                "",
                format!("found a line that is not the first line of a journal: {error}"),
            );
            refusal.at(path, 1).hint("run this shard again").into()
        })
}

fn merge_study(study: &str, journals: &[Found]) -> Result<(Merged, Collection)> {
    let spec = spec_of(study, journals)?;
    let header = Header::new(&spec, Shard::WHOLE)?;
    let mut collection = spec.kind().collection();
    let mut longest = 0;
    for (_, journal) in journals {
        let before = collection.ns();
        journal::read(journal, &header, &mut collection)?;
        longest = longest.max(collection.ns() - before);
    }
    if let Some(chunk) = collection.missing().next() {
        let all = spec.work().len();
        let (missing, journals) = (all - collection.chunks(), journals.len());
        let found = format!(
            "{journals} journals without {missing} of {all} chunks; the first missing chunk is {chunk}"
        );
        let refusal = Refusal::new(study, found, "every chunk");
        return Err(refusal
            .hint("run the shards that are missing or unfinished")
            .into());
    }
    let balance = longest as f64 * journals.len() as f64 / collection.ns() as f64;
    let merged = Merged {
        spec,
        journals: journals.len(),
        balance: (collection.ns() > 0).then_some(balance),
    };
    Ok((merged, collection))
}

/// Reads the study file in the folder of the first journal. Checks that the study files of all folders are equal.
fn spec_of(study: &str, journals: &[Found]) -> Result<Spec> {
    let mut folders: Vec<&Path> = journals.iter().map(|(folder, _)| folder.as_path()).collect();
    folders.dedup();
    let Some((first, others)) = folders.split_first() else {
        return Err(Error::parameter(study, "no journal", "a journal"));
    };
    let spec = Spec::read(Folder::new(first, study).spec(), Overrides::default())?;
    for folder in others {
        let path = Folder::new(folder, study).spec();
        let text = fs::read_to_string(&path).map_err(|cause| Error::io(&path, "read", cause))?;
        if text != spec.text() {
            let other = Spec::read(path, Overrides::default())?;
            let found = format!("a study with the hash {}", other.experiment()?);
            let expected = format!(
                "{}, as in {}, because all shards must run the same study",
                spec.experiment()?,
                spec.file()
            );
            return Err(Error::file(other.file(), found, expected));
        }
    }
    Ok(spec)
}
