//! `gpusched validate --end-to-end`: validation of the end-to-end analysis.

use serde::Serialize;

use crate::report::{Palette, Report, Table};
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_sim::validation::end_to_end::{self, Excess, Tally};

/// Result of `validate --end-to-end`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct EndToEndValidation {
    /// Seed of all random numbers.
    seed: u64,
    /// Counts over all systems.
    tally: Tally,
    /// A simulated time that exceeds its bound, from the first system with such a time; absent if no such time exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    excess: Option<Excess>,
}

impl EndToEndValidation {
    /// Creates the result of a campaign with this seed from its `report`.
    pub fn new(seed: u64, report: &end_to_end::Report) -> EndToEndValidation {
        EndToEndValidation {
            seed,
            tally: report.tally,
            excess: report.excess.clone(),
        }
    }
}

/// Returns the mean of `sum` thousandths over `count` values, with three decimals.
fn mean(sum: u64, count: u64) -> String {
    format!("{:.3}", sum as f64 / count.max(1) as f64 / 1000.0)
}

impl Report for EndToEndValidation {
    fn table(&self) -> Table {
        let table = Table::of([&self.tally])
            .exact("seed", |_| self.seed)
            .exact("systems", |tally| tally.systems)
            .exact("bounded_systems", |tally| tally.bounded_systems)
            .exact("tasks", |tally| tally.tasks)
            .exact("bounds", |tally| tally.bounds)
            .exact("attained", |tally| tally.attained)
            .exact("mean_ratio", |tally| mean(tally.ratio_permille, tally.bounds))
            .exact("chains", |tally| tally.chains)
            .exact("mean_chain_ratio", |tally| {
                mean(tally.chain_ratio_permille, tally.chains)
            })
            .exact("enforced_bounds", |tally| tally.enforced_bounds)
            .exact("runs", |tally| tally.runs)
            .exact("jobs", |tally| tally.jobs)
            .exact("exceeded", |tally| tally.exceeded);
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let (good, bad) = (palette.good, palette.bad);
        let tally = &self.tally;
        let mut text = match tally.exceeded {
            0 => format!("{good}NO BOUND EXCEEDED{good:#}"),
            count => format!("{bad}BOUNDS EXCEEDED in {}{bad:#}", counted(count, "system")),
        };
        text += &format!(
            ": {} in {}, {}\n\n\
             {} of {} tasks have a bound; a run attains {} of these bounds\n\
             mean of simulated response time / bound: {}\n\
             {} with a bound; mean of simulated reaction time / bound: {}\n\
             {} under enforced releases\n",
            counted(tally.jobs, "job"),
            counted(tally.runs, "run"),
            counted(tally.systems, "system"),
            tally.bounds,
            tally.tasks,
            tally.attained,
            mean(tally.ratio_permille, tally.bounds),
            counted(tally.chains, "chain"),
            mean(tally.chain_ratio_permille, tally.chains),
            counted(tally.enforced_bounds, "bound"),
        );
        if let Some(excess) = &self.excess {
            text += &format!(
                "\nsystem {} of seed {}: {}: simulated {}, bound {}{}\n",
                excess.system,
                self.seed,
                excess.of,
                excess.simulated_ns,
                excess.bound_ns,
                if excess.enforced {
                    ", enforced releases"
                } else {
                    ""
                }
            );
        }
        Ok(text)
    }
}
