//! Texts that the reader of a page can save as files.

use data_encoding::HEXLOWER;
use gpusched_model::error::{Error, Result};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// A text that the reader can save as a file.
#[derive(Debug, Serialize)]
pub struct File {
    pub id: String,
    pub name: String,
    pub about: String,
    pub text: String,
    /// SHA-256 of `text`, as `sha256sum` states it for the saved file.
    pub sha256: String,
}

impl File {
    /// Creates a JSON file of `value`.
    ///
    /// # Errors
    /// Fails with [`Error::Internal`] for a value without a JSON form.
    pub fn json(id: &str, name: &str, about: &str, value: &impl Serialize) -> Result<File> {
        let text = serde_json::to_string(value).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(File::new(id.to_owned(), name, about, text + "\n"))
    }

    /// Creates a file with the content `text`.
    pub fn new(id: String, name: &str, about: &str, text: String) -> File {
        File {
            id,
            name: name.to_owned(),
            about: about.to_owned(),
            sha256: HEXLOWER.encode(&Sha256::digest(&text)),
            text,
        }
    }
}
