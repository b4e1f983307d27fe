//! JSON, CSV and text forms of a matrix of slowdowns.

use std::fmt::Write as _;

use serde::Serialize;

use crate::simulate::beside::matrix::{Matrix, Pair};
use crate::simulate::kernels::time_ns;
use gpusched_cli::part::{Cell, Palette, Report, Table, clip};
use gpusched_model::Scheduler;
use gpusched_model::error::Result;

/// Slowdowns of kernels that share SMs: each kernel beside each other kernel.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpMatrix"))]
pub struct Answer {
    /// Name of the simulated GPU.
    machine: String,
    /// Names of the kernels, in the order of the command line. Equal names have different numbers.
    kernels: Vec<String>,
    /// Results, sorted by scheduler, number of SMs, measured kernel and other kernel.
    pairs: Vec<PairAnswer>,
}

/// Longest times of a kernel in isolation and beside another kernel on the same SMs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WarpMatrixPair"))]
struct PairAnswer {
    /// Name of the measured kernel, which runs once.
    kernel: String,
    /// Name of the other kernel, which repeats until the measured kernel ends.
    other: String,
    /// Number of SMs in use.
    sms: u32,
    /// Warp scheduler.
    scheduler: Scheduler,
    /// Issue budget of the measured kernel (`rt-paws`: priority), if the scheduler uses budgets.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<u32>,
    /// Issue budget of the other kernel, if the scheduler uses budgets.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_budget: Option<u32>,
    /// Longest time in isolation, on half of each SM [core cycles].
    isolated_cycles: u64,
    /// Longest time beside the other kernel [core cycles].
    beside_cycles: u64,
    /// `isolated_cycles` as a time, rounded up [ns].
    isolated_ns: u64,
    /// `beside_cycles` as a time, rounded up [ns].
    beside_ns: u64,
    /// `beside_cycles` / `isolated_cycles` in thousandths, rounded up.
    slowdown_permille: u64,
}

impl Answer {
    /// Creates the result of `matrix` from `pairs`.
    pub fn new(matrix: &Matrix, pairs: &[Pair]) -> Answer {
        let mut kernels: Vec<String> = Vec::new();
        for program in &matrix.victims {
            let numbers = (2..).map(|number| format!("{}-{number}", program.name));
            let mut names = std::iter::once(program.name.clone()).chain(numbers);
            kernels.extend(names.find(|name| !kernels.contains(name)));
        }
        let name = |index: usize| kernels.get(index).cloned().unwrap_or_default();
        let ns = |cycles: u64| time_ns(&matrix.machine, cycles);
        let pairs = pairs.iter().map(|pair| {
            let (budget, other_budget) = pair.warps.budgets.unzip();
            PairAnswer {
                kernel: name(pair.victim),
                other: name(pair.other),
                sms: pair.sms,
                scheduler: pair.warps.scheduler,
                budget,
                other_budget,
                isolated_cycles: pair.isolated,
                beside_cycles: pair.beside,
                isolated_ns: ns(pair.isolated),
                beside_ns: ns(pair.beside),
                slowdown_permille: pair.permille(),
            }
        });
        Answer {
            machine: matrix.machine.name.clone(),
            pairs: pairs.collect(),
            kernels,
        }
    }
}

/// Returns a mark that shows the size of a slowdown at a glance.
fn heat(permille: u64) -> &'static str {
    match permille {
        0..=1100 => " ",
        1101..=1500 => "░",
        1501..=2000 => "▒",
        2001..=3000 => "▓",
        _ => "█",
    }
}

impl Report for Answer {
    /// Returns one row per pair.
    fn table(&self) -> Table {
        let table = Table::of(&self.pairs)
            .text(("kernel", "kernel"), |pair| &pair.kernel)
            .text(("other", "other"), |pair| &pair.other)
            .number(("SMs", "sms"), |pair| pair.sms)
            .text(("scheduler", "scheduler"), |pair| pair.scheduler.to_string())
            .exact("budget", |pair| pair.budget)
            .exact("other_budget", |pair| pair.other_budget)
            .number(("isolated", "isolated_cycles"), |pair| pair.isolated_cycles)
            .number(("beside", "beside_cycles"), |pair| pair.beside_cycles)
            .exact("isolated_ns", |pair| pair.isolated_ns)
            .exact("beside_ns", |pair| pair.beside_ns)
            .number(("slowdown", "slowdown"), |pair| {
                Cell::factor(pair.slowdown_permille)
            });
        table.done()
    }

    /// Returns one table per scheduler and number of SMs: the slowdown of the row beside the column.
    fn text(&self, palette: &Palette) -> Result<String> {
        let count = self.kernels.len().max(1);
        let mut text = String::new();
        for part in self.pairs.chunks(count * count) {
            let Some(first) = part.first() else { continue };
            let budgets = match (first.budget, first.other_budget) {
                (Some(own), Some(other)) => format!(" with budgets {own}:{other}"),
                _ => String::new(),
            };
            let machine = clip(&self.machine, 40);
            let _ = writeln!(
                text,
                "slowdown of the row beside the column: {} SMs of {machine} under {}{budgets}",
                first.sms, first.scheduler
            );
            let table = Table::of(part.chunks(count).zip(&self.kernels))
                .text("", |(_, kernel)| clip(kernel, 20))
                .each(self.kernels.iter().enumerate(), |table, (column, other)| {
                    table.number(clip(other, 20).as_str(), move |(row, _)| {
                        let permille = row.get(column).map_or(0, |pair| pair.slowdown_permille);
                        let rounded = permille.div_ceil(10);
                        format!("{}.{:02}{}", rounded / 100, rounded % 100, heat(permille))
                    })
                });
            text += &table.done().render(palette.header);
        }
        text += "░ above 1.1  ▒ above 1.5  ▓ above 2  █ above 3\n";
        Ok(text)
    }
}
