//! The two kinds of studies. Each kind has functions that run a study, record it and write its tables.

use serde::Deserialize;

use crate::cases::{self, Cases, CasesShape};
use crate::definition::document::Document;
use crate::definition::head::Head;
use crate::definition::tables::Tables;
use crate::own::Registry;
use crate::partitioning::{self, Partitioning, PartitioningShape};
use crate::work::collection::{Collection, Content};
use crate::work::{Chunk, Work};
use gpusched_model::error::{Error, Result};

/// The kind of a study, with the definition of the study.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A study that partitions generated task sets at every point of a grid of utilizations and numbers of tasks.
    Partitioning(Partitioning),
    /// A study that evaluates one metric for each experiment case.
    Cases(Cases),
}

/// The TOML format of a study.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Study", untagged))]
#[expect(
    clippy::large_enum_variant,
    reason = "the type describes the format, and no code creates values of it"
)]
pub enum Shape {
    /// A study that partitions generated task sets at every point of a grid of utilizations and numbers of tasks.
    Partitioning(PartitioningShape),
    /// A study that evaluates one metric for each experiment case.
    Cases(CasesShape),
}

/// Kind of study, as a file states it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    #[default]
    Partitioning,
    Cases,
}

#[derive(Deserialize)]
struct Peek {
    #[serde(default)]
    kind: Word,
}

impl Kind {
    /// Returns whether `document` defines a study of cases.
    pub(super) fn is_cases(document: &Document) -> Result<bool> {
        Ok(matches!(document.parse::<Peek>()?.kind, Word::Cases))
    }

    /// Reads and checks the study in `document`. `registry` has algorithms of the calling program.
    pub(crate) fn parse(document: &Document, registry: &Registry) -> Result<(Head, Kind)> {
        match document.parse::<Peek>()?.kind {
            Word::Partitioning => {
                let (head, study) = Partitioning::parse(document, registry)?;
                Ok((head, Kind::Partitioning(study)))
            }
            Word::Cases => {
                let (head, study) = Cases::parse(document)?;
                Ok((head, Kind::Cases(study)))
            }
        }
    }

    /// Returns the name of the units that progress reports count, such as `sets`.
    pub fn units(&self) -> &'static str {
        match self {
            Kind::Partitioning(_) => "sets",
            Kind::Cases(_) => "cases",
        }
    }

    /// Returns whether the study writes a table of search times.
    pub(crate) fn has_timing(&self) -> bool {
        matches!(self, Kind::Partitioning(_))
    }

    /// Returns whether the study writes a table of pairs of algorithms.
    pub(crate) fn has_pairs(&self) -> bool {
        matches!(self, Kind::Partitioning(study) if study.paired())
    }

    /// Returns the chunks of work that the study consists of.
    pub(crate) fn work(&self) -> Work {
        match self {
            Kind::Partitioning(study) => study.work(),
            Kind::Cases(study) => study.work(),
        }
    }

    /// Returns an empty collection of results.
    pub(crate) fn collection(&self) -> Collection {
        match self {
            Kind::Partitioning(study) => study.collection(),
            Kind::Cases(study) => Collection::of_rows(study.work(), study.columns().len()),
        }
    }

    /// Computes one chunk. Returns `None` if the run was stopped before the end of the chunk.
    pub(crate) fn compute(
        &self,
        name: &str,
        chunk: &Chunk,
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<Content>> {
        match self {
            Kind::Partitioning(study) => study.compute(chunk, goes_on),
            Kind::Cases(study) => study.compute(name, chunk, goes_on),
        }
    }

    /// Returns the tables of results of a completed study called `name`.
    pub(crate) fn tables(&self, name: &str, collection: &Collection) -> Result<Tables> {
        match self {
            Kind::Partitioning(study) => partitioning::results::tables(name, study, collection),
            Kind::Cases(study) => cases::results::tables(name, study, collection.rows()),
        }
    }

    /// Returns the tables of the study with arbitrary numbers, for a check of the claims before a
    /// run.
    pub(crate) fn made_up(&self, name: &str) -> Result<Tables> {
        match self {
            Kind::Partitioning(study) => partitioning::results::made_up(name, study),
            Kind::Cases(study) => cases::results::made_up(name, study),
        }
    }

    /// Computes the table of weighted schedulability from the table `results`. Returns `None` if the study called `name`
    /// does not request it.
    pub(crate) fn weighted(&self, name: &str, results: &[u8]) -> Result<Option<Vec<u8>>> {
        match self {
            Kind::Partitioning(study) => partitioning::results::weighted(name, study, results),
            Kind::Cases(_) => Ok(None),
        }
    }

    /// Returns all inputs that determine the results, as JSON.
    pub(crate) fn identity(&self, name: &str) -> Result<Vec<u8>> {
        let json = match self {
            Kind::Partitioning(study) => study.identity(name),
            Kind::Cases(study) => study.identity(name),
        };
        json.map_err(|error| Error::Internal(error.to_string()))
    }
}
