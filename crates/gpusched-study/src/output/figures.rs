//! Figures of a study with results.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::findings::Study;
use super::provenance::Provenance;
use crate::definition::figures::table_of;
use crate::definition::kind::Kind;
use crate::definition::spec::Spec;
use crate::partitioning::Partitioning;
use crate::plot::{self, FigureTable, Names, Options};
use crate::running::work::Shard;
use crate::table::Table;
use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Result};

/// A figure of a study.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Path of the SVG file of the figure, inside the folder of the results.
    pub path: PathBuf,
    /// Options of the figure, including the defaults of the study.
    pub options: Options,
    table: Table,
}

impl Figure {
    /// Draws the figure as SVG text.
    ///
    /// # Errors
    /// Fails in the same cases as [`plot::svg`].
    pub fn svg(&self) -> Result<String> {
        plot::svg(std::slice::from_ref(&self.table), &self.options)
    }
}

impl Study {
    /// Returns the figures that the study defines. A figure over the utilization shows one number of tasks. If the
    /// study has several numbers of tasks, and the figure does not distinguish them, the list contains one figure for
    /// each number of tasks. If the study has more numbers of tasks than utilizations, the number of tasks and the
    /// utilization exchange their roles.
    ///
    /// # Errors
    /// Fails in the same cases as [`Study::findings`].
    pub fn figures(&self) -> Result<Vec<Figure>> {
        let tables = self.tables()?;
        let mut figures = Vec::new();
        for figure in self.spec.figures() {
            let table = table_of(figure, &tables)?;
            for (part, options) in complete(&self.spec, figure, &table) {
                let path = self.folder.figure(part.as_deref());
                let table = table.clone();
                figures.push(Figure { path, options, table });
            }
        }
        Ok(figures)
    }

    /// Adds the study file to `outputs`, if the copy next to the results differs from it. The differences do not change
    /// the experiment, so only the hash of the study file changes in the provenance.
    ///
    /// # Errors
    /// Fails in the same cases as [`Study::findings`], and with
    /// [`Error::Io`] if a file cannot be read or written.
    pub fn write_spec(&self, outputs: &mut Outputs) -> Result<()> {
        let path = self.folder.spec();
        let found = fs::read(&path).map_err(|cause| Error::io(&path, "read", cause))?;
        if found == self.spec.text().as_bytes() {
            return Ok(());
        }
        let provenance = Provenance::new(&self.spec, Shard::WHOLE)?.of_results(&self.tables()?.results);
        provenance.write(outputs, &self.folder.provenance(Shard::WHOLE))?;
        outputs.write(&path, self.spec.text())
    }
}

/// Completes the options of `figure`. The figure belongs to the study `spec` and shows `table`. Returns the name of the
/// figure and its options. If the figure is divided into parts, returns the name and the options of each part.
pub(crate) fn complete(spec: &Spec, figure: &Options, table: &Table) -> Vec<(Option<String>, Options)> {
    let mut options = figure.clone();
    let title = match spec.title() {
        "" => spec.name(),
        title => title,
    };
    options.title.get_or_insert_with(|| title.to_owned());
    let parts = match spec.kind() {
        Kind::Partitioning(of) => parts(of, &mut options, table),
        Kind::Cases(_) => Vec::new(),
    };
    if parts.is_empty() {
        return vec![(figure.name.clone(), options)];
    }
    let part = |(column, value): (&str, String)| {
        let mut options = options.clone();
        let title = options.title.unwrap_or_default();
        options.title = Some(format!("{title}: {column} = {value}"));
        options.selection.insert(column.to_owned(), Names::one(&value));
        let part = format!("{column}-{value}");
        let name = figure.name.iter().cloned().chain([part]);
        (Some(name.collect::<Vec<_>>().join(".")), options)
    };
    parts.into_iter().map(part).collect()
}

/// If `options` do not state where the figure shows a further axis with several values, chooses the place. The place is
/// the horizontal axis if the utilization and the number of tasks do not vary, otherwise the panels.
fn further_axes(study: &Partitioning, options: &mut Options, others_vary: bool) {
    for name in study.axes() {
        let named = |names: &Option<Names>| {
            names
                .iter()
                .any(|Names(names)| names.iter().any(|other| other == name))
        };
        let is_placed = options.x.as_deref() == Some(name)
            || named(&options.series)
            || named(&options.panel)
            || options.selection.contains_key(name);
        if is_placed || study.count(name) < 2 {
            continue;
        }
        if options.x.is_none() && !others_vary && options.kind != Some(plot::FigureKind::Cdf) {
            options.x = Some(name.to_owned());
            continue;
        }
        let Names(panel) = options
            .panel
            .get_or_insert_with(|| Names(vec!["variant".to_owned()]));
        panel.push(name.to_owned());
    }
}

/// Completes the options of a figure of a study of partitioning. If the figure is divided into parts, returns the
/// column and the value of each part.
fn parts(study: &Partitioning, options: &mut Options, table: &Table) -> Vec<(&'static str, String)> {
    let points = study.points().iter();
    let utilizations: BTreeSet<_> = points.clone().map(|point| point.utilization).collect();
    let tasks: BTreeSet<_> = points.map(|point| point.tasks).collect();
    further_axes(study, options, utilizations.len().max(tasks.len()) > 1);
    let is_weighted = table.find("weighted").is_some();
    if options.y.is_none() {
        let y = match options.table {
            Some(FigureTable::Weighted) => "weighted",
            Some(FigureTable::Timing) => "mean_search_ns",
            _ => "rate",
        };
        options.y = Some(y.to_owned());
    }
    let over_tasks = is_weighted || tasks.len() > utilizations.len();
    let (x, column, values): (_, _, Vec<String>) = match over_tasks {
        true => (
            "tasks",
            "utilization",
            utilizations.iter().flatten().map(ToString::to_string).collect(),
        ),
        false => (
            "utilization",
            "tasks",
            tasks.iter().flatten().map(ToString::to_string).collect(),
        ),
    };
    let x = options.x.clone().unwrap_or_else(|| x.to_owned());
    if options.kind != Some(plot::FigureKind::Cdf) {
        options.x = Some(x.clone());
    }
    let named = |names: &Option<Names>| {
        names
            .iter()
            .any(|Names(names)| names.iter().any(|name| name == column))
    };
    let distinguishes = x == column
        || named(&options.series)
        || named(&options.panel)
        || options.selection.contains_key(column)
        || is_weighted;
    match values.len() > 1 && !distinguishes {
        true => values.into_iter().map(|value| (column, value)).collect(),
        false => Vec::new(),
    }
}
