//! A study, read from its TOML file and checked.

mod checks;

use std::path::Path;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Claim;
use super::document::Document;
use super::findings;
use super::shape::{Algorithm, Figure, Reading, Shape};
use super::work::{MAX_CHUNKS, Point, Work};
use crate::error::{Error, Result};
use crate::generation::{Recipe, Source};
use crate::model::Factor;

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
    shape: Shape,
    sms: u32,
    points: Vec<Point>,
    work: Work,
}

impl Spec {
    /// Reads the study in the file at `path`.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, and those of [`Spec::parse`].
    pub fn read(path: impl AsRef<Path>, overrides: Overrides) -> Result<Spec> {
        Spec::from_document(Document::read(path.as_ref())?, overrides)
    }

    /// Reads the study in `text`; `file` is the name that messages give it.
    ///
    /// # Errors
    /// [`Error::Input`] naming line, field, value and expectation: malformed TOML, an unknown or missing field, an empty
    /// or endless axis, names used twice, no reading or algorithm, task sets that cannot be drawn.
    pub fn parse(file: &str, text: &str, overrides: Overrides) -> Result<Spec> {
        let document = Document {
            file: file.to_owned(),
            text: text.to_owned(),
        };
        Spec::from_document(document, overrides)
    }

    fn from_document(mut document: Document, overrides: Overrides) -> Result<Spec> {
        for (key, value) in [("sets", overrides.sets), ("seed", overrides.seed)] {
            if let Some(value) = value {
                document.set(key, value)?;
            }
        }
        let shape: Shape = document.parse()?;
        checks::names(&document, &shape)?;
        checks::blocks(&document, &shape)?;
        let sms = checks::sms(&document, &shape)?;
        let points = checks::points(&document, &shape)?;
        if shape.sets == 0 {
            return Err(document.error("sets", "found 0, expected at least 1"));
        }
        let columns = shape.figure.columns();
        if !columns.contains(&shape.figure.y.as_str()) {
            let message = format!(
                "found \"{}\", expected one of {}",
                shape.figure.y,
                columns.join(", ")
            );
            return Err(document.error("figure.y", message));
        }
        let work = Work::new(points.len(), shape.sets).ok_or_else(|| {
            let message = format!(
                "found {} sets at {} points, expected fewer (at most {MAX_CHUNKS} chunks of work)",
                shape.sets,
                points.len()
            );
            document.error("sets", message)
        })?;
        let spec = Spec {
            document,
            shape,
            sms,
            points,
            work,
        };
        spec.check_generator()?;
        findings::rehearse(&spec).map_err(|error| {
            let message = match error {
                Error::Input(error) => error.message,
                other => other.to_string(),
            };
            spec.document.error("claim", message)
        })?;
        Ok(spec)
    }

    /// Every point must be drawable, so that a study does not fail after hours.
    fn check_generator(&self) -> Result<()> {
        let table: toml::Table = self.document.parse()?;
        let generator = table.get("generator").and_then(toml::Value::as_table);
        if generator.is_some_and(|generator| generator.contains_key("wcet")) {
            let message = "found a WCET form, expected it in each [[reading]]";
            return Err(self.document.error("generator.wcet", message));
        }
        let whole = self.shape.generator.check();
        whole.map_err(|error| self.document.error("generator", error.to_string()))?;
        let Some(reading) = self.shape.reading.first() else {
            return Ok(());
        };
        self.points
            .iter()
            .try_for_each(|point| match self.source(point, reading) {
                Ok(_) => Ok(()),
                Err(error) => {
                    let message = format!(
                        "with {} tasks of utilization {}: {error}",
                        point.tasks, point.utilization
                    );
                    Err(self.document.error("generator", message))
                }
            })
    }

    /// Where the task sets of `point` come from, with the WCET form and the blocks of `reading`. All readings see the same
    /// draws.
    pub(super) fn source(&self, point: &Point, reading: &Reading) -> Result<Source> {
        let recipe = Recipe {
            wcet: reading.wcet,
            blocks: reading.blocks.or(self.shape.generator.blocks),
            ..self.shape.generator.clone()
        };
        Source::new(&recipe, point.tasks, point.utilization.as_f64(), self.shape.seed)
    }

    /// The name: of the study's files, and in its CSV.
    pub fn name(&self) -> &str {
        &self.shape.name
    }

    /// One line for people; may be empty.
    pub fn title(&self) -> &str {
        &self.shape.title
    }

    /// What is reproduced; may be empty.
    pub fn source_text(&self) -> &str {
        &self.shape.source
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.shape.seed
    }

    /// Task sets per point; at least one.
    pub fn sets(&self) -> u64 {
        self.shape.sets
    }

    /// M.
    pub fn sms(&self) -> u32 {
        self.sms
    }

    /// The points; at least one.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The readings; at least one.
    pub fn readings(&self) -> &[Reading] {
        &self.shape.reading
    }

    /// The algorithms; at least one.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.shape.algorithm
    }

    /// The claims.
    pub fn claims(&self) -> &[Claim] {
        &self.shape.claim
    }

    /// What the figure shows.
    pub fn figure(&self) -> &Figure {
        &self.shape.figure
    }

    /// The chunks of work.
    pub fn work(&self) -> Work {
        self.work
    }

    /// The results of one task set: readings × algorithms.
    pub(super) fn cells(&self) -> usize {
        self.shape.reading.len() * self.shape.algorithm.len()
    }

    /// The TOML text with the overrides in it.
    pub fn text(&self) -> &str {
        &self.document.text
    }

    /// The file as the user named it.
    pub fn file(&self) -> &str {
        &self.document.file
    }

    /// SHA-256 of everything the results depend on, as hexadecimal digits: two files with the same value are the same
    /// experiment. Title, source, claims, comments and layout do not count.
    ///
    /// # Errors
    /// Never in practice: numbers and names can be written as JSON.
    pub fn experiment(&self) -> Result<String> {
        #[derive(Serialize)]
        struct Experiment<'a> {
            name: &'a str,
            seed: u64,
            sets: u64,
            sms: u32,
            points: Vec<(Factor, usize)>,
            generator: &'a Recipe,
            readings: &'a [Reading],
            algorithms: &'a [Algorithm],
        }
        let experiment = Experiment {
            name: self.name(),
            seed: self.seed(),
            sets: self.sets(),
            sms: self.sms,
            points: self
                .points
                .iter()
                .map(|point| (point.utilization, point.tasks))
                .collect(),
            generator: &self.shape.generator,
            readings: self.readings(),
            algorithms: self.algorithms(),
        };
        let json = serde_json::to_vec(&experiment).map_err(|error| Error::Usage(error.to_string()))?;
        Ok(sha256(&json))
    }
}

/// SHA-256 as hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
