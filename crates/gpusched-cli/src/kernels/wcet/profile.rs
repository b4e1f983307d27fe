//! `gpusched wcet profile`: generates a synthetic kernel that matches the published values of a benchmark.

use std::path::PathBuf;

use super::slowdown;
use crate::arguments::whole;
use crate::report::Output;
use crate::{Global, Outcome, Run};
use gpusched_analysis::bandwidth::{Recipe, profile};
use gpusched_model::error::Result;
use gpusched_model::kernel::MAX_ACTIVE;
use gpusched_model::reader::Documents;
use gpusched_model::time::Time;
use gpusched_model::{Benchmarks, Factor};

/// Arguments of `gpusched wcet profile`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Benchmarks with published values (JSON); `-` is standard input
    #[arg(value_name = "BENCHMARKS")]
    benchmarks: PathBuf,
    /// Name of the benchmark
    #[arg(long, value_name = "NAME")]
    benchmark: String,
    /// Number M of concurrent blocks on the whole GPU
    #[arg(long, value_name = "M", default_value_t = 4, value_parser = whole(1..=MAX_ACTIVE))]
    active_blocks: u32,
    /// Regulation period T of best-effort memory traffic
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    regulation_period: Time,
    /// Slowdown (G(Q) − G(0))/G(0) of the kernel under the published budget Q
    #[arg(long, value_name = "FACTOR", value_parser = slowdown, default_value = "0.1")]
    slowdown: Factor,
}

const EXAMPLE: &str = "\
The published values determine the numbers of blocks, clusters and intervals, the nominal budget, and the ratio of longest times
to mean times. All other values are SYNTHETIC. gpusched generates the other values from --seed, and marks them as synthetic.
`profile` prints one line of JSON.

Example:
  gpusched wcet profile tasksets/kernels/aghilinasab20-table2.json --benchmark sad -o sad.json";

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        global.only_json("json, because kernels are JSON")?;
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
