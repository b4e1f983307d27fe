//! The lines of a journal.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::spec::Spec;
use crate::work::Shard;
use crate::work::collection::{Content, hash_rows};
use crate::work::tally::Tally;
use gpusched_model::error::Result;

/// The first line of a journal, which identifies the study.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of the journal format.
    pub journal: u32,
    /// Name of the study.
    pub study: String,
    /// Hash of the experiment, as [`Spec::experiment`] returns it.
    pub experiment: String,
    /// Version of gpusched that wrote the journal.
    pub version: String,
    /// Seed of all random numbers of the study.
    pub seed: u64,
    /// Shard of the study, such as `1/1`.
    pub shard: String,
}

impl Header {
    /// Creates the header that this version of gpusched writes for `shard` of the study `spec`.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Spec::experiment`].
    pub fn new(spec: &Spec, shard: Shard) -> Result<Header> {
        Ok(Header {
            journal: 1,
            study: spec.name().to_owned(),
            experiment: spec.experiment()?,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed: spec.seed(),
            shard: shard.to_string(),
        })
    }

    /// Returns the first field that differs between two headers, as (field, found, expected). The value found is from
    /// `self`.
    pub(super) fn difference(
        &self,
        expected: &Header,
        shard_counts: bool,
    ) -> Option<(&'static str, String, String)> {
        let fields = [
            ("journal", self.journal.to_string(), expected.journal.to_string()),
            ("version", self.version.clone(), expected.version.clone()),
            ("study", self.study.clone(), expected.study.clone()),
            ("seed", self.seed.to_string(), expected.seed.to_string()),
            ("experiment", self.experiment.clone(), expected.experiment.clone()),
            ("shard", self.shard.clone(), expected.shard.clone()),
        ];
        fields
            .into_iter()
            .filter(|(field, ..)| shard_counts || *field != "shard")
            .find(|(_, found, expected)| found != expected)
    }
}

/// The record of one finished chunk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Index of the chunk in the study.
    pub chunk: usize,
    /// Results of the chunk.
    pub content: Content,
}

/// A line after the first: a record with its checksum. The checksum detects changes that, for example, a defective disk
/// or an editor causes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Line {
    chunk: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cells: Option<Vec<Tally>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<Vec<String>>>,
    check: String,
}

impl Line {
    pub(super) fn new(record: &Record) -> Line {
        let (cells, rows) = match &record.content {
            Content::Tallies(cells) => (Some(cells.clone()), None),
            Content::Rows(rows) => (None, Some(rows.clone())),
        };
        Line {
            chunk: record.chunk,
            cells,
            rows,
            check: checksum(record),
        }
    }

    /// Returns the record, or `None` if the checksum is wrong.
    pub(super) fn record(self) -> Option<Record> {
        let content = match (self.cells, self.rows) {
            (Some(cells), None) => Content::Tallies(cells),
            (None, Some(rows)) => Content::Rows(rows),
            _ => return None,
        };
        let record = Record {
            chunk: self.chunk,
            content,
        };
        (checksum(&record) == self.check).then_some(record)
    }
}

/// Returns four bytes of the hash of `record`, as hexadecimal digits.
fn checksum(record: &Record) -> String {
    let mut hash = Sha256::new();
    hash.update((record.chunk as u64).to_le_bytes());
    match &record.content {
        Content::Tallies(cells) => {
            for number in cells.iter().flat_map(|&cell| <[u64; 6]>::from(cell)) {
                hash.update(number.to_le_bytes());
            }
        }
        Content::Rows(rows) => hash_rows(&mut hash, rows),
    }
    let bytes = hash.finalize();
    bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
