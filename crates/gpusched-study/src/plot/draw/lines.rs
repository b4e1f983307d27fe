//! Lines with markers and confidence bands, points with intervals, and steps of a distribution.

use std::collections::HashSet;

use super::{Frame, WHITE, bars};
use crate::plot::data::Point;
use crate::plot::style::{LineStyle, Marker, line_style};
use crate::plot::svg::Document;

const LINE_WIDTH: f64 = 1.6;

/// Additional width of a line for each line on top of it [pixels]. The lower line stays visible on both sides.
const COVERED: f64 = 2.8;

/// Largest number of lines on top of a line that make it wider.
const MOST_COVERS: usize = 2;

/// Height of a confidence interval from which it is drawn at the values 0 and 1, as a share of the vertical axis. An
/// interval that high means few task sets.
const HIGH: f64 = 0.05;
const BAND_OPACITY: f64 = 0.14;

/// Maximum number of points of a short line, which has a marker at each point.
const FEW: usize = 12;

/// Minimum distance between two markers of a long line, measured along the line [pixels].
const MARKER_DISTANCE: f64 = 70.0;

/// Position of a point in the figure [pixels].
type At = (f64, f64);

/// Draws the lines of a panel. The lines and their confidence bands are in `document`, and the markers are in `marks`.
pub fn draw(frame: &Frame<'_>, document: &mut Document, marks: &mut Document) {
    let lines = &frame.panel.lines;
    let is_high = |(low, high)| frame.panel.y.share(high) - frame.panel.y.share(low) > HIGH;
    let covers = covers(lines);
    for (index, pieces) in bands(lines, is_high).into_iter().enumerate() {
        for piece in pieces {
            let highs = piece.iter().map(|&(x, (_, high))| (frame.x(x), frame.y(high)));
            let lows = piece.iter().map(|&(x, (low, _))| (frame.x(x), frame.y(low)));
            let outline: Vec<At> = highs.chain(lows.rev()).collect();
            document.shade(&outline, line_style(index).color, BAND_OPACITY);
        }
    }
    let visible = |piece: &[Point]| -> Vec<At> {
        let points = piece.iter();
        points
            .filter_map(|point| Some((frame.x(point.x), frame.y(point.y?))))
            .collect()
    };
    for (index, points) in lines.iter().enumerate() {
        let width = LINE_WIDTH + COVERED * covers[index] as f64;
        for piece in points.split(|point| point.y.is_none()) {
            stroke(document, &visible(piece), &line_style(index), width);
        }
    }
    for (index, points) in lines.iter().enumerate() {
        let phase = index as f64 / lines.len() as f64;
        let mut markers = marked(&visible(points), phase);
        // A point between two gaps is not on a line, so it has a marker.
        let alone = points.split(|point| point.y.is_none());
        let alone = alone.filter(|piece| piece.len() == 1).flat_map(visible);
        for point in alone {
            if !markers.contains(&point) {
                markers.push(point);
            }
        }
        let scale = 1.0 + 0.4 * covers[index] as f64;
        for point in markers.into_iter().filter(|&point| frame.contains(point)) {
            scaled_marker(marks, point, &line_style(index), scale);
        }
    }
}

/// Draws each series as steps. At each value, the height is the share of the values that are at most this value.
pub fn steps(frame: &Frame<'_>, document: &mut Document) {
    let right = frame.place.x + frame.layout.frame.0;
    for (index, points) in frame.panel.lines.iter().enumerate() {
        let Some(first) = points.first() else { continue };
        let mut path = vec![(frame.x(first.x), frame.y(0.0))];
        for point in points {
            let (x, y) = (frame.x(point.x), frame.y(point.y.unwrap_or(0.0)));
            let before = path.last().map_or(y, |&(_, y)| y);
            path.extend([(x, before), (x, y)]);
        }
        path.push((right, frame.y(1.0)));
        path.dedup();
        line(document, &path, &line_style(index));
    }
}

/// For each point, draws the interval in `document` and the marker in `marks`.
pub fn points(frame: &Frame<'_>, document: &mut Document, marks: &mut Document) {
    for (index, points) in frame.panel.lines.iter().enumerate() {
        for point in points {
            let Some(y) = point.y else { continue };
            if let Some(ends) = point.band {
                bars::interval(frame, document, frame.x(point.x), ends);
            }
            let at = (frame.x(point.x), frame.y(y));
            if frame.contains(at) {
                marker(marks, at, &line_style(index));
            }
        }
    }
}

/// One point of a confidence band: x, and the two ends of the interval.
type Interval = (f64, (f64, f64));

/// Returns, for each line, how many later lines lie on it, at most [`MOST_COVERS`]. A line lies on another line if they
/// have more than half of the slopes of each of them in common. Level parts do not count, because many lines meet at the
/// schedulability ratios 0 and 1.
fn covers(lines: &[Vec<Point>]) -> Vec<usize> {
    let slopes = |line: &Vec<Point>| -> HashSet<[u64; 4]> {
        let pairs = line.windows(2).filter_map(|pair| {
            let [a, b] = pair else { return None };
            let (from, to) = (a.y?, b.y?);
            (from != to).then_some([a.x, from, b.x, to].map(f64::to_bits))
        });
        pairs.collect()
    };
    let slopes: Vec<HashSet<[u64; 4]>> = lines.iter().map(slopes).collect();
    let lies_on = |upper: &HashSet<[u64; 4]>, lower: &HashSet<[u64; 4]>| {
        upper.intersection(lower).count() * 2 > upper.len().max(lower.len())
    };
    let covers = slopes.iter().enumerate().map(|(index, lower)| {
        let later = slopes.iter().skip(index + 1);
        later
            .filter(|upper| lies_on(upper, lower))
            .count()
            .min(MOST_COVERS)
    });
    covers.collect()
}

/// Returns the confidence bands of every line. Gaps divide a band into pieces. The band of a line has a gap where the
/// value is an end of its interval, such as the schedulability ratios 0 and 1, unless `is_high` is true for the interval.
/// If several bands are equal, the figure shows only the first band.
fn bands(lines: &[Vec<Point>], is_high: impl Fn((f64, f64)) -> bool) -> Vec<Vec<Vec<Interval>>> {
    let mut drawn = HashSet::new();
    let mut bands = Vec::with_capacity(lines.len());
    for line in lines {
        let mut pieces: Vec<Vec<Interval>> = Vec::new();
        let mut open = false;
        for pair in line.windows(2) {
            let [a, b] = pair else { continue };
            let (Some(from), Some(to)) = (a.band, b.band) else {
                open = false;
                continue;
            };
            let is_end = |point: &Point, (low, high)| {
                point.y.is_some_and(|y| y <= low || y >= high) && !is_high((low, high))
            };
            let segment = ((a.x, from), (b.x, to));
            let ends = [a.x, from.0, from.1, b.x, to.0, to.1];
            if is_end(a, from) && is_end(b, to) || !drawn.insert(ends.map(f64::to_bits)) {
                open = false;
                continue;
            }
            match pieces.last_mut() {
                Some(piece) if open => piece.push(segment.1),
                _ => pieces.push(vec![segment.0, segment.1]),
            }
            open = true;
        }
        bands.push(pieces);
    }
    bands
}

/// Returns the points of a line that have a marker. A short line has a marker at each point. On a long line, the
/// distance between two markers is at least [`MARKER_DISTANCE`]. Lines that coincide have different values of `phase`
/// in [0, 1), so their markers are at different places.
fn marked(points: &[At], phase: f64) -> Vec<At> {
    if points.len() <= FEW {
        return points.to_vec();
    }
    let mut remaining = phase * MARKER_DISTANCE;
    let mut previous = points.first().copied().unwrap_or_default();
    let mut marked = Vec::new();
    for &(x, y) in points {
        remaining -= libm::hypot(x - previous.0, y - previous.1);
        previous = (x, y);
        if remaining <= 0.0 {
            marked.push((x, y));
            remaining = MARKER_DISTANCE;
        }
    }
    marked
}

/// Draws a line in the color and with the dashes of its series.
pub fn line(document: &mut Document, points: &[At], style: &LineStyle) {
    stroke(document, points, style, LINE_WIDTH);
}

fn stroke(document: &mut Document, points: &[At], style: &LineStyle, width: f64) {
    match style.dash {
        _ if points.len() < 2 => {}
        None => document.path(points, style.color, width),
        Some(dash) => document.dashed(points, style.color, width, dash),
    }
}

/// Draws the marker of a series.
pub fn marker(document: &mut Document, at: At, style: &LineStyle) {
    scaled_marker(document, at, style, 1.0);
}

/// Draws the marker of a series, larger by the factor `scale`.
fn scaled_marker(document: &mut Document, (x, y): At, style: &LineStyle, scale: f64) {
    let fill = |filled| if filled { style.color } else { WHITE };
    match style.marker {
        Marker::Circle { filled } => document.disk((x, y), 3.4 * scale, fill(filled), style.color),
        Marker::Shape { corners, filled } => {
            let corners = corners.iter().map(|&(dx, dy)| (x + dx * scale, y + dy * scale));
            let corners: Vec<At> = corners.collect();
            document.shape(&corners, fill(filled), style.color, 1.2);
        }
    }
}
