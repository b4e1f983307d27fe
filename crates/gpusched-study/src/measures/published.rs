//! Metric that lists published values of benchmarks as rows. Claims about a published table use these rows.

use gpusched_model::Refusal;
use serde::{Deserialize, Serialize};

use super::{Files, Labels, Measure, Parameters, Row};
use gpusched_model::Benchmarks;
use gpusched_model::error::Result;

/// Lists the published values in a file of benchmarks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "PublishedCase"))]
pub struct PublishedParameters {
    /// Path of the file with the benchmarks.
    benchmarks: String,
}

/// Published values that gpusched has read and checked, ready for listing.
#[derive(Debug)]
pub struct Published {
    benchmarks: Benchmarks,
}

impl Parameters for PublishedParameters {
    const NAME: &'static str = "published";
    const KEYS: &'static [&'static str] = &["kernel", "bound"];
    type Measure = Published;

    fn prepare(self, files: &mut Files) -> Result<Published, Refusal> {
        let benchmarks = files.read("benchmarks", &self.benchmarks)?;
        Ok(Published { benchmarks })
    }
}

impl Measure for Published {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let benchmarks = self.benchmarks.benchmarks().iter();
        let rows = benchmarks.flat_map(|benchmark| {
            let bound = benchmark.bound.map(|bound| bound.to_string()).unwrap_or_default();
            let labels = Labels::of("kernel", &benchmark.name).with("bound", &bound);
            let figures = benchmark.figures().into_iter();
            figures.map(move |figure| labels.row(figure.field, figure.value, figure.unit))
        });
        Ok(rows.collect())
    }
}
