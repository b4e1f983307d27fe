//! `gpusched validate --warps`: validation of memory time against concurrent kernels at the cycle level.

use serde::Serialize;

use gpusched_cli::part::{Cell, Palette, Report, Table};
use gpusched_gpu::co_runs::{self, Campaign, Division, Form, Placement, Systems};
use gpusched_model::counted;
use gpusched_model::error::Result;

/// Result of `validate --warps`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct WarpValidation {
    /// Name of the simulated GPU.
    machine: String,
    /// Number of simulated co-runs, or of task sets with `task_sets`.
    co_runs: u64,
    /// Whether the runs are task sets with periodic jobs.
    task_sets: bool,
    /// Part of the memory that each partition has for itself.
    memory: Division,
    /// Whether partitions share clusters.
    placement: Placement,
    /// Largest permitted camping factor of a kernel; absent without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    camping_limit: Option<u32>,
    /// Number of omitted runs: runs with too many core cycles, runs with a kernel beyond the camping limit, and task
    /// sets that the analysis rejects.
    left_out: u64,
    /// Seed of all random numbers.
    seed: u64,
    /// Number of kernels in all runs. Each job of a task counts as one kernel.
    kernels: u64,
    /// Median over all kernels: the time in a co-run divided by the time in isolation.
    median_slowdown: f64,
    /// Largest such ratio.
    largest_slowdown: f64,
    /// Form of the bound that determines the exit code.
    bound: Form,
    /// Results of each form of the bound.
    forms: Vec<FormResult>,
    /// Number of the first run where a kernel exceeds `bound`; absent if no such run exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<u64>,
}

/// Results of one form of the bound.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct FormResult {
    /// The form.
    form: Form,
    /// Number of kernels whose time exceeds the bound.
    exceeded: u64,
    /// Largest ratio of a time to its bound.
    worst_ratio: f64,
    /// Median ratio of the bound to the time.
    median_pessimism: f64,
}

impl WarpValidation {
    /// Creates the result of `campaign` from its `report`.
    pub fn new(campaign: &Campaign, report: &co_runs::Report) -> WarpValidation {
        let forms = report.forms.iter().map(|tally| FormResult {
            form: tally.form,
            exceeded: tally.exceeded,
            worst_ratio: tally.worst,
            median_pessimism: tally.pessimism,
        });
        WarpValidation {
            machine: campaign.examiner.machine().name.clone(),
            co_runs: report.co_runs,
            task_sets: campaign.kind == Systems::TaskSets,
            memory: campaign.division,
            placement: campaign.placement,
            camping_limit: campaign.camping_limit,
            left_out: report.left_out,
            seed: campaign.seed,
            kernels: report.kernels,
            median_slowdown: report.slowdown,
            largest_slowdown: report.largest_slowdown,
            bound: campaign.form,
            forms: forms.collect(),
            violation: report.violation.as_ref().map(|(index, _)| *index),
        }
    }
}

impl Report for WarpValidation {
    fn table(&self) -> Table {
        let rounded =
            |ratio: f64, decimals: usize| Cell::valued(format!("{ratio:.decimals$}"), format!("{ratio:.6}"));
        let table = Table::of(&self.forms)
            .text(("bound", "form"), |form| form.form.name())
            .exact("kernels", |_| self.kernels)
            .number(("exceeded", "exceeded"), |form| form.exceeded)
            .number(("worst time/bound", "worst_ratio"), |form| {
                rounded(form.worst_ratio, 3)
            })
            .number(("median bound/time", "median_pessimism"), |form| {
                rounded(form.median_pessimism, 2)
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let (good, bad) = (palette.good, palette.bad);
        let (run, kernel) = match self.task_sets {
            true => ("task set", "job"),
            false => ("co-run", "kernel"),
        };
        let head = match self.violation {
            None if self.co_runs == 0 => format!(
                "{bad}NOTHING COMPARED{bad:#} with the bound `{}`",
                self.bound.name()
            ),
            None => format!("{good}NO VIOLATION{good:#} of the bound `{}`", self.bound.name()),
            Some(index) => format!(
                "{bad}VIOLATION{bad:#} of the bound `{}` in {run} {index} of seed {}",
                self.bound.name(),
                self.seed
            ),
        };
        let memory = match (self.memory, self.camping_limit) {
            (Division::Shared, None) => String::new(),
            (memory, None) => format!(", memory: {}", memory.name()),
            (memory, Some(limit)) => format!(", memory: {}, camping limit: {limit}", memory.name()),
        };
        let placement = self.placement.name();
        Ok(format!(
            "{head}\n{} with {} on {}{memory}, placement: {placement} ({} left out); slowdown: median {:.3}, largest {:.3}\n\n{}",
            counted(self.co_runs, run),
            counted(self.kernels, kernel),
            self.machine,
            self.left_out,
            self.median_slowdown,
            self.largest_slowdown,
            self.table().render(palette.header)
        ))
    }
}
