//! `gpusched study list`: lists the studies in a folder.

use std::path::PathBuf;

use serde::Serialize;

use crate::report::{Output, Palette, Report, Table, clip, json_document, wrap};
use crate::{Global, Outcome, Run};
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_study::{self, Kind, State, Study};

/// Arguments of `gpusched study list`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Folder with study files; results are there or in one subfolder per study
    #[arg(default_value = "analysis", value_name = "DIR")]
    folder: PathBuf,
}

const EXAMPLE: &str = "\
Example:
  gpusched study list analysis";

/// One study in the list. Fields that do not apply to the kind of the study are empty.
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
    variants: Vec<&'a str>,
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
            variants: Vec::new(),
            algorithms: Vec::new(),
            cases: None,
            measures: Vec::new(),
            claims: spec.claims().len(),
            results: study.state,
        };
        match spec.kind() {
            Kind::Partitioning(of) => {
                let variants = of.variants().iter();
                let algorithms = of.algorithms().iter();
                entry.points = Some(of.points().len());
                entry.sets = Some(of.sets());
                entry.variants = variants.map(|variant| variant.name.as_str()).collect();
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

    /// Returns a text about the size of the study.
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

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let studies = gpusched_study::studies(&self.folder)?;
        let list = List {
            entries: studies.iter().map(Entry::new).collect(),
            width: global.width(),
        };
        Output::open(global)?.last(&list)?;
        Ok(Outcome::Positive)
    }
}

/// Studies in a folder.
#[derive(Serialize)]
#[serde(transparent)]
struct List<'a> {
    entries: Vec<Entry<'a>>,
    /// Width of the terminal [characters]; `None` if gpusched does not write to a terminal.
    #[serde(skip)]
    width: Option<usize>,
}

impl Report for List<'_> {
    fn json(&self) -> Result<String> {
        json_document(self)
    }

    fn table(&self) -> Table {
        let table = Table::of(&self.entries)
            .exact("name", |entry| entry.name)
            .exact("title", |entry| entry.title)
            .exact("source", |entry| entry.source)
            .exact("points", |entry| entry.points)
            .exact("sets", |entry| entry.sets)
            .exact("variants", |entry| entry.variants.join(" "))
            .exact("algorithms", |entry| entry.algorithms.join(" "))
            .exact("claims", |entry| entry.claims)
            .exact("results", |entry| entry.state())
            .exact("cases", |entry| entry.cases)
            .exact("measures", |entry| entry.measures.join(" "));
        table.done()
    }

    /// Returns the widest table that fits on the terminal. To save width, the function first
    /// makes the cells narrower. If the table is still too wide, the function omits the columns
    /// with lists of names.
    fn text(&self, palette: &Palette) -> Result<String> {
        let cells = (WIDEST - 24..=WIDEST).rev();
        let all = cells.clone().map(|cell| self.list(cell, true));
        let short = cells.map(|cell| self.list(cell, false));
        let fits = |table: &Table| self.width.is_none_or(|width| table.width() <= width);
        let table = all.chain(short).find(fits);
        let table = table.unwrap_or_else(|| self.list(WIDEST - 24, false));
        Ok(table.render(palette.header))
    }
}

/// Maximum width of a cell with analysis variants, metrics or algorithms [characters]. A cell with sources may be four
/// characters wider.
const WIDEST: usize = 36;

impl List<'_> {
    /// Returns a table with cells of about `cell` characters. If `words` is true, the table lists
    /// the names of analysis variants, metrics and algorithms.
    fn list(&self, cell: usize, words: bool) -> Table {
        let wrapped = |names: &[&str]| wrap(names.iter().map(|name| (*name).to_owned()), cell);
        let table = Table::of(&self.entries)
            .text("study", |entry| entry.name)
            .text("source", |entry| clip(entry.source, cell + 4))
            .number("size", |entry| entry.size())
            .when(words, |table| {
                table
                    .text("variants, measures", |entry| {
                        wrapped(&[entry.variants.as_slice(), &entry.measures].concat())
                    })
                    .text("algorithms", |entry| wrapped(&entry.algorithms))
            })
            .text("results", |entry| entry.state());
        table.done()
    }
}
