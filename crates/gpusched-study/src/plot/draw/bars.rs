//! Groups of bars, and boxes with whiskers.

use super::{BLACK, Frame, WHITE};
use crate::plot::data::Point;
use crate::plot::statistics::BoxOf;
use crate::plot::svg::Document;

/// Share of the width of a category that its bars fill.
const FILLED: f64 = 0.8;
/// Largest width of a bar [pixels].
const WIDEST: f64 = 48.0;
/// Half the width of the horizontal line at each end of an interval [pixels].
const CAP: f64 = 3.0;

/// Draws the bars of a panel.
pub fn draw(frame: &Frame<'_>, document: &mut Document) {
    let axis = &frame.panel.y;
    let (names, slots) = (&frame.panel.x.ticks, Slots::new(frame));
    // On a logarithmic axis, bars stand on the lower end of the axis.
    let (low, high) = (frame.place.y + frame.layout.frame.1, frame.place.y);
    let zero = frame.y(0.0).clamp(high, low);
    for (series, points) in frame.panel.lines.iter().enumerate() {
        for (point, y) in with_values(points) {
            let Some((left, width)) = slots.of(frame, point.x, series) else {
                continue;
            };
            let end = frame.y(y);
            let name = names.get(point.x as usize).map_or("", |tick| tick.label.as_str());
            let series_name = frame.chart.series.get(series).map_or("", String::as_str);
            let words = [name, series_name].into_iter().filter(|name| !name.is_empty());
            let words = format!("{}: {}", words.collect::<Vec<_>>().join(", "), axis.text(y));
            let size = (width, (end - zero).abs());
            document.slice("bar", (left, end.min(zero)), size, series, true, &words);
            if let Some(ends) = point.band {
                interval(frame, document, left + width / 2.0, ends);
            }
        }
    }
    if (high + 0.5..low - 0.5).contains(&zero) {
        let (left, right) = (frame.place.x, frame.place.x + frame.layout.frame.0);
        document.line((left, zero), (right, zero), BLACK, 0.8);
    }
}

/// Draws an interval as a vertical line with ends.
pub fn interval(frame: &Frame<'_>, document: &mut Document, x: f64, (low, high): (f64, f64)) {
    let (low, high) = (frame.y(low), frame.y(high));
    if low - high < 0.5 {
        return;
    }
    document.line((x, low), (x, high), BLACK, 1.0);
    for y in [low, high] {
        document.line((x - CAP, y), (x + CAP, y), BLACK, 1.0);
    }
}

/// Draws one box for each series and category.
pub fn boxes(frame: &Frame<'_>, document: &mut Document) {
    let (categories, slots) = (frame.panel.x.ticks.len(), Slots::new(frame));
    for (series, points) in frame.panel.lines.iter().enumerate() {
        for category in 0..categories {
            let at = category as f64;
            let values = with_values(points).filter(|(point, _)| point.x == at);
            let Some(found) = BoxOf::new(values.map(|(_, y)| y).collect()) else {
                continue;
            };
            let Some((left, width)) = slots.of(frame, at, series) else {
                continue;
            };
            let (right, middle) = (left + width, left + width / 2.0);
            let [first, median, third] = found.quartiles.map(|value| frame.y(value));
            let (low, high) = (frame.y(found.whiskers.0), frame.y(found.whiskers.1));
            for (from, to) in [(first, low), (third, high)] {
                document.line((middle, from), (middle, to), BLACK, 0.8);
                document.line((middle - width / 4.0, to), (middle + width / 4.0, to), BLACK, 0.8);
            }
            let words = format!("median {}", frame.panel.y.text(found.quartiles[1]));
            document.slice("box", (left, third), (width, first - third), series, true, &words);
            // The white line below the black line keeps the median visible on dark colors.
            document.line((left, median), (right, median), WHITE, 3.2);
            document.line((left, median), (right, median), BLACK, 1.4);
            for outlier in found.outliers {
                document.disk((middle, frame.y(outlier)), 1.6, WHITE, BLACK);
            }
        }
    }
}

fn with_values(points: &[Point]) -> impl Iterator<Item = (&Point, f64)> {
    points.iter().filter_map(|point| Some((point, point.y?)))
}

/// For each category, the series that have a value there. The bars of a category are next to each other, without gaps
/// for other series.
struct Slots {
    series: Vec<Vec<usize>>,
    /// Largest number of series at a category.
    most: usize,
}

impl Slots {
    fn new(frame: &Frame<'_>) -> Slots {
        let mut series = vec![Vec::new(); frame.panel.x.ticks.len()];
        for (index, points) in frame.panel.lines.iter().enumerate() {
            for (point, _) in with_values(points) {
                if let Some(list) = series.get_mut(point.x as usize)
                    && list.last() != Some(&index)
                {
                    list.push(index);
                }
            }
        }
        let most = series.iter().map(Vec::len).max().unwrap_or(0);
        Slots { series, most }
    }

    /// Returns the left end and the width of the bar of a series at a category.
    fn of(&self, frame: &Frame<'_>, category: f64, series: usize) -> Option<(f64, f64)> {
        let present = self.series.get(category as usize)?;
        let rank = present.iter().position(|&index| index == series)?;
        let whole = frame.x(1.0) - frame.x(0.0);
        let width = (FILLED * whole / self.most as f64).min(WIDEST);
        let left = frame.x(category) - width * present.len() as f64 / 2.0;
        Some((left + width * rank as f64, width))
    }
}
