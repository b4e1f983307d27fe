//! Studies of partitioning. A study generates task sets at several points. Each point is a number of tasks and a
//! utilization. The results are counts for each analysis variant and each algorithm.

mod checks;
mod effects;
pub(super) mod results;
mod shape;

pub use results::{COLUMNS, TIMING_COLUMNS};
pub use shape::{Algorithm, Axis, PartitioningKind, PartitioningShape, Reading};

use gpusched_analysis::interference::model_of;
use serde::Serialize;

use super::definition::document::{Document, Head};
use super::running::collection::Content;
use super::running::work::{Chunk, MAX_CHUNKS, Point, Work};
use crate::running::tally::Tally;
use gpusched_analysis::generation::{Recipe, Source};
use gpusched_analysis::partitioning::{Heuristic, Offer, Problem, partition_by};
use gpusched_model::Factor;
use gpusched_model::device::Hardware;
use gpusched_model::error::{Error, Refusal, Result};

/// All inputs that determine the results of a study of partitioning, except its name and its seed.
#[derive(Clone, Debug)]
pub struct Partitioning {
    seed: u64,
    sets: u64,
    sms: u32,
    points: Vec<Point>,
    generator: Recipe,
    readings: Vec<Reading>,
    /// Supported partition sizes of each analysis variant.
    offers: Vec<Option<Offer>>,
    algorithms: Vec<Algorithm>,
    /// Heuristic that each algorithm uses.
    heuristics: Vec<Heuristic>,
    weighted: bool,
    work: Work,
}

impl Partitioning {
    /// Reads and checks the study of partitioning in `document`.
    pub(super) fn parse(document: &Document) -> Result<(Head, Partitioning)> {
        let shape: PartitioningShape = document.parse()?;
        super::definition::names::of_files(document, &shape.name)?;
        checks::names(document, &shape)?;
        checks::blocks(document, &shape)?;
        checks::interference(document, &shape)?;
        let sms = checks::sms(document, &shape)?;
        let heuristics = effects::heuristics(document, &shape, sms)?;
        let offers = checks::offers(document, &shape)?;
        let points = checks::points(document, &shape)?;
        if shape.sets == 0 {
            return Err(document.error(Refusal::new("sets", "0", "at least 1")));
        }
        let work = Work::new(points.len(), shape.sets).ok_or_else(|| {
            document.error(Refusal::new(
                "sets",
                format!("{} sets at {} points", shape.sets, points.len()),
                format!("fewer sets, because a study has at most {MAX_CHUNKS} chunks of work"),
            ))
        })?;
        let head = Head {
            name: shape.name,
            title: shape.title,
            source: shape.source,
            seed: shape.seed,
            figures: Some(shape.figure),
            claims: shape.claim,
        };
        let study = Partitioning {
            seed: shape.seed,
            sets: shape.sets,
            sms,
            points,
            generator: shape.generator,
            readings: shape.reading,
            offers,
            algorithms: shape.algorithm,
            heuristics,
            weighted: shape.weighted,
            work,
        };
        study.check_generator(document)?;
        Ok((head, study))
    }

    /// Checks that task sets can be generated at every point. This check prevents that a study fails after hours of
    /// computation.
    fn check_generator(&self, document: &Document) -> Result<()> {
        let table: toml::Table = document.parse()?;
        let generator = table.get("generator").and_then(toml::Value::as_table);
        if generator.is_some_and(|generator| generator.contains_key("wcet")) {
            return Err(document.error(Refusal::new(
                "generator.wcet",
                "a WCET form",
                "`wcet` in each [[reading]]",
            )));
        }
        let whole = self.generator.check();
        whole.map_err(|error| document.error(Refusal::told("generator", error)))?;
        let Some(reading) = self.readings.first() else {
            return Ok(());
        };
        self.points
            .iter()
            .try_for_each(|point| match self.source(point, reading) {
                Ok(_) => Ok(()),
                Err(error) => {
                    let message = format!(
                        "for {} tasks with a total utilization of {}: {error}",
                        point.tasks, point.utilization
                    );
                    Err(document.error(Refusal::told("generator", message)))
                }
            })
    }

    /// Returns the generator of task sets at `point`. The analysis variant `reading` states the WCET form and the
    /// number of blocks. All variants use the same random numbers.
    fn source(&self, point: &Point, reading: &Reading) -> Result<Source> {
        let recipe = Recipe {
            wcet: reading.wcet,
            blocks: reading.blocks.or(self.generator.blocks),
            ..self.generator.clone()
        };
        Source::new(&recipe, point.tasks, point.utilization.as_f64(), self.seed)
    }

    /// Returns the number of task sets per point; at least one.
    pub fn sets(&self) -> u64 {
        self.sets
    }

    /// Returns M, the number of SMs of the GPU.
    pub fn sms(&self) -> u32 {
        self.sms
    }

    /// Returns the points of the study; at least one.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the analysis variants; at least one.
    pub fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// Returns the algorithms that the study compares; at least one.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// Returns the heuristic that each algorithm uses.
    pub fn heuristics(&self) -> &[Heuristic] {
        &self.heuristics
    }

    /// Returns whether the study requests a table of weighted schedulability.
    pub fn weighted(&self) -> bool {
        self.weighted
    }

    /// Returns the chunks of work that the study consists of.
    pub(super) fn work(&self) -> Work {
        self.work
    }

    /// Returns the number of results for one task set: number of analysis variants × number of algorithms.
    pub(super) fn cells(&self) -> usize {
        self.readings.len() * self.algorithms.len()
    }

    /// Returns the description of the experiment as JSON. gpusched hashes this description to identify the experiment.
    pub(super) fn identity(&self, name: &str) -> serde_json::Result<Vec<u8>> {
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
            #[serde(skip_serializing_if = "Vec::is_empty")]
            hardware: Vec<&'a Hardware>,
        }
        serde_json::to_vec(&Experiment {
            name,
            seed: self.seed,
            sets: self.sets,
            sms: self.sms,
            points: self
                .points
                .iter()
                .map(|point| (point.utilization, point.tasks))
                .collect(),
            generator: &self.generator,
            readings: &self.readings,
            algorithms: &self.algorithms,
            hardware: self.offers.iter().flatten().map(Offer::hardware).collect(),
        })
    }

    /// Computes one chunk. Returns `None` if the run was stopped before the end of the chunk.
    pub(super) fn compute(&self, chunk: &Chunk, goes_on: impl Fn() -> bool) -> Result<Option<Content>> {
        let mut cells = vec![Tally::default(); self.cells()];
        let Some(point) = self.points.get(chunk.point) else {
            return Err(Error::parameter("chunk", chunk.index, "the chunk of a point"));
        };
        let per_reading = cells.chunks_mut(self.algorithms.len());
        for ((reading, offer), cells) in self.readings.iter().zip(&self.offers).zip(per_reading) {
            let source = self.source(point, reading)?;
            for index in chunk.sets.clone() {
                if !goes_on() {
                    return Ok(None);
                }
                let set = source.draw(point.index as u64, index)?;
                let mut problem =
                    Problem::new(&set, self.sms, reading.policy, model_of(reading.interference))?;
                if let Some(memory) = reading.memory() {
                    problem = problem.sharing(memory)?;
                }
                if let Some(offer) = offer {
                    problem = problem.offered(offer)?;
                }
                let algorithms = self.algorithms.iter().zip(&self.heuristics);
                for ((algorithm, heuristic), cell) in algorithms.zip(&mut *cells) {
                    cell.count(&partition_by(&problem, heuristic, algorithm.traffic));
                }
            }
        }
        Ok(Some(Content::Tallies(cells)))
    }
}
