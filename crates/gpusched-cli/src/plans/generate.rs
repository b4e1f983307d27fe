//! `gpusched generate`: random task sets as JSONL.

use std::io::{self, IsTerminal as _};

use rayon::prelude::*;

use super::{Format, Global, Outcome};
use crate::arguments::{named, number, refused, whole};
use crate::report::{Output, Progress, json_lines};
use gpusched_analysis::generation::{Generator, Periods, Recipe, Source, WcetModel};
use gpusched_model::Factor;
use gpusched_model::error::{Error, Result};

/// Arguments of `gpusched generate`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Number of tasks in each set
    #[arg(long, value_name = "N", value_parser = whole::<usize>(0..))]
    tasks: usize,
    /// Total utilization of each set: the sum of work/period over the tasks
    #[arg(long, value_name = "U", value_parser = number)]
    utilization: f64,
    /// Number of sets
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(1..))]
    count: u64,
    /// Distribution of the utilization among the tasks
    #[arg(long, value_parser = named::<Generator>(), default_value_t)]
    generator: Generator,
    /// Largest utilization of one task [default: no limit]
    #[arg(long, value_name = "U", value_parser = number)]
    cap: Option<f64>,
    /// Period distribution: singh21, or log-uniform:MIN:MAX, e.g., log-uniform:10ms:1s
    #[arg(long, default_value_t)]
    periods: Periods,
    /// Form of the WCET functions
    #[arg(long, value_parser = named::<WcetModel>(), default_value_t)]
    wcet: WcetModel,
    /// Probability of a memory-intensive task [default: 0.5]
    #[arg(long, value_name = "P", value_parser = number)]
    memory_share: Option<f64>,
    /// Relative deadline as a multiple of the period [default: 0.75]
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    deadline: Option<Factor>,
    /// Release jitter as a multiple of the period, below the deadline [default: 0]
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    jitter: Option<Factor>,
    /// Number of equal thread blocks of each kernel [default: none]
    ///
    /// Adds the field `block` to each task: the longest time without preemption. The value is the
    /// conflict WCET on one SM, C(1), divided by N and rounded up to whole nanoseconds. The
    /// division assumes one running block per SM. If s blocks run concurrently on one SM, divide
    /// N by s.
    #[arg(long, value_name = "N", value_parser = whole(0..=u32::MAX))]
    blocks: Option<u32>,
    /// SMs on which a memory-intensive kernel uses 100 GB/s [default: no traffic]
    ///
    /// Adds the fields `traffic` and `bandwidth` (peak) to each task. Analyze the generated sets
    /// with --interference conflict+bandwidth and --memory-bandwidth 100GB/s.
    #[arg(long, value_name = "SMS", value_parser = whole(0..=u32::MAX))]
    saturation: Option<u32>,
}

const EXAMPLE: &str = "\
The same arguments and --seed generate the same sets on every machine. A larger --count does not change the first sets.

Examples:
  gpusched generate --tasks 50 --utilization 34 --count 100 -o sets.jsonl
  gpusched generate --tasks 10 --utilization 4 --count 20 --seed 7 | gpusched partition - --sms 44
  gpusched generate --tasks 10 --utilization 4 --blocks 680 | gpusched partition - --sms 44 --policy lp-edf";

fn factor(text: &str) -> Result<Factor, String> {
    let value = text.parse().ok().and_then(Factor::from_f64);
    value.ok_or_else(|| refused(text, "a number from 0 to 1000000 with at most nine decimals"))
}

/// Maximum total number of tasks in all task sets. A JSONL file with this number of tasks has about 100 GB.
const MOST_TASKS: u64 = 1_000_000_000;

/// Number of sets in a batch. gpusched generates the sets of a batch in parallel and then writes
/// them in order.
const BATCH: u64 = 512;

/// Maximum number of tasks in a batch, which bounds memory use.
const BATCH_TASKS: usize = 1 << 17;

impl Args {
    /// Generates and writes the sets.
    ///
    /// # Errors
    /// Fails on bad usage, if no task set has the requested parameters, or if output cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        if let Some(format @ (Format::Text | Format::Csv)) = global.format {
            return Err(Error::parameter(
                "format",
                format,
                "json, because task sets are JSONL",
            ));
        }
        if let (Format::Csv, Some(path)) = (global.format(), global.file()) {
            let expected = "a name that does not end in .csv, because task sets are JSONL";
            return Err(Error::parameter("output", path.display(), expected));
        }
        let source = Source::new(&self.recipe(), self.tasks, self.utilization, global.seed())?;
        let most = MOST_TASKS / u64::try_from(self.tasks.max(1)).unwrap_or(u64::MAX);
        if self.count > most {
            let expected = format!(
                "at most {most} sets of {} tasks, because the limit is {MOST_TASKS} tasks in total",
                self.tasks
            );
            return Err(Error::parameter("count", self.count, expected));
        }
        let batch = (BATCH_TASKS / self.tasks.max(1)).max(1);
        let batch = u64::try_from(batch).unwrap_or(BATCH).min(BATCH);

        let mut output = Output::open(global)?;
        let pool = global.pool()?;
        let progress = self.progress(global);
        let mut drawn = 0;
        while drawn < self.count && output.has_reader() {
            let end = self.count.min(drawn + batch);
            let lines: Vec<Result<String>> = pool.install(|| {
                let sets = (drawn..end).into_par_iter();
                sets.map(|set| json_lines([source.draw(0, set)?])).collect()
            });
            for line in lines {
                output.write(line?)?;
            }
            progress.advance(end - drawn);
            drawn = end;
        }
        drop(progress);
        output.finish()?;
        Ok(Outcome::Positive)
    }

    fn recipe(&self) -> Recipe {
        let default = Recipe::default();
        Recipe {
            generator: self.generator,
            cap: self.cap,
            periods: self.periods,
            wcet: self.wcet,
            memory_share: self.memory_share.unwrap_or(default.memory_share),
            deadline: self.deadline.unwrap_or(default.deadline),
            jitter: self.jitter,
            blocks: self.blocks,
            saturation: self.saturation,
        }
    }

    /// Returns a progress bar. The bar is hidden if gpusched writes task sets to the same terminal.
    fn progress(&self, global: &Global) -> Progress {
        match global.file().is_none() && io::stdout().is_terminal() {
            true => Progress::hidden(),
            false => Progress::of(global, self.count, "sets"),
        }
    }
}
