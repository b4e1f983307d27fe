//! Provenance of results, in a separate file. The file has the same bytes for every run of a study.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::definition::files::sha256;
use crate::partitioning::Partitioning;
use crate::spec::Spec;
use crate::work::Shard;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Refusal, Result};

/// The data that a user needs to compute the same results again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Name of the study.
    pub study: String,
    /// Version of gpusched that computed the results.
    pub gpusched: String,
    /// SHA-256 hash of the experiment: of all inputs that determine the results, including the
    /// files that cases name.
    pub experiment_sha256: String,
    /// SHA-256 hash of the TOML file of the study.
    pub spec_sha256: String,
    /// Seed of all random numbers of the study.
    pub seed: u64,
    /// Number of points. Only in a study of partitioning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<usize>,
    /// Number of task sets per point. Only in a study of partitioning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sets: Option<u64>,
    /// Number of experiment cases. Only in a study of cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<usize>,
    /// Shard of the study, such as `1/4`. Absent if the file is about the whole study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// SHA-256 hash of the table of results of the whole study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_sha256: Option<String>,
}

impl Provenance {
    /// Creates the provenance of `shard` of the study `spec`, for this version of gpusched.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Spec::experiment`].
    pub fn new(spec: &Spec, shard: Shard) -> Result<Provenance> {
        Ok(Provenance {
            study: spec.name().to_owned(),
            gpusched: env!("CARGO_PKG_VERSION").to_owned(),
            experiment_sha256: spec.experiment()?,
            spec_sha256: sha256(spec.text().as_bytes()),
            seed: spec.seed(),
            points: spec.partitioning().map(|study| study.points().len()),
            sets: spec.partitioning().map(Partitioning::sets),
            cases: spec.cases().map(|study| study.cases().len()),
            shard: (!shard.is_whole()).then(|| shard.to_string()),
            results_sha256: None,
        })
    }

    /// Adds the hash of the table `results`.
    #[must_use]
    pub fn of_results(mut self, results: &[u8]) -> Provenance {
        self.results_sha256 = Some(sha256(results));
        self
    }

    /// Returns whether `results` has the hash that this provenance states.
    pub fn matches(&self, results: &[u8]) -> bool {
        self.results_sha256.as_deref() == Some(&sha256(results))
    }

    /// Adds the provenance to `outputs` as the file at `path`.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Outputs::write`].
    pub fn write(&self, outputs: &mut Outputs, path: &Path) -> Result<()> {
        let mut json =
            serde_json::to_vec_pretty(self).map_err(|error| Error::io(path, "write", error.into()))?;
        json.push(b'\n');
        outputs.write(path, json)
    }

    /// Reads the provenance in the file at `path`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be read, and with [`Error::Refused`] if it is not a provenance file.
    pub fn read(path: &Path) -> Result<Provenance> {
        let bytes = std::fs::read(path).map_err(|cause| Error::io(path, "read", cause))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Refusal::told("", &error).at(path, error.line()).into())
    }
}
