//! The part of a timeline that a window shows.

use std::collections::{BTreeSet, HashMap};

use super::options::Options;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_sim::timeline::{CounterLayout, Mark, Point, Timeline, TrackLayout};

#[derive(Debug)]
pub struct Scene<'a> {
    pub window: Window,
    pub groups: Vec<Group<'a>>,
    /// Visible categories, each with the number of its colour and its name.
    pub categories: Vec<(usize, &'a str)>,
    /// Colours of the categories that only planned tracks show.
    pub planned: BTreeSet<usize>,
    /// Kinds of the visible instants.
    pub marks: BTreeSet<Mark>,
}

/// A process with its visible tracks and counters.
#[derive(Debug)]
pub struct Group<'a> {
    pub name: &'a str,
    pub rows: Vec<Row<'a>>,
    pub counters: Vec<Steps<'a>>,
}

/// A track with its visible slices and instants.
#[derive(Debug)]
pub struct Row<'a> {
    pub track: TrackLayout<'a>,
    /// Number of lanes that slices in the window use; at least one.
    pub lanes: usize,
    pub bars: Vec<Bar<'a>>,
}

/// A slice, cut at the ends of the window.
#[derive(Copy, Clone, Debug)]
pub struct Bar<'a> {
    pub lane: usize,
    pub name: &'a str,
    pub category: &'a str,
    pub colour: usize,
    /// Start and end of the uncut slice.
    pub whole: (Time, Time),
    pub start: Time,
    pub end: Time,
}

/// The values of a counter in the window. If the counter has a value at the start of the window, the list starts with
/// this value.
#[derive(Debug)]
pub struct Steps<'a> {
    pub name: &'a str,
    pub unit: &'a str,
    pub values: Vec<(Time, f64)>,
    /// Largest value of the counter, or 0 if all values are negative.
    pub max: f64,
}

/// A window of time, including its start and its end. The end is later than the start.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// Start of the window.
    pub from: Time,
    /// End of the window.
    pub to: Time,
}

impl Window {
    fn new(timeline: &Timeline, options: &Options) -> Result<Window> {
        let Some((first, last)) = timeline.span() else {
            return Err(Error::parameter("timeline", "no event", "at least one event"));
        };
        let from = options.from.unwrap_or(first);
        let to = options.to.unwrap_or(last);
        if to < first || from > last {
            let found = format!("no event from {from} to {to}");
            let expected = format!("a window that overlaps the timeline from {first} to {last}");
            return Err(Error::parameter("window", found, expected));
        }
        // A window of length 0 is extended, so a single instant can also be drawn.
        let to = match options.to {
            None if to == from => from.checked_add(Time::from_ns(1)).unwrap_or(to),
            _ => to,
        };
        match from < to {
            true => Ok(Window { from, to }),
            false => Err(Error::parameter(
                "window",
                format!("{from} to {to}"),
                "an end of the window after its start",
            )),
        }
    }

    /// Returns the length of the window [ns].
    pub fn length(self) -> u64 {
        self.to.ns() - self.from.ns()
    }

    /// Returns a slice, cut at the ends of the window. A slice without duration is visible even at the ends of the window.
    fn cut(self, start: Time, end: Time) -> Option<(Time, Time)> {
        let visible = match start == end {
            true => self.from <= start && end <= self.to,
            false => start < self.to && end > self.from,
        };
        visible.then(|| (start.max(self.from), end.min(self.to)))
    }
}

impl<'a> Scene<'a> {
    pub fn new(timeline: &'a Timeline, options: &Options) -> Result<Scene<'a>> {
        let window = Window::new(timeline, options)?;
        let categories = timeline.categories();
        let colours: HashMap<&str, usize> = categories
            .iter()
            .enumerate()
            .map(|(i, &name)| (name, i))
            .collect();
        let row = |mut track: TrackLayout<'a>| {
            let bars: Vec<Bar<'a>> = track
                .slices
                .iter()
                .filter_map(|slice| {
                    let (start, end) = window.cut(slice.start, slice.end)?;
                    Some(Bar {
                        lane: if track.planned { 0 } else { slice.lane },
                        name: slice.name,
                        category: slice.category,
                        colour: colours.get(slice.category).copied().unwrap_or_default(),
                        whole: (slice.start, slice.end),
                        start,
                        end,
                    })
                })
                .collect();
            track.slices = Vec::new();
            let inside = |point: &Point<'_>| window.from <= point.at && point.at <= window.to;
            track.instants.retain(inside);
            let lanes = bars.iter().map(|bar| bar.lane + 1).max().unwrap_or(1);
            Row { track, lanes, bars }
        };
        let groups: Vec<Group<'a>> = timeline
            .layout()
            .into_iter()
            .map(|process| Group {
                name: process.name,
                rows: process.tracks.into_iter().map(row).collect(),
                counters: process
                    .counters
                    .into_iter()
                    .map(|counter| steps(counter, window))
                    .collect(),
            })
            .collect();
        let rows = || groups.iter().flat_map(|group| &group.rows);
        let used: BTreeSet<usize> = rows().flat_map(|row| &row.bars).map(|bar| bar.colour).collect();
        let happens = rows().filter(|row| !row.track.planned).flat_map(|row| &row.bars);
        let happens: BTreeSet<usize> = happens.map(|bar| bar.colour).collect();
        let planned = used.difference(&happens).copied().collect();
        let name = |colour: usize| Some((colour, *categories.get(colour)?));
        let categories = used.into_iter().filter_map(name).collect();
        let marks = rows().flat_map(|row| &row.track.instants);
        let marks = marks.map(|point| point.mark).collect();
        Ok(Scene {
            window,
            groups,
            categories,
            planned,
            marks,
        })
    }

    /// Returns the number of visible slices.
    pub fn bars(&self) -> usize {
        let rows = self.groups.iter().flat_map(|group| &group.rows);
        rows.map(|row| row.bars.len()).sum()
    }
}

fn steps<'a>(counter: CounterLayout<'a>, window: Window) -> Steps<'a> {
    let later = counter.values.partition_point(|&(at, _)| at <= window.from);
    let before = later.checked_sub(1).and_then(|index| counter.values.get(index));
    let first = before.map(|&(_, value)| (window.from, value));
    let inside = counter.values.iter().skip(later);
    let inside = inside.take_while(|&&(at, _)| at <= window.to);
    let values: Vec<(Time, f64)> = first.into_iter().chain(inside.copied()).collect();
    let max = values.iter().map(|&(_, value)| value).fold(0.0, f64::max);
    Steps {
        name: counter.name,
        unit: counter.unit,
        values,
        max,
    }
}
