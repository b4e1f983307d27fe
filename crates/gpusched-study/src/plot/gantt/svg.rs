//! Drawing of a Gantt chart as SVG.
//!
//! ```text
//! title
//! process
//! SM 0 ┌──────────────┐
//! SM 1 │              │
//! busy └──────────────┘ 132 SMs
//!      0      5      10
//!          Time [ms]
//! ■ conv  ▨ gemm   ↑ release
//! ```

use super::axis::TimeAxis;
use super::options::{MAX_SLICES, Options};
use super::scene::{Bar, Group, Scene, Steps, Window};
use crate::plot::fill::fill;
use crate::plot::layout::{TEXT_SIZE, TICK_SIZE, TITLE_SIZE, shown, text_width};
use crate::plot::svg::{Anchor, Document};
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_sim::timeline::{Timeline, TrackLayout};

mod legend;
mod marks;

const MARGIN: f64 = 14.0;
/// Width of the frame [pixels].
const WIDTH: f64 = 760.0;
/// Approximate maximum height of all lanes together [pixels].
const HEIGHT: f64 = 1_000.0;
/// Minimum and maximum height of a lane [pixels].
const LANE: (f64, f64) = (3.0, 20.0);
/// Minimum height of a lane with names and outlines of slices [pixels].
const ROOMY: f64 = 8.0;
const COUNTER: f64 = 30.0;
const HEADING: f64 = 20.0;
/// Maximum width of the names of tracks [pixels].
const LABELS: f64 = 180.0;
const TICK_MARK: f64 = 4.0;
/// Minimum width of a slice, so that the slice is visible [pixels].
const THINNEST: f64 = 0.4;

const BLACK: &str = "#000";
const GRID: &str = "#e2e2e2";
const REMARK: &str = "#5a5a5a";
const AREA: &str = "#b4b4b4";

/// Draws the window as SVG. Each visible slice is one rectangle of class `slice`.
///
/// # Errors
/// Fails with [`Error::Refused`] if the window shows no part of the timeline, if it ends before it starts, or if it has more than
/// [`MAX_SLICES`] slices.
pub fn svg(timeline: &Timeline, options: &Options) -> Result<String> {
    let scene = Scene::new(timeline, options)?;
    if scene.bars() > MAX_SLICES {
        return Err(Error::parameter(
            "window",
            format!(
                "{} slices from {} to {}",
                scene.bars(),
                scene.window.from,
                scene.window.to
            ),
            format!("at most {MAX_SLICES} slices: choose a shorter window"),
        ));
    }
    Ok(Figure::new(&scene).draw(&scene, options.title.as_deref()))
}

/// Positions of all elements, in pixels.
struct Figure {
    left: f64,
    right: f64,
    lane: f64,
    gap: f64,
    window: Window,
    axis: TimeAxis,
}

impl Figure {
    fn new(scene: &Scene<'_>) -> Figure {
        let rows = || scene.groups.iter().flat_map(|group| &group.rows);
        let counters = || scene.groups.iter().flat_map(|group| &group.counters);
        let lanes: usize = rows().map(|row| row.lanes).sum();
        let lane = (HEIGHT / lanes.max(1) as f64).clamp(LANE.0, LANE.1);
        let names = rows().map(|row| row.track.name);
        let names = names.chain(counters().map(|counter| counter.name));
        let labels = names
            .map(|name| text_width(name, TICK_SIZE))
            .fold(0.0, f64::max)
            .min(LABELS);
        let maxima = counters().map(|counter| text_width(&maximum(counter), TICK_SIZE));
        let characters = WIDTH / (0.65 * TICK_SIZE);
        Figure {
            left: MARGIN + labels + 2.0 * TICK_MARK,
            right: maxima.map(|width| width + TICK_MARK).fold(0.0, f64::max) + MARGIN,
            lane,
            gap: if lane >= ROOMY { 5.0 } else { 1.0 },
            window: scene.window,
            axis: TimeAxis::new(scene.window, characters as usize, 2),
        }
    }

    fn x(&self, at: Time) -> f64 {
        let since = at.ns().saturating_sub(self.window.from.ns());
        self.left + WIDTH * (since as f64 / self.window.length() as f64)
    }

    fn draw(&self, scene: &Scene<'_>, title: Option<&str>) -> String {
        let mut document = Document::default();
        let mut y = MARGIN;
        if let Some(title) = title {
            document.text(
                self.left,
                y + TITLE_SIZE / 2.0,
                TITLE_SIZE,
                Anchor::Start,
                BLACK,
                title,
            );
            y += TITLE_SIZE + 12.0;
        }
        for (index, group) in scene.groups.iter().enumerate() {
            y += if index == 0 { 0.0 } else { 6.0 };
            y = self.group(&mut document, group, y);
        }
        self.time(&mut document, y);
        y += TICK_MARK + TICK_SIZE + 6.0;
        let middle = self.left + WIDTH / 2.0;
        let words = format!("Time [{}]", self.axis.unit);
        document.text(
            middle,
            y + TEXT_SIZE / 2.0,
            TEXT_SIZE,
            Anchor::Middle,
            BLACK,
            &words,
        );
        y += TEXT_SIZE + 14.0;
        y = legend::draw(&mut document, scene, self.left, WIDTH, y);
        let title = title.map_or(0.0, |title| text_width(title, TITLE_SIZE));
        let width = self.left + WIDTH.max(title) + self.right;
        document.finish(width.ceil(), (y + MARGIN).ceil())
    }

    /// Draws a process, with its upper end at `top`. Returns the position of the lower end of the process.
    fn group(&self, document: &mut Document, group: &Group<'_>, top: f64) -> f64 {
        let mut y = top;
        if !group.name.is_empty() {
            document.heading(MARGIN, y + HEADING / 2.0, TEXT_SIZE, group.name);
            y += HEADING;
        }
        let frame = y;
        // Elements in the background must come first, but they can be drawn only when all positions are known.
        let mut content = Document::default();
        let mut labelled = f64::NEG_INFINITY;
        for row in &group.rows {
            let marked = !row.track.instants.is_empty();
            y += self.gap + if marked { marks::ABOVE } else { 0.0 };
            let height = self.lane * row.lanes as f64;
            let size = (0.9 * height).clamp(7.0, TICK_SIZE);
            let middle = y + height / 2.0;
            if middle >= labelled + size + 1.0 {
                labelled = middle;
                self.label(&mut content, middle, size, row.track.name);
            }
            if self.lane >= ROOMY {
                let ends = (self.left, self.left + WIDTH);
                content.line((ends.0, y + height), (ends.1, y + height), GRID, 0.8);
            }
            for bar in &row.bars {
                self.bar(&mut content, bar, y, &row.track);
            }
            for point in &row.track.instants {
                marks::draw(&mut content, point.mark, self.x(point.at), y, y + height);
            }
            y += height;
        }
        for counter in &group.counters {
            y += 8.0;
            self.counter(&mut content, counter, y);
            y += COUNTER;
        }
        y += self.gap;
        for &tick in &self.axis.ticks {
            let x = self.x(tick);
            document.line((x, frame), (x, y), GRID, 0.8);
        }
        document.append(content);
        document.frame(self.left, frame, WIDTH, y - frame);
        y
    }

    fn label(&self, document: &mut Document, middle: f64, size: f64, name: &str) {
        let mut name = shown(name);
        while text_width(&name, size) > LABELS && name.pop().is_some() {
            if name.pop().is_some() {
                name.push('…');
            }
        }
        document.text(
            self.left - 2.0 * TICK_MARK,
            middle,
            size,
            Anchor::End,
            BLACK,
            &name,
        );
    }

    fn bar(&self, document: &mut Document, bar: &Bar<'_>, top: f64, track: &TrackLayout<'_>) {
        let (start, end) = (self.x(bar.start), self.x(bar.end));
        let width = (end - start).max(THINNEST);
        let between = if self.lane >= ROOMY { 1.0 } else { 0.4 };
        let y = top + self.lane * bar.lane as f64;
        let height = self.lane - between;
        let (from, to) = bar.whole;
        let words = format!("{}: {}, {}, {from} to {to}", bar.category, bar.name, track.name);
        if track.planned {
            document.outline("slice", (start, y), (width, height), bar.colour, &words);
            return;
        }
        let outlined = width >= 2.0 && self.lane >= ROOMY;
        document.slice("slice", (start, y), (width, height), bar.colour, outlined, &words);
        let size = (height - 4.0).min(TICK_SIZE - 1.0);
        if size >= 7.0 && text_width(bar.name, size) + 4.0 <= width {
            let colour = if fill(bar.colour).is_dark() { "#fff" } else { BLACK };
            let (x, y) = (start + width / 2.0, y + height / 2.0);
            document.text(x, y, size, Anchor::Middle, colour, bar.name);
        }
    }

    fn counter(&self, document: &mut Document, counter: &Steps<'_>, top: f64) {
        let (bottom, end) = (top + COUNTER, self.left + WIDTH);
        self.label(document, top + COUNTER / 2.0, TICK_SIZE, counter.name);
        let height = |value: f64| match counter.max > 0.0 {
            true => bottom - COUNTER * (value / counter.max).max(0.0),
            false => bottom,
        };
        let mut path = Vec::new();
        for (index, &(at, value)) in counter.values.iter().enumerate() {
            let x = self.x(at);
            if index == 0 {
                path.push((x, bottom));
            }
            if let Some(&(_, y)) = path.last() {
                path.push((x, y));
            }
            path.push((x, height(value)));
        }
        if let Some(&(_, y)) = path.last() {
            path.extend([(end, y), (end, bottom)]);
            document.area(&path, AREA);
        }
        document.line((self.left, bottom), (end, bottom), REMARK, 0.6);
        let words = maximum(counter);
        document.text(
            end + TICK_MARK,
            top + TICK_SIZE / 2.0,
            TICK_SIZE,
            Anchor::Start,
            REMARK,
            &words,
        );
    }

    fn time(&self, document: &mut Document, top: f64) {
        for &tick in &self.axis.ticks {
            let x = self.x(tick);
            document.line((x, top), (x, top + TICK_MARK), BLACK, 1.0);
            let y = top + TICK_MARK + 2.0 + TICK_SIZE / 2.0;
            document.text(x, y, TICK_SIZE, Anchor::Middle, BLACK, &self.axis.label(tick));
        }
    }
}

/// Returns the largest value of a counter with its unit. The label at the top of the counter's area shows this text.
fn maximum(counter: &Steps<'_>) -> String {
    format!("{} {}", counter.max, counter.unit)
}
