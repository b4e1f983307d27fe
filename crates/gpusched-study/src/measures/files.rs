//! Files that a case names.

use gpusched_model::error::Refusal;
use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use crate::output::folder::INPUTS;
use crate::output::hash::sha256;
use gpusched_model::reader::{Document, Documents};

/// Finds and reads the files of one case.
///
/// A relative path is searched in the folder of the study and in the folders above it, the nearest first, then in the working
/// directory. So a study of a checkout finds its files from anywhere, and so does its copy in a folder of results inside the
/// checkout. In a folder elsewhere, a study finds the copies that were saved next to it. Copies come last, so a changed file
/// never counts as its old version. The hash of the content is part of the experiment, so a different file is always noticed.
#[derive(Clone, Debug)]
pub struct Files {
    folders: Vec<PathBuf>,
    copies: PathBuf,
    hashes: Vec<String>,
    inputs: Inputs,
}

/// The files that cases name.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Texts of the files, by the path in the study.
    pub texts: BTreeMap<String, String>,
    /// Paths of the files, except for copies in a folder of results.
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
    /// Creates the reader of the study in `file`.
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

    /// Reads the document in the file at `path`, which `field` names. The file must have exactly one document.
    ///
    /// # Errors
    /// States the value found and the value expected, with the file and the line if the error is in the file.
    pub fn read<T: Document>(&mut self, field: &str, path: &str) -> Result<T, Refusal> {
        self.document(path).map_err(Refusal::about(field))
    }

    fn document<T: Document>(&mut self, path: &str) -> Result<T, String> {
        let bytes = self.find(path)?;
        let mut documents = Documents::<T>::new(path, Cursor::new(bytes.clone()));
        let first = documents.next();
        let document = match (first, documents.next()) {
            (Some(Ok((_, document))), None) => document,
            (Some(Err(error)), _) => return Err(error.to_string()),
            (None, _) => return Err(format!("{path}: found nothing, expected {}", T::EXPECTED)),
            (Some(Ok(_)), Some(_)) => {
                return Err(format!(
                    "{path}: found several documents, expected one, {}",
                    T::EXPECTED
                ));
            }
        };
        self.hashes.push(sha256(&bytes));
        let text = String::from_utf8(bytes)
            .map_err(|_| format!("{path}: found bytes that are not UTF-8, expected {}", T::EXPECTED))?;
        self.inputs.texts.insert(path.to_owned(), text);
        Ok(document)
    }

    /// Returns the content of the file at `path`, or of its copy.
    fn find(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let mut candidates = self.folders.iter().map(|folder| folder.join(path));
        if let Some(found) = candidates.find(|candidate| candidate.is_file()) {
            let bytes = fs::read(&found).map_err(|cause| format!("{path}: cannot read: {cause}"))?;
            self.inputs.files.push(found);
            return Ok(bytes);
        }
        self.copy(path)?.map(String::into_bytes).ok_or_else(|| {
            format!(
                "found \"{path}\", expected a file relative to the folder of this study, to a folder above it, or to the \
                 working directory"
            )
        })
    }

    /// Returns the copy of the file at `path` from the folder of results.
    fn copy(&self, path: &str) -> Result<Option<String>, String> {
        if !self.copies.is_file() {
            return Ok(None);
        }
        let name = self.copies.display();
        let bytes = fs::read(&self.copies).map_err(|cause| format!("{name}: cannot read: {cause}"))?;
        let mut copies: BTreeMap<String, String> = serde_json::from_slice(&bytes).map_err(|error| {
            let line = error.line();
            format!("{name}:{line}: {error}, expected the text of files by their path")
        })?;
        Ok(copies.remove(path))
    }

    /// Returns the SHA-256 hashes of the files read so far, in order.
    pub fn hashes(&self) -> &[String] {
        &self.hashes
    }

    /// Returns the files read.
    pub(super) fn into_inputs(self) -> Inputs {
        self.inputs
    }
}
