//! Published results of experiments. In these experiments, the memory bandwidth budget changes at run time. A value
//! that the paper does not print is absent.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::BudgetPolicy;
use gpusched_model::Factor;
use gpusched_model::Refusal;
use gpusched_model::benchmark::Figure;
use gpusched_model::reader::{Document, Fault, from_json};

/// Published measurements, and their sources. In these measurements, best-effort CPU cores run concurrently with
/// benchmarks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "BudgetResultsShape")]
pub struct BudgetResults {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    results: Vec<BudgetResult>,
    sources: BTreeMap<String, String>,
}

/// Published results of experiments with memory bandwidth budgets, with the fields of the file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "budget results: an object with lists \"results\" and \"sources\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "BudgetResults"))]
struct BudgetResultsShape {
    /// Name of the collection, for display.
    #[serde(default)]
    name: Option<String>,
    /// Published results; at least one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    results: Vec<BudgetResult>,
    /// Source of each field of a result, as text for display.
    sources: BTreeMap<String, String>,
}

/// Published measurements for one benchmark, one budget policy, and one program on the
/// best-effort CPU cores ([Aghilinasab20] Tables III and IV).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BudgetResult {
    /// Name of the benchmark; absent if only best-effort cores ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// Budget policy; absent if the cores were not regulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<BudgetPolicy>,
    /// Program on the best-effort cores, such as `libquantum`.
    pub demand: String,
    /// Relative increase of the number of memory requests of the best-effort cores, compared with the policy NOMINAL.
    /// The value 0.35 means 35 % more requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvement: Option<Factor>,
    /// Mean of the budget Q over all regulation periods, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q_mean: Option<Factor>,
    /// Standard deviation of the budget Q over all regulation periods, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q_std: Option<Factor>,
    /// Largest memory bandwidth of best-effort cores [10⁹ B/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gigabytes_per_s: Option<Factor>,
    /// Largest memory bandwidth of best-effort cores, in memory requests per millisecond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_ms: Option<u64>,
}

impl BudgetResult {
    /// Returns the published values of this result, in the order of the fields.
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |field, value: Option<String>, unit| value.map(|value| Figure { field, value, unit });
        let text = |value: Option<Factor>| value.map(|value| value.to_string());
        let requests = self.requests_per_ms.map(|value| value.to_string());
        let figures = [
            figure("improvement", text(self.improvement), "share"),
            figure("q_mean", text(self.q_mean), "share"),
            figure("q_std", text(self.q_std), "share"),
            figure("gigabytes_per_s", text(self.gigabytes_per_s), "GB/s"),
            figure("requests_per_ms", requests, "requests"),
        ];
        figures.into_iter().flatten().collect()
    }
}

impl BudgetResults {
    /// Returns the results. The list has at least one result. Each combination of benchmark,
    /// policy and demand occurs once.
    pub fn results(&self) -> &[BudgetResult] {
        &self.results
    }

    /// Returns the source of each published value, by field name.
    pub fn sources(&self) -> &BTreeMap<String, String> {
        &self.sources
    }

    /// Returns the published result for `benchmark`, `demand` and `policy`.
    pub fn find(&self, benchmark: &str, demand: &str, policy: BudgetPolicy) -> Option<&BudgetResult> {
        self.results.iter().find(|result| {
            result.benchmark.as_deref() == Some(benchmark)
                && result.demand == demand
                && result.policy == Some(policy)
        })
    }
}

impl Document for BudgetResults {
    const EXPECTED: &str = "budget results: an object such as {\"results\":[…],\"sources\":{…}}";

    fn from_json(text: &str) -> Result<BudgetResults, Fault> {
        from_json::<BudgetResults, _>(text)
    }
}

impl TryFrom<BudgetResultsShape> for BudgetResults {
    type Error = Refusal;

    fn try_from(shape: BudgetResultsShape) -> Result<BudgetResults, Refusal> {
        let refuse = |field: String, found: String, expected: &str| Refusal::refuse(field, found, expected);
        if shape.results.is_empty() {
            return refuse("results".into(), "an empty list".into(), "at least one result");
        }
        let (mut subjects, mut known) = (Vec::new(), BTreeSet::new());
        for (index, result) in shape.results.iter().enumerate() {
            let field = |name: &str| format!("results[{index}].{name}");
            let names = [
                ("benchmark", result.benchmark.as_deref()),
                ("demand", Some(result.demand.as_str())),
            ];
            if let Some((name, _)) = names.iter().find(|(_, text)| *text == Some("")) {
                return refuse(field(name), "\"\"".into(), "a name");
            }
            let subject = (&result.benchmark, result.policy, &result.demand);
            if subjects.contains(&subject) {
                let found = format!("results[{index}]");
                return refuse(
                    found,
                    "a second result for the same benchmark, policy and demand".into(),
                    "one result for each combination of benchmark, policy and demand",
                );
            }
            subjects.push(subject);
            for (name, share) in [("q_mean", result.q_mean), ("q_std", result.q_std)] {
                if let Some(q) = share.filter(|&q| q > Factor::ONE) {
                    return refuse(field(name), q.to_string(), "a share from 0 to 1");
                }
            }
            known.extend(result.figures().into_iter().map(|figure| figure.field));
        }
        if let Some(field) = known.iter().find(|&&field| !shape.sources.contains_key(field)) {
            let expected = "the source of every field that a result has";
            return refuse("sources".into(), format!("no {field}"), expected);
        }
        if let Some(field) = shape.sources.keys().find(|field| !known.contains(field.as_str())) {
            let expected = "a field that a result has";
            return refuse(format!("sources.{field}"), format!("{field:?}"), expected);
        }
        Ok(BudgetResults {
            name: shape.name,
            results: shape.results,
            sources: shape.sources,
        })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for BudgetResults {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        BudgetResultsShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        BudgetResultsShape::json_schema(generator)
    }
}
