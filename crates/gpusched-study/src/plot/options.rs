//! Options of a figure. A study file states them in the table `[figure]`, and the command line states them as options.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::values::{Names, Reference, Size, Span};

/// Maximum number of rows that one figure shows.
pub const MAX_ROWS: usize = 1_000_000;

/// How a figure looks. Each missing option has a default that depends on the table of results.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "schema", schemars(rename = "Figure"))]
pub struct Options {
    /// Name of the figure, which is a part of the name of its file: `STUDY.NAME.svg`. The names of the figures of a study
    /// differ, and one figure may have no name.
    pub name: Option<String>,
    /// Title of the figure. Default: the title of the study.
    pub title: Option<String>,
    /// Kind of figure. Default: `line` if the horizontal axis shows numbers. If it shows texts: `bar` if each series
    /// has at most one value for each text, otherwise `box`.
    pub kind: Option<FigureKind>,
    /// Table that the figure shows. Default: the table with the column `y`. Only in studies of partitioning.
    pub table: Option<FigureTable>,
    /// Column on the horizontal axis. Default: `utilization`, or the first column that distinguishes the rows.
    pub x: Option<String>,
    /// Name of the column of the values. Default: `rate`, or `value`.
    pub y: Option<String>,
    /// Names of the columns that distinguish the series. A series is a line, a bar in each group, or a row of a heat
    /// map. An empty list means one series. Default: `algorithm`, or the next column that distinguishes the rows.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Names>"))]
    pub series: Option<Names>,
    /// Columns that distinguish the panels. An empty list means one panel. Default: `variant`, if present.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Names>"))]
    pub panel: Option<Names>,
    /// Filter for the rows to draw: pairs of a column and either a value or a list of values. gpusched draws a row if
    /// its cell in each of these columns has one of the stated values. Default: all rows.
    #[serde(rename = "where")]
    pub selection: BTreeMap<String, Names>,
    /// Name of a series. The figure divides each value by the value of this series at the same place.
    pub normalize: Option<String>,
    /// Values at which the figure has a line across each panel.
    pub reference: Vec<Reference>,
    /// Axes of several panels. Default: `free` if the panels show different quantities, otherwise `shared`.
    pub scale: Option<AxisScale>,
    /// Whether the horizontal axis is logarithmic. Only with numbers on this axis.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// Title of the horizontal axis. An empty text means no title. Default: the name of the column.
    pub x_title: Option<String>,
    /// Title of the vertical axis. An empty text means no title. Default: the name of the column.
    pub y_title: Option<String>,
    /// Title of the color scale of a figure of kind `heat`. Default: the name of the column of the values.
    pub color_title: Option<String>,
    /// Ends of the horizontal axis, in the unit of the column. Only with numbers on this axis.
    #[cfg_attr(feature = "schema", schemars(with = "Option<[f64; 2]>"))]
    pub x_range: Option<Span>,
    /// Ends of the vertical axis, in the unit of the column. With the kind `heat`: ends of the color scale.
    #[cfg_attr(feature = "schema", schemars(with = "Option<[f64; 2]>"))]
    pub y_range: Option<Span>,
    /// Width and height of the whole figure in pixels. Default: according to the content.
    #[cfg_attr(feature = "schema", schemars(with = "Option<[u32; 2]>"))]
    pub size: Option<Size>,
}

/// Kind of figure.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Deserialize, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FigureKind {
    /// One line per series, with a band for the confidence interval.
    Line,
    /// Groups of bars, one bar per series, with the confidence interval.
    Bar,
    /// One point per row, with the confidence interval.
    Point,
    /// For several values: median, quartiles, whiskers of 1.5 interquartile ranges, and outliers.
    Box,
    /// For each x on the horizontal axis, the share of the values that are at most x.
    Cdf,
    /// One colored cell per value, one row of cells per series.
    Heat,
}

impl FigureKind {
    /// Returns whether the horizontal axis shows categories, even if their names are numbers.
    pub(super) fn has_categories(self) -> bool {
        matches!(self, FigureKind::Bar | FigureKind::Box | FigureKind::Heat)
    }

    /// Returns whether a series may have several values at one place.
    pub(super) fn has_samples(self) -> bool {
        matches!(self, FigureKind::Point | FigureKind::Box | FigureKind::Cdf)
    }
}

/// Tables of a study that a figure can show.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FigureTable {
    /// Table of results, `NAME.csv`.
    Results,
    /// Table of times, `NAME.timing.csv`.
    Timing,
    /// Table of weighted schedulability, `NAME.weighted.csv`. The horizontal axis is the number of tasks.
    Weighted,
}

/// Ranges of the axes of several panels.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Deserialize, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum AxisScale {
    /// All panels have the same axes, so that their values can be compared.
    Shared,
    /// Each panel has axes for its own values.
    Free,
}
