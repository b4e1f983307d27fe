//! Results of checking the claims of a study.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::provenance::Provenance;
use crate::claim::Finding;
use crate::definition::folder::Folder;
use crate::definition::tables::Tables;
use crate::spec::{Overrides, Spec};
use crate::work::Shard;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Refusal, Result};

/// The claims of one study, each with its result for each analysis variant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// Name of the study.
    pub study: String,
    /// Published results that the study reproduces.
    pub source: String,
    /// Results of checking the claims. The results are sorted by claim, then by analysis variant.
    pub findings: Vec<Finding>,
}

impl Findings {
    /// Checks the claims of `spec` against the result tables of the study.
    ///
    /// # Errors
    /// Fails under the same conditions as [`check`](crate::check).
    pub(crate) fn new(spec: &Spec, folder: &Folder, tables: &Tables) -> Result<Findings> {
        let findings = tables.check(spec.claims(), folder)?;
        Ok(Findings {
            study: spec.name().to_owned(),
            source: spec.source_text().to_owned(),
            findings,
        })
    }

    /// Returns whether the results do not confirm a claim that must hold.
    pub fn is_failure(&self) -> bool {
        self.findings.iter().any(Finding::is_failure)
    }

    pub(crate) fn write(&self, outputs: &mut Outputs, path: &Path) -> Result<()> {
        let mut json =
            serde_json::to_vec_pretty(self).map_err(|error| Error::io(path, "write", error.into()))?;
        json.push(b'\n');
        outputs.write(path, json)
    }
}

/// Whether a study has results, and whether the results match the study file and the version of
/// gpusched.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The study has no results.
    Missing,
    /// The results are from another experiment or from another version of gpusched, or a user
    /// edited the results. Another experiment differs, for example, in its seed, its number of sets
    /// or an axis.
    Outdated,
    /// The results are from this experiment and from this version of gpusched.
    Current,
}

/// A study file, with the results of the study.
#[derive(Clone, Debug)]
pub struct Study {
    /// Definition of the study.
    pub spec: Spec,
    /// Folder of the results. The folder may not exist yet.
    pub folder: Folder,
    /// State of the results.
    pub state: State,
}

/// Reads all studies in the folder at `path`. Each TOML file is a study. The studies have the order of their names. The
/// results of a study are next to the study file, or in a folder that has the name of the study.
///
/// # Errors
/// Fails with [`Error::Io`] if the folder cannot be read. Fails with [`Error::Refused`] if there is no study or if two
/// studies have the same name. Also fails under the same conditions as [`Spec::read`].
pub fn studies(path: impl AsRef<Path>) -> Result<Vec<Study>> {
    let path = path.as_ref();
    if path.is_file() {
        return Err(Error::file(path, "a file", "a folder of studies or of results"));
    }
    let fail = |cause| Error::io(path, "read", cause);
    let mut found: BTreeMap<String, Study> = BTreeMap::new();
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(fail)? {
        let file = entry.map_err(fail)?.path();
        if file.extension().is_some_and(|ending| ending == "toml") && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    for file in files {
        let spec = Spec::read(&file, Overrides::default())?;
        let beside = Folder::new(path, spec.name());
        let below = Folder::new(path.join(spec.name()), spec.name());
        let folder = if !beside.results().exists() && below.results().exists() {
            below
        } else {
            beside
        };
        let name = spec.name().to_owned();
        if let Some(other) = found.insert(name.clone(), Study::new(spec, folder)?) {
            let found = format!("the name `{name}`, which {} also has", other.spec.file());
            return Err(Refusal::new("name", found, "another name").at(&file, None).into());
        }
    }
    if found.is_empty() {
        return Err(Error::file(path, "no study", "a study (*.toml)"));
    }
    Ok(found.into_values().collect())
}

fn state(spec: &Spec, folder: &Folder) -> Result<State> {
    if !folder.results().exists() {
        return Ok(State::Missing);
    }
    let results = fs::read(folder.results()).map_err(|cause| Error::io(folder.results(), "read", cause))?;
    if !folder.provenance(Shard::WHOLE).exists() {
        return Ok(State::Outdated);
    }
    let found = Provenance::read(&folder.provenance(Shard::WHOLE))?;
    let current = found.experiment_sha256 == spec.experiment()?
        && found.gpusched == env!("CARGO_PKG_VERSION")
        && found.matches(&results);
    Ok(if current { State::Current } else { State::Outdated })
}

impl Study {
    /// Creates a study from `spec`. The results of the study are in `folder`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] or [`Error::Refused`] if the results or the provenance exist and cannot be read.
    pub fn new(spec: Spec, folder: Folder) -> Result<Study> {
        let state = state(&spec, &folder)?;
        Ok(Study { spec, folder, state })
    }

    /// Checks the claims of the study against its results.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the results are missing or outdated, and under the same conditions as
    /// [`check`](crate::check).
    pub fn findings(&self) -> Result<Findings> {
        Findings::new(&self.spec, &self.folder, &self.tables()?)
    }

    /// Reads the tables of the study.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the results are missing or outdated, and with [`Error::Io`] if a table cannot be read.
    pub(crate) fn tables(&self) -> Result<Tables> {
        let results = self.folder.results();
        match self.state {
            State::Current => {}
            State::Missing => {
                let found = format!("no results of study `{}`", self.spec.name());
                let refusal =
                    Refusal::new("", found, "the results of the study").at(self.folder.path(), None);
                return Err(refusal.hint("run the study first").into());
            }
            State::Outdated => {
                let provenance = self.folder.provenance(Shard::WHOLE);
                let found = format!(
                    "the results of another study or of another gpusched version, according to {}",
                    provenance.display()
                );
                let version = env!("CARGO_PKG_VERSION");
                let expected = format!("the results of {} by gpusched {version}", self.spec.file());
                let refusal = Refusal::new("", found, expected).at(results, None);
                return Err(refusal.hint("run the study again").into());
            }
        }
        let read = |path: PathBuf| fs::read(&path).map_err(|cause| Error::io(&path, "read", cause));
        let timing = self.spec.kind().has_timing().then(|| read(self.folder.timing()));
        let results = read(results)?;
        let paired = self.spec.kind().has_pairs().then(|| read(self.folder.paired()));
        Ok(Tables {
            paired: paired.transpose()?,
            weighted: self.spec.kind().weighted(self.spec.name(), &results)?,
            timing: timing.transpose()?,
            results,
        })
    }
}
