//! The timeline as one reads it: by process and track, in the order of time.

use super::event::Mark;
use super::lanes::Lanes;
use super::recording::Timeline;
use gpusched_model::time::Time;

/// A process and what is in it, in the order in which it was added.
#[derive(Clone, PartialEq, Debug)]
pub struct ProcessLayout<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its tracks.
    pub tracks: Vec<TrackLayout<'a>>,
    /// Its counters.
    pub counters: Vec<CounterLayout<'a>>,
}

/// A track and what is on it.
#[derive(Clone, PartialEq, Debug)]
pub struct TrackLayout<'a> {
    /// Its name.
    pub name: &'a str,
    /// How many lanes its slices need; at least one.
    pub lanes: usize,
    /// Its slices, by start, then in the order in which they came.
    pub slices: Vec<Piece<'a>>,
    /// Its instants, by time, then in the order in which they came.
    pub instants: Vec<Point<'a>>,
}

impl TrackLayout<'_> {
    /// What the lane is called: `SM 3` if it is the only one, else `SM 3 · 0` and so on.
    pub fn lane_name(&self, lane: usize) -> String {
        lane_name(self.name, self.lanes, lane)
    }
}

/// A slice on its lane.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Piece<'a> {
    /// The lane, from 0: no two slices of a lane overlap.
    pub lane: usize,
    /// Its name.
    pub name: &'a str,
    /// Its category.
    pub category: &'a str,
    /// When it starts [ns].
    pub start: Time,
    /// When it ends [ns].
    pub end: Time,
}

/// An instant.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Point<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub mark: Mark,
    /// When it is [ns].
    pub at: Time,
}

/// A counter and its values.
#[derive(Clone, PartialEq, Debug)]
pub struct CounterLayout<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it counts.
    pub unit: &'a str,
    /// Since when it has which value, by time [ns]; each time once.
    pub values: Vec<(Time, f64)>,
}

impl Timeline {
    /// Everything but the details of events, as it is drawn.
    pub fn layout(&self) -> Vec<ProcessLayout<'_>> {
        let lanes = Lanes::new(self);
        let mut tracks: Vec<TrackLayout<'_>> = self
            .tracks
            .iter()
            .zip(&lanes.count)
            .map(|(track, &lanes)| TrackLayout {
                name: self.names.get(track.name),
                lanes,
                slices: Vec::new(),
                instants: Vec::new(),
            })
            .collect();
        for &index in &lanes.order {
            let (Some(slice), Some(&lane)) = (self.slices.get(index), lanes.of.get(index)) else {
                continue;
            };
            if let Some(track) = tracks.get_mut(slice.track) {
                track.slices.push(Piece {
                    lane,
                    name: self.names.get(slice.name),
                    category: self.names.get(slice.category),
                    start: slice.start,
                    end: slice.end,
                });
            }
        }
        for instant in &self.instants {
            if let Some(track) = tracks.get_mut(instant.track) {
                track.instants.push(Point {
                    name: self.names.get(instant.name),
                    mark: instant.mark,
                    at: instant.at,
                });
            }
        }
        let mut processes: Vec<ProcessLayout<'_>> = self
            .processes
            .iter()
            .map(|&name| ProcessLayout {
                name: self.names.get(name),
                tracks: Vec::new(),
                counters: Vec::new(),
            })
            .collect();
        for (track, mut laid) in self.tracks.iter().zip(tracks) {
            laid.instants.sort_by_key(|instant| instant.at);
            if let Some(process) = processes.get_mut(track.process) {
                process.tracks.push(laid);
            }
        }
        let mut values = vec![Vec::new(); self.counters.len()];
        for sample in &self.samples {
            if let Some(values) = values.get_mut(sample.counter) {
                values.push((sample.at, sample.value));
            }
        }
        for (counter, values) in self.counters.iter().zip(values) {
            if let Some(process) = processes.get_mut(counter.process) {
                process.counters.push(CounterLayout {
                    name: self.names.get(counter.name),
                    unit: self.names.get(counter.unit),
                    values: last_of_each_time(values),
                });
            }
        }
        processes
    }

    /// The categories in the order in which they first came: a category's place here is its colour everywhere.
    pub fn categories(&self) -> Vec<&str> {
        let mut seen = vec![false; self.names.iter().len()];
        let mut categories = Vec::new();
        for slice in &self.slices {
            if let Some(seen) = seen.get_mut(slice.category.index())
                && !std::mem::replace(seen, true)
            {
                categories.push(self.names.get(slice.category));
            }
        }
        categories
    }
}

/// What a lane of a track is called.
pub(super) fn lane_name(track: &str, lanes: usize, lane: usize) -> String {
    match lanes {
        0 | 1 => track.to_owned(),
        _ => format!("{track} · {lane}"),
    }
}

fn last_of_each_time(mut values: Vec<(Time, f64)>) -> Vec<(Time, f64)> {
    values.sort_by_key(|&(at, _)| at);
    // `dedup_by` keeps the first of equals, so it gets the value of the one it drops.
    values.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 = later.1;
        }
        same
    });
    values
}
