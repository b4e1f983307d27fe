//! Layout of a figure whose texts never overlap. All lengths are in pixels.
//!
//! ```text
//! ┌──────────────────────────────────────────┐
//! │ title                                    │
//! │      reading: literal   reading: …       │
//! │   1 ┌────────────────┐ ┌──────────────┐  │
//! │ y   │                │ │              │  │
//! │   0 └────────────────┘ └──────────────┘  │
//! │      0     x      70    0    x     70    │
//! │ ── SMS-INA   -- BF-INA   ·· 1G           │
//! └──────────────────────────────────────────┘
//! ```

use super::data::Chart;

pub(super) const TITLE_SIZE: f64 = 15.0;
pub(super) const TEXT_SIZE: f64 = 12.0;
pub(super) const TICK_SIZE: f64 = 11.0;

/// Length of the tick marks.
pub(super) const TICK_MARK: f64 = 4.0;
/// Length of the line sample before a name in the legend.
pub(super) const SAMPLE: f64 = 40.0;
/// Gap between the line sample and the name.
pub(super) const SAMPLE_GAP: f64 = 7.0;

const MARGIN: f64 = 14.0;
const COLUMN_GAP: f64 = 20.0;
const ROW_GAP: f64 = 14.0;
const LEGEND_GAP: f64 = 14.0;
const LEGEND_COLUMN_GAP: f64 = 26.0;
const LEGEND_LINE: f64 = 20.0;
/// Distance between the frame of a panel and the lower end of the title of the horizontal axis.
const X_LABELS: f64 = 42.0;
const PANEL_TITLE: f64 = 22.0;
const MAX_COLUMNS: usize = 3;

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
    /// Width of the space for labels of the vertical axis, to the left of the first frame in each row.
    pub y_labels: f64,
    pub x_labels: f64,
    /// Position of each legend entry: its left end and its vertical middle.
    pub legend: Vec<(f64, f64)>,
    /// Vertical middle of the remark below the legend.
    pub remark_y: f64,
}

#[derive(Debug)]
pub(super) struct PanelPlace {
    /// Horizontal position of the upper left corner of the frame.
    pub x: f64,
    pub y: f64,
    /// Vertical middle of the title above the frame.
    pub title_y: f64,
    /// Whether this panel has the labels of the vertical axis to its left.
    pub first_of_row: bool,
}

impl Layout {
    pub fn new(chart: &Chart) -> Layout {
        let columns = chart.panels.len().clamp(1, MAX_COLUMNS);
        let rows = chart.panels.len().div_ceil(columns);
        let size: (f64, f64) = if columns == 1 {
            (440.0, 290.0)
        } else {
            (290.0, 250.0)
        };
        let titles = chart.panels.iter().filter_map(|panel| panel.title.as_deref());
        let frame = (
            titles
                .chain([chart.x.title.as_str()])
                .map(|title| text_width(title, TEXT_SIZE))
                .fold(size.0, f64::max),
            text_width(&chart.y.title, TEXT_SIZE).max(size.1),
        );
        let labels = chart
            .y
            .ticks
            .iter()
            .map(|&tick| text_width(&chart.y.label(tick), TICK_SIZE));
        let y_labels = labels.fold(0.0, f64::max) + 2.0 * TICK_MARK + TEXT_SIZE + 10.0;

        let title_height = if chart.title.is_some() {
            TITLE_SIZE + 16.0
        } else {
            0.0
        };
        let panel_title = if chart.panels.iter().any(|panel| panel.title.is_some()) {
            PANEL_TITLE
        } else {
            0.0
        };
        let row_height = panel_title + frame.1 + X_LABELS + ROW_GAP;
        let left = MARGIN + y_labels;
        let panels = (0..chart.panels.len()).map(|index| {
            let (row, column) = (index / columns, index % columns);
            let top = MARGIN + title_height + row as f64 * row_height;
            PanelPlace {
                x: left + column as f64 * (frame.0 + COLUMN_GAP),
                y: top + panel_title,
                title_y: top + panel_title / 2.0 - 2.0,
                first_of_row: column == 0,
            }
        });
        let panels_bottom = MARGIN + title_height + rows as f64 * row_height - ROW_GAP;
        let right = left + columns as f64 * (frame.0 + COLUMN_GAP) - COLUMN_GAP;

        let names = chart.series.iter().map(|name| text_width(name, TEXT_SIZE));
        let entry = SAMPLE + SAMPLE_GAP + names.fold(0.0, f64::max);
        let fitting = (right - left + LEGEND_COLUMN_GAP) / (entry + LEGEND_COLUMN_GAP);
        let per_line = (fitting as usize).clamp(1, chart.series.len().max(1));
        let legend_top = panels_bottom + LEGEND_GAP;
        let legend: Vec<(f64, f64)> = (0..chart.series.len())
            .map(|index| {
                let (line, column) = (index / per_line, index % per_line);
                (
                    left + column as f64 * (entry + LEGEND_COLUMN_GAP),
                    legend_top + (line as f64 + 0.5) * LEGEND_LINE,
                )
            })
            .collect();
        let lines = chart.series.len().div_ceil(per_line) + usize::from(chart.has_bands());
        let legend_bottom = legend_top + lines as f64 * LEGEND_LINE;
        let title = chart
            .title
            .as_deref()
            .map_or(0.0, |title| text_width(title, TITLE_SIZE));
        Layout {
            width: (right.max(left + entry).max(left + title) + MARGIN).ceil(),
            height: (legend_bottom + MARGIN).ceil(),
            left,
            title_y: MARGIN + TITLE_SIZE / 2.0,
            panels: panels.collect(),
            frame,
            y_labels,
            x_labels: X_LABELS,
            legend,
            remark_y: legend_bottom - 0.5 * LEGEND_LINE,
        }
    }
}

/// Returns an upper bound on the width of `text` at font size `size`, for the usual fonts.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_text_is_legal_in_xml_and_short() {
        assert_eq!(shown("a\nb\u{1}c"), "a b\u{fffd}c");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), 120);
        assert!(text_width("SMS-INA", 12.0) > 50.0);
    }
}
