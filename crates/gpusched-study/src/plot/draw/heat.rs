//! Heat maps, and their color scale.

use super::{BLACK, Frame, WHITE};
use crate::plot::axis::Axis;
use crate::plot::layout::{COLORS, TEXT_SIZE, TICK_SIZE, text_width, visible_labels};
use crate::plot::style::heat;
use crate::plot::svg::{Anchor, Document};

/// Number of rectangles of the color scale.
const STEPS: usize = 40;
/// Height of the color scale [pixels].
const HEIGHT: f64 = 10.0;
/// Font size of the values in the cells.
const SIZE: f64 = 9.0;

/// Draws the cells of a panel. If all values fit into their cells, each cell shows its value as text.
pub fn draw(frame: &Frame<'_>, document: &mut Document) {
    let Some(colors) = &frame.chart.colors else {
        return;
    };
    let rows = frame.chart.series.len();
    let width = frame.x(1.0) - frame.x(0.0);
    let height = frame.y(0.0) - frame.y(1.0);
    let values = || frame.panel.lines.iter().flatten().filter_map(|point| point.y);
    // All cells of a panel have the decimals that the widest confidence interval supports.
    let bands = frame.panel.lines.iter().flatten().filter_map(|point| point.band);
    let error = bands.map(|(low, high)| (high - low) / 2.0).fold(0.0, f64::max);
    let widest = values().map(|value| text_width(&colors.rounded(value, error), SIZE));
    let have_space = widest.fold(0.0, f64::max) + 2.0 <= width && SIZE + 2.0 <= height;
    for (series, points) in frame.panel.lines.iter().enumerate() {
        let middle = frame.y((rows - 1 - series) as f64);
        for point in points {
            let Some(value) = point.y else { continue };
            let share = colors.share(value);
            let (color, is_dark) = heat(share);
            let center = frame.x(point.x);
            let text = colors.rounded(value, error);
            let corner = (center - width / 2.0, middle - height / 2.0);
            document.cell(corner, (width, height), &color, &text);
            if have_space {
                let color = if is_dark { WHITE } else { BLACK };
                document.text(center, middle, SIZE, Anchor::Middle, color, &text);
            }
        }
    }
}

/// Draws the color scale with its vertical middle at `y`.
pub fn scale(document: &mut Document, colors: &Axis, left: f64, y: f64) {
    let step = COLORS / STEPS as f64;
    for index in 0..STEPS {
        let share = (index as f64 + 0.5) / STEPS as f64;
        let corner = (left + step * index as f64, y - HEIGHT);
        document.cell(corner, (step + 0.2, HEIGHT), &heat(share).0, "");
    }
    for (x, label) in visible_labels(colors, COLORS, false) {
        document.line((left + x, y), (left + x, y + 3.0), BLACK, 1.0);
        document.text(left + x, y + 9.0, TICK_SIZE, Anchor::Middle, BLACK, label);
    }
    document.text(
        left + COLORS + 12.0,
        y - HEIGHT / 2.0,
        TEXT_SIZE,
        Anchor::Start,
        BLACK,
        &colors.title,
    );
}
