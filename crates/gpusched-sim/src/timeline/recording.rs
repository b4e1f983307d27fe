//! A timeline and its functions for recording events.

use super::error::TimelineError;
use super::event::{Instant, Mark, Slice, Value};
use super::names::{NameId, Names};
use gpusched_model::time::Time;

/// Default limit on the number of slices, instants and samples in a timeline. Browser-based
/// viewers cannot handle many more events. [`Timeline::with_limit`] sets another limit.
pub const MAX_EVENTS: usize = 4_000_000;

/// Largest possible limit on events. Names have 32-bit numbers, so a much larger limit is
/// impossible.
const LARGEST_LIMIT: usize = 1 << 26;

/// Maximum number of processes, tracks and counters in a timeline, all together.
pub const MAX_TRACKS: usize = 1 << 16;

/// Maximum number of arguments of one event.
pub const MAX_ARGS: usize = 16;

/// A process of one timeline: a group of tracks.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProcessId(usize);

/// A track that belongs to one timeline.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct TrackId(usize);

/// A counter that belongs to one timeline.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct CounterId(usize);

/// The events of one run. All times are simulated times.
#[derive(Clone, Debug)]
pub struct Timeline {
    pub(super) limit: usize,
    pub(super) names: Names,
    pub(super) processes: Vec<NameId>,
    pub(super) tracks: Vec<Track>,
    pub(super) counters: Vec<Counter>,
    pub(super) slices: Vec<SliceRecord>,
    pub(super) instants: Vec<InstantRecord>,
    pub(super) samples: Vec<Sample>,
    pub(super) args: Vec<(NameId, Detail)>,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Track {
    pub process: usize,
    pub name: NameId,
    pub planned: bool,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Counter {
    pub process: usize,
    pub name: NameId,
    pub unit: NameId,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct SliceRecord {
    pub track: usize,
    pub name: NameId,
    pub category: NameId,
    pub start: Time,
    pub end: Time,
    pub args: Details,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct InstantRecord {
    pub track: usize,
    pub name: NameId,
    pub mark: Mark,
    pub at: Time,
    pub args: Details,
}

#[derive(Copy, Clone, Debug)]
pub(super) struct Sample {
    pub counter: usize,
    pub at: Time,
    pub value: f64,
}

/// Position of the arguments of an event in the list of all arguments.
#[derive(Copy, Clone, Debug)]
pub(super) struct Details {
    pub first: usize,
    pub count: usize,
}

#[derive(Copy, Clone, Debug)]
pub(super) enum Detail {
    Integer(u64),
    Text(NameId),
}

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline::with_limit(MAX_EVENTS)
    }
}

impl Timeline {
    /// Creates an empty timeline for at most [`MAX_EVENTS`] events.
    pub fn new() -> Timeline {
        Timeline::default()
    }

    /// Creates an empty timeline. The timeline can contain at most `limit` slices, instants and
    /// samples. A limit above 2²⁶ is reduced to 2²⁶.
    pub fn with_limit(limit: usize) -> Timeline {
        Timeline {
            limit: limit.min(LARGEST_LIMIT),
            names: Names::default(),
            processes: Vec::new(),
            tracks: Vec::new(),
            counters: Vec::new(),
            slices: Vec::new(),
            instants: Vec::new(),
            samples: Vec::new(),
            args: Vec::new(),
        }
    }

    /// Adds a process below all earlier processes. A process is a group of tracks.
    ///
    /// # Errors
    /// Fails with [`TimelineError::TooManyTracks`] if the timeline is full.
    pub fn process(&mut self, name: &str) -> Result<ProcessId, TimelineError> {
        self.room_for_track()?;
        self.processes.push(self.names.intern(name));
        Ok(ProcessId(self.processes.len() - 1))
    }

    /// Adds a track to a process, below all earlier tracks of the process.
    ///
    /// # Errors
    /// Fails with [`TimelineError::TooManyTracks`] if the timeline is full. Fails with [`TimelineError::Unknown`] if
    /// the timeline does not contain the process.
    pub fn track(&mut self, process: ProcessId, name: &str) -> Result<TrackId, TimelineError> {
        self.any_track(process, name, false)
    }

    /// Adds a track that shows what is planned, and not what happens. A Gantt chart draws its slices as outlines on one lane, where
    /// outlines may overlap.
    ///
    /// # Errors
    /// Fails in the same cases as [`track`](Timeline::track).
    pub fn planned_track(&mut self, process: ProcessId, name: &str) -> Result<TrackId, TimelineError> {
        self.any_track(process, name, true)
    }

    fn any_track(&mut self, process: ProcessId, name: &str, planned: bool) -> Result<TrackId, TimelineError> {
        self.room_for_track()?;
        known("process", process.0, self.processes.len())?;
        let name = self.names.intern(name);
        self.tracks.push(Track {
            process: process.0,
            name,
            planned,
        });
        Ok(TrackId(self.tracks.len() - 1))
    }

    /// Adds a counter with unit `unit` to a process, below all earlier counters of the process.
    ///
    /// # Errors
    /// Fails with [`TimelineError::TooManyTracks`] if the timeline is full. Fails with [`TimelineError::Unknown`] if
    /// the timeline does not contain the process.
    pub fn counter(
        &mut self,
        process: ProcessId,
        name: &str,
        unit: &str,
    ) -> Result<CounterId, TimelineError> {
        self.room_for_track()?;
        known("process", process.0, self.processes.len())?;
        let (name, unit) = (self.names.intern(name), self.names.intern(unit));
        self.counters.push(Counter {
            process: process.0,
            name,
            unit,
        });
        Ok(CounterId(self.counters.len() - 1))
    }

    /// Adds a slice to a track. Slices can be added in any order.
    ///
    /// # Errors
    /// Fails with [`TimelineError::Backwards`] if the slice ends before it starts. Also fails
    /// with [`TimelineError::TooManyEvents`], [`TimelineError::TooManyArgs`],
    /// [`TimelineError::RepeatedArg`] or [`TimelineError::Unknown`].
    pub fn slice(&mut self, track: TrackId, slice: Slice<'_>) -> Result<(), TimelineError> {
        known("track", track.0, self.tracks.len())?;
        if slice.end < slice.start {
            return Err(TimelineError::Backwards {
                name: slice.name.to_owned(),
                start: slice.start,
                end: slice.end,
            });
        }
        self.room_for_event()?;
        let args = self.keep(slice.name, slice.args)?;
        let (name, category) = (self.names.intern(slice.name), self.names.intern(slice.category));
        self.slices.push(SliceRecord {
            track: track.0,
            name,
            category,
            start: slice.start,
            end: slice.end,
            args,
        });
        Ok(())
    }

    /// Adds an instant to a track. Instants can be added in any order.
    ///
    /// # Errors
    /// Fails with [`TimelineError::TooManyEvents`], [`TimelineError::TooManyArgs`],
    /// [`TimelineError::RepeatedArg`] or [`TimelineError::Unknown`].
    pub fn instant(&mut self, track: TrackId, instant: Instant<'_>) -> Result<(), TimelineError> {
        known("track", track.0, self.tracks.len())?;
        self.room_for_event()?;
        let args = self.keep(instant.name, instant.args)?;
        let name = self.names.intern(instant.name);
        self.instants.push(InstantRecord {
            track: track.0,
            name,
            mark: instant.mark,
            at: instant.at,
            args,
        });
        Ok(())
    }

    /// Sets the value of a counter from time `at` on. Samples can be added in any order. If
    /// several samples have equal times, the last added sample is valid.
    ///
    /// # Errors
    /// Fails with [`TimelineError::NotFinite`], [`TimelineError::TooManyEvents`] or
    /// [`TimelineError::Unknown`].
    pub fn sample(&mut self, counter: CounterId, at: Time, value: f64) -> Result<(), TimelineError> {
        let Some(found) = self.counters.get(counter.0) else {
            return known("counter", counter.0, self.counters.len());
        };
        if !value.is_finite() {
            let name = self.names.get(found.name).to_owned();
            return Err(TimelineError::NotFinite { name, value });
        }
        self.room_for_event()?;
        self.samples.push(Sample {
            counter: counter.0,
            at,
            value,
        });
        Ok(())
    }

    /// Returns the number of slices, instants and samples in the timeline.
    pub fn events(&self) -> usize {
        self.slices.len() + self.instants.len() + self.samples.len()
    }

    /// Returns the time of the first event and the end of the last event [ns]. Returns `None` if
    /// the timeline is empty.
    pub fn span(&self) -> Option<(Time, Time)> {
        let slices = self.slices.iter().map(|slice| (slice.start, slice.end));
        let points = self.instants.iter().map(|instant| instant.at);
        let points = points.chain(self.samples.iter().map(|sample| sample.at));
        let all = slices.chain(points.map(|at| (at, at)));
        all.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)))
    }

    fn room_for_event(&self) -> Result<(), TimelineError> {
        match self.events() < self.limit {
            true => Ok(()),
            false => Err(TimelineError::TooManyEvents { limit: self.limit }),
        }
    }

    fn room_for_track(&self) -> Result<(), TimelineError> {
        match self.processes.len() + self.tracks.len() + self.counters.len() < MAX_TRACKS {
            true => Ok(()),
            false => Err(TimelineError::TooManyTracks { limit: MAX_TRACKS }),
        }
    }

    fn keep(&mut self, event: &str, args: &[(&str, Value<'_>)]) -> Result<Details, TimelineError> {
        if args.len() > MAX_ARGS {
            return Err(TimelineError::TooManyArgs {
                name: event.to_owned(),
                limit: MAX_ARGS,
            });
        }
        for (index, (key, _)) in args.iter().enumerate() {
            if args.iter().take(index).any(|(other, _)| other == key) {
                let (name, key) = (event.to_owned(), (*key).to_owned());
                return Err(TimelineError::RepeatedArg { name, key });
            }
        }
        let first = self.args.len();
        for &(key, value) in args {
            let value = match value {
                Value::Integer(value) => Detail::Integer(value),
                Value::Text(text) => Detail::Text(self.names.intern(text)),
            };
            let key = self.names.intern(key);
            self.args.push((key, value));
        }
        Ok(Details {
            first,
            count: args.len(),
        })
    }
}

fn known(what: &'static str, number: usize, count: usize) -> Result<(), TimelineError> {
    match number < count {
        true => Ok(()),
        false => Err(TimelineError::Unknown { what, number }),
    }
}
