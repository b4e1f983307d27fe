//! Metrics that experiment cases can evaluate.
//!
//! Each metric has one file in this folder or in a subfolder. The TOML of the study states its [`Parameters`]. gpusched
//! checks the parameters together with the files that they name, and converts them to a [`Measure`], which computes
//! [`Row`]s. A study can use every metric in [`all`]. Other crates add their metrics with [`register`].
//!
//! The rows of a metric depend only on its parameters, the content of its files and the seed. The rows do not depend on
//! threads, time or other cases.

mod block_level;
mod budget;
mod cluster_bounds;
mod end_to_end;
pub mod limits;
mod measure;
mod operator_graphs;
mod optimality;
mod published;
mod row;
mod shared_memory;
pub mod statistics;

pub use crate::definition::files::{Files, Inputs};
pub use cluster_bounds::splits::Splits;
pub use cluster_bounds::variants::{Variant, variants};
pub(super) use measure::Prepared;
pub use measure::{Described, Entry, Measure, Parameters};
pub use row::{Labels, Row};

use block_level::{mapping, misprediction, occupancy, scenario};
use cluster_bounds::{curve, execution, nominal, percentile, planted};
use gpusched_model::Refusal;
use gpusched_model::error::Result;
use std::sync::OnceLock;

/// The metrics of this crate.
const MEASURES: &[Entry] = &[
    Entry::of::<nominal::NominalParameters>(),
    Entry::of::<curve::CurveParameters>(),
    Entry::of::<percentile::PercentileParameters>(),
    Entry::of::<published::PublishedParameters>(),
    Entry::of::<planted::PlantedParameters>(),
    Entry::of::<execution::ExecutionParameters>(),
    Entry::of::<budget::BudgetParameters>(),
    Entry::of::<budget::OverTimeParameters>(),
    Entry::of::<published::BudgetResultsParameters>(),
    Entry::of::<end_to_end::EndToEndParameters>(),
    Entry::of::<mapping::MappingParameters>(),
    Entry::of::<misprediction::MispredictionParameters>(),
    Entry::of::<occupancy::OccupancyParameters>(),
    Entry::of::<operator_graphs::OperatorGraphsParameters>(),
    Entry::of::<optimality::OptimalityParameters>(),
    Entry::of::<scenario::ScenarioParameters>(),
    Entry::of::<shared_memory::SharedMemoryParameters>(),
];

/// Metrics of other crates.
static REGISTERED: OnceLock<Vec<&Entry>> = OnceLock::new();

/// Adds the metrics `entries` for all studies of the process. Only the first call has an effect.
pub fn register(entries: impl IntoIterator<Item = &'static Entry>) {
    let _ = REGISTERED.set(entries.into_iter().collect());
}

/// Returns all metrics that studies can use: the metrics of this crate, then the [registered](register) metrics.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    let registered = REGISTERED.get().into_iter().flatten();
    MEASURES.iter().chain(registered.copied())
}

/// Returns the metric called `name`, or an error with the names of all metrics.
pub(super) fn find(name: &str) -> Result<&'static Entry, Refusal> {
    all().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = all().map(|entry| entry.name).collect();
        Refusal::new(
            "measure",
            format!("\"{name}\""),
            format!("one of {}", names.join(", ")),
        )
    })
}
