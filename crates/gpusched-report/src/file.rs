//! Texts that the reader of a page can save as files.

use gpusched_model::error::{Error, Result};
use serde::Serialize;

/// A text that the reader can save as a file.
#[derive(Debug, Serialize)]
pub struct File {
    pub id: String,
    pub name: String,
    pub about: String,
    pub text: String,
}

impl File {
    /// Creates a JSON file of `value`.
    ///
    /// # Errors
    /// Fails with [`Error::Internal`] for a value without a JSON form.
    pub fn json(id: &str, name: &str, about: &str, value: &impl Serialize) -> Result<File> {
        let text = serde_json::to_string(value).map_err(|error| Error::Internal(error.to_string()))?;
        Ok(File {
            id: id.to_owned(),
            name: name.to_owned(),
            about: about.to_owned(),
            text: text + "\n",
        })
    }
}
