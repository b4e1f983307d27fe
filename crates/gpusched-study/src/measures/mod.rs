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
mod budget_results;
mod cluster_bounds;
mod end_to_end;
pub mod limits;
mod optimality;
mod published;
mod row;
mod shared_memory;
pub mod statistics;

pub use crate::definition::files::{Files, Inputs};
pub use cluster_bounds::splits::Splits;
pub use cluster_bounds::variants::{Variant, variants};
pub use row::{Labels, Row};

use block_level::{mapping, misprediction, occupancy, scenario};
use cluster_bounds::{curve, execution, nominal, percentile, planted};
use gpusched_model::Refusal;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::{Deserialize as _, DeserializeOwned};

use gpusched_model::error::Result;
use gpusched_model::reader::Tree;

/// The metric of one case, with checked parameters.
pub trait Measure: fmt::Debug + Send + Sync {
    /// Evaluates the metric and returns its rows. The order of the rows depends only on the case. `seed` is the seed of the
    /// study.
    ///
    /// # Errors
    /// Fails if the metric cannot be evaluated. In this case, the run of the study stops, and a later run can resume
    /// the study.
    fn rows(&self, seed: u64) -> Result<Vec<Row>>;

    /// Returns the rows of [`Measure::rows`] with arbitrary numbers. gpusched uses these rows to
    /// check the claims before a study runs. A metric with a long evaluation overrides this
    /// function.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Measure::rows`].
    fn outline(&self, seed: u64) -> Result<Vec<Row>> {
        self.rows(seed)
    }
}

/// With the feature `schema`, a type with a JSON schema; without this feature, any type.
#[cfg(feature = "schema")]
pub use schemars::JsonSchema as Described;
/// With the feature `schema`, a type with a JSON schema; without this feature, any type.
#[cfg(not(feature = "schema"))]
pub trait Described {}
#[cfg(not(feature = "schema"))]
impl<T> Described for T {}

/// The parameters of a metric, as a study states them.
pub trait Parameters: DeserializeOwned + Serialize + Described {
    /// Name that studies use for the metric.
    const NAME: &'static str;
    /// Columns that only the rows of this metric have, in addition to the columns of every table of
    /// cases.
    const KEYS: &'static [&'static str];
    /// Columns in [`Parameters::KEYS`] that are empty in some rows.
    const PARTIAL: &'static [&'static str] = &[];
    /// Type of the metric that is prepared from these parameters.
    type Measure: Measure + 'static;

    /// Checks the parameters, reads the files that they name, and prepares the metric.
    ///
    /// # Errors
    /// Fails at the first invalid parameter, with a [`Refusal`] that names it.
    fn prepare(self, files: &mut Files) -> Result<Self::Measure, Refusal>;
}

/// A metric that studies can use.
#[derive(Copy, Clone, Debug)]
pub struct Entry {
    /// Name of the metric in studies and results.
    pub name: &'static str,
    /// Columns that only the rows of this metric have, in addition to the columns of every table of
    /// cases.
    pub keys: &'static [&'static str],
    /// Columns in `keys` that are empty in some rows.
    pub partial: &'static [&'static str],
    read: fn(toml::Table, &str) -> Result<Prepared, Refusal>,
    #[cfg(feature = "schema")]
    schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema,
}

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
    Entry::of::<budget_results::BudgetResultsParameters>(),
    Entry::of::<end_to_end::EndToEndParameters>(),
    Entry::of::<mapping::MappingParameters>(),
    Entry::of::<misprediction::MispredictionParameters>(),
    Entry::of::<occupancy::OccupancyParameters>(),
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

/// A prepared metric, with the data that identify it.
pub(super) struct Prepared {
    pub measure: Arc<dyn Measure>,
    /// Parameters of the metric, including default values, and hashes of the files.
    pub identity: serde_json::Value,
    /// Files that the case names.
    pub inputs: Inputs,
}

impl Entry {
    /// Returns the metric with the parameters `P`.
    pub const fn of<P: Parameters>() -> Entry {
        Entry {
            name: P::NAME,
            keys: P::KEYS,
            partial: P::PARTIAL,
            read: read::<P>,
            #[cfg(feature = "schema")]
            schema: P::json_schema,
        }
    }

    /// Reads the parameters of a case from `table`. The case is part of the study in `file`.
    pub(super) fn read(&self, table: toml::Table, file: &str) -> Result<Prepared, Refusal> {
        (self.read)(table, file)
    }

    /// Returns the JSON schema of a case that evaluates this metric.
    #[cfg(feature = "schema")]
    pub(super) fn schema(&self, generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = (self.schema)(generator);
        let Some(object) = schema.as_object_mut() else {
            return schema;
        };
        let own = [
            (
                "name",
                serde_json::json!({"type": "string", "description": "Name in the results."}),
            ),
            ("measure", serde_json::json!({"const": self.name})),
        ];
        for (name, schema) in own {
            let fields = object
                .entry("properties")
                .or_insert_with(|| serde_json::json!({}));
            if let Some(fields) = fields.as_object_mut() {
                fields.insert(name.to_owned(), schema);
            }
            let required = object.entry("required").or_insert_with(|| serde_json::json!([]));
            if let Some(required) = required.as_array_mut() {
                required.push(name.into());
            }
        }
        schema
    }
}

fn read<P: Parameters>(table: toml::Table, file: &str) -> Result<Prepared, Refusal> {
    let tree = Tree::deserialize(table).map_err(|error| Refusal::told("", error))?;
    let parameters: P = tree.read()?;
    let unwritable = |error: serde_json::Error| Refusal::told("", error);
    let written = serde_json::to_value(&parameters).map_err(unwritable)?;
    let mut files = Files::new(file);
    let measure = parameters.prepare(&mut files)?;
    Ok(Prepared {
        measure: Arc::new(measure),
        identity: serde_json::json!({"parameters": written, "files": files.hashes()}),
        inputs: files.into_inputs(),
    })
}
