//! Metrics that list published values as rows: of benchmarks, and about budgets at run time. Claims about the published
//! tables use these rows.

use gpusched_model::Refusal;
use serde::{Deserialize, Serialize};

use super::{Files, Labels, Measure, Parameters, Row};
use gpusched_analysis::bandwidth::BudgetResults;
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

/// Lists the published results in a file of budget results.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "BudgetResultsCase"))]
pub struct BudgetResultsParameters {
    /// Path of the file with the published results.
    results: String,
}

/// Published results that gpusched has read and checked, ready for listing.
#[derive(Debug)]
pub struct PublishedResults {
    results: BudgetResults,
}

impl Parameters for BudgetResultsParameters {
    const NAME: &'static str = "budget-results";
    const KEYS: &'static [&'static str] = &["kernel", "policy", "demand"];
    type Measure = PublishedResults;

    fn prepare(self, files: &mut Files) -> Result<PublishedResults, Refusal> {
        let results = files.read("results", &self.results)?;
        Ok(PublishedResults { results })
    }
}

impl Measure for PublishedResults {
    fn rows(&self, _seed: u64) -> Result<Vec<Row>> {
        let rows = self.results.results().iter().flat_map(|result| {
            let policy = result
                .policy
                .map_or("none".to_owned(), |policy| policy.to_string());
            let labels = Labels::of("kernel", result.benchmark.as_deref().unwrap_or("none"))
                .with("policy", &policy)
                .with("demand", &result.demand);
            let figures = result.figures().into_iter();
            figures.map(move |figure| labels.row(figure.field, figure.value, figure.unit))
        });
        Ok(rows.collect())
    }
}
