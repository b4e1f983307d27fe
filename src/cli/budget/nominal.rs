//! `gpusched budget nominal`: the largest budget within a slowdown.

use std::path::PathBuf;

use crate::bandwidth::{Nominal, nominal};
use crate::cli::output::{Output, Palette};
use crate::cli::question::{csv_line, json_line};
use crate::cli::wcet::{Traffic, distrust, percent, slowdown, title};
use crate::cli::{Format, Global, Outcome, complain};
use crate::error::Result;
use crate::model::Factor;
use crate::model::reader::Kernels;

/// Finds the largest budget that slows a kernel down by no more than is accepted.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One kernel (JSON) or many (JSONL, one per line); `-` reads standard input.
    #[arg(value_name = "KERNEL")]
    kernels: PathBuf,
    /// The accepted slowdown, (G(Q) − G(0))/G(0).
    #[arg(long, value_name = "FACTOR", value_parser = slowdown, default_value = "0.1")]
    slowdown: Factor,
    #[command(flatten)]
    traffic: Traffic,
}

const EXAMPLE: &str = "\
Example:
  gpusched budget nominal tasksets/kernels/histo-m4.json --slowdown 0.10";

impl Args {
    /// A budget for each kernel.
    ///
    /// # Errors
    /// Bad input, or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let (format, palette) = (global.format(), Palette::of(global));
        if self.slowdown > Factor::ONE && !global.quiet {
            complain(&format!(
                "note: a slowdown of {} is {} %",
                self.slowdown,
                100.0 * self.slowdown.as_f64()
            ));
        }
        let mut output = Output::open(global)?;
        if format == Format::Csv {
            output.write("kernel,slowdown,sync,straddling,nominal_q,wcet_isolated_ns,wcet_nominal_ns\n")?;
        }
        for kernel in Kernels::open(&self.kernels)? {
            let (_, kernel) = kernel?;
            distrust(&kernel);
            let Traffic { sync, straddling } = self.traffic;
            let found = nominal(&kernel, self.slowdown, sync, straddling)?;
            output.write(match format {
                Format::Json => json_line(&found)?,
                Format::Csv => csv(&found)?,
                Format::Text if found.nominal_q == Factor::ZERO => {
                    let least = Factor::from_billionths(1).unwrap_or(Factor::ZERO);
                    let estimator = self.traffic.estimator(&kernel);
                    let any = estimator.bound(least, sync)?.wcet_ns;
                    format!(
                        "{}: {}no budget{:#}: any at all costs {} of {} alone, for the blocks that bursts may cover in part\n",
                        title(&kernel),
                        palette.bad,
                        palette.bad,
                        percent(any, found.wcet_isolated_ns),
                        found.wcet_isolated_ns,
                    )
                }
                Format::Text => format!(
                    "{}: {}Q = {}{:#} slows it down by {}: {} alone, at most {} under that budget\n",
                    title(&kernel),
                    palette.good,
                    found.nominal_q,
                    palette.good,
                    percent(found.wcet_nominal_ns, found.wcet_isolated_ns),
                    found.wcet_isolated_ns,
                    found.wcet_nominal_ns,
                ),
            })?;
        }
        output.finish()?;
        Ok(Outcome::Positive)
    }
}

fn csv(found: &Nominal) -> Result<String> {
    csv_line([
        found.kernel.clone().unwrap_or_default(),
        found.slowdown.to_string(),
        found.sync.to_string(),
        found.straddling.to_string(),
        found.nominal_q.to_string(),
        found.wcet_isolated_ns.ns().to_string(),
        found.wcet_nominal_ns.ns().to_string(),
    ])
}
