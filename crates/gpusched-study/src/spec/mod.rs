//! A study that was read from its TOML file and checked.

mod figures;
pub(super) mod kind;

use std::path::Path;

use self::kind::Kind;
use crate::cases::Cases;
use crate::claim::Claim;
use crate::definition::document::Document;
use crate::definition::figures::Figures;
use crate::definition::files::{Inputs, sha256};
use crate::definition::folder::Folder;
use crate::definition::head::Head;
use crate::definition::tables::Tables;
use crate::own::Registry;
use crate::partitioning::Partitioning;
use crate::plot::Options;
use crate::table::Table;
use crate::work::Work;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Refusal, Result};

/// Numbers that replace the numbers in the study file, for example to shorten a run or to use other random numbers.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Overrides {
    /// Number of task sets per point.
    pub sets: Option<u64>,
    /// Seed of all random numbers of the study.
    pub seed: Option<u64>,
}

/// A study: all inputs that determine its results, and the claims to check.
#[derive(Clone, Debug)]
pub struct Spec {
    document: Document,
    head: Head,
    kind: Kind,
}

impl Spec {
    /// Reads and checks the study in the file at `path`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`] if the file cannot be read, and under the conditions of [`Spec::parse`].
    pub fn read(path: impl AsRef<Path>, overrides: Overrides) -> Result<Spec> {
        Spec::read_with(path, overrides, &Registry::default())
    }

    /// Reads and checks the study in the file at `path`, with the algorithms of `registry` after its own algorithms. The text of
    /// the study then states the names and versions of these algorithms.
    ///
    /// # Errors
    /// Fails under the conditions of [`Spec::read`]. Also fails for a study of cases, and if the study states another version of
    /// a registered algorithm.
    pub fn read_with(path: impl AsRef<Path>, overrides: Overrides, registry: &Registry) -> Result<Spec> {
        Spec::from_document(Document::read(path.as_ref())?, overrides, registry)
    }

    /// Reads and checks the study in `text`. Error messages call the study `file`. gpusched
    /// searches for the files that the study names in the folder of `file` first.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`], which states the line, the field, the value found and the value expected. Causes
    /// of this error are malformed TOML, unknown or missing fields, and axes with no value or too many values. Further
    /// causes are repeated names, missing analysis variants or algorithms, and parameters for which no task set can be
    /// generated. For a study of cases, further causes are an unknown metric, an invalid or unreadable file, and an
    /// override of the number of task sets.
    pub fn parse(file: &str, text: &str, overrides: Overrides) -> Result<Spec> {
        let document = Document {
            file: file.to_owned(),
            text: text.to_owned(),
        };
        Spec::from_document(document, overrides, &Registry::default())
    }

    fn from_document(mut document: Document, overrides: Overrides, registry: &Registry) -> Result<Spec> {
        if overrides.sets.is_some() && Kind::is_cases(&document)? {
            let found = format!("{}, a study of cases without task sets", document.file);
            return Err(Error::parameter("sets", found, "a study of generated task sets"));
        }
        for (key, value) in [("sets", overrides.sets), ("seed", overrides.seed)] {
            if let Some(value) = value {
                document.set(key, value)?;
            }
        }
        if !registry.is_empty() {
            if Kind::is_cases(&document)? {
                let found = format!("{}, a study of cases", document.file);
                return Err(Error::parameter("algorithms", found, "a study of partitioning"));
            }
            let functions = registry.entries().iter();
            document.add_functions(functions.map(|entry| (entry.name.as_str(), entry.version.as_str())))?;
        }
        let (head, kind) = Kind::parse(&document, registry)?;
        let spec = Spec { document, head, kind };
        let tables = spec.kind.made_up(spec.name())?;
        if let Some(figures) = &spec.head.figures {
            // The rows of a study of cases may get their places from values, which are not known yet.
            let parts = |figure: &Options, table: &Table| match spec.kind {
                Kind::Partitioning(_) => {
                    let parts = spec.complete(figure, table).into_iter();
                    parts.map(|(_, options)| options).collect()
                }
                Kind::Cases(_) => Vec::new(),
            };
            figures.check(&spec.document, &tables, parts)?;
        }
        spec.rehearse(&tables).map_err(|error| match error {
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

    /// Checks the claims on tables with arbitrary numbers, so that gpusched finds a misspelt name
    /// before a long run.
    fn rehearse(&self, tables: &Tables) -> Result<()> {
        let folder = Folder::new("", self.name());
        tables.check(self.claims(), &folder).map(drop)
    }

    /// Returns the name of the study. The names of the output files start with this name, and each row of the CSV
    /// contains it.
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// Returns the title of the study for display. The title has one line and may be empty.
    pub fn title(&self) -> &str {
        &self.head.title
    }

    /// Returns the source of the published results that the study reproduces, such as `[Singh21] Fig. 3.4`. The text
    /// may be empty.
    pub fn source_text(&self) -> &str {
        &self.head.source
    }

    /// Returns the seed of all random numbers of the study.
    pub fn seed(&self) -> u64 {
        self.head.seed
    }

    /// Returns the claims of the study.
    pub fn claims(&self) -> &[Claim] {
        &self.head.claims
    }

    /// Returns the figures that the study defines.
    pub fn figures(&self) -> &[Options] {
        self.head.figures.as_ref().map_or(&[], Figures::as_slice)
    }

    /// Returns the kind of the study.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns the definition as a study of partitioning, or `None` if this is a study of cases.
    pub fn partitioning(&self) -> Option<&Partitioning> {
        match &self.kind {
            Kind::Partitioning(study) => Some(study),
            Kind::Cases(_) => None,
        }
    }

    /// Returns the definition as a study of cases, or `None` if this is a study of partitioning.
    pub fn cases(&self) -> Option<&Cases> {
        match &self.kind {
            Kind::Partitioning(_) => None,
            Kind::Cases(study) => Some(study),
        }
    }

    /// Returns the chunks of work that the study consists of.
    pub fn work(&self) -> Work {
        self.kind.work()
    }

    /// Returns the TOML text of the study, after the overrides.
    pub fn text(&self) -> &str {
        &self.document.text
    }

    /// Returns the name of the study file, as the user stated it.
    pub fn file(&self) -> &str {
        &self.document.file
    }

    /// Returns the files that the study names, with their contents.
    pub fn inputs(&self) -> &Inputs {
        match &self.kind {
            Kind::Partitioning(study) => study.inputs(),
            Kind::Cases(study) => study.inputs(),
        }
    }

    /// Creates the output files of a run. An output file never replaces a file that the study names.
    pub fn outputs(&self) -> Outputs {
        Outputs::keeping(&self.inputs().files)
    }

    /// Returns the SHA-256 hash, as hexadecimal digits, of all inputs that determine the results. Two study files with
    /// equal hashes define the same experiment. The hash ignores title, source, figures, claims, comments and layout of
    /// the study file. The hash covers the content of every file that a case names.
    ///
    /// # Errors
    /// Never fails in practice, because all numbers and names can be written as JSON.
    pub fn experiment(&self) -> Result<String> {
        Ok(sha256(&self.kind.identity(self.name())?))
    }
}
