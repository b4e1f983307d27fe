//! `gpusched wcet profile`: a made-up kernel with the published figures of a benchmark.

use std::path::PathBuf;

use super::slowdown;
use crate::bandwidth::{Recipe, profile};
use crate::cli::arguments::whole;
use crate::cli::report::Output;
use crate::cli::{Global, Outcome};
use crate::error::Result;
use crate::model::kernel::MAX_ACTIVE;
use crate::model::reader::Documents;
use crate::model::{Benchmarks, Factor};
use crate::time::Time;

/// Makes up a kernel with the published figures of a benchmark whose block times are not published.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Benchmarks with published figures (JSON); `-` reads standard input.
    #[arg(value_name = "BENCHMARKS")]
    benchmarks: PathBuf,
    /// The name of the benchmark.
    #[arg(long, value_name = "NAME")]
    benchmark: String,
    /// M: how many blocks run at a time on the whole GPU.
    #[arg(long, value_name = "M", default_value_t = 4, value_parser = whole(1..=MAX_ACTIVE))]
    active_blocks: u32,
    /// T: the regulation period.
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    regulation_period: Time,
    /// The slowdown that the published budget is for, (G(Q) − G(0))/G(0).
    #[arg(long, value_name = "FACTOR", value_parser = slowdown, default_value = "0.1")]
    slowdown: Factor,
}

const EXAMPLE: &str = "\
Blocks, clusters, intervals, the nominal budget, and the overestimation between mean and longest times are the published ones; all \
else is SYNTHETIC, drawn from --seed, and says so. Prints one line of JSON.

Example:
  gpusched wcet profile tasksets/kernels/aghilinasab20-table2.json --benchmark sad -o sad.json";

impl Args {
    /// Writes the kernel.
    ///
    /// # Errors
    /// Bad input, figures that are missing or that no kernel has, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json: kernels are JSON")?;
        let benchmarks: Benchmarks = Documents::only(&self.benchmarks, "list of benchmarks")?;
        let recipe = Recipe {
            active_blocks: self.active_blocks,
            period: self.regulation_period,
            slowdown: self.slowdown,
            seed: global.seed(),
        };
        let kernel = profile(&benchmarks, &self.benchmark, recipe)?;
        Output::open(global)?.json(&kernel)?;
        Ok(Outcome::Positive)
    }
}
