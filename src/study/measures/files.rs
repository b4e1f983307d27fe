//! Files that a case names.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use crate::model::reader::{Document, Documents};
use crate::study::spec::sha256;

/// Finds and reads the files of one case.
///
/// A relative path is sought in the folder of the study and those above it, the nearest first, then in the working
/// directory: a study of a checkout finds its files from anywhere, and so does the copy of it in a folder of results. Which
/// file it was cannot go unnoticed, since the hash of its content is part of the experiment.
#[derive(Clone, Debug)]
pub struct Files {
    folders: Vec<PathBuf>,
    hashes: Vec<String>,
}

impl Files {
    /// Nothing read yet, for the study in `file`.
    pub fn new(file: &str) -> Files {
        let absolute = std::path::absolute(file).unwrap_or_default();
        let mut folders: Vec<PathBuf> = absolute.ancestors().skip(1).map(Path::to_owned).collect();
        folders.push(PathBuf::new());
        Files {
            folders,
            hashes: Vec::new(),
        }
    }

    /// Reads the one document in the file at `path`.
    ///
    /// # Errors
    /// What was found and what was expected, with the file and line where that is in it.
    pub fn read<T: Document>(&mut self, path: &str) -> Result<T, String> {
        let candidates = self.folders.iter().map(|folder| folder.join(path));
        let Some(found) = candidates.into_iter().find(|candidate| candidate.is_file()) else {
            return Err(format!(
                "found \"{path}\", expected a file, relative to the folder of this study, to one above it, or to the \
                 working directory"
            ));
        };
        let bytes = fs::read(&found).map_err(|cause| format!("{path}: cannot read: {cause}"))?;
        self.hashes.push(sha256(&bytes));
        let mut documents = Documents::<T>::new(path, Cursor::new(bytes));
        let first = documents.next();
        match (first, documents.next()) {
            (Some(Ok((_, document))), None) => Ok(document),
            (Some(Err(error)), _) => Err(error.to_string()),
            (None, _) => Err(format!("{path}: found nothing, expected {}", T::EXPECTED)),
            (Some(Ok(_)), Some(_)) => Err(format!(
                "{path}: found several documents, expected one, {}",
                T::EXPECTED
            )),
        }
    }

    /// SHA-256 of the files read so far, in order.
    pub fn hashes(&self) -> &[String] {
        &self.hashes
    }
}
