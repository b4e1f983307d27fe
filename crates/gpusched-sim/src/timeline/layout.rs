//! Contents of a timeline, sorted for display by process, by track and by time.

use super::event::Mark;
use super::lanes::Lanes;
use super::recording::Timeline;
use gpusched_model::time::Time;

/// A process with its tracks and counters, in order of addition.
#[derive(Clone, PartialEq, Debug)]
pub struct ProcessLayout<'a> {
    /// Name of the process.
    pub name: &'a str,
    /// Tracks of the process.
    pub tracks: Vec<TrackLayout<'a>>,
    /// Counters of the process.
    pub counters: Vec<CounterLayout<'a>>,
}

/// A track with its slices and instants.
#[derive(Clone, PartialEq, Debug)]
pub struct TrackLayout<'a> {
    /// Name of the track.
    pub name: &'a str,
    /// Number of lanes that the slices of the track occupy; at least one.
    pub lanes: usize,
    /// Whether the track shows what is planned, and not what happens.
    pub planned: bool,
    /// Slices of the track, sorted by start, then by order of addition.
    pub slices: Vec<Piece<'a>>,
    /// Instants of the track, sorted by time, then by order of addition.
    pub instants: Vec<Point<'a>>,
}

impl TrackLayout<'_> {
    /// Returns the name of a lane. If track `SM 3` has one lane, the lane is called `SM 3`. The
    /// lanes of a track with several lanes are called `SM 3 · 0`, `SM 3 · 1` and so on.
    pub fn lane_name(&self, lane: usize) -> String {
        lane_name(self.name, self.lanes, lane)
    }
}

/// A slice, with its lane.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Piece<'a> {
    /// Lane of the slice, from 0. Slices on one lane never overlap.
    pub lane: usize,
    /// Name of the slice.
    pub name: &'a str,
    /// Category of the slice.
    pub category: &'a str,
    /// Start of the slice [ns].
    pub start: Time,
    /// End of the slice [ns].
    pub end: Time,
}

/// An instant on a track.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Point<'a> {
    /// Name of the instant.
    pub name: &'a str,
    /// Kind of the instant.
    pub mark: Mark,
    /// Time of the instant [ns].
    pub at: Time,
}

/// A counter with its values.
#[derive(Clone, PartialEq, Debug)]
pub struct CounterLayout<'a> {
    /// Name of the counter.
    pub name: &'a str,
    /// Unit of the counter.
    pub unit: &'a str,
    /// Values of the counter, sorted by time. Each entry contains a time [ns] and the value from
    /// this time on. All times are different.
    pub values: Vec<(Time, f64)>,
}

impl Timeline {
    /// Returns the contents of the timeline for drawing. Arguments of events are omitted.
    pub fn layout(&self) -> Vec<ProcessLayout<'_>> {
        let lanes = Lanes::new(self);
        let mut tracks: Vec<TrackLayout<'_>> = self
            .tracks
            .iter()
            .zip(&lanes.count)
            .map(|(track, &lanes)| TrackLayout {
                name: self.names.get(track.name),
                lanes,
                planned: track.planned,
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

    /// Returns the categories in the order of their first use. The index of a category determines
    /// its colour in every figure.
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

/// Returns the name of lane `lane` of the track called `track`, which has `lanes` lanes.
pub(super) fn lane_name(track: &str, lanes: usize, lane: usize) -> String {
    match lanes {
        0 | 1 => track.to_owned(),
        _ => format!("{track} · {lane}"),
    }
}

fn last_of_each_time(mut values: Vec<(Time, f64)>) -> Vec<(Time, f64)> {
    values.sort_by_key(|&(at, _)| at);
    // `dedup_by` keeps the first of several entries with equal times. Therefore the layout copies the value of the
    // later entry to the entry that it keeps.
    values.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 = later.1;
        }
        same
    });
    values
}
