//! Settings: everything that determines the results of a point, except its utilization and its number of tasks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::checks;
use super::effects;
use super::grid::Cell;
use super::lines::Generator;
use super::methods;
use super::program::{Population, Program};
use super::shape::Variant;
use crate::definition::document::Document;
use crate::definition::files::Files;
use crate::definition::functions::WcetFunctions;
use crate::definition::levels::Level;
use crate::work::Point;
use gpusched_analysis::generation::{Kernels, Recipe, Source};
use gpusched_analysis::interference::model_of;
use gpusched_analysis::partitioning::{Heuristic, Offer, Problem};
use gpusched_model::TaskSet;
use gpusched_model::error::{Error, Refusal, Result};

/// One combination of values on all axes other than `utilization` and `tasks`, with checked fields.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// Value on each of these axes.
    pub levels: Vec<(&'static str, Level)>,
    /// Number of SMs of the GPU.
    pub sms: u32,
    pub generator: Recipe,
    pub variants: Vec<Variant>,
    /// Supported partition sizes of each analysis variant.
    pub offers: Vec<Option<Offer>>,
    /// For each analysis variant with measured WCET functions, the kernels that the generated tasks copy.
    pub kernels: Vec<Option<Kernels>>,
    /// Task sets from a file or a program. Absent if the study generates task sets.
    pub population: Option<Given>,
}

/// Task sets from a file or a program.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// Task sets from a file.
    Sets(Arc<[TaskSet]>),
    /// A program that generates task sets.
    Program(Generator),
}

/// The contents of the files that were read so far. Several settings may use the same file.
#[derive(Debug)]
pub(super) struct Contents {
    pub files: Files,
    kernels: BTreeMap<String, Kernels>,
    populations: BTreeMap<String, Arc<[TaskSet]>>,
}

impl Contents {
    /// Creates a reader for the files that the study in `document` names.
    pub fn new(document: &Document) -> Contents {
        Contents {
            files: Files::new(&document.file),
            kernels: BTreeMap::new(),
            populations: BTreeMap::new(),
        }
    }

    fn kernels(&mut self, functions: &WcetFunctions) -> Result<Option<Kernels>, Refusal> {
        let WcetFunctions::From(from) = functions else {
            return Ok(None);
        };
        if let Some(known) = self.kernels.get(from.path()) {
            return Ok(Some(known.clone()));
        }
        let kernels = functions.kernels(&mut self.files)?;
        if let Some(kernels) = &kernels {
            self.kernels.insert(from.path().to_owned(), kernels.clone());
        }
        Ok(kernels)
    }

    fn population(&mut self, path: &str, sets: u64) -> Result<Arc<[TaskSet]>, Refusal> {
        if let Some(known) = self.populations.get(path) {
            return Ok(known.clone());
        }
        let mut found: Vec<TaskSet> = self.files.read_first("population", path, sets)?;
        if (found.len() as u64) < sets {
            let expected = format!("at least `sets` = {sets} task sets");
            return Err(Refusal::new(
                "population",
                format!("{} task sets in {path}", found.len()),
                expected,
            ));
        }
        found.truncate(usize::try_from(sets).unwrap_or(usize::MAX));
        let population: Arc<[TaskSet]> = found.into();
        self.populations.insert(path.to_owned(), population.clone());
        Ok(population)
    }
}

impl Setting {
    /// Checks one grid cell of the study in `document`, and returns its setting. Also returns the heuristic of each
    /// algorithm.
    pub fn new(
        document: &Document,
        cell: &Cell,
        contents: &mut Contents,
    ) -> Result<(Setting, Vec<Option<Heuristic>>)> {
        let shape = &cell.shape;
        checks::blocks(document, shape)?;
        checks::interference(document, shape)?;
        let sms = checks::sms(document, shape)?;
        let heuristics = effects::heuristics(document, shape, sms)?;
        let offers = checks::offers(document, shape)?;
        checks::population(document, cell)?;
        let refuse = |refusal: Refusal| document.error(refusal);
        let population = match &shape.population {
            None => None,
            Some(Population::File(path)) => {
                let sets = contents.population(path, shape.sets).map_err(refuse)?;
                Some(Given::Sets(sets))
            }
            Some(Population::Program(Program { command, timeout })) => {
                let name = format!("{}: population", document.file);
                let (field, program) = ((name, "population.command"), (command.as_slice(), *timeout));
                let command = methods::command(document, field, program, &mut contents.files)?;
                Some(Given::Program(Generator { command, sms }))
            }
        };
        let kernels = shape
            .variant
            .iter()
            .enumerate()
            .map(|(index, variant)| match &variant.wcet {
                None => Ok(None),
                Some(functions) => {
                    let kernels = contents.kernels(functions);
                    kernels.map_err(|refusal| refuse(refusal.within(&format!("variant[{index}]"))))
                }
            });
        let setting = Setting {
            levels: cell.levels.clone(),
            sms,
            generator: shape.generator.clone(),
            kernels: kernels.collect::<Result<_>>()?,
            variants: shape.variant.clone(),
            offers,
            population,
        };
        setting.check_population(document)?;
        let whole = setting.generator.check();
        whole.map_err(|error| document.error(Refusal::told("generator", error)))?;
        Ok((setting, heuristics))
    }

    /// Checks that each analysis variant accepts the task sets from a file. Without this check, a study could fail
    /// after hours of computation.
    fn check_population(&self, document: &Document) -> Result<()> {
        let Some(Given::Sets(sets)) = &self.population else {
            return Ok(());
        };
        for set in sets.iter() {
            for variant in 0..self.variants.len() {
                if let Err(error) = self.problem(set, variant) {
                    let name = set.name().unwrap_or("a task set without a name");
                    let message = format!("{name}: variant[{variant}]: {error}");
                    return Err(document.error(Refusal::told("population", message)));
                }
            }
        }
        Ok(())
    }

    /// Returns the generator of task sets at `point` for the analysis variant with number `index`. The variant states
    /// the WCET functions and the number of blocks. All variants use the same random numbers.
    pub fn source(&self, point: &Point, index: usize, seed: u64) -> Result<Source> {
        let variant = self.variants.get(index);
        let functions = variant.and_then(|variant| variant.wcet.as_ref());
        let recipe = Recipe {
            wcet: functions.map(WcetFunctions::model).unwrap_or_default(),
            blocks: variant
                .and_then(|variant| variant.blocks)
                .or(self.generator.blocks),
            ..self.generator.clone()
        };
        let utilization = point.utilization.map_or(0.0, |utilization| utilization.as_f64());
        let source = Source::new(&recipe, point.tasks.unwrap_or(0), utilization, seed)?;
        match self.kernels.get(index).and_then(Option::as_ref) {
            Some(kernels) => Ok(source.with_kernels(kernels.clone())?),
            None => Ok(source),
        }
    }

    /// Returns the task sets with the numbers `indices` at `point`, for the analysis variant with number `variant`. Returns `None`
    /// if the run was stopped.
    ///
    /// # Errors
    /// Fails if the population has fewer task sets, and if a program of the user fails.
    pub fn sets(
        &self,
        point: &Point,
        variant: usize,
        seed: u64,
        indices: Range<u64>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<Cow<'_, [TaskSet]>>> {
        match &self.population {
            Some(Given::Sets(sets)) => {
                let place = |index| usize::try_from(index).unwrap_or(usize::MAX);
                let found = sets.get(place(indices.start)..place(indices.end));
                let found = found.ok_or_else(|| {
                    let expected = format!("fewer than {}, the task sets of the population", sets.len());
                    Error::parameter("index", indices.start, expected)
                });
                found.map(|sets| Some(Cow::Borrowed(sets)))
            }
            Some(Given::Program(generator)) => {
                let sets = generator.sets(point, seed, indices, goes_on)?;
                Ok(sets.map(Cow::Owned))
            }
            None => {
                let source = self.source(point, variant, seed)?;
                let sets = indices.map_while(|index| goes_on().then(|| source.draw(point.drawn, index)));
                let sets = sets.collect::<Result<Vec<_>>>()?;
                Ok(goes_on().then_some(Cow::Owned(sets)))
            }
        }
    }

    /// Whether all analysis variants have the same task sets, because these state their WCET functions.
    pub fn has_common_sets(&self) -> bool {
        self.population.is_some()
    }

    /// Returns the partitioning problem of `set` for the analysis variant with number `index`.
    pub fn problem<'s>(&'s self, set: &'s TaskSet, index: usize) -> Result<Problem<'s>> {
        let Some(variant) = self.variants.get(index) else {
            return Err(Error::parameter(
                "variant",
                index,
                "an analysis variant of the study",
            ));
        };
        let mut problem = Problem::new(set, self.sms, variant.policy, model_of(variant.interference))?
            .varied(variant.variation_percent)?;
        if let Some(memory) = variant.memory() {
            problem = problem.sharing(memory)?;
        }
        match self.offers.get(index).and_then(Option::as_ref) {
            Some(offer) => problem.offered(offer),
            None => Ok(problem),
        }
    }
}
