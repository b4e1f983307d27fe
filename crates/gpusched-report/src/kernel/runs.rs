//! Simulated runs of a kernel: budgets over time, and the memory bandwidth that budget policies gain for best-effort cores.

use gpusched_analysis::bandwidth::{Allocator, BudgetPolicy};
use gpusched_model::error::Result;
use gpusched_model::{Factor, Kernel, Straddling, counted};
use gpusched_sim::regulation::{BlockTimes, PolicySummary, Run, Setting, Simulator, Tally};
use serde::Serialize;

use crate::figure::Figure;
use crate::lines::Lines;
use crate::view::{Cell, Table, Tone};

/// Number of thread blocks in all runs under one policy. A longer kernel has one run.
const BLOCKS: u64 = 200_000;

/// Largest number of runs.
const MOST_RUNS: u64 = 10;

/// Largest number of regulation periods on the chart.
const PERIODS: usize = 300;

/// The chart and the numbers of the runs, or the reason why there are no runs.
#[derive(Serialize)]
pub(super) struct Section {
    figure: Option<Figure>,
    policies: Option<Table>,
    note: String,
}

impl Section {
    /// Returns the table of budget policies.
    pub(super) fn policies(&self) -> Option<&Table> {
        self.policies.as_ref()
    }
}

/// Simulates `kernel` with the nominal budget `q` under all budget policies.
pub(super) fn section(kernel: &Kernel, q: Factor, straddling: Straddling) -> Section {
    simulated(kernel, q, straddling).unwrap_or_else(|error| Section {
        figure: None,
        policies: None,
        note: format!("gpusched cannot simulate the kernel: {error}"),
    })
}

fn simulated(kernel: &Kernel, q: Factor, straddling: Straddling) -> Result<Section> {
    let with = |blocks: BlockTimes| {
        let setting = Setting {
            blocks,
            ..Setting::default()
        };
        Simulator::new(kernel, setting, 1)
    };
    // Only profiles of measured blocks have the distributions of random times.
    let (simulator, times) = match with(BlockTimes::Drawn) {
        Ok(simulator) => (simulator, "random times of the profile"),
        Err(_) => (with(BlockTimes::Wcet)?, "their WCETs"),
    };
    let runs = (BLOCKS / kernel.blocks().max(1)).clamp(1, MOST_RUNS);
    let mut allocators = Vec::new();
    for policy in BudgetPolicy::ALL {
        let allocator = Allocator::new(kernel, q, policy, straddling)?;
        allocators.push((Tally::new(policy, allocator.deadline()), allocator, policy));
    }
    let mut first: Vec<Run> = Vec::new();
    for number in 0..runs {
        let execution = simulator.execution(number);
        let simulated = allocators
            .iter_mut()
            .map(|(_, allocator, policy)| simulator.run(&execution, *policy, allocator, number == 0));
        let simulated: Vec<Run> = simulated.collect();
        if let Some(nominal) = simulated.first() {
            for ((tally, ..), run) in allocators.iter_mut().zip(&simulated) {
                tally.add(run, nominal);
            }
        }
        if number == 0 {
            first = simulated;
        }
    }
    let longest = first.iter().map(|run| run.periods.len()).max().unwrap_or(0);
    let extent = match longest > PERIODS {
        true => format!(" The chart shows the first {PERIODS} regulation periods."),
        false => String::new(),
    };
    let found: Vec<PolicySummary> = allocators.iter().map(|(tally, ..)| tally.summary()).collect();
    let deadline = allocators.first().map(|(_, allocator, _)| allocator.deadline());
    Ok(Section {
        figure: Some(figure(&first)?),
        policies: Some(policies(&found)),
        note: format!(
            "Each policy has {}. Blocks take {times}, the kernel starts with a regulation period, and decisions have no cost. Policies \
             may exceed the stated budget Q in single regulation periods, so the assumption about the stated budget does not cover them, and \
             neither does the proof of this page. By [Aghilinasab20] Lemma 1, which the page does not recompute, the kernel still ends within {} after any start, if no \
             block takes longer than e⁰ and e¹. Runs prove nothing about other runs.{extent}",
            counted(runs, "run"),
            deadline.unwrap_or_default(),
        ),
    })
}

fn figure(runs: &[Run]) -> Result<Figure> {
    let names: Vec<String> = runs.iter().map(|run| run.policy.to_string()).collect();
    let lines = Lines {
        id: "budgets",
        caption: "Budgets over time in the first run",
        alternative:
            "Budget Q of each regulation period under each policy. The table below contains the means."
                .to_owned(),
        titles: ("Time since the start of the kernel [ms]", "Budget Q"),
        reference: None,
        range: None,
    };
    lines.draw(runs.iter().zip(&names).flat_map(|(run, name)| {
        let periods = run.periods.iter().take(PERIODS);
        periods.map(move |period| (name.as_str(), period.time.ns() as f64 / 1e6, period.q))
    }))
}

fn policies(found: &[PolicySummary]) -> Table {
    Table::of(found)
        .text("Budget policy", |of| of.policy.to_string())
        .number("Memory requests", |of| format!("{:.0}", of.requests.mean))
        .number("Gain over NOMINAL", |of| {
            Cell::of(of.improvement.map(|gain| {
                Cell::valued(
                    format!("{:+.1} %", 100.0 * gain.mean),
                    format!("{:.6}", gain.mean),
                )
            }))
        })
        .number("Mean Q", |of| format!("{:.4}", of.q_mean.mean))
        .number("Std of Q", |of| format!("{:.4}", of.q_std.mean))
        .number("Latest end [ms]", |of| format!("{:.4}", of.finish_ns.last / 1e6))
        .number("Smallest margin [ms]", |of| {
            format!("{:.4}", of.margin_ns / 1e6 + 0.0)
        })
        .number("Runs beyond G(Q)", |of| {
            let tone = if of.late_runs == 0 { Tone::Good } else { Tone::Bad };
            Cell::toned(of.late_runs.to_string(), tone)
        })
        .done()
        .on_page(
            "policies",
            "Memory requests of best-effort cores under each budget policy",
        )
}
