//! Drawing of a chart as SVG text.
//!
//! The SVG backend of plotters supports only integer coordinates and solid lines. Therefore the drawing uses [`UNIT`] units
//! per pixel, and a later step changes the finished text. For a dashed line, the drawing uses a [stroke width](DASHED) that
//! no other element has. The later step replaces this stroke width by a dash pattern. If plotters drew dashed lines,
//! the text would have a separate element for every dash. Such a text would be six times as long, and its lines would
//! be hard to edit.

use std::collections::HashSet;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::ShapeStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::data::{Chart, Panel, Point};
use super::layout::{
    Layout, PanelPlace, SAMPLE, SAMPLE_GAP, TEXT_SIZE, TICK_MARK, TICK_SIZE, TITLE_SIZE, shown,
};
use super::style::{DASHES, LineStyle, Marker, line_style};
use gpusched_model::error::{Error, Result};

/// Number of drawing units per pixel.
const UNIT: f64 = 10.0;

/// Divisor that plotters applies to font sizes in SVG.
const FONT_SCALE: f64 = 1.24;

const FONT: &str = "sans-serif";
const LINE_WIDTH: f64 = 1.6;
const BAND_OPACITY: f64 = 0.14;
const GRID: RGBColor = RGBColor(226, 226, 226);
const REMARK: RGBColor = RGBColor(90, 90, 90);

/// Stroke width of the first dash pattern [units]. The next dash patterns have the next integers as stroke widths.
const DASHED: u32 = 90_001;

/// Maximum number of points of a short line, which has a marker at each point.
const FEW: usize = 12;

/// Minimum distance between two markers of a long line, measured along the line [pixels].
const MARKER_DISTANCE: f64 = 70.0;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = std::result::Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Returns the figure as SVG text.
pub(super) fn svg(chart: &Chart) -> Result<String> {
    let layout = Layout::new(chart);
    let (width, height) = (units(layout.width), units(layout.height));
    let mut svg = String::new();
    {
        let backend = SVGBackend::with_string(&mut svg, (width.unsigned_abs(), height.unsigned_abs()));
        let root = backend.into_drawing_area();
        draw(chart, &layout, &root)
            .and_then(|()| root.present())
            .map_err(|error| Error::io("-", "draw", std::io::Error::other(error.to_string())))?;
    }
    Ok(finished(svg, layout))
}

/// Replaces the size of the view box by the size on paper, and adds the dash patterns.
fn finished(svg: String, layout: Layout) -> String {
    let (width, height) = (units(layout.width), units(layout.height));
    let in_units = format!("width=\"{width}\" height=\"{height}\"");
    let in_pixels = format!("width=\"{}\" height=\"{}\"", layout.width, layout.height);
    let mut svg = svg.replacen(&in_units, &in_pixels, 1);
    for (width, (stroke, gap)) in (DASHED..).zip(DASHES) {
        let placeholder = format!("stroke-width=\"{width}\"");
        let width = units(LINE_WIDTH);
        let dashed = format!(
            "stroke-width=\"{width}\" stroke-dasharray=\"{} {}\"",
            units(stroke),
            units(gap)
        );
        svg = svg.replace(&placeholder, &dashed);
    }
    svg
}

fn draw(chart: &Chart, layout: &Layout, root: &Area<'_>) -> Drawn {
    root.fill(&WHITE)?;
    if let Some(title) = &chart.title {
        let style = text_style(TITLE_SIZE, HPos::Left, &BLACK);
        root.draw(&Text::new(shown(title), at(layout.left, layout.title_y), style))?;
    }
    for (panel, place) in chart.panels.iter().zip(&layout.panels) {
        draw_panel(chart, layout, root, panel, place)?;
    }
    for (index, (name, &(x, y))) in chart.series.iter().zip(&layout.legend).enumerate() {
        let style = line_style(index);
        draw_line(root, vec![at(x, y), at(x + SAMPLE, y)], &style)?;
        draw_marker(root, at(x + SAMPLE / 2.0, y), &style)?;
        let left = at(x + SAMPLE + SAMPLE_GAP, y);
        root.draw(&Text::new(
            shown(name),
            left,
            text_style(TEXT_SIZE, HPos::Left, &BLACK),
        ))?;
    }
    if chart.has_bands() {
        let style = text_style(TICK_SIZE, HPos::Left, &REMARK);
        let remark = "Shaded: confidence interval";
        root.draw(&Text::new(remark, at(layout.left, layout.remark_y), style))?;
    }
    Ok(())
}

fn draw_panel(chart: &Chart, layout: &Layout, root: &Area<'_>, panel: &Panel, place: &PanelPlace) -> Drawn {
    if let Some(title) = &panel.title {
        let center = at(place.x + layout.frame.0 / 2.0, place.title_y);
        root.draw(&Text::new(
            shown(title),
            center,
            text_style(TEXT_SIZE, HPos::Center, &BLACK),
        ))?;
    }
    let y_labels = if place.first_of_row { layout.y_labels } else { 0.0 };
    let corner = at(place.x - y_labels, place.y);
    let size = at(layout.frame.0 + y_labels, layout.frame.1 + layout.x_labels);
    let area = root.clone().shrink(corner, size);
    let (x, y) = (&chart.x, &chart.y);
    let mut context = ChartBuilder::on(&area)
        .x_label_area_size(units(layout.x_labels))
        .y_label_area_size(units(y_labels))
        .build_cartesian_2d(x.clone(), y.clone())?;
    context
        .configure_mesh()
        .bold_line_style(stroke(&GRID, 0.8))
        .light_line_style(TRANSPARENT)
        .axis_style(stroke(&BLACK, 1.0))
        .set_all_tick_mark_size(units(TICK_MARK))
        .label_style(text_style(TICK_SIZE, HPos::Center, &BLACK))
        .axis_desc_style(text_style(TEXT_SIZE, HPos::Center, &BLACK))
        .x_desc(x.title.as_str())
        .y_desc(y.title.as_str())
        .draw()?;

    let place =
        |value: f64, x_value: f64| context.backend_coord(&(x.coordinate(x_value), y.coordinate(value)));
    for (index, pieces) in bands(&panel.lines).into_iter().enumerate() {
        for piece in pieces {
            let highs = piece.iter().map(|&(x, (_, high))| place(high, x));
            let lows = piece.iter().map(|&(x, (low, _))| place(low, x));
            let outline: Vec<_> = highs.chain(lows.rev()).collect();
            let style = line_style(index).color.mix(BAND_OPACITY).filled();
            root.draw(&Polygon::new(outline, style))?;
        }
    }
    for (index, line) in panel.lines.iter().enumerate() {
        for piece in line.split(|point| point.y.is_none()) {
            let points = piece.iter().filter_map(|point| Some(place(point.y?, point.x)));
            draw_line(root, points.collect(), &line_style(index))?;
        }
    }
    for (index, line) in panel.lines.iter().enumerate() {
        let visible = |piece: &[Point]| -> Vec<_> {
            let points = piece.iter().filter_map(|point| Some(place(point.y?, point.x)));
            points.collect()
        };
        let phase = index as f64 / panel.lines.len() as f64;
        let mut markers = marked(&visible(line), phase);
        // A point between two gaps is not on a line, so it has a marker.
        let alone = line
            .split(|point| point.y.is_none())
            .filter(|piece| piece.len() == 1);
        markers.extend(alone.flat_map(visible));
        markers.sort_unstable();
        markers.dedup();
        for point in markers {
            draw_marker(root, point, &line_style(index))?;
        }
    }
    Ok(())
}

/// One point of a confidence band: x, and the two ends of the interval.
type Interval = (f64, (f64, f64));

/// Returns the confidence bands of every line. Gaps divide a band into pieces. If several bands are
/// equal, the figure shows only the first band, because several bands on top of each other would be
/// darker. Bands are equal, for example, at points where every set is schedulable.
fn bands(lines: &[Vec<Point>]) -> Vec<Vec<Vec<Interval>>> {
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
            let segment = ((a.x, from), (b.x, to));
            let ends = [a.x, from.0, from.1, b.x, to.0, to.1];
            if !drawn.insert(ends.map(f64::to_bits)) {
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

/// Returns the points of a line that have a marker. A short line has a marker at each point. A long line has markers at
/// equal distances along the line. Lines that coincide have different values of `phase` in [0, 1), so their markers are at
/// different places.
fn marked(points: &[(i32, i32)], phase: f64) -> Vec<(i32, i32)> {
    if points.len() <= FEW {
        return points.to_vec();
    }
    let distance = MARKER_DISTANCE * UNIT;
    let mut remaining = phase * distance;
    let mut previous = points.first().copied().unwrap_or_default();
    let mut marked = Vec::new();
    for &(x, y) in points {
        remaining -= libm::hypot(f64::from(x - previous.0), f64::from(y - previous.1));
        previous = (x, y);
        if remaining <= 0.0 {
            marked.push((x, y));
            remaining = distance;
        }
    }
    marked
}

fn draw_line(area: &Area<'_>, points: Vec<(i32, i32)>, style: &LineStyle) -> Drawn {
    if points.len() < 2 {
        return Ok(());
    }
    let shape = match style.dash {
        None => stroke(&style.color, LINE_WIDTH),
        Some(dash) => style.color.stroke_width((DASHED..).nth(dash).unwrap_or(DASHED)),
    };
    area.draw(&PathElement::new(points, shape))
}

fn draw_marker(area: &Area<'_>, (x, y): (i32, i32), style: &LineStyle) -> Drawn {
    let outline = stroke(&style.color, 1.2);
    let fill = |filled| {
        if filled {
            style.color.filled()
        } else {
            WHITE.filled()
        }
    };
    match style.marker {
        Marker::Circle { filled } => {
            area.draw(&Circle::new((x, y), units(3.4), fill(filled)))?;
            area.draw(&Circle::new((x, y), units(3.4), outline))
        }
        Marker::Shape { corners, filled } => {
            let corners = corners.iter().map(|&(dx, dy)| (x + units(dx), y + units(dy)));
            let closed: Vec<_> = corners.clone().chain(corners.clone().take(2)).collect();
            area.draw(&Polygon::new(corners.collect::<Vec<_>>(), fill(filled)))?;
            area.draw(&PathElement::new(closed, outline))
        }
    }
}

fn units(pixels: f64) -> i32 {
    libm::round(pixels * UNIT) as i32
}

fn at(x: f64, y: f64) -> (i32, i32) {
    (units(x), units(y))
}

fn stroke(color: &RGBColor, width: f64) -> ShapeStyle {
    color.stroke_width(units(width).unsigned_abs())
}

/// Returns a style for text of `size` pixels. The text is centered vertically.
fn text_style<'a>(size: f64, horizontal: HPos, color: &'a RGBColor) -> TextStyle<'a> {
    let font = (FONT, size * UNIT * FONT_SCALE).into_font();
    font.color(color).pos(Pos::new(horizontal, VPos::Center))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_follow_the_length_of_the_line() {
        let few: Vec<_> = (0..12).map(|x| (x, 0)).collect();
        assert_eq!(marked(&few, 0.5), few);
        let flat: Vec<_> = (0..30).map(|index| (100 * index, 0)).collect();
        let expected: Vec<_> = [0, 7, 14, 21, 28].map(|index| (100 * index, 0)).to_vec();
        assert_eq!(marked(&flat, 0.0), expected);
        assert_eq!(marked(&flat, 0.5).first(), Some(&(400, 0)));
        let steep: Vec<_> = (0..30).map(|index| (0, 1000 * index)).collect();
        assert_eq!(marked(&steep, 0.0), steep);
    }

    #[test]
    fn bands_that_coincide_are_drawn_once() {
        let point = |x: f64, low| Point {
            x,
            y: Some(1.0),
            band: Some((low, 1.0)),
        };
        let gap = Point {
            band: None,
            ..point(3.0, 0.0)
        };
        let first = vec![
            point(0.0, 0.9),
            point(1.0, 0.9),
            point(2.0, 0.9),
            gap,
            point(4.0, 0.9),
            point(5.0, 0.9),
        ];
        let second = vec![point(0.0, 0.8), point(1.0, 0.9), point(2.0, 0.9), point(3.0, 0.9)];
        let at = |x, low| (x, (low, 1.0));
        let expected = vec![
            vec![
                vec![at(0.0, 0.9), at(1.0, 0.9), at(2.0, 0.9)],
                vec![at(4.0, 0.9), at(5.0, 0.9)],
            ],
            vec![vec![at(0.0, 0.8), at(1.0, 0.9)], vec![at(2.0, 0.9), at(3.0, 0.9)]],
        ];
        assert_eq!(bands(&[first, second]), expected);
    }
}
