//! Drawing of a chart as SVG text.

mod bars;
mod heat;
mod lines;

use super::data::{Chart, Panel};
use super::layout::{
    Layout, PanelPlace, SAMPLE, SAMPLE_GAP, SLANT, TEXT_SIZE, TICK_MARK, TICK_SIZE, TITLE_SIZE,
    visible_labels,
};
use super::options::FigureKind;
use super::style::line_style;
use super::svg::{Anchor, Document};
use gpusched_model::error::Result;

const BLACK: &str = "#000";
const WHITE: &str = "#fff";
const GRID: &str = "#e2e2e2";
const REMARK: &str = "#5a5a5a";

/// Height and width of the sample of a bar in the legend [pixels].
const SWATCH: (f64, f64) = (24.0, 12.0);

/// Returns the figure as SVG text.
pub(super) fn svg(chart: &Chart) -> Result<String> {
    let layout = Layout::new(chart)?;
    let mut document = Document::default();
    if let Some(title) = &chart.title {
        document.text(
            layout.left,
            layout.title_y,
            TITLE_SIZE,
            Anchor::Start,
            BLACK,
            title,
        );
    }
    for (panel, place) in chart.panels.iter().zip(&layout.panels) {
        Frame {
            chart,
            layout: &layout,
            panel,
            place,
        }
        .draw(&mut document);
    }
    for (index, (name, &(x, y))) in chart.series.iter().zip(&layout.legend).enumerate() {
        sample(&mut document, chart.kind, index, (x, y));
        let left = x + SAMPLE + SAMPLE_GAP;
        document.text(left, y, TEXT_SIZE, Anchor::Start, BLACK, name);
    }
    if let Some(colors) = &chart.colors {
        heat::scale(&mut document, colors, layout.left, layout.remark_y);
    } else if chart.has_bands() {
        let words = match chart.kind {
            FigureKind::Line => "Shaded: confidence interval",
            _ => "Vertical lines: confidence interval",
        };
        document.text(
            layout.left,
            layout.remark_y,
            TICK_SIZE,
            Anchor::Start,
            REMARK,
            words,
        );
    }
    Ok(document.finish(layout.width, layout.height))
}

/// Draws the sample of a series in the legend.
fn sample(document: &mut Document, kind: FigureKind, index: usize, (x, y): (f64, f64)) {
    let style = line_style(index);
    let middle = (x + SAMPLE / 2.0, y);
    match kind {
        FigureKind::Line | FigureKind::Cdf => {
            lines::line(document, &[(x, y), (x + SAMPLE, y)], &style);
            if kind == FigureKind::Line {
                lines::marker(document, middle, &style);
            }
        }
        FigureKind::Point => lines::marker(document, middle, &style),
        FigureKind::Bar | FigureKind::Box | FigureKind::Heat => {
            let corner = (x + SAMPLE - SWATCH.0, y - SWATCH.1 / 2.0);
            document.swatch(corner, SWATCH, index);
        }
    }
}

/// A panel, with its place in the figure.
struct Frame<'c> {
    chart: &'c Chart,
    layout: &'c Layout,
    panel: &'c Panel,
    place: &'c PanelPlace,
}

impl Frame<'_> {
    /// Returns the horizontal position of a value or category.
    fn x(&self, value: f64) -> f64 {
        self.place.x + self.layout.frame.0 * self.panel.x.share(value)
    }

    /// Returns the vertical position of a value.
    fn y(&self, value: f64) -> f64 {
        self.place.y + self.layout.frame.1 * (1.0 - self.panel.y.share(value))
    }

    /// Returns whether a position is in the frame.
    fn contains(&self, (x, y): (f64, f64)) -> bool {
        let (left, top) = (self.place.x - 0.01, self.place.y - 0.01);
        let (width, height) = self.layout.frame;
        (left..=left + width + 0.02).contains(&x) && (top..=top + height + 0.02).contains(&y)
    }

    fn draw(&self, document: &mut Document) {
        self.grid(document);
        let (mut content, mut marks) = (Document::default(), Document::default());
        match self.chart.kind {
            FigureKind::Line => lines::draw(self, &mut content, &mut marks),
            FigureKind::Cdf => lines::steps(self, &mut content),
            FigureKind::Point => lines::points(self, &mut content, &mut marks),
            FigureKind::Bar => bars::draw(self, &mut content),
            FigureKind::Box => bars::boxes(self, &mut content),
            FigureKind::Heat => heat::draw(self, &mut content),
        }
        self.references(&mut content);
        let (corner, size) = ((self.place.x, self.place.y), self.layout.frame);
        match self.chart.limited {
            true => document.clipped(corner, size, content),
            false => document.append(content),
        }
        document.frame(corner.0, corner.1, size.0, size.1);
        // A marker at the end of an axis is visible as a whole.
        document.append(marks);
        self.labels(document);
    }

    /// Draws the grid. The grid has a line at each tick of each axis that shows numbers.
    fn grid(&self, document: &mut Document) {
        let (left, top) = (self.place.x, self.place.y);
        let (right, bottom) = (left + self.layout.frame.0, top + self.layout.frame.1);
        if !self.panel.x.has_categories() {
            for tick in &self.panel.x.ticks {
                let x = left + self.layout.frame.0 * self.panel.x.share_of_coordinate(tick.at);
                document.line((x, top), (x, bottom), GRID, 0.8);
            }
        }
        if !self.panel.y.has_categories() {
            for tick in &self.panel.y.ticks {
                let y = bottom - self.layout.frame.1 * self.panel.y.share_of_coordinate(tick.at);
                document.line((left, y), (right, y), GRID, 0.8);
            }
        }
    }

    /// Draws the title of the panel, and the labels and titles of its axes.
    fn labels(&self, document: &mut Document) {
        let (layout, place, panel) = (self.layout, self.place, self.panel);
        let (left, bottom) = (place.x, place.y + layout.frame.1);
        let middle = left + layout.frame.0 / 2.0;
        document.text(
            middle,
            place.title_y,
            TEXT_SIZE,
            Anchor::Middle,
            BLACK,
            &panel.title,
        );
        let top = bottom + TICK_MARK;
        for (x, label) in visible_labels(&panel.x, layout.frame.0, layout.slanted) {
            let x = left + x;
            document.line((x, bottom), (x, top), BLACK, 1.0);
            match layout.slanted {
                true => document.slanted((x + 3.0, top + 6.0), SLANT, TICK_SIZE, Anchor::End, label),
                false => document.text(
                    x,
                    top + TICK_SIZE / 2.0 + 2.0,
                    TICK_SIZE,
                    Anchor::Middle,
                    BLACK,
                    label,
                ),
            }
        }
        let below = top + layout.x_labels + TEXT_SIZE / 2.0 + 4.0;
        document.text(middle, below, TEXT_SIZE, Anchor::Middle, BLACK, &panel.x.title);
        if place.y_labels {
            for tick in &panel.y.ticks {
                let y = bottom - layout.frame.1 * panel.y.share_of_coordinate(tick.at);
                document.line((left - TICK_MARK, y), (left, y), BLACK, 1.0);
                let right = left - 2.0 * TICK_MARK + 1.0;
                document.text(right, y, TICK_SIZE, Anchor::End, BLACK, &tick.label);
            }
        }
        if place.first_of_row && !panel.y.title.is_empty() {
            let x = left - layout.y_labels - TEXT_SIZE / 2.0 - 4.0;
            let y = place.y + layout.frame.1 / 2.0;
            document.slanted((x, y), 90.0, TEXT_SIZE, Anchor::Middle, &panel.y.title);
        }
    }

    /// Draws the lines at the stated values.
    fn references(&self, document: &mut Document) {
        let (left, top) = (self.place.x, self.place.y);
        let (right, bottom) = (left + self.layout.frame.0, top + self.layout.frame.1);
        for reference in &self.chart.references {
            let (ends, label) = match self.chart.kind {
                FigureKind::Cdf => {
                    let x = self.x(reference.value);
                    ([(x, top), (x, bottom)], (x - 4.0, top + TICK_SIZE))
                }
                FigureKind::Heat => return,
                _ => {
                    let y = self.y(reference.value);
                    ([(left, y), (right, y)], (right - 4.0, y - TICK_SIZE / 2.0 - 2.0))
                }
            };
            document.dashed(&ends, REMARK, 1.2, (5.0, 3.0));
            if !reference.label.is_empty() {
                document.remark(label.0, label.1, TICK_SIZE, Anchor::End, BLACK, &reference.label);
            }
        }
    }
}
