//! What a case of a study can measure.
//!
//! A measure is one file here or below: its [`Parameters`] (what stands in the study's TOML, checked and with the files that it names)
//! become a [`Measure`], which gives [`Row`]s. It is known once it is in [`MEASURES`].
//!
//! A measure depends on its parameters, the content of its files and the seed, on nothing else: not on threads, on time, or
//! on other cases.

mod block_level;
mod budget;
mod budget_results;
mod cluster_bounds;
mod concurrent;
mod files;
mod limits;
mod optimality;
mod published;
mod row;
mod shared_memory;
mod statistics;
mod warp_level;

pub use cluster_bounds::splits::Splits;
pub use files::{Files, Inputs};
pub use row::{Labels, Row};

use block_level::{mapping, misprediction, occupancy, scenario};
use cluster_bounds::{curve, execution, nominal, percentile, planted};
use gpusched_model::Refusal;
use std::fmt;
use std::sync::Arc;
use warp_level::{shared_sms, warps};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use gpusched_model::error::Result;

/// What is measured in one case, ready to run.
pub trait Measure: fmt::Debug + Send + Sync {
    /// The rows, in an order that depends on nothing but the case. `seed` is that of the study.
    ///
    /// # Errors
    /// Whatever keeps it from measuring; the study ends, and can be resumed.
    fn rows(&self, seed: u64) -> Result<Vec<Row>>;

    /// The same rows with any numbers: claims are rehearsed on them before a study runs. To be replaced where measuring
    /// takes long.
    ///
    /// # Errors
    /// As for [`Measure::rows`].
    fn outline(&self, seed: u64) -> Result<Vec<Row>> {
        self.rows(seed)
    }
}

/// The parameters of a measure, as they stand in a study.
pub trait Parameters: DeserializeOwned + Serialize + JsonSchema {
    /// The name of the measure.
    const NAME: &'static str;
    /// The columns that its rows have beside those of every table of cases.
    const KEYS: &'static [&'static str];
    /// Those of [`Parameters::KEYS`] that only some rows fill.
    const PARTIAL: &'static [&'static str] = &[];
    /// The measure with these parameters.
    type Measure: Measure + 'static;

    /// Reads the files and checks everything.
    ///
    /// # Errors
    /// [`Refusal`] of the first parameter that makes no sense.
    fn prepare(self, files: &mut Files) -> Result<Self::Measure, Refusal>;
}

/// A known measure.
#[derive(Copy, Clone, Debug)]
pub struct Entry {
    /// Its name in studies and results.
    pub name: &'static str,
    /// The columns that its rows have beside those of every table of cases.
    pub keys: &'static [&'static str],
    /// Those of `keys` that only some rows fill.
    pub partial: &'static [&'static str],
    read: fn(toml::Table, &str) -> Result<Prepared, Refusal>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

/// All measures.
pub const MEASURES: &[Entry] = &[
    entry::<nominal::NominalParameters>(),
    entry::<curve::CurveParameters>(),
    entry::<percentile::PercentileParameters>(),
    entry::<published::PublishedParameters>(),
    entry::<planted::PlantedParameters>(),
    entry::<execution::ExecutionParameters>(),
    entry::<budget::BudgetParameters>(),
    entry::<budget::OverTimeParameters>(),
    entry::<budget_results::BudgetResultsParameters>(),
    entry::<mapping::MappingParameters>(),
    entry::<misprediction::MispredictionParameters>(),
    entry::<occupancy::OccupancyParameters>(),
    entry::<optimality::OptimalityParameters>(),
    entry::<scenario::ScenarioParameters>(),
    entry::<shared_memory::SharedMemoryParameters>(),
    entry::<shared_sms::SharedSmsParameters>(),
    entry::<concurrent::MemoryProfilesParameters>(),
    entry::<concurrent::SideBySideParameters>(),
    entry::<warps::WarpsParameters>(),
];

const fn entry<P: Parameters>() -> Entry {
    Entry {
        name: P::NAME,
        keys: P::KEYS,
        partial: P::PARTIAL,
        read: read::<P>,
        schema: schema::<P>,
    }
}

/// The measure called `name`.
pub(super) fn find(name: &str) -> Result<&'static Entry, Refusal> {
    MEASURES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = MEASURES.iter().map(|entry| entry.name).collect();
        Refusal::new(
            "measure",
            format!("\"{name}\""),
            format!("one of {}", names.join(", ")),
        )
    })
}

/// A measure that is ready, and what makes it another one.
pub(super) struct Prepared {
    pub measure: Arc<dyn Measure>,
    /// Parameters, defaults included, and hashes of the files.
    pub identity: serde_json::Value,
    /// The files.
    pub inputs: Inputs,
}

impl Entry {
    /// Reads the parameters in `table`, of a case in the study `file`.
    pub(super) fn read(&self, table: toml::Table, file: &str) -> Result<Prepared, Refusal> {
        (self.read)(table, file)
    }

    /// The schema of a case with this measure.
    pub(super) fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = (self.schema)(generator);
        let Some(object) = schema.as_object_mut() else {
            return schema;
        };
        let own = [
            (
                "name",
                serde_json::json!({"type": "string", "description": "The name in the results."}),
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
    let parameters: P = serde_path_to_error::deserialize(toml::Value::Table(table)).map_err(|error| {
        let path = error.path().to_string();
        let message = error.inner().message().trim().replace('\n', "; ");
        Refusal::told(if path == "." { "" } else { &path }, message)
    })?;
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

fn schema<P: Parameters>(generator: &mut SchemaGenerator) -> Schema {
    P::json_schema(generator)
}
