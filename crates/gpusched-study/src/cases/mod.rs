//! Studies of cases. Each experiment case evaluates one metric. One table contains the results of all cases as rows.

pub(super) mod results;
mod shape;

pub use shape::{CasesKind, CasesShape};

use std::sync::Arc;

use serde::Serialize;

use super::definition::document::Document;
use super::definition::head::Head;
use super::definition::names;
use super::measures::{self, Inputs, Measure, Prepared};
use super::work::collection::Content;
use super::work::{Chunk, Work};
use gpusched_model::error::{Error, Refusal, Result};

/// All inputs that determine the results of a study of cases, except the name of the study.
#[derive(Clone, Debug)]
pub struct Cases {
    seed: u64,
    cases: Vec<Case>,
    inputs: Inputs,
    /// Columns of the table of results.
    columns: Vec<&'static str>,
    work: Work,
}

/// One experiment case. gpusched computes and records each case as a whole. A resumed run repeats an unfinished case.
#[derive(Clone, Debug)]
pub struct Case {
    name: String,
    kind: &'static str,
    measure: Arc<dyn Measure>,
    identity: serde_json::Value,
}

impl Case {
    /// Returns the name of the case in the results.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the metric that the case evaluates.
    pub fn measure(&self) -> &'static str {
        self.kind
    }

    /// Returns the metric with the parameters of the case.
    pub fn metric(&self) -> &dyn Measure {
        &*self.measure
    }
}

impl Cases {
    /// Reads and checks the study of cases in `document`.
    pub(super) fn parse(document: &Document) -> Result<(Head, Cases)> {
        let shape: CasesShape = document.parse()?;
        names::of_files(document, &shape.name)?;
        let (mut cases, mut keys) = (Vec::new(), Vec::new());
        let mut inputs = Inputs::default();
        for (index, case) in shape.case.into_iter().enumerate() {
            let refuse = |refusal: Refusal| document.error(refusal.within(&format!("case[{index}]")));
            let (case, of_measure, files) = read(case.0, &document.file).map_err(refuse)?;
            cases.push(case);
            inputs.extend(files);
            for &key in of_measure {
                if !keys.contains(&key) {
                    keys.push(key);
                }
            }
        }
        names::unique(document, "case", cases.iter().map(Case::name).collect())?;
        let work = Work::new(cases.len(), 1).ok_or_else(|| {
            document.error(Refusal::told(
                "case",
                "found too many experiment cases, expected fewer cases",
            ))
        })?;
        let head = Head {
            name: shape.name,
            title: shape.title,
            source: shape.source,
            seed: shape.seed,
            figures: shape.figure,
            claims: shape.claim,
        };
        let study = Cases {
            seed: shape.seed,
            cases,
            inputs,
            columns: results::columns(&keys),
            work,
        };
        Ok((head, study))
    }

    /// Returns the experiment cases; at least one.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Returns the files that the cases name, with their contents. The list of paths excludes copies in a folder of
    /// results.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Returns the columns of the results. The columns of the metrics are just before the column
    /// `quantity`.
    pub fn columns(&self) -> &[&'static str] {
        &self.columns
    }

    /// Returns the chunks of work of the study. Each case is one chunk.
    pub(super) fn work(&self) -> Work {
        self.work
    }

    /// Returns the description of the experiment as JSON. gpusched hashes this description to identify the experiment.
    pub(super) fn identity(&self, name: &str) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Experiment<'a> {
            kind: &'static str,
            name: &'a str,
            seed: u64,
            cases: Vec<(&'a str, &'static str, &'a serde_json::Value)>,
        }
        let cases = self.cases.iter();
        serde_json::to_vec(&Experiment {
            kind: "cases",
            name,
            seed: self.seed,
            cases: cases
                .map(|case| (case.name(), case.kind, &case.identity))
                .collect(),
        })
    }

    /// Computes one case of the study called `name`. Returns `None` if the run was stopped before the end of the case.
    pub(super) fn compute(
        &self,
        name: &str,
        chunk: &Chunk,
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<Content>> {
        let Some(case) = self.cases.get(chunk.point) else {
            return Err(Error::parameter("chunk", chunk.index, "the chunk of a case"));
        };
        if !goes_on() {
            return Ok(None);
        }
        let rows = case.measure.rows(self.seed)?;
        Ok(Some(Content::Rows(results::cells(name, self, case, &rows))))
    }

    /// Returns the rows of all cases, with arbitrary numbers as values.
    fn outline(&self, name: &str) -> Result<Vec<Vec<String>>> {
        let rows = self.cases.iter().map(|case| {
            let rows = case.measure.outline(self.seed)?;
            Ok(results::cells(name, self, case, &rows))
        });
        Ok(rows.collect::<Result<Vec<_>>>()?.concat())
    }
}

/// An experiment case, the columns of its metric, and the files that the case names.
type Read = (Case, &'static [&'static str], Inputs);

fn read(mut table: toml::Table, file: &str) -> Result<Read, Refusal> {
    let mut text = |field: &str| match table.remove(field) {
        Some(toml::Value::String(text)) => Ok(text),
        Some(other) => Err(Refusal::new(field, other, "text")),
        None => Err(Refusal::told("", format!("missing field `{field}`"))),
    };
    let (name, kind) = (text("name")?, text("measure")?);
    let entry = measures::find(&kind)?;
    let Prepared {
        measure,
        identity,
        inputs,
    } = entry.read(table, file)?;
    let case = Case {
        name,
        kind: entry.name,
        measure,
        identity,
    };
    Ok((case, entry.keys, inputs))
}
