//! The progress of shards, according to the files in their folder.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::Path;

use crate::definition::folder::{Folder, JOURNAL};
use crate::output::provenance::Provenance;
use crate::spec::{Overrides, Spec};
use crate::work::Shard;
use gpusched_model::error::{Error, Refusal, Result};

/// Ending of the name of the file that a finished shard writes last.
const FINISHED: &str = ".provenance.json";

/// The progress of one shard.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Progress {
    /// The shard has no journal.
    Missing,
    /// The shard has a journal, and is not finished.
    Started,
    /// A process uses the journal of the shard.
    Running,
    /// The shard is finished.
    Finished,
}

/// The progress of all shards of a study.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shards {
    /// Name of the study.
    pub study: String,
    /// Progress of each shard, from shard 1.
    pub progress: Vec<Progress>,
}

impl Shards {
    /// Returns the progress of the shards in the folder at `path`. All shards in the folder must belong to one study,
    /// with one number of shards.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for a folder without a shard, and for a folder with shards of several studies or
    /// with several numbers of shards. Also fails under the same conditions as [`Shards::of`].
    pub fn find(path: impl AsRef<Path>) -> Result<Shards> {
        let path = path.as_ref();
        let names = names(path)?;
        let found: BTreeSet<(&str, u32)> = names
            .iter()
            .filter_map(|name| parts(name))
            .map(|(study, shard)| (study, shard.count()))
            .collect();
        let expected = "the shards of one study, such as NAME.shard-1-of-8.checkpoint.jsonl";
        match found.into_iter().collect::<Vec<_>>().as_slice() {
            [(study, count)] => {
                let file = Folder::new(path, study).spec();
                let spec = Spec::read(file, Overrides::default())?;
                Shards::of_names(&spec, path, *count, &names)
            }
            [] => Err(Error::file(path, "no shard of a study", expected)),
            [(study, count), (other, others), ..] => {
                let found = format!("shards of {study} (of {count}) and of {other} (of {others})");
                Err(Error::file(path, found, expected))
            }
        }
    }

    /// Returns the progress of the `count` shards of the study `spec` in the folder at `path`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if a file cannot be read. Fails with [`Error::Refused`] for files of another experiment
    /// or of another version of gpusched.
    pub fn of(spec: &Spec, path: impl AsRef<Path>, count: u32) -> Result<Shards> {
        let path = path.as_ref();
        Shards::of_names(spec, path, count, &names(path)?)
    }

    fn of_names(spec: &Spec, path: &Path, count: u32, names: &[String]) -> Result<Shards> {
        let mut progress = vec![Progress::Missing; count as usize];
        let experiment = spec.experiment()?;
        for name in names {
            let Some((study, shard)) = parts(name) else {
                continue;
            };
            if study != spec.name() || shard.count() != count {
                continue;
            }
            let file = path.join(name);
            let of_shard = &mut progress[shard.index() as usize - 1];
            if name.ends_with(FINISHED) {
                check(&file, &experiment)?;
                *of_shard = Progress::Finished;
            } else if *of_shard == Progress::Missing {
                *of_shard = match is_in_use(&file)? {
                    true => Progress::Running,
                    false => Progress::Started,
                };
            }
        }
        Ok(Shards {
            study: spec.name().to_owned(),
            progress,
        })
    }
}

/// Checks that the file at `path` is the provenance of a shard of `experiment`.
fn check(path: &Path, experiment: &str) -> Result<()> {
    let found = Provenance::read(path)?;
    let (found, expected) = match found.gpusched.as_str() {
        env!("CARGO_PKG_VERSION") if found.experiment_sha256 == experiment => return Ok(()),
        env!("CARGO_PKG_VERSION") => (
            format!("a shard of the experiment {}", found.experiment_sha256),
            experiment.to_owned(),
        ),
        version => (
            format!("a shard of gpusched {version}"),
            env!("CARGO_PKG_VERSION").to_owned(),
        ),
    };
    let refusal = Refusal::new("", found, expected).at(path, None);
    Err(refusal.hint("run the study in another folder").into())
}

/// Whether a process has locked the journal at `path`.
fn is_in_use(path: &Path) -> Result<bool> {
    let file = File::open(path).map_err(|cause| Error::io(path, "read", cause))?;
    Ok(matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the names of all files in the folder at `path`. Names of finished shards are first.
fn names(path: &Path) -> Result<Vec<String>> {
    let fail = |cause| Error::io(path, "read", cause);
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(fail)? {
        names.extend(entry.map_err(fail)?.file_name().into_string().ok());
    }
    names.sort_by_cached_key(|name| (!name.ends_with(FINISHED), name.clone()));
    Ok(names)
}

/// If a file belongs to a shard, returns the study and the shard. Otherwise, returns `None`.
fn parts(name: &str) -> Option<(&str, Shard)> {
    let name = name.strip_suffix(JOURNAL).or(name.strip_suffix(FINISHED))?;
    let (study, shard) = name.rsplit_once(".shard-")?;
    let (index, count) = shard.split_once("-of-")?;
    Some((study, Shard::new(index.parse().ok()?, count.parse().ok()?)?))
}
