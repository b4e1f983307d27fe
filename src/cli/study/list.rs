//! `gpusched study list`: the studies in a folder.

use std::path::PathBuf;

use serde::Serialize;

use crate::cli::report::{Column, Output, Palette, Report, Rows, Table, clip, json_document, wrap};
use crate::cli::{Global, Outcome};
use crate::error::Result;
use crate::model::words::counted;
use crate::study::{self, Kind, State, Study};

/// Lists the studies in a folder, and whether their results are there.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// The folder with the study files; results may be beside them or in folders named after the studies.
    #[arg(default_value = "analysis", value_name = "DIR")]
    folder: PathBuf,
}

const EXAMPLE: &str = "\
Example:
  gpusched study list analysis";

/// One line of the list; what its kind of study does not have is empty.
#[derive(Serialize)]
struct Entry<'a> {
    name: &'a str,
    title: &'a str,
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readings: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    algorithms: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cases: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measures: Vec<&'a str>,
    claims: usize,
    results: State,
}

impl<'a> Entry<'a> {
    fn new(study: &'a Study) -> Entry<'a> {
        let spec = &study.spec;
        let mut entry = Entry {
            name: spec.name(),
            title: spec.title(),
            source: spec.source_text(),
            points: None,
            sets: None,
            readings: Vec::new(),
            algorithms: Vec::new(),
            cases: None,
            measures: Vec::new(),
            claims: spec.claims().len(),
            results: study.state,
        };
        match spec.kind() {
            Kind::Partitioning(of) => {
                let readings = of.readings().iter();
                let algorithms = of.algorithms().iter();
                entry.points = Some(of.points().len());
                entry.sets = Some(of.sets());
                entry.readings = readings.map(|reading| reading.name.as_str()).collect();
                entry.algorithms = algorithms.map(|algorithm| algorithm.name.as_str()).collect();
            }
            Kind::Cases(of) => {
                entry.cases = Some(of.cases().len());
                for case in of.cases() {
                    if !entry.measures.contains(&case.measure()) {
                        entry.measures.push(case.measure());
                    }
                }
            }
        }
        entry
    }

    /// How much it does, in words.
    fn size(&self) -> String {
        match (self.points, self.sets, self.cases) {
            (Some(points), Some(sets), _) => format!("{points} × {}", counted(sets, "set")),
            (.., Some(cases)) => counted(cases, "case"),
            _ => String::new(),
        }
    }

    fn state(&self) -> &'static str {
        match self.results {
            State::Missing => "missing",
            State::Outdated => "outdated",
            State::Current => "current",
        }
    }
}

impl Args {
    /// Prints the list.
    ///
    /// # Errors
    /// Those of [`study::studies`], or output that cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let studies = study::studies(&self.folder)?;
        let list = List(studies.iter().map(Entry::new).collect());
        Output::open(global)?.only(COLUMNS, &list)?;
        Ok(Outcome::Positive)
    }
}

/// The columns of the CSV.
const COLUMNS: &str = "name,title,source,points,sets,readings,algorithms,claims,results,cases,measures";

/// The studies in a folder.
#[derive(Serialize)]
struct List<'a>(Vec<Entry<'a>>);

impl Report for List<'_> {
    fn json(&self) -> Result<String> {
        json_document(self)
    }

    fn rows(&self, rows: &mut Rows) -> Result<()> {
        self.0.iter().try_for_each(|entry| {
            rows.add([
                entry.name,
                entry.title,
                entry.source,
                &number(entry.points),
                &number(entry.sets),
                &entry.readings.join(" "),
                &entry.algorithms.join(" "),
                &entry.claims.to_string(),
                entry.state(),
                &number(entry.cases),
                &entry.measures.join(" "),
            ])
        })
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let mut table = Table::new([
            Column::Left("study"),
            Column::Left("source"),
            Column::Right("size"),
            Column::Left("readings, measures"),
            Column::Left("algorithms"),
            Column::Left("results"),
        ]);
        for entry in &self.0 {
            table.row([
                entry.name.to_owned(),
                clip(entry.source, 40),
                entry.size(),
                words(&[entry.readings.as_slice(), &entry.measures].concat()),
                words(&entry.algorithms),
                entry.state().to_owned(),
            ]);
        }
        Ok(table.render(palette.header))
    }
}

fn words(names: &[&str]) -> String {
    wrap(names.iter().map(|name| (*name).to_owned()), 36)
}

fn number(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}
