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

/// Numbers that replace those of the file, for a quick look or another sample.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Overrides {
    /// Task sets per point.
    pub sets: Option<u64>,
    /// The seed.
    pub seed: Option<u64>,
}

/// A study: everything its results depend on, and the claims they are held against.
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
    /// [`Error::Io`] if the file cannot be read, and those of [`Spec::parse`].
    pub fn read(path: impl AsRef<Path>, overrides: Overrides) -> Result<Spec> {
        Spec::from_document(Document::read(path.as_ref())?, overrides)
    }

    /// Reads the study in `text`; `file` is the name that messages give it, and where files that it names are sought.
    ///
    /// # Errors
    /// [`Error::Refused`] naming line, field, value and expectation: malformed TOML, an unknown or missing field, an empty
    /// or endless axis, names used twice, no reading or algorithm, task sets that cannot be drawn, an unknown measure, a
    /// file that a case names and that cannot be read or is not what it should be. [`Error::Refused`] for task sets per point
    /// of a study that has none.
    pub fn parse(file: &str, text: &str, overrides: Overrides) -> Result<Spec> {
        let document = Document {
            file: file.to_owned(),
            text: text.to_owned(),
        };
        Spec::from_document(document, overrides)
    }

    fn from_document(mut document: Document, overrides: Overrides) -> Result<Spec> {
        if overrides.sets.is_some() && Kind::is_cases(&document)? {
            let found = format!("{}, a study of cases, which has no sets", document.file);
            return Err(Error::parameter("sets", found, "a study of generated sets"));
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

    /// Checks that the claims make sense, on made-up results: a misspelt algorithm must not come out after hours.
    fn rehearse(&self) -> Result<()> {
        let tables = self.kind.made_up(self.name())?;
        let folder = Folder::new("", self.name());
        tables.check(self.claims(), &folder).map(drop)
    }

    /// The name: of the study's files, and in its CSV.
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// One line for people; may be empty.
    pub fn title(&self) -> &str {
        &self.head.title
    }

    /// What is reproduced; may be empty.
    pub fn source_text(&self) -> &str {
        &self.head.source
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.head.seed
    }

    /// The claims.
    pub fn claims(&self) -> &[Claim] {
        &self.head.claims
    }

    /// What it does.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What it does, if that is partitioning.
    pub fn partitioning(&self) -> Option<&Partitioning> {
        match &self.kind {
            Kind::Partitioning(study) => Some(study),
            Kind::Cases(_) => None,
        }
    }

    /// What it does, if that is measuring case by case.
    pub fn cases(&self) -> Option<&Cases> {
        match &self.kind {
            Kind::Partitioning(_) => None,
            Kind::Cases(study) => Some(study),
        }
    }

    /// The chunks of work.
    pub fn work(&self) -> Work {
        self.kind.work()
    }

    /// The TOML text with the overrides in it.
    pub fn text(&self) -> &str {
        &self.document.text
    }

    /// The file as the user named it.
    pub fn file(&self) -> &str {
        &self.document.file
    }

    /// The start of files of results. None of them replaces a file that a case names.
    pub fn outputs(&self) -> Outputs {
        Outputs::keeping(self.cases().map(Cases::files).unwrap_or_default())
    }

    /// SHA-256 of everything the results depend on, as hexadecimal digits: two files with the same value are the same
    /// experiment. Title, source, claims, comments and layout do not count; the content of files that it names does.
    ///
    /// # Errors
    /// Never in practice: numbers and names can be written as JSON.
    pub fn experiment(&self) -> Result<String> {
        Ok(sha256(&self.kind.identity(self.name())?))
    }
}
