//! The checkpoint of a validation is a file with a header and one line for each chunk of systems.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::journal::{Journal, PATIENCE};

/// Name of the expected kind of file, for error messages.
const CHECKPOINT: &str = "a checkpoint of a validation";

/// The header of a checkpoint, which identifies the campaign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    gpusched: String,
    pub(super) systems: u64,
    seed: u64,
    /// Kind of the systems, such as `end-to-end`; empty for partitions without a shared memory.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    of: String,
    /// Hash of the other parameters of the campaign; 0 if there are no other parameters.
    #[serde(default, skip_serializing_if = "is_zero")]
    parameters: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_zero(hash: &u64) -> bool {
    *hash == 0
}

impl Header {
    /// Creates the header for a campaign of `systems` systems with seed `seed` and this version
    /// of gpusched.
    pub fn new(systems: u64, seed: u64) -> Header {
        Header {
            gpusched: env!("CARGO_PKG_VERSION").to_owned(),
            systems,
            seed,
            of: String::new(),
            parameters: 0,
        }
    }

    /// Adds the kind of the systems and the other parameters of the campaign to the header.
    ///
    /// # Errors
    /// Fails with [`Error::Internal`] if the parameters have no JSON form.
    pub fn of(self, of: &str, parameters: &impl Serialize) -> Result<Header> {
        let text = serde_json::to_string(parameters).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Header {
            of: of.to_owned(),
            parameters: fnv_1a(text.as_bytes()),
            ..self
        })
    }

    /// Returns the first field that differs between two headers, with its values in `self` and in `expected`.
    fn difference(&self, expected: &Header) -> Option<(&'static str, String, String)> {
        let text = |header: &Header| {
            let kind = match header.of.as_str() {
                "" => "partitions without a shared memory",
                of => of,
            };
            [
                ("gpusched", header.gpusched.clone()),
                ("of", kind.to_owned()),
                ("systems", header.systems.to_string()),
                ("seed", header.seed.to_string()),
                (
                    "parameters",
                    format!("other options or programs ({:016x})", header.parameters),
                ),
            ]
        };
        let pairs = text(self).into_iter().zip(text(expected));
        pairs
            .filter(|((_, found), (_, expected))| found != expected)
            .map(|((field, found), (_, expected))| match field {
                "parameters" => (field, found, "the options and programs of this run".to_owned()),
                _ => (field, found, expected),
            })
            .next()
    }
}

/// Returns the 64-bit FNV-1a hash of `bytes`. A checkpoint stores this hash, so it must be the same in every version of
/// the compiler.
fn fnv_1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Opens the checkpoint at `path`, or creates it. Returns the checkpoint and the records that it contains.
///
/// # Errors
/// Fails with [`Error::Refused`] if another process uses the file, or if the file is not a checkpoint of this campaign.
/// Fails with [`Error::Io`] if the file cannot be accessed.
pub(super) fn open<R: DeserializeOwned>(path: &Path, header: &Header) -> Result<(Journal, Vec<R>)> {
    let mut journal = Journal::open(path, || {
        let seconds = PATIENCE.as_secs();
        let found = format!("a checkpoint that another process uses, also after {seconds} s");
        Error::file(path, found, "a checkpoint that no other process uses")
    })?;
    let (mut lines, mut records) = (journal.lines(), Vec::new());
    let told = |error, number: usize| {
        let refusal = Refusal::told("", format!("{error}, expected {CHECKPOINT}"));
        Error::from(refusal.at(path, number))
    };
    if let Some(line) = lines.next()? {
        let found: Header = serde_json::from_slice(line).map_err(|error| told(error, 1))?;
        if let Some((field, found, expected)) = found.difference(header) {
            let refusal = Refusal::new(field, format!("a checkpoint with {found}"), expected);
            let hint = "delete this file to start anew, or choose another file";
            return Err(refusal.at(path, 1).hint(hint).into());
        }
        while let Some(line) = lines.next()? {
            let record = serde_json::from_slice(line);
            records.push(record.map_err(|error| told(error, lines.number()))?);
        }
    } else if !lines.rest().is_empty() && !lines.rest().starts_with(b"{\"gpusched\"") {
        return Err(Error::file(
            path,
            "a file that is not a checkpoint",
            format!("{CHECKPOINT}, or a path where no file exists"),
        ));
    }
    let valid = lines.position();
    journal.keep(valid)?;
    if valid == 0 {
        journal.append(header)?;
    }
    Ok((journal, records))
}
