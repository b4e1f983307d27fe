//! Published values of benchmark kernels. If a value was not published, its field is absent.

use crate::Refusal;
use crate::reader::{Document, Fault, from_json};
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Factor, Kind};

/// Benchmarks with their published values, and the sources of the values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "BenchmarksShape")]
pub struct Benchmarks {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    benchmarks: Vec<Benchmark>,
    sources: BTreeMap<String, String>,
}

/// Benchmarks as written in a JSON file.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "benchmarks: an object with lists \"benchmarks\" and \"sources\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "Benchmarks"))]
struct BenchmarksShape {
    /// Name for display.
    #[serde(default)]
    name: Option<String>,
    /// Benchmarks; at least one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    benchmarks: Vec<Benchmark>,
    /// Sources of the values, as text for display. The list has one entry for each field that at least one benchmark
    /// states. The key of an entry is the field name.
    sources: BTreeMap<String, String>,
}

/// A benchmark with its values from [Aghilinasab20] Table II. If a value is unknown, its field is
/// absent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// Name of the benchmark.
    pub name: String,
    /// Resource that the benchmark mostly uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Kind>,
    /// Number of thread blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u64>,
    /// Number of clusters of thread blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u32>,
    /// Number of intervals. An interval consists of consecutive thread blocks of the same
    /// cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intervals: Option<u64>,
    /// Worst goodness of fit of a cluster: largest Kolmogorov–Smirnov distance divided by its critical value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goodness_of_fit: Option<Factor>,
    /// Overestimation without interference (Q = 0): the WCET bound divided by the longest
    /// measured time, minus 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overestimation_isolated: Option<Factor>,
    /// Overestimation under full interference (Q = 1): the WCET bound divided by the longest
    /// measured time, minus 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overestimation_contended: Option<Factor>,
    /// Nominal memory bandwidth budget Q: a share from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_q: Option<Factor>,
    /// Nominal memory bandwidth budget Q, adjusted for the run-time overhead of computing budgets: a share
    /// from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjusted_nominal_q: Option<Factor>,
}

/// One known value of a benchmark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figure {
    /// Name of the field of [`Benchmark`].
    pub field: &'static str,
    /// Value of the field.
    pub value: String,
    /// Unit of the value: `blocks`, `clusters`, `intervals` or `share`. Empty if the value has no
    /// unit.
    pub unit: &'static str,
}

impl Benchmark {
    /// Returns the known values of the benchmark, in the order of the fields.
    pub fn figures(&self) -> Vec<Figure> {
        let figure = |field, value: Option<String>, unit| value.map(|value| Figure { field, value, unit });
        let share =
            |field, value: Option<Factor>| figure(field, value.map(|value| value.to_string()), "share");
        let text = |value: Option<u64>| value.map(|value| value.to_string());
        let fit = self.goodness_of_fit.map(|value| value.to_string());
        let figures = [
            figure("blocks", text(self.blocks), "blocks"),
            figure("clusters", text(self.clusters.map(u64::from)), "clusters"),
            figure("intervals", text(self.intervals), "intervals"),
            figure("goodness_of_fit", fit, ""),
            share("overestimation_isolated", self.overestimation_isolated),
            share("overestimation_contended", self.overestimation_contended),
            share("nominal_q", self.nominal_q),
            share("adjusted_nominal_q", self.adjusted_nominal_q),
        ];
        figures.into_iter().flatten().collect()
    }

    /// Returns the names of the fields with known values, except `name`.
    fn known(&self) -> impl Iterator<Item = &'static str> {
        let bound = self.bound.map(|_| "bound");
        bound
            .into_iter()
            .chain(self.figures().into_iter().map(|figure| figure.field))
    }
}

impl Benchmarks {
    /// Returns the benchmarks. The list has at least one benchmark, and the names are unique.
    pub fn benchmarks(&self) -> &[Benchmark] {
        &self.benchmarks
    }

    /// Returns the source of each field that a benchmark states. The key of a source is the field
    /// name.
    pub fn sources(&self) -> &BTreeMap<String, String> {
        &self.sources
    }
}

impl TryFrom<BenchmarksShape> for Benchmarks {
    type Error = Refusal;

    fn try_from(shape: BenchmarksShape) -> Result<Benchmarks, Refusal> {
        let refuse = |field: String, found: String, expected: &str| Refusal::refuse(field, found, expected);
        if shape.benchmarks.is_empty() {
            return refuse(
                "benchmarks".into(),
                "an empty list".into(),
                "at least one benchmark",
            );
        }
        let (mut names, mut known) = (BTreeSet::new(), BTreeSet::new());
        for (index, benchmark) in shape.benchmarks.iter().enumerate() {
            let field = |name: &str| format!("benchmarks[{index}].{name}");
            if benchmark.name.is_empty() || !names.insert(&benchmark.name) {
                let found = format!("{:?}", benchmark.name);
                return refuse(field("name"), found, "a unique name");
            }
            for (name, budget) in [
                ("nominal_q", benchmark.nominal_q),
                ("adjusted_nominal_q", benchmark.adjusted_nominal_q),
            ] {
                if let Some(q) = budget.filter(|&q| q > Factor::ONE) {
                    return refuse(field(name), q.to_string(), "a share from 0 to 1");
                }
            }
            known.extend(benchmark.known());
        }
        if let Some(field) = known.iter().find(|&&field| !shape.sources.contains_key(field)) {
            let expected = "a source for each field that a benchmark states";
            return refuse("sources".into(), format!("no source of {field}"), expected);
        }
        if let Some(field) = shape.sources.keys().find(|field| !known.contains(field.as_str())) {
            let expected = "the name of a field that a benchmark states";
            return refuse(format!("sources.{field}"), format!("{field:?}"), expected);
        }
        Ok(Benchmarks {
            name: shape.name,
            benchmarks: shape.benchmarks,
            sources: shape.sources,
        })
    }
}

impl Document for Benchmarks {
    const EXPECTED: &str = "benchmarks: an object such as {\"benchmarks\":[…],\"sources\":{…}}";

    fn from_json(text: &str) -> Result<Benchmarks, Fault> {
        from_json::<BenchmarksShape, _>(text)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Benchmarks {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        BenchmarksShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        BenchmarksShape::json_schema(generator)
    }
}
