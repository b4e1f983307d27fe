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
/// A relative path is sought in the folder of the study and those above it, the nearest first, then in the working
/// directory: a study of a checkout finds its files from anywhere, and so does the copy of it in a folder of results there.
/// In a folder elsewhere it finds the copies that were put beside it. These come last: a file that was changed since is never
/// taken for what it was. Which file it was cannot go unnoticed, since the hash of its content is part of the experiment.
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
    /// Their texts, by the path in the study.
    pub texts: BTreeMap<String, String>,
    /// Where they were found. A copy in a folder of results is not among them.
    pub files: Vec<PathBuf>,
}

impl Inputs {
    /// Adds those of another case.
    pub fn extend(&mut self, other: Inputs) {
        self.texts.extend(other.texts);
        self.files.extend(other.files);
    }
}

impl Files {
    /// Nothing read yet, for the study in `file`.
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

    /// Reads the one document in the file at `path`, which `field` names.
    ///
    /// # Errors
    /// What was found and what was expected, with the file and line where that is in it.
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
            .map_err(|_| format!("{path}: found bytes that are no UTF-8, expected {}", T::EXPECTED))?;
        self.inputs.texts.insert(path.to_owned(), text);
        Ok(document)
    }

    /// The content of the file at `path`, or of its copy.
    fn find(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let mut candidates = self.folders.iter().map(|folder| folder.join(path));
        if let Some(found) = candidates.find(|candidate| candidate.is_file()) {
            let bytes = fs::read(&found).map_err(|cause| format!("{path}: cannot read: {cause}"))?;
            self.inputs.files.push(found);
            return Ok(bytes);
        }
        self.copy(path)?.map(String::into_bytes).ok_or_else(|| {
            format!(
                "found \"{path}\", expected a file, relative to the folder of this study, to one above it, or to the \
                 working directory"
            )
        })
    }

    /// What the folder of results has of the file at `path`.
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

    /// SHA-256 of the files read so far, in order.
    pub fn hashes(&self) -> &[String] {
        &self.hashes
    }

    /// The files read.
    pub(super) fn into_inputs(self) -> Inputs {
        self.inputs
    }
}
