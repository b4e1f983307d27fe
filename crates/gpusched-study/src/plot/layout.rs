//! Layout of a figure whose texts never overlap. All lengths are in pixels.
//!
//! ```text
//! ┌──────────────────────────────────────────┐
//! │ title                                    │
//! │          literal          proportional   │
//! │   1 ┌────────────────┐ ┌──────────────┐  │
//! │ y   │                │ │              │  │
//! │   0 └────────────────┘ └──────────────┘  │
//! │      0     x      70    0    x     70    │
//! │ ── SMS-INA   -- BF-INA   ·· 1G           │
//! └──────────────────────────────────────────┘
//! ```

use super::axis::Axis;
use super::data::{Chart, Panel, Point};
use super::options::FigureKind;
use super::values::Size;
use gpusched_model::error::{Error, Result};

pub(super) const TITLE_SIZE: f64 = 15.0;
pub(super) const TEXT_SIZE: f64 = 12.0;
pub(super) const TICK_SIZE: f64 = 11.0;

/// Length of the tick marks.
pub(super) const TICK_MARK: f64 = 4.0;
/// Length of the line sample before a name in the legend.
pub(super) const SAMPLE: f64 = 40.0;
/// Gap between the line sample and the name.
pub(super) const SAMPLE_GAP: f64 = 7.0;
/// Angle of slanted labels [degrees].
pub(super) const SLANT: f64 = 35.0;
/// Width of the color scale of a heat map.
pub(super) const COLORS: f64 = 200.0;

const MARGIN: f64 = 14.0;
const COLUMN_GAP: f64 = 20.0;
const ROW_GAP: f64 = 14.0;
const LEGEND_GAP: f64 = 14.0;
const LEGEND_COLUMN_GAP: f64 = 26.0;
const LEGEND_LINE: f64 = 20.0;
const PANEL_TITLE: f64 = 22.0;
const MAX_COLUMNS: usize = 3;
/// Maximum total width of the panels in a row.
const WIDEST: f64 = 1000.0;
/// Smallest width and height of a panel.
const SMALLEST: f64 = 40.0;
/// Width of a bar, if there is enough space.
const BAR: f64 = 9.0;
/// Width and height of a cell of a heat map, if there is enough space.
const CELL: f64 = 14.0;
/// Height of a slanted label, measured along the axis.
const SLANTED_LINE: f64 = 13.0;

/// Maximum length of a text [characters]. Longer texts are shortened.
const LONGEST: usize = 120;

#[derive(Debug)]
pub(super) struct Layout {
    pub width: f64,
    pub height: f64,
    /// Left end of the texts that belong to the whole figure.
    pub left: f64,
    pub title_y: f64,
    pub panels: Vec<PanelPlace>,
    /// Width and height of the frame of each panel.
    pub frame: (f64, f64),
    /// Width of the tick labels of the vertical axis.
    pub y_labels: f64,
    /// Height of the tick labels of the horizontal axis.
    pub x_labels: f64,
    /// Whether the labels of the horizontal axis are slanted.
    pub slanted: bool,
    /// Position of each legend entry: its left end and its vertical middle.
    pub legend: Vec<(f64, f64)>,
    /// Vertical middle of the remark or of the color scale below the legend.
    pub remark_y: f64,
}

#[derive(Debug)]
pub(super) struct PanelPlace {
    /// Horizontal position of the upper left corner of the frame.
    pub x: f64,
    pub y: f64,
    /// Vertical middle of the title above the frame.
    pub title_y: f64,
    /// Whether this panel has the title of the vertical axis to its left.
    pub first_of_row: bool,
    /// Whether this panel has the labels of the vertical axis to its left.
    pub y_labels: bool,
}

impl Layout {
    /// Creates the layout of a figure.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the stated size is too small for the figure.
    pub fn new(chart: &Chart) -> Result<Layout> {
        let natural = natural_frame(chart);
        let y_labels = widest(chart, |panel| &panel.y) + 2.0 * TICK_MARK;
        let y_title = title_height(chart, |panel| &panel.y);
        let gap = match chart.shared {
            true => COLUMN_GAP,
            false => COLUMN_GAP + y_labels,
        };
        let fitting = ((WIDEST + gap) / (natural.0 + gap)) as usize;
        let columns = match chart.panels.len() {
            4 => fitting.min(2),
            count => fitting.min(count),
        };
        let columns = columns.clamp(1, MAX_COLUMNS);
        let rows = chart.panels.len().div_ceil(columns);
        let left = MARGIN + y_title + y_labels;
        let gaps = (columns - 1) as f64 * gap;
        let frame_width = match chart.size {
            Some(Size { width, .. }) => (f64::from(width) - left - gaps - MARGIN) / columns as f64,
            None => natural.0,
        };
        let (slanted, label_height, overhang) = category_labels(chart, frame_width);
        // The first slanted label may begin to the left of all other texts.
        let more = (overhang - left).max(0.0);
        let (left, frame_width) = match chart.size {
            Some(_) => (left + more, frame_width - more / columns as f64),
            None => (left + more, frame_width),
        };
        let right = left + columns as f64 * frame_width + gaps;

        let title_height_of_figure = if chart.title.is_some() {
            TITLE_SIZE + 16.0
        } else {
            0.0
        };
        let has_titles = chart.panels.iter().any(|panel| !panel.title.is_empty());
        let panel_title = if has_titles { PANEL_TITLE } else { 0.0 };
        let x_title = title_height(chart, |panel| &panel.x);
        let below = TICK_MARK + label_height + x_title;

        let names = chart.series.iter().map(|name| text_width(name, TEXT_SIZE));
        let entry = SAMPLE + SAMPLE_GAP + names.fold(0.0, f64::max);
        let entries = if chart.has_legend() { chart.series.len() } else { 0 };
        let fitting = (right - left + LEGEND_COLUMN_GAP) / (entry + LEGEND_COLUMN_GAP);
        let per_line = (fitting as usize).clamp(1, entries.max(1));
        let has_remark = chart.has_bands() || chart.colors.is_some();
        let lines = entries.div_ceil(per_line) + usize::from(has_remark);
        let legend_height = if lines > 0 {
            LEGEND_GAP + lines as f64 * LEGEND_LINE
        } else {
            0.0
        };

        let above = MARGIN + title_height_of_figure;
        let overhead =
            above + rows as f64 * (panel_title + below + ROW_GAP) - ROW_GAP + legend_height + MARGIN;
        let frame_height = match chart.size {
            Some(Size { height, .. }) => (f64::from(height) - overhead) / rows as f64,
            None => natural.1,
        };
        if let Some(Size { width, height }) = chart.size
            && frame_width.min(frame_height) < SMALLEST
        {
            let least = |given: u32, frame: f64, count: usize| {
                f64::from(given) + (SMALLEST - frame).max(0.0) * count as f64
            };
            let expected = format!(
                "at least {:.0}x{:.0} for these texts and panels",
                least(width, frame_width, columns).ceil(),
                least(height, frame_height, rows).ceil()
            );
            return Err(Error::parameter("size", format!("{width}x{height}"), expected));
        }

        let row_height = panel_title + frame_height + below + ROW_GAP;
        let panels = (0..chart.panels.len()).map(|index| {
            let (row, column) = (index / columns, index % columns);
            let top = above + row as f64 * row_height;
            PanelPlace {
                x: left + column as f64 * (frame_width + gap),
                y: top + panel_title,
                title_y: top + panel_title / 2.0 - 2.0,
                first_of_row: column == 0,
                y_labels: column == 0 || !chart.shared,
            }
        });
        let legend_top = above + rows as f64 * row_height - ROW_GAP + LEGEND_GAP;
        let legend = (0..entries).map(|index| {
            let (line, column) = (index / per_line, index % per_line);
            (
                left + column as f64 * (entry + LEGEND_COLUMN_GAP),
                legend_top + (line as f64 + 0.5) * LEGEND_LINE,
            )
        });
        let title = chart
            .title
            .as_deref()
            .map_or(0.0, |title| text_width(title, TITLE_SIZE));
        let legend_width = if entries > 0 { entry } else { 0.0 };
        let height = frame_height * rows as f64 + overhead;
        let colors = if chart.colors.is_some() { 2.0 * COLORS } else { 0.0 };
        let natural_width = right.max(left + legend_width.max(title).max(colors)) + MARGIN;
        Ok(Layout {
            width: chart.size.map_or(natural_width.ceil(), |size| size.width.into()),
            height: chart.size.map_or(height.ceil(), |size| size.height.into()),
            left,
            title_y: MARGIN + TITLE_SIZE / 2.0,
            panels: panels.collect(),
            frame: (frame_width, frame_height),
            y_labels,
            x_labels: label_height,
            slanted,
            legend: legend.collect(),
            remark_y: height - MARGIN - 0.5 * LEGEND_LINE,
        })
    }
}

/// Returns the default width and the default height of the frame of a panel.
fn natural_frame(chart: &Chart) -> (f64, f64) {
    let size: (f64, f64) = match chart.panels.len() {
        1 => (440.0, 290.0),
        _ => (290.0, 250.0),
    };
    let categories = chart.panels.iter().filter(|panel| panel.x.has_categories());
    let categories = categories.map(|panel| panel.x.ticks.len()).max().unwrap_or(0) as f64;
    let series = chart.series.len() as f64;
    let (content, height) = match chart.kind {
        FigureKind::Bar | FigureKind::Box => (categories * (most_bars(chart) as f64 + 1.0) * BAR, size.1),
        FigureKind::Heat => (categories * CELL, (series * CELL).clamp(60.0, WIDEST)),
        FigureKind::Line | FigureKind::Point | FigureKind::Cdf => (0.0, size.1),
    };
    let titles = chart.panels.iter().map(|panel| panel.title.as_str());
    let x_titles = chart.panels.iter().map(|panel| panel.x.title.as_str());
    let y_titles = chart
        .panels
        .iter()
        .map(|panel| text_width(&panel.y.title, TEXT_SIZE));
    let width = titles
        .chain(x_titles)
        .map(|title| text_width(title, TEXT_SIZE))
        .fold(size.0.max(content.min(WIDEST)), f64::max);
    (width, y_titles.fold(height, f64::max))
}

/// Returns the largest number of series that have a value at the same category of a panel.
fn most_bars(chart: &Chart) -> usize {
    let at = |panel: &Panel, category: usize| {
        let has_value = |point: &Point| point.x == category as f64 && point.y.is_some();
        panel
            .lines
            .iter()
            .filter(|line| line.iter().any(has_value))
            .count()
    };
    let panels = chart.panels.iter();
    let counts = panels.flat_map(|panel| (0..panel.x.ticks.len()).map(|category| at(panel, category)));
    counts.max().unwrap_or(0)
}

/// Returns the width of the widest tick label of the chosen axes.
fn widest(chart: &Chart, axis: impl Fn(&Panel) -> &Axis) -> f64 {
    let ticks = chart.panels.iter().flat_map(|panel| &axis(panel).ticks);
    ticks
        .map(|tick| text_width(&tick.label, TICK_SIZE))
        .fold(0.0, f64::max)
}

/// Returns the space for the title of the chosen axes. Axes without titles need no space.
fn title_height(chart: &Chart, axis: impl Fn(&Panel) -> &Axis) -> f64 {
    match chart.panels.iter().any(|panel| !axis(panel).title.is_empty()) {
        true => TEXT_SIZE + 10.0,
        false => 0.0,
    }
}

/// Returns whether labels of categories are slanted, and the height of all labels of a horizontal axis. The third value
/// is the distance from the left end of the first label to the left end of the axis.
fn category_labels(chart: &Chart, frame_width: f64) -> (bool, f64, f64) {
    let plain = (false, TICK_SIZE + 4.0, 0.0);
    let axes = chart.panels.iter().map(|panel| &panel.x);
    let slots = axes
        .filter(|axis| axis.has_categories())
        .map(|axis| axis.ticks.len());
    let Some(slots) = slots.max().filter(|&slots| slots > 0) else {
        return plain;
    };
    let slot = frame_width / slots as f64;
    let widest = widest(chart, |panel| &panel.x);
    let numbers = |panel: &Panel| panel.x.ticks.iter().all(|tick| tick.label.parse::<f64>().is_ok());
    if widest + 4.0 <= slot || chart.panels.iter().all(numbers) {
        return plain;
    }
    let (sin, cos) = (libm::sin(SLANT.to_radians()), libm::cos(SLANT.to_radians()));
    (
        true,
        widest * sin + SLANTED_LINE,
        widest * cos - slot / 2.0 + MARGIN,
    )
}

/// Returns those labels for which a horizontal axis has space: all labels, or every second label, and so on. Each label
/// has its position relative to the frame.
pub(super) fn visible_labels(axis: &Axis, frame_width: f64, slanted: bool) -> Vec<(f64, &str)> {
    let place = |at: f64| frame_width * axis.share_of_coordinate(at);
    let half = |label: &str| match slanted {
        true => SLANTED_LINE / 2.0,
        false => text_width(label, TICK_SIZE) / 2.0 + 1.5,
    };
    let every = |step: usize| -> Vec<(f64, &str)> {
        let ticks = axis.ticks.iter().step_by(step);
        ticks.map(|tick| (place(tick.at), tick.label.as_str())).collect()
    };
    let fits = |labels: &[(f64, &str)]| {
        let mut pairs = labels.windows(2);
        pairs.all(|pair| pair[1].0 - pair[0].0 >= half(pair[0].1) + half(pair[1].1))
    };
    let steps = 1..=axis.ticks.len();
    steps.map(every).find(|labels| fits(labels)).unwrap_or_default()
}

/// Returns an upper bound, for the usual fonts, on the width of `text` at font size `size`.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | ' ' | '.' | ',' | ':' | ';' | '(' | ')' | '[' | ']'
        | '|' => 0.45,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 1.0,
        'A'..='Z' => 0.78,
        c if c.is_ascii() => 0.65,
        _ => 1.0,
    };
    shown(text).chars().map(em).fold(0.0, |sum, width| sum + width) * size
}

/// Returns the text as the figure shows it. The text is on one line, has limited length, and contains no characters that
/// XML forbids.
pub(super) fn shown(text: &str) -> String {
    let legal = |c: char| match c {
        c if c.is_whitespace() => ' ',
        c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => '\u{fffd}',
        c => c,
    };
    let text: String = text.chars().map(legal).collect();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}
