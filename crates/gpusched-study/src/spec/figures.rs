//! Completes the figures of a study with defaults that depend on its axes.

use std::collections::BTreeSet;

use super::Spec;
use super::kind::Kind;
use crate::partitioning::Partitioning;
use crate::plot::{AxisScale, FigureKind, FigureTable, Names, Options};
use crate::table::Table;

impl Spec {
    /// Completes the options of `figure`, which shows `table`. Returns the name of the
    /// figure and its options. If the figure is divided into parts, returns the name and the options of each part.
    pub(crate) fn complete(&self, figure: &Options, table: &Table) -> Vec<(Option<String>, Options)> {
        let mut options = figure.clone();
        let title = match self.title() {
            "" => self.name(),
            title => title,
        };
        options.title.get_or_insert_with(|| title.to_owned());
        let parts = match self.kind() {
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
        if options.x.is_none() && !others_vary && options.kind != Some(FigureKind::Cdf) {
            options.x = Some(name.to_owned());
            continue;
        }
        let Names(panel) = options.panel.get_or_insert_with(|| Names::one("variant"));
        panel.push(name.to_owned());
    }
}

/// Largest number of values that become panels of one figure. For more values, there is one figure for each value.
const MOST_PANELS: usize = 6;

/// Completes the options of a figure of a study of partitioning. Several numbers of tasks become panels. If the figure
/// states other panels, or if there are many numbers, the figure is divided into parts. In this case, returns the column
/// and the value of each part.
fn parts(study: &Partitioning, options: &mut Options, table: &Table) -> Vec<(&'static str, String)> {
    let points = study.points().iter();
    let utilizations: BTreeSet<_> = points.clone().map(|point| point.utilization).collect();
    let tasks: BTreeSet<_> = points.map(|point| point.tasks).collect();
    let states_panels = options.panel.is_some();
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
    let mut points = study.points().iter();
    let has_axis = points.any(|point| point.utilization.is_some() || point.tasks.is_some());
    if !has_axis && options.x.is_none() && options.kind.is_none() {
        // Without any axis, the figure compares the algorithms.
        options.kind = Some(FigureKind::Bar);
        options.x = Some("algorithm".to_owned());
        options.series.get_or_insert_with(|| Names(Vec::new()));
    }
    let x = options.x.clone().unwrap_or_else(|| x.to_owned());
    if options.kind != Some(FigureKind::Cdf) {
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
    if values.len() < 2 || distinguishes {
        return Vec::new();
    }
    if !states_panels && values.len() <= MOST_PANELS {
        let variant = || Names::one("variant");
        let Names(panel) = options.panel.get_or_insert_with(variant);
        panel.push(column.to_owned());
        // Ratios have the same axis. The values of other columns may differ by orders of magnitude.
        if options.y.as_deref() != Some("rate") {
            options.scale.get_or_insert(AxisScale::Free);
        }
        return Vec::new();
    }
    values.into_iter().map(|value| (column, value)).collect()
}
