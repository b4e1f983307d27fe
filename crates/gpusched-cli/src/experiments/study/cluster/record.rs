//! The record of a submission names the study and the jobs.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use crate::report::json_document;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_study::Spec;

/// Name of the file, in the folder of the submission.
const FILE: &str = "submission.json";

/// Batch systems that run the jobs.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    Debug,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumMessage,
    strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Slurm: `sbatch`, `squeue` and `scancel`.
    Slurm,
}

/// A submission of the shards of a study.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Name of the study.
    pub study: String,
    /// Hash of the experiment.
    pub experiment: String,
    /// Version of gpusched.
    pub gpusched: String,
    pub engine: Engine,
    /// Number of shards.
    pub shards: u32,
    /// Settings of the jobs.
    pub settings: Settings,
    /// Jobs of each submission, in their order.
    pub jobs: Vec<Jobs>,
}

/// The jobs of one submission.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jobs {
    /// Number of the array job of shards. Absent if all shards were finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<u64>,
    /// Shards of the array job, such as `1-64`.
    pub shards: String,
    /// Number of the job that merges the shards.
    pub merge: u64,
}

impl Record {
    /// Reads the record in `folder`. Returns `None` if there is no record.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be read, and with [`Error::Refused`] if it is invalid.
    pub fn read(folder: &Path) -> Result<Option<Record>> {
        let path = file(folder);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = std::fs::read(&path).map_err(|cause| Error::io(&path, "read", cause))?;
        let record: Record = serde_json::from_slice(&bytes)
            .map_err(|error| Refusal::told("", &error).at(&path, error.line()))?;
        if record.shards == 0 {
            return Err(Refusal::new("shards", 0, "at least 1").at(&path, None).into());
        }
        Ok(Some(record))
    }

    /// Writes the record to `folder`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let mut outputs = Outputs::default();
        outputs.write(file(folder), json_document(self)?)?;
        outputs.commit()
    }

    /// Checks that the record in `folder` is about the study `spec` and this version of gpusched.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for another study, experiment or version.
    pub fn check(&self, folder: &Path, spec: &Spec) -> Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let pairs = [
            ("study", self.study.as_str(), spec.name()),
            ("experiment", &self.experiment, &spec.experiment()?),
            ("gpusched", &self.gpusched, version),
        ];
        let Some((field, found, expected)) = pairs.into_iter().find(|(_, found, expected)| found != expected)
        else {
            return Ok(());
        };
        let refusal = Refusal::new(
            field,
            format!("a submission of {field} {found}"),
            format!("{expected}, as in {}", spec.file()),
        );
        Err(refusal
            .at(file(folder), None)
            .hint("choose another folder with `-o`")
            .into())
    }
}

/// Returns the path of the record in `folder`.
fn file(folder: &Path) -> PathBuf {
    folder.join(FILE)
}
