//! `gpusched simulate profile --stress`: sustained rates of the memory system of a simulated GPU.

use std::path::Path;

use serde::Serialize;

use gpusched_cli::part::{Cell, Output, OutputPath, Palette, Progress, Report, Table, json_document};
use gpusched_cli::{Global, Outcome};
use gpusched_gpu::machine::Machine;
use gpusched_gpu::stress::{Level, PATTERNS, Rates, Stress, Use};
use gpusched_model::Scheduler;
use gpusched_model::error::{Error, Result};

/// Sustained rates of the memory system of a simulated GPU.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpStress"))]
pub struct StressAnswer {
    /// Name of the simulated GPU.
    machine: String,
    /// Lowest rates of all patterns. L2 and DRAM sustain these rates even if all requests go to one slice and one bank.
    universal: RatesAnswer,
    /// Lowest rates of those patterns that use all slices and banks evenly.
    balanced: RatesAnswer,
    /// Number of packets that one port of the crossbar passes per second: one per cycle of the slower of two clocks.
    port_packets_per_second: u64,
    /// Rates of each pattern.
    patterns: Vec<PatternAnswer>,
}

/// Rates of L2 and DRAM.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpStressRates"))]
struct RatesAnswer {
    /// Bytes of the sectors that L2 accepts per second.
    l2_bytes_per_second: u64,
    /// Bytes of the sectors that DRAM reads or writes per second.
    dram_bytes_per_second: u64,
}

/// Rates under one pattern.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpStressPattern"))]
struct PatternAnswer {
    /// Name of the pattern.
    pattern: String,
    /// Level that limits the pattern: `l2` or `dram`.
    level: String,
    /// Use of this level: `balanced` or `camping`.
    #[serde(rename = "use")]
    used: String,
    /// Bytes of the sectors that L2 accepts per second.
    l2_bytes_per_second: u64,
    /// Bytes of the sectors that DRAM reads or writes per second.
    dram_bytes_per_second: u64,
}

impl From<Rates> for RatesAnswer {
    fn from(rates: Rates) -> RatesAnswer {
        RatesAnswer {
            l2_bytes_per_second: rates.l2,
            dram_bytes_per_second: rates.dram,
        }
    }
}

/// Measures the rates of `machine`, and writes them. Also writes the programs of the patterns to the folder `programs`.
///
/// # Errors
/// Fails if the simulator does not support the machine, or if output cannot be written.
pub fn run(
    global: &Global,
    machine: &Machine,
    scheduler: Option<Scheduler>,
    programs: Option<&Path>,
) -> Result<Outcome> {
    if let Some(scheduler) = scheduler {
        let expected = "no warp scheduler, because --stress uses the scheduler of the simulated GPU";
        return Err(Error::parameter("scheduler", scheduler, expected));
    }
    let mut output = Output::open(global)?;
    let progress = Progress::of(global, PATTERNS, "patterns");
    let stress = Stress::measure(machine, || progress.step())?;
    drop(progress);
    if let Some(folder) = programs {
        for (pattern, _) in &stress.patterns {
            let path = OutputPath::json(folder.join(format!("{}.json", pattern.name)));
            path.check("programs")?;
            if let Some(file) = output.beside(Some(&path))? {
                output.complete(file, json_document(&pattern.program)?)?;
            }
        }
    }
    output.last(&StressAnswer::new(machine, &stress))?;
    Ok(Outcome::Positive)
}

impl StressAnswer {
    fn new(machine: &Machine, stress: &Stress) -> StressAnswer {
        let patterns = stress.patterns.iter().map(|(pattern, rates)| PatternAnswer {
            pattern: pattern.name.to_owned(),
            level: match pattern.level {
                Level::L2 => "l2".to_owned(),
                Level::Dram => "dram".to_owned(),
            },
            used: match pattern.used {
                Use::Balanced => "balanced".to_owned(),
                Use::Camping => "camping".to_owned(),
            },
            l2_bytes_per_second: rates.l2,
            dram_bytes_per_second: rates.dram,
        });
        StressAnswer {
            machine: machine.name.clone(),
            universal: stress.universal().into(),
            balanced: stress.balanced().into(),
            port_packets_per_second: machine.packets_per_second(),
            patterns: patterns.collect(),
        }
    }
}

impl Report for StressAnswer {
    fn table(&self) -> Table {
        let rate = |rate: u64| Cell::valued(gigabytes(rate), rate);
        let table = Table::of(&self.patterns)
            .text(("pattern", "pattern"), |pattern| &pattern.pattern)
            .text(("limited by", "level"), |pattern| &pattern.level)
            .text(("use", "use"), |pattern| &pattern.used)
            .number(("GB/s at L2", "l2_bytes_per_second"), |pattern| {
                rate(pattern.l2_bytes_per_second)
            })
            .number(("GB/s at DRAM", "dram_bytes_per_second"), |pattern| {
                rate(pattern.dram_bytes_per_second)
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let line = |name: &str, rates: RatesAnswer| {
            format!(
                "{name}: {} GB/s at L2, {} GB/s at DRAM\n",
                gigabytes(rates.l2_bytes_per_second),
                gigabytes(rates.dram_bytes_per_second)
            )
        };
        Ok(format!(
            "{} under patterns of requests from all SMs\n{}{}{}",
            self.machine,
            self.table().render(palette.header),
            line("lowest rates of balanced patterns", self.balanced),
            line("lowest rates of all patterns (universal)", self.universal),
        ))
    }
}

fn gigabytes(rate: u64) -> String {
    format!("{:.2}", rate as f64 / 1e9)
}
