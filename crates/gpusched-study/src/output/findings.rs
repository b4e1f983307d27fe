//! Results of the claims of a study.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder::Folder;
use super::provenance::Provenance;
use super::tables::Tables;
use crate::claim::Finding;
use crate::definition::spec::{Overrides, Spec};
use crate::running::work::Shard;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Refusal, Result};

/// The claims of one study, each with its result under each analysis variant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// Name of the study.
    pub study: String,
    /// Published results that the study reproduces.
    pub source: String,
    /// Findings per claim and analysis variant, in the order of the study.
    pub findings: Vec<Finding>,
}

impl Findings {
    /// Checks the claims of `spec` against its result tables.
    ///
    /// # Errors
    /// Fails under the conditions of [`check`](crate::check).
    pub(crate) fn new(spec: &Spec, folder: &Folder, tables: &Tables) -> Result<Findings> {
        let findings = tables.check(spec.claims(), folder)?;
        Ok(Findings {
            study: spec.name().to_owned(),
            source: spec.source_text().to_owned(),
            findings,
        })
    }

    /// Returns whether a claim that must hold does not hold.
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

/// Whether a study has results, and whether they are up to date.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// No results.
    Missing,
    /// Results of another experiment (another seed, number of sets, axis …) or of another version of gpusched, or results
    /// edited by hand.
    Outdated,
    /// Results of exactly this experiment.
    Current,
}

/// A study file with its results.
#[derive(Clone, Debug)]
pub struct Study {
    /// The study.
    pub spec: Spec,
    /// Folder of its results, existing or future.
    pub folder: Folder,
    /// State of the results.
    pub state: State,
}

/// Returns the studies in the folder at `path`: every `*.toml` there, by name. Results are searched next to the file, then in
/// a folder with the name of the study.
///
/// # Errors
/// Fails with [`Error::Io`] if the folder cannot be read. Fails with [`Error::Refused`] if there is no study or if two
/// studies have one name. Fails too under the conditions of [`Spec::read`].
pub fn studies(path: impl AsRef<Path>) -> Result<Vec<Study>> {
    let path = path.as_ref();
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
    /// Creates a study from `spec` with its results in `folder`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] or [`Error::Refused`] if results or provenance exist and cannot be read.
    pub fn new(spec: Spec, folder: Folder) -> Result<Study> {
        let state = state(&spec, &folder)?;
        Ok(Study { spec, folder, state })
    }

    /// Checks the claims against the results.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the results are missing or outdated, and under the conditions of [`check`](crate::check).
    pub fn findings(&self) -> Result<Findings> {
        let results = self.folder.results();
        match self.state {
            State::Current => {}
            State::Missing => {
                let found = format!("no results of study `{}`", self.spec.name());
                let refusal = Refusal::new("", found, "its results").at(self.folder.path(), None);
                return Err(refusal.hint("run the study first").into());
            }
            State::Outdated => {
                let provenance = self.folder.provenance(Shard::WHOLE);
                let found = format!(
                    "the results of another study or version, according to {}",
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
        let tables = Tables {
            weighted: self.spec.kind().weighted(self.spec.name(), &results)?,
            timing: timing.transpose()?,
            results,
        };
        Findings::new(&self.spec, &self.folder, &tables)
    }
}
