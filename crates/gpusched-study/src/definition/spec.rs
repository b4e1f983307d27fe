//! A study, read from its TOML file and checked.

use std::path::Path;

use super::document::{Document, Head};
use super::kind::Kind;
use crate::Claim;
use crate::cases::Cases;
use crate::output::folder::Folder;
use crate::output::hash::sha256;
use crate::partitioning::Partitioning;
use crate::running::work::Work;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Refusal, Result};

/// Numbers that replace numbers of the file, for a quick run or another sample.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Overrides {
    /// Task sets per point.
    pub sets: Option<u64>,
    /// Seed of all random numbers.
    pub seed: Option<u64>,
}

/// A study: all inputs of its results, and the claims to check.
#[derive(Clone, Debug)]
pub struct Spec {
    document: Document,
    head: Head,
    kind: Kind,
}

impl Spec {
    /// Reads the study in the file at `path`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be read, and under the conditions of [`Spec::parse`].
    pub fn read(path: impl AsRef<Path>, overrides: Overrides) -> Result<Spec> {
        Spec::from_document(Document::read(path.as_ref())?, overrides)
    }

    /// Reads the study in `text`. Messages name it `file`, and files that it names are searched relative to `file`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`], which names line, field, value and expectation. Causes are malformed TOML, unknown or
    /// missing fields, and empty or too long axes. Further causes are repeated names, missing analysis variants or
    /// algorithms, and parameters that give no task set. A study of cases also fails for an unknown metric, for an unreadable
    /// or wrong file, and for overridden task sets per point.
    pub fn parse(file: &str, text: &str, overrides: Overrides) -> Result<Spec> {
        let document = Document {
            file: file.to_owned(),
            text: text.to_owned(),
        };
        Spec::from_document(document, overrides)
    }

    fn from_document(mut document: Document, overrides: Overrides) -> Result<Spec> {
        if overrides.sets.is_some() && Kind::is_cases(&document)? {
            let found = format!("{}, a study of cases without task sets", document.file);
            return Err(Error::parameter("sets", found, "a study of generated task sets"));
        }
        for (key, value) in [("sets", overrides.sets), ("seed", overrides.seed)] {
            if let Some(value) = value {
                document.set(key, value)?;
            }
        }
        let (head, kind) = Kind::parse(&document)?;
        let spec = Spec { document, head, kind };
        spec.rehearse().map_err(|error| match error {
            Error::Refused(refusal) => {
                let message = format!("{}: {}", refusal.field(), refusal.message());
                let told = Refusal::told("claim", message);
                spec.document.error(match refusal.advice() {
                    Some(advice) => told.hint(advice),
                    None => told,
                })
            }
            other => other,
        })?;
        Ok(spec)
    }

    /// Checks the claims on synthetic results, so that a misspelt algorithm fails before a long run.
    fn rehearse(&self) -> Result<()> {
        let tables = self.kind.made_up(self.name())?;
        let folder = Folder::new("", self.name());
        tables.check(self.claims(), &folder).map(drop)
    }

    /// Returns the name of the study, its files and its rows in the CSV.
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// Returns the title for display, one line; may be empty.
    pub fn title(&self) -> &str {
        &self.head.title
    }

    /// Returns the published results that the study reproduces; may be empty.
    pub fn source_text(&self) -> &str {
        &self.head.source
    }

    /// Returns the seed of all random numbers.
    pub fn seed(&self) -> u64 {
        self.head.seed
    }

    /// Returns the claims.
    pub fn claims(&self) -> &[Claim] {
        &self.head.claims
    }

    /// Returns the kind of the study.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns the study of partitioning, if it is one.
    pub fn partitioning(&self) -> Option<&Partitioning> {
        match &self.kind {
            Kind::Partitioning(study) => Some(study),
            Kind::Cases(_) => None,
        }
    }

    /// Returns the study of cases, if it is one.
    pub fn cases(&self) -> Option<&Cases> {
        match &self.kind {
            Kind::Partitioning(_) => None,
            Kind::Cases(study) => Some(study),
        }
    }

    /// Returns the chunks of work.
    pub fn work(&self) -> Work {
        self.kind.work()
    }

    /// Returns the TOML text with the overrides.
    pub fn text(&self) -> &str {
        &self.document.text
    }

    /// Returns the name of the file as the user gave it.
    pub fn file(&self) -> &str {
        &self.document.file
    }

    /// Creates the output files of a run. They never replace a file that a case names.
    pub fn outputs(&self) -> Outputs {
        Outputs::keeping(self.cases().map(Cases::files).unwrap_or_default())
    }

    /// Returns the SHA-256 hash of all inputs of the results, as hexadecimal digits. Two files with equal hashes are the same
    /// experiment. Title, source, claims, comments and layout have no effect; the content of named files has.
    ///
    /// # Errors
    /// Never fails in practice, because numbers and names can be written as JSON.
    pub fn experiment(&self) -> Result<String> {
        Ok(sha256(&self.kind.identity(self.name())?))
    }
}
