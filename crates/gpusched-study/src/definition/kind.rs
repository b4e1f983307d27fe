//! The kinds of experiments, and what running, recording and reporting ask of each.

use serde::Deserialize;

use super::document::{Document, Head};
use crate::cases::{self, Cases, CasesShape};
use crate::output::tables::Tables;
use crate::partitioning::{self, Partitioning, PartitioningShape};
use crate::running::collection::{Collection, Content};
use crate::running::work::{Chunk, Work};
use gpusched_model::error::{Error, Result};

/// What a study does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Random task sets are partitioned: points × sets.
    Partitioning(Partitioning),
    /// Quantities are measured, case by case.
    Cases(Cases),
}

/// A study in the shape of the file.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(rename = "Study", untagged)]
pub enum Shape {
    /// Random task sets are partitioned.
    Partitioning(PartitioningShape),
    /// Quantities are measured, case by case.
    Cases(CasesShape),
}

/// The word that a file says what it is with.
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
    /// Whether `document` says that it has cases.
    pub(super) fn is_cases(document: &Document) -> Result<bool> {
        Ok(matches!(document.parse::<Peek>()?.kind, Word::Cases))
    }

    /// Reads and checks the study in `document`.
    pub(crate) fn parse(document: &Document) -> Result<(Head, Kind)> {
        match document.parse::<Peek>()?.kind {
            Word::Partitioning => {
                let (head, study) = Partitioning::parse(document)?;
                Ok((head, Kind::Partitioning(study)))
            }
            Word::Cases => {
                let (head, study) = Cases::parse(document)?;
                Ok((head, Kind::Cases(study)))
            }
        }
    }

    /// What is counted, such as `sets`.
    pub fn units(&self) -> &'static str {
        match self {
            Kind::Partitioning(_) => "sets",
            Kind::Cases(_) => "cases",
        }
    }

    /// Whether it has a table of times.
    pub(crate) fn has_timing(&self) -> bool {
        matches!(self, Kind::Partitioning(_))
    }

    /// The chunks of work.
    pub(crate) fn work(&self) -> Work {
        match self {
            Kind::Partitioning(study) => study.work(),
            Kind::Cases(study) => study.work(),
        }
    }

    /// Nothing done yet.
    pub(crate) fn collection(&self) -> Collection {
        match self {
            Kind::Partitioning(study) => Collection::of_tallies(study.work(), study.cells()),
            Kind::Cases(study) => Collection::of_rows(study.work(), study.columns().len()),
        }
    }

    /// Computes one chunk; `None` if told to stop half-way.
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

    /// The tables of a complete study called `name`.
    pub(crate) fn tables(&self, name: &str, collection: &Collection) -> Result<Tables> {
        match self {
            Kind::Partitioning(study) => partitioning::results::tables(name, study, collection),
            Kind::Cases(study) => cases::results::tables(name, study, collection.rows()),
        }
    }

    /// Tables as they will be, with any numbers.
    pub(crate) fn made_up(&self, name: &str) -> Result<Tables> {
        match self {
            Kind::Partitioning(study) => partitioning::results::made_up(name, study),
            Kind::Cases(study) => cases::results::made_up(name, study),
        }
    }

    /// The table of weighted schedulability that belongs to `results`, if the study called `name` asks for it.
    pub(crate) fn weighted(&self, name: &str, results: &[u8]) -> Result<Option<Vec<u8>>> {
        match self {
            Kind::Partitioning(study) => partitioning::results::weighted(name, study, results),
            Kind::Cases(_) => Ok(None),
        }
    }

    /// Everything the results depend on, as JSON.
    pub(crate) fn identity(&self, name: &str) -> Result<Vec<u8>> {
        let json = match self {
            Kind::Partitioning(study) => study.identity(name),
            Kind::Cases(study) => study.identity(name),
        };
        json.map_err(|error| Error::Internal(error.to_string()))
    }
}
