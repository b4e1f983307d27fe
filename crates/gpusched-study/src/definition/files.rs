//! Reader of the files that a study names.

use gpusched_model::error::Refusal;
use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::folder::INPUTS;
use gpusched_model::reader::{Document, Documents};

/// Finds and reads the files that a study or one of its cases names.
///
/// gpusched searches a relative path first in the folder of the study, then in each folder above it, and then in the
/// working directory. Therefore gpusched finds the files of a study in a checkout from any working directory. gpusched
/// also finds them for a copy of the study in a folder of results inside the checkout. Outside the checkout, gpusched
/// uses the copies of these files that a run saved in the folder of results.
///
/// gpusched uses a copy only if it finds no file, so an old copy never replaces a changed file. The identity of the
/// experiment includes the hash of each file. Therefore gpusched always detects that a file has changed.
#[derive(Clone, Debug)]
pub struct Files {
    folders: Vec<PathBuf>,
    copies: PathBuf,
    hashes: Vec<String>,
    inputs: Inputs,
}

/// The files that a study names, with their contents.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Text of each file. The key is the path of the file, as the study states it.
    pub texts: BTreeMap<String, String>,
    /// Paths of the files on this machine, except for copies in a folder of results.
    pub files: Vec<PathBuf>,
}

impl Inputs {
    /// Adds the files of another case.
    pub fn extend(&mut self, other: Inputs) {
        self.texts.extend(other.texts);
        self.files.extend(other.files);
    }
}

impl Files {
    /// Creates a reader for the files that the study in `file` names.
    pub fn new(file: &str) -> Files {
        let absolute = std::path::absolute(file).unwrap_or_default();
        let mut folders: Vec<PathBuf> = absolute.ancestors().skip(1).map(Path::to_owned).collect();
        folders.push(PathBuf::new());
        Files {
            folders,
            copies: absolute.with_extension(INPUTS.trim_start_matches('.')),
            hashes: Vec::new(),
            inputs: Inputs::default(),
        }
    }

    /// Reads the document in the file at `path`. The study states the path in `field`. The file must contain exactly one
    /// document.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is invalid. The message states the value found and the value expected. If the
    /// error is in the file, the message also states the file and the line.
    pub fn read<T: Document>(&mut self, field: &str, path: &str) -> Result<T, Refusal> {
        self.document(path).map_err(Refusal::about(field))
    }

    fn document<T: Document>(&mut self, path: &str) -> Result<T, String> {
        let mut documents = self.documents(path, 1)?;
        match (documents.pop(), documents.is_empty()) {
            (Some(document), true) => Ok(document),
            _ => Err(format!(
                "{path}: found several documents, expected one document: {}",
                T::EXPECTED
            )),
        }
    }

    /// Reads the first `most` documents of the file at `path`, and one more document if the file has more. The study
    /// states the path in `field`. The file must contain at least one document.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Files::read`].
    pub(crate) fn read_first<T: Document>(
        &mut self,
        field: &str,
        path: &str,
        most: u64,
    ) -> Result<Vec<T>, Refusal> {
        self.documents(path, most).map_err(Refusal::about(field))
    }

    fn documents<T: Document>(&mut self, path: &str, most: u64) -> Result<Vec<T>, String> {
        let bytes = self.find(path)?;
        let documents = Documents::<T>::new(path, Cursor::new(bytes.clone()));
        let first = documents.take(usize::try_from(most).unwrap_or(usize::MAX).saturating_add(1));
        let documents: Result<Vec<T>, _> = first.map(|document| Ok(document?.1)).collect();
        let documents = documents.map_err(|error: gpusched_model::error::Error| error.to_string())?;
        if documents.is_empty() {
            return Err(format!("{path}: found nothing, expected {}", T::EXPECTED));
        }
        self.hashes.push(sha256(&bytes));
        let text = String::from_utf8(bytes)
            .map_err(|_| format!("{path}: found bytes that are not UTF-8, expected {}", T::EXPECTED))?;
        self.inputs.texts.insert(path.to_owned(), text);
        Ok(documents)
    }

    /// Returns the argument of a command that the study writes as `argument`. If the argument is the path of a file, gpusched
    /// searches it as every other file, includes its hash in the identity of the experiment, and returns its absolute path. If
    /// only a copy of the file exists, the results can be checked, but the command does not run.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub(crate) fn argument(&mut self, argument: &str) -> Result<String, String> {
        let Some(found) = self.search(argument) else {
            if let Some(copy) = self.copy(argument)? {
                self.hashes.push(sha256(copy.as_bytes()));
                self.inputs.texts.insert(argument.to_owned(), copy);
            }
            return Ok(argument.to_owned());
        };
        let bytes = fs::read(&found).map_err(|cause| format!("{argument}: cannot read: {cause}"))?;
        self.hashes.push(sha256(&bytes));
        // The copy of a program that is no text would be of no use.
        if let Ok(text) = String::from_utf8(bytes) {
            self.inputs.texts.insert(argument.to_owned(), text);
        }
        let absolute = std::path::absolute(&found).unwrap_or_else(|_| found.clone());
        self.inputs.files.push(found);
        let name = absolute.into_os_string().into_string();
        name.map_err(|_| format!("{argument}: found a path that is not UTF-8, expected UTF-8"))
    }

    /// Returns the path of the file that the study calls `path`, or `None`.
    fn search(&self, path: &str) -> Option<PathBuf> {
        let mut candidates = self.folders.iter().map(|folder| folder.join(path));
        candidates.find(|candidate| candidate.is_file())
    }

    /// Returns the content of the file at `path`. If the file does not exist, returns the content
    /// of its copy.
    fn find(&mut self, path: &str) -> Result<Vec<u8>, String> {
        if let Some(found) = self.search(path) {
            let bytes = fs::read(&found).map_err(|cause| format!("{path}: cannot read: {cause}"))?;
            self.inputs.files.push(found);
            return Ok(bytes);
        }
        self.copy(path)?.map(String::into_bytes).ok_or_else(|| {
            format!(
                "found \"{path}\", expected a path relative to the folder of this study, to a parent \
                 folder of the study, or to the working directory"
            )
        })
    }

    /// Returns the copy of the file at `path` in the folder of results, or `None`.
    fn copy(&self, path: &str) -> Result<Option<String>, String> {
        if !self.copies.is_file() {
            return Ok(None);
        }
        let name = self.copies.display();
        let bytes = fs::read(&self.copies).map_err(|cause| format!("{name}: cannot read: {cause}"))?;
        let mut copies: BTreeMap<String, String> = serde_json::from_slice(&bytes).map_err(|error| {
            let line = error.line();
            format!(
                "{name}:{line}: {error}, expected an object that maps the path of each file to the text of \
                 the file"
            )
        })?;
        Ok(copies.remove(path))
    }

    /// Returns the SHA-256 hash of each file read so far, in the order of reading.
    pub fn hashes(&self) -> &[String] {
        &self.hashes
    }

    /// Returns all files that were read.
    pub(crate) fn into_inputs(self) -> Inputs {
        self.inputs
    }
}

/// Returns the SHA-256 hash of `bytes` as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
