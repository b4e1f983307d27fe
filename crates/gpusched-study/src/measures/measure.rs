//! Parameters and rows of a metric.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::{Deserialize as _, DeserializeOwned};

use super::row::Row;
use crate::definition::files::{Files, Inputs};
use gpusched_model::Refusal;
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

/// A prepared metric, with the data that identify it.
pub(crate) struct Prepared {
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
    pub(crate) fn read(&self, table: toml::Table, file: &str) -> Result<Prepared, Refusal> {
        (self.read)(table, file)
    }

    /// Returns the JSON schema of a case that evaluates this metric.
    #[cfg(feature = "schema")]
    pub(crate) fn schema(&self, generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
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
