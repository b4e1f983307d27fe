//! Chooses the columns of a figure if the options do not state them.

use super::selection::{Selected, is_of_cases};
use crate::plot::options::{FigureKind, Options};
use crate::plot::values::Names;
use crate::table::Table;
use gpusched_model::error::{Error, Result};

/// Names of the columns that a figure shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Column on the horizontal axis. `None` in a figure of the kind `cdf`, whose horizontal axis shows the values.
    pub x: Option<String>,
    pub y: String,
    pub series: Vec<String>,
    pub panel: Vec<String>,
}

impl Choice {
    /// Chooses the columns for the rows in `selected`. The columns of the first table are sufficient, because all
    /// tables of a figure have the same columns.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if no column is suitable for an axis.
    pub fn new(selected: &[Selected<'_>], options: &Options) -> Result<Choice> {
        let Some(first) = selected.first() else {
            return Err(Error::parameter("y", "no table", "at least one table"));
        };
        let table = first.table;
        let y = match &options.y {
            Some(y) => y.clone(),
            None => default_y(table)?,
        };
        let stated = |names: &Option<_>| names.as_ref().map(|Names(names)| names.clone());
        let (panel, series) = (stated(&options.panel), stated(&options.series));
        let taken: Vec<String> = panel
            .iter()
            .chain(&series)
            .flatten()
            .chain([&y])
            .cloned()
            .collect();
        let free = |name: &str| !taken.iter().any(|taken| *taken == name);
        let x = match (&options.x, options.kind) {
            (_, Some(FigureKind::Cdf)) => None,
            (Some(x), _) => Some(x.clone()),
            (None, _) => Some(default_x(first, free)?),
        };
        let free = |name: &str| free(name) && x.as_deref() != Some(name);
        let panel = panel.unwrap_or_else(|| {
            let default = ["variant", "quantity"].into_iter();
            let mut default = default.filter(|name| free(name));
            let varies = |name: &&str| *name == "variant" || first.varies(name);
            let default = default.find(|name| table.find(name).is_some() && varies(name));
            default.map(str::to_owned).into_iter().collect()
        });
        let free = |name: &str| free(name) && !panel.iter().any(|panel| panel == name);
        let series = series.unwrap_or_else(|| {
            let known = ["algorithm", "variant"].into_iter();
            let known = known.filter(|name| free(name) && first.is_filled(name)).take(1);
            let known: Vec<String> = known.map(str::to_owned).collect();
            match known.is_empty() {
                true => first
                    .keys()
                    .filter(|name| free(name))
                    .map(str::to_owned)
                    .collect(),
                false => known,
            }
        });
        Ok(Choice { x, y, series, panel })
    }
}

fn default_y(table: &Table) -> Result<String> {
    let known = ["rate", "value", "weighted", "mean_search_ns"].into_iter();
    let numeric = table.columns().iter().rev().map(String::as_str);
    let numeric = numeric.filter(|name| table.find(name).is_some_and(|column| column.is_numeric()));
    let mut choices = known.filter(|name| table.find(name).is_some()).chain(numeric);
    choices.next().map(str::to_owned).ok_or_else(|| {
        let expected = format!("a column of numbers for the values in {}", table.file());
        Error::parameter("y", "no such column", expected)
    })
}

fn default_x(selected: &Selected<'_>, free: impl Fn(&str) -> bool) -> Result<String> {
    let table = selected.table;
    let utilization = ["utilization"].into_iter();
    let utilization = utilization.filter(|name| free(name) && selected.is_filled(name));
    let numeric = |name: &&str| table.find(name).is_some_and(|column| column.is_numeric());
    let keys = || {
        selected
            .keys()
            .filter(|_| is_of_cases(table))
            .filter(|name| free(name))
    };
    let columns = || {
        let columns = table.columns().iter().map(String::as_str);
        columns.filter(|name| free(name) && *name != "study")
    };
    let case = columns().filter(|name| *name == "case");
    let varying = columns().filter(|name| selected.varies(name));
    let mut choices = utilization
        .chain(keys().filter(numeric))
        .chain(keys())
        .chain(case)
        .chain(varying)
        .chain(columns());
    choices.next().map(str::to_owned).ok_or_else(|| {
        let expected = format!("a column for the horizontal axis in {}", table.file());
        Error::parameter("x", "no such column", expected)
    })
}
