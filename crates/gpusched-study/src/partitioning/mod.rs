//! Studies of partitioning. A study generates task sets at several points. Each point is a number of tasks and a
//! utilization. The results are counts for each analysis variant and each algorithm.

mod checks;
mod effects;
mod grid;
mod lines;
mod methods;
mod pairs;
mod program;
pub(super) mod results;
mod setting;
mod shape;
mod slices;

pub use methods::Rejected;
pub use pairs::{PAIR_COLUMNS, mcnemar};
pub use program::{Metric, Population, Program};
pub use results::decimal;
pub use shape::{Algorithm, Axis, PartitioningKind, PartitioningShape, SlicedGpu, Variant};

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use self::lines::Rated;
use self::methods::{Method, Solved};
use self::setting::{Contents, Setting};
use super::definition::document::Document;
use super::definition::files::Inputs;
use super::definition::head::Head;
use super::work::collection::{Collection, Content};
use super::work::{Chunk, MAX_CHUNKS, Point, Work};
use crate::definition::levels::Level;
use crate::own::{Command, Origin, Question, Registry, Session};
use crate::table::OF_METRIC;
use crate::work::tally::Tally;
use gpusched_analysis::generation::Recipe;
use gpusched_analysis::partitioning::{Heuristic, Offer, Problem};
use gpusched_model::device::Hardware;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::{Factor, TaskSet, interrupt};

/// All inputs that determine the results of a study of partitioning, except its name and its seed.
#[derive(Clone, Debug)]
pub struct Partitioning {
    seed: u64,
    sets: u64,
    /// Combinations of values on the axes other than `utilization` and `tasks`; at least one.
    settings: Vec<Setting>,
    points: Vec<Point>,
    algorithms: Vec<Algorithm>,
    /// Method of each algorithm.
    methods: Vec<Method>,
    /// Program that generates the task sets.
    program: Option<Program>,
    /// Metrics of the user, with their programs.
    metrics: Vec<(Metric, Command)>,
    weighted: bool,
    paired: bool,
    work: Work,
    inputs: Inputs,
    /// Hash of each file that the study names.
    hashes: Vec<String>,
}

impl Partitioning {
    /// Reads and checks the study of partitioning in `document`. `registry` has algorithms of the calling program.
    pub(super) fn parse(document: &Document, registry: &Registry) -> Result<(Head, Partitioning)> {
        checks::generator(document)?;
        checks::axes(document)?;
        let cells = grid::cells(document)?;
        let Some(first) = cells.first() else {
            return Err(document.error(Refusal::told("axis", "found no values")));
        };
        let shape = first.shape.clone();
        super::definition::names::of_files(document, &shape.name)?;
        checks::names(document, &shape)?;
        checks::metrics(document, &shape)?;
        if shape.sets == 0 {
            return Err(document.error(Refusal::new("sets", "0", "at least 1")));
        }
        let mut contents = Contents::new(document);
        let checked = cells.iter().map(|cell| {
            let checked = Setting::new(document, cell, &mut contents);
            (cell.levels.clone(), checked)
        });
        let checked = checked.collect();
        let (settings, heuristics): (Vec<Setting>, Vec<_>) =
            grid::all(document, checked)?.into_iter().unzip();
        let heuristics = heuristics.into_iter().next().unwrap_or_default();
        let files = &mut contents.files;
        let methods = methods::methods(document, &shape.algorithm, heuristics, registry, files)?;
        let metrics = shape.metric.iter().enumerate().map(|(index, metric)| {
            let name = format!("{}: metric {:?}", document.file, metric.name);
            let field = format!("metric[{index}].command");
            let program = (metric.command.as_slice(), metric.timeout);
            let command = methods::command(document, (name, &field), program, files)?;
            Ok((metric.clone(), command))
        });
        let metrics = metrics.collect::<Result<_>>()?;
        let points = checks::points(document, &shape, settings.len())?;
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
            settings,
            points,
            algorithms: shape.algorithm,
            methods,
            program: match shape.population {
                Some(Population::Program(program)) => Some(program),
                _ => None,
            },
            metrics,
            weighted: shape.weighted,
            paired: shape.paired,
            work,
            hashes: contents.files.hashes().to_vec(),
            inputs: contents.files.into_inputs(),
        };
        study.check_generator(document)?;
        Ok((head, study))
    }

    /// Checks that task sets can be generated at every point. Without this check, a study could fail after hours of
    /// computation.
    fn check_generator(&self, document: &Document) -> Result<()> {
        let drawn = { self.points.iter() }.filter_map(|point| Some((point, self.setting(point)?)));
        for (point, setting) in drawn.filter(|(_, setting)| setting.population.is_none()) {
            for variant in 0..setting.variants.len() {
                if let Err(error) = setting.source(point, variant, self.seed) {
                    let (tasks, utilization) = (
                        point.tasks.unwrap_or(0),
                        point.utilization.unwrap_or(Factor::ZERO),
                    );
                    let message =
                        format!("for {tasks} tasks with a total utilization of {utilization}: {error}");
                    let error = document.error(Refusal::told("generator", message));
                    return Err(grid::in_cell(error, document, &setting.levels));
                }
            }
        }
        Ok(())
    }

    /// Returns the setting of `point`.
    fn setting(&self, point: &Point) -> Option<&Setting> {
        self.settings.get(point.setting)
    }

    /// Returns the names of all axes other than `utilization` and `tasks`.
    pub fn axes(&self) -> Vec<&'static str> {
        let levels = self.settings.first().map(|setting| setting.levels.iter());
        levels.into_iter().flatten().map(|(name, _)| *name).collect()
    }

    /// Returns the number of different values on the axis called `name`.
    pub(crate) fn count(&self, name: &str) -> usize {
        let levels = self.settings.iter().flat_map(|setting| &setting.levels);
        let levels = levels
            .filter(|(axis, _)| *axis == name)
            .map(|(_, level)| level.to_string());
        levels.collect::<std::collections::BTreeSet<_>>().len()
    }

    /// Returns the value at `point` on each axis other than `utilization` and `tasks`.
    fn levels(&self, point: &Point) -> &[(&'static str, Level)] {
        self.setting(point).map_or(&[], |setting| &setting.levels)
    }

    /// Returns the files that the study names, with their contents.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Returns the number of task sets per point; at least one.
    pub fn sets(&self) -> u64 {
        self.sets
    }

    /// Returns M, the number of SMs of the GPU. If the settings have different numbers, returns the largest number.
    pub fn sms(&self) -> u32 {
        self.settings.iter().map(|setting| setting.sms).max().unwrap_or(0)
    }

    /// Returns the points of the study; at least one.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the analysis variants; at least one. If an axis replaces a field of the variants, the field has the
    /// first value of the axis.
    pub fn variants(&self) -> &[Variant] {
        self.settings.first().map_or(&[], |setting| &setting.variants)
    }

    /// Returns the algorithms that the study compares; at least one.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// Returns the heuristic that each algorithm uses; `None` for an algorithm of the user.
    pub fn heuristics(&self) -> impl Iterator<Item = Option<&Heuristic>> {
        self.methods.iter().map(|method| match method {
            Method::Heuristic(heuristic, _) => Some(heuristic),
            Method::Command(..) | Method::Function(..) | Method::TimeSlices(..) => None,
        })
    }

    /// Returns the name of each algorithm of the user with the task sets whose partitions were rejected since this value was read.
    /// Algorithms without such task sets are absent. Results of earlier runs do not count.
    pub fn rejected(&self) -> impl Iterator<Item = (&str, Rejected)> {
        let methods = self.algorithms.iter().zip(&self.methods);
        methods.filter_map(|(algorithm, method)| Some((algorithm.name.as_str(), method.rejected()?)))
    }

    /// Returns the number of the analysis variant called `name`.
    ///
    /// # Errors
    /// Fails if the study has no such variant.
    pub fn variant_called(&self, name: &str) -> Result<usize> {
        let found = { self.variants().iter() }.position(|variant| variant.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = { self.variants().iter() }
                .map(|variant| variant.name.as_str())
                .collect();
            Error::parameter("variant", format!("{name:?}"), names.join(", "))
        })
    }

    /// Returns the task set with number `index` at the point with number `point`, both from 0, for the analysis variant with
    /// number `variant`. Every algorithm of the study receives this task set.
    ///
    /// # Errors
    /// Fails if the study has no such task set, and if a program of the user that generates the task sets fails.
    pub fn set(&self, point: usize, variant: usize, index: u64) -> Result<TaskSet> {
        let set = self
            .set_list(point, variant, index..index.saturating_add(1))?
            .pop();
        set.ok_or_else(|| Error::parameter("index", index, "a task set of the study"))
    }

    /// Returns the task sets with the numbers `indices` like [`Partitioning::set`].
    ///
    /// # Errors
    /// Fails like [`Partitioning::set`]. Unwinds after an [interrupt], also while a program of the user runs.
    pub fn set_list(&self, point: usize, variant: usize, indices: Range<u64>) -> Result<Vec<TaskSet>> {
        let Some(found) = self.points.get(point) else {
            let last = self.points.len().saturating_sub(1);
            return Err(Error::parameter(
                "point",
                point,
                format!("0 to {last}, the points of the study"),
            ));
        };
        let setting = self.setting(found);
        let Some(setting) = setting.filter(|setting| variant < setting.variants.len()) else {
            return Err(Error::parameter(
                "variant",
                variant,
                "an analysis variant of the study",
            ));
        };
        if indices.end > self.sets || indices.start >= indices.end {
            let last = self.sets.saturating_sub(1);
            let index = indices.start.max(indices.end.saturating_sub(1));
            return Err(Error::parameter(
                "index",
                index,
                format!("0 to {last}, the task sets of each point"),
            ));
        }
        let goes_on = || {
            interrupt::check();
            true
        };
        let sets = setting.sets(found, variant, self.seed, indices, &goes_on)?;
        Ok(sets.map_or_else(Vec::new, Cow::into_owned))
    }

    /// Returns whether the study requests a table of weighted schedulability.
    pub fn weighted(&self) -> bool {
        self.weighted
    }

    /// Returns whether the study requests a table of pairs of algorithms.
    pub fn paired(&self) -> bool {
        self.paired
    }

    /// Returns the chunks of work that the study consists of.
    pub(super) fn work(&self) -> Work {
        self.work
    }

    /// Returns an empty collection of results.
    pub(super) fn collection(&self) -> Collection {
        let names = self.algorithms.iter().map(|algorithm| algorithm.name.clone());
        Collection::of_tallies(self.work, self.tallies(), names.collect(), self.cells())
    }

    /// Returns the number of results for one task set: number of analysis variants × number of algorithms.
    pub(super) fn cells(&self) -> usize {
        self.variants().len() * self.algorithms.len()
    }

    /// Returns the number of tallies for one task set. Each result has one tally. If the study compares pairs of
    /// algorithms, each pair has two more tallies. Then each result has one tally per metric.
    pub(super) fn tallies(&self) -> usize {
        self.before_metrics() + self.cells() * self.metrics.len()
    }

    /// Returns the number of tallies before the tallies of metrics.
    fn before_metrics(&self) -> usize {
        let pairs = pairs::pairs(self.algorithms.len()).count() * self.variants().len();
        self.cells() + if self.paired { 2 * pairs } else { 0 }
    }

    /// Returns the columns of the metrics.
    fn metric_columns(&self) -> Vec<String> {
        let metrics = self.metrics.iter();
        metrics
            .map(|(metric, _)| format!("{OF_METRIC}{}", metric.name))
            .collect()
    }

    /// Returns the description of the experiment as JSON. gpusched hashes this description to identify the experiment.
    pub(super) fn identity(&self, name: &str) -> serde_json::Result<Vec<u8>> {
        // Studies without further axes keep the hash of earlier versions, so the first setting has its own fields, and a field
        // has its former name.
        #[derive(Serialize)]
        struct Experiment<'a> {
            name: &'a str,
            seed: u64,
            sets: u64,
            sms: u32,
            points: Vec<(Option<Factor>, Option<usize>)>,
            generator: &'a Recipe,
            #[serde(rename = "readings")]
            variants: &'a [Variant],
            algorithms: &'a [Algorithm],
            #[serde(skip_serializing_if = "Vec::is_empty")]
            hardware: Vec<&'a Hardware>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            settings: Vec<Further<'a>>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            files: &'a [String],
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            paired: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            population: Option<&'a Program>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            metrics: Vec<&'a Metric>,
        }
        #[derive(Serialize)]
        struct Further<'a> {
            levels: Vec<(&'static str, String)>,
            sms: u32,
            generator: &'a Recipe,
            #[serde(rename = "readings")]
            variants: &'a [Variant],
            hardware: Vec<&'a Hardware>,
        }
        let mut settings: Vec<Further<'_>> = self
            .settings
            .iter()
            .map(|setting| Further {
                levels: setting
                    .levels
                    .iter()
                    .map(|(name, level)| (*name, level.to_string()))
                    .collect(),
                sms: setting.sms,
                generator: &setting.generator,
                variants: &setting.variants,
                hardware: setting.offers.iter().flatten().map(Offer::hardware).collect(),
            })
            .collect();
        let first = self.settings.first().filter(|setting| setting.levels.is_empty());
        if first.is_some() {
            settings.clear();
        }
        let usual = Recipe::default();
        serde_json::to_vec(&Experiment {
            name,
            seed: self.seed,
            sets: self.sets,
            sms: first.map_or(0, |setting| setting.sms),
            points: self
                .points
                .iter()
                .map(|point| (point.utilization, point.tasks))
                .collect(),
            generator: first.map_or(&usual, |setting| &setting.generator),
            variants: first.map_or(&[], |setting| &setting.variants),
            algorithms: &self.algorithms,
            hardware: first
                .iter()
                .flat_map(|setting| setting.offers.iter().flatten().map(Offer::hardware))
                .collect(),
            settings,
            files: &self.hashes,
            paired: self.paired,
            population: self.program.as_ref(),
            metrics: self.metrics.iter().map(|(metric, _)| metric).collect(),
        })
    }

    /// Computes one chunk. Returns `None` if the run was stopped before the end of the chunk.
    pub(super) fn compute(&self, chunk: &Chunk, goes_on: impl Fn() -> bool) -> Result<Option<Content>> {
        let mut tallies = vec![Tally::default(); self.tallies()];
        let (cells, rest) = tallies.split_at_mut(self.cells());
        let (of_pairs, of_metrics) = rest.split_at_mut(self.before_metrics().saturating_sub(self.cells()));
        let mut of_pairs = of_pairs.chunks_mut(of_pairs.len().div_ceil(self.variants().len()).max(1));
        let mut of_metrics = of_metrics.iter_mut();
        let point = self.points.get(chunk.point);
        let Some((point, setting)) = point.and_then(|point| Some((point, self.setting(point)?))) else {
            return Err(Error::parameter("chunk", chunk.index, "the chunk of a point"));
        };
        let mut sessions: Vec<Option<Session<'_>>> = { self.methods.iter() }.map(Method::session).collect();
        let mut raters: Vec<Session<'_>> = { self.metrics.iter() }
            .map(|(_, rater)| rater.session())
            .collect();
        let per_variant = cells.chunks_mut(self.algorithms.len());
        let mut common: Option<Cow<'_, [TaskSet]>> = None;
        for ((index, variant), cells) in setting.variants.iter().enumerate().zip(per_variant) {
            let drawn = match common.take() {
                Some(sets) => Some(sets),
                None => setting.sets(point, index, self.seed, chunk.sets.clone(), &goes_on)?,
            };
            let Some(sets) = drawn else { return Ok(None) };
            let problems = sets.iter().map(|set| setting.problem(set, index));
            let problems: Vec<Problem<'_>> = problems.collect::<Result<_>>()?;
            let questions = sets.iter().zip(&problems).zip(chunk.sets.clone());
            let questions: Vec<Question<'_>> = questions
                .map(|((set, problem), index)| Question {
                    set,
                    problem,
                    origin: Some(Origin {
                        variant: &variant.name,
                        point: point.index,
                        utilization: point.utilization,
                        tasks: point.tasks,
                        index,
                        seed: self.seed,
                    }),
                })
                .collect();
            let mut verdicts = vec![Vec::with_capacity(self.methods.len()); sets.len()];
            let algorithms = self.algorithms.iter().zip(&self.methods);
            for (((algorithm, method), session), cell) in algorithms.zip(&mut sessions).zip(cells) {
                let Some(solved) = method.solve(variant, session.as_mut(), &questions, &goes_on)? else {
                    return Ok(None);
                };
                for (rater, sum) in raters.iter_mut().zip(of_metrics.by_ref()) {
                    let mut rated = Rated {
                        questions: &questions,
                        algorithm: &algorithm.name,
                        solved: &solved,
                        sum,
                    };
                    if rater.ask(&mut rated, &goes_on)?.is_none() {
                        return Ok(None);
                    }
                }
                for (Solved { tally, .. }, verdicts) in solved.iter().zip(&mut verdicts) {
                    cell.add(tally);
                    verdicts.push(tally.schedulable > 0);
                }
            }
            let of_pairs = of_pairs.next().unwrap_or_default();
            for verdicts in &verdicts {
                pairs::count(of_pairs, verdicts);
            }
            common = Some(sets).filter(|_| setting.has_common_sets());
        }
        let mut sessions = sessions.into_iter().flatten().chain(raters);
        sessions.try_for_each(Session::end)?;
        Ok(Some(Content::Tallies(tallies)))
    }
}
