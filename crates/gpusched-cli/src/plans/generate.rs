//! `gpusched generate`: random task sets as JSONL, or as a CSV table.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::arguments::{named, number, whole};
use crate::report::{Output, json_lines, task_sets};
use crate::{Format, Global, Outcome, Run};
use gpusched_analysis::generation::{Distribution, Generator, Periods, Recipe, Source, WcetModel};
use gpusched_model::TaskSet;
use gpusched_model::error::{Error, Result};
use gpusched_study::{Overrides, Spec};

/// Arguments of `gpusched generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Number of tasks in each set
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..), required_unless_present = "study")]
    tasks: Option<usize>,
    /// Total utilization of each set: the sum of work/period of all tasks
    #[arg(long, value_name = "U", value_parser = number, required_unless_present = "study")]
    utilization: Option<f64>,
    /// Number of sets
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(1..))]
    count: u64,
    /// Distribution of the utilization among the tasks
    #[arg(long, value_parser = named::<Generator>(), default_value_t)]
    generator: Generator,
    /// Largest utilization of one task [default: no limit]
    #[arg(long, value_name = "U", value_parser = number)]
    cap: Option<f64>,
    /// Period distribution, e.g., log-uniform:10ms:1s
    ///
    /// One of singh21, waters2015 (automotive engine control), uniform:MIN:MAX, log-uniform:MIN:MAX, harmonic:MIN:MAX (MIN
    /// times powers of two) and list:T1,T2,... (equal probability).
    #[arg(long, default_value_t)]
    periods: Periods,
    /// Form of the WCET functions
    #[arg(long, value_parser = named::<WcetModel>(), default_value_t)]
    wcet: WcetModel,
    /// Probability of a memory-intensive task [default: 0.5]
    #[arg(long, value_name = "P", value_parser = number)]
    memory_share: Option<f64>,
    /// Relative deadline as a multiple of the period [default: 0.75]
    ///
    /// A number, or a distribution: uniform:MIN:MAX, triangular:MIN:MODE:MAX, normal:MEAN:STD:MIN:MAX (truncated) or
    /// beta:ALPHA:BETA:MIN:MAX. Each task draws its own value.
    #[arg(long, value_name = "FACTOR")]
    deadline: Option<Distribution>,
    /// Release jitter, below the deadline, as a multiple of the period [default: 0]
    ///
    /// A number or a distribution, as for --deadline.
    #[arg(long, value_name = "FACTOR")]
    jitter: Option<Distribution>,
    /// Serial fraction of compute-intensive kernels, a number or a distribution [default: 0.02]
    #[arg(long, value_name = "FACTOR")]
    compute_serial: Option<Distribution>,
    /// Serial fraction of memory-intensive kernels, a number or a distribution [default: 0.1]
    #[arg(long, value_name = "FACTOR")]
    memory_serial: Option<Distribution>,
    /// Conflict factor of compute-intensive kernels, a number or a distribution [default: 1.2]
    #[arg(long, value_name = "FACTOR")]
    compute_conflict: Option<Distribution>,
    /// Conflict factor of memory-intensive kernels, a number or a distribution [default: 2.3]
    #[arg(long, value_name = "FACTOR")]
    memory_conflict: Option<Distribution>,
    /// Number of equal thread blocks of each kernel [default: none]
    ///
    /// Adds the field `block` to each task: the longest time without preemption. The value is the
    /// conflict WCET on one SM, C(1), divided by N and rounded up to whole nanoseconds. The
    /// division assumes one running block per SM. If s blocks run concurrently on one SM, divide
    /// N by s.
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    blocks: Option<u32>,
    /// Number of SMs on which a memory-intensive kernel uses 100 GB/s [default: no traffic]
    ///
    /// Adds the fields `traffic` and `bandwidth` (peak) to each task. Analyze the generated sets
    /// with --interference conflict+bandwidth and --memory-bandwidth 100GB/s.
    #[arg(long, value_name = "SMS", value_parser = whole(0..=u32::MAX))]
    saturation: Option<u32>,
    #[command(flatten)]
    study: OfStudy,
}

/// A generator of a study.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Generator of a study")]
struct OfStudy {
    /// Study (TOML) whose generator, or whose own program, generates the sets
    ///
    /// The first sets equal the sets of `study sets`. `--seed` replaces the seed of the study.
    #[arg(long, value_name = "SPEC", requires = "point", conflicts_with_all = OWN)]
    study: Option<PathBuf>,
    /// Index of the point of the study, from 0; the column `point` of the results
    #[arg(long, value_name = "P", value_parser = whole(0..=usize::MAX))]
    point: Option<usize>,
    /// Analysis variant whose WCET functions the sets have [default: the first of the study]
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
}

/// Options that the generator of a study states itself.
const OWN: [&str; 15] = [
    "tasks",
    "utilization",
    "generator",
    "cap",
    "periods",
    "wcet",
    "memory_share",
    "deadline",
    "jitter",
    "compute_serial",
    "memory_serial",
    "compute_conflict",
    "memory_conflict",
    "blocks",
    "saturation",
];

const EXAMPLE: &str = "\
The same arguments and --seed generate the same sets on every machine. A larger --count does not change the first sets.

Examples:
  gpusched generate --tasks 50 --utilization 34 --count 100 -o sets.jsonl
  gpusched generate --tasks 10 --utilization 4 --count 20 --seed 7 | gpusched partition - --sms 44
  gpusched generate --tasks 10 --utilization 4 --count 20 -o sets.csv
  gpusched generate --tasks 10 --utilization 4 --periods waters2015 --deadline uniform:0.5:1 -o waters.jsonl
  gpusched generate --study analysis/smoke.toml --point 3 --count 1000 -o more.jsonl
  gpusched generate --tasks 10 --utilization 4 --blocks 680 | gpusched partition - --sms 44 --policy lp-edf";

/// Maximum total number of tasks in all task sets. A JSONL file with this number of tasks has about 100 GB.
const MOST_TASKS: u64 = 1_000_000_000;

/// Maximum number of tasks in a CSV table.
const MOST_ROWS: u64 = 1_000_000;

/// Number of sets in a batch. gpusched generates the sets of a batch in parallel and then writes
/// them in order.
const BATCH: u64 = 512;

/// Maximum number of tasks in a batch, which bounds memory use.
const BATCH_TASKS: usize = 1 << 17;

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.check_task_sets()?;
        if let Some(spec) = &self.study.study {
            return self.of_study(spec, global);
        }
        let (point, variant) = (self.study.point.is_some(), self.study.variant.is_some());
        if let Some((name, _)) = [("point", point), ("variant", variant)]
            .into_iter()
            .find(|(_, given)| *given)
        {
            return Err(Error::parameter(
                name,
                "no study",
                "--study SPEC, whose generator has this value",
            ));
        }
        let tasks = self.tasks.unwrap_or(0); // without a study, clap requires both options
        let source = Source::new(
            &self.recipe(),
            tasks,
            self.utilization.unwrap_or(0.0),
            global.seed(),
        )?;
        let most = MOST_TASKS / u64::try_from(tasks.max(1)).unwrap_or(u64::MAX);
        if self.count > most {
            let expected = format!(
                "at most {most} sets of {tasks} tasks, because the limit is {MOST_TASKS} tasks in total"
            );
            return Err(Error::parameter("count", self.count, expected));
        }
        let batch = (BATCH_TASKS / tasks.max(1)).max(1);
        let batch = u64::try_from(batch).unwrap_or(BATCH).min(BATCH);

        if global.format() == Format::Csv {
            let pool = global.pool()?;
            return self.table(global, tasks, |sets| {
                pool.install(|| sets.into_par_iter().map(|set| source.draw(0, set)).collect())
            });
        }
        let output = Output::open(global)?;
        output.generate(global, (self.count, "sets"), batch, |sets| {
            let sets = sets.into_par_iter();
            sets.map(|set| json_lines([source.draw(0, set)?])).collect()
        })?;
        Ok(Outcome::Positive)
    }
}

impl Args {
    /// Writes all sets as one CSV table. Its columns depend on all sets, so gpusched keeps them in memory.
    fn table(
        &self,
        global: &Global,
        tasks: usize,
        draw: impl Fn(Range<u64>) -> Result<Vec<TaskSet>>,
    ) -> Result<Outcome> {
        let most = MOST_ROWS / u64::try_from(tasks.max(1)).unwrap_or(u64::MAX);
        if self.count > most {
            let found = format!("{} with --format csv", self.count);
            let expected = format!("at most {most} sets of {tasks} tasks, or JSONL");
            return Err(Error::parameter("count", found, expected));
        }
        task_sets(global, draw(0..self.count)?.into_iter().map(Ok))?;
        Ok(Outcome::Positive)
    }

    /// Generates task sets with the generator of a point of the study in the file `spec`.
    fn of_study(&self, spec: &Path, global: &Global) -> Result<Outcome> {
        let overrides = Overrides {
            sets: Some(self.count),
            seed: global.seed,
        };
        let spec = Spec::read(spec, overrides)?;
        let Some(study) = spec.partitioning() else {
            return Err(Error::file(
                spec.file(),
                "a study of cases",
                "a study of partitioning",
            ));
        };
        let (point, variant) = (self.study.point.unwrap_or(0), self.study.variant.as_deref());
        let variant = variant.map_or(Ok(0), |name| study.variant_called(name))?;
        if global.format() == Format::Csv {
            let first = study.set(point, variant, 0)?;
            return self.table(global, first.tasks().len(), |sets| {
                study.set_list(point, variant, sets)
            });
        }
        let output = Output::open(global)?;
        output.generate(global, (self.count, "sets"), BATCH, |sets| {
            vec![study.set_list(point, variant, sets).and_then(json_lines)]
        })?;
        Ok(Outcome::Positive)
    }

    fn recipe(&self) -> Recipe {
        let default = Recipe::default();
        Recipe {
            generator: self.generator,
            cap: self.cap,
            periods: self.periods.clone(),
            wcet: self.wcet,
            memory_share: self.memory_share.unwrap_or(default.memory_share),
            deadline: self.deadline.unwrap_or(default.deadline),
            jitter: self.jitter,
            compute_serial: self.compute_serial,
            memory_serial: self.memory_serial,
            compute_conflict: self.compute_conflict,
            memory_conflict: self.memory_conflict,
            blocks: self.blocks,
            saturation: self.saturation,
        }
    }
}
