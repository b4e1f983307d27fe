//! Writer of timelines in the JSON Object Format of Chrome trace events. ui.perfetto.dev can open
//! this format.
//!
//! * The format uses times in microseconds. Times are written with three decimals, so they are
//!   exact to the nanosecond.
//! * In this format, slices of one thread must be nested or disjoint. Viewers drop or move slices
//!   that overlap in another way. Therefore every lane is a separate thread.
//! * Viewers identify a thread only by its number. If a thread has the number of its process,
//!   viewers treat it as the main thread. Therefore processes and lanes are numbered together,
//!   from 1.

use std::fmt;
use std::io::{self, Write};

use super::lanes::Lanes;
use super::layout::lane_name;
use super::names::NameId;
use super::recording::{Detail, Details, Timeline};
use gpusched_model::time::Time;

impl Timeline {
    /// Writes the timeline as trace events, one event per line. The names of processes and lanes
    /// are first, followed by all events in time order.
    ///
    /// # Errors
    /// Fails if writing to `sink` fails.
    pub fn write_trace(&self, sink: &mut impl Write) -> io::Result<()> {
        Trace::new(self)?.write(sink)
    }
}

/// An event. Events are sorted by time, then by the number of the lane or process. Slices precede
/// instants with equal time and number.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: Time,
    /// Number of the lane. For a counter, number of the process.
    number: usize,
    kind: Kind,
    index: usize,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Sample,
    Slice,
    Instant,
}

struct Trace<'a> {
    timeline: &'a Timeline,
    /// Names, encoded as JSON.
    names: Vec<String>,
    lanes: Lanes,
    /// Number of each process.
    processes: Vec<usize>,
    /// Number of the first lane of each track.
    tracks: Vec<usize>,
}

impl<'a> Trace<'a> {
    fn new(timeline: &'a Timeline) -> io::Result<Trace<'a>> {
        let names: Result<_, _> = timeline.names.iter().map(serde_json::to_string).collect();
        let lanes = Lanes::new(timeline);
        let mut members = vec![Vec::new(); timeline.processes.len()];
        for (index, track) in timeline.tracks.iter().enumerate() {
            if let Some(members) = members.get_mut(track.process) {
                members.push(index);
            }
        }
        let mut next = 1;
        let mut processes = Vec::with_capacity(members.len());
        let mut tracks = vec![0; timeline.tracks.len()];
        for members in members {
            processes.push(next);
            next += 1;
            for track in members {
                if let (Some(number), Some(count)) = (tracks.get_mut(track), lanes.count.get(track)) {
                    *number = next;
                    next += count;
                }
            }
        }
        Ok(Trace {
            timeline,
            names: names?,
            lanes,
            processes,
            tracks,
        })
    }

    fn write(&self, sink: &mut impl Write) -> io::Result<()> {
        // The time unit is written first, because some readers read only the start of the file.
        let version = env!("CARGO_PKG_VERSION");
        write!(
            sink,
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"generator\":\"gpusched {version}\"}},\"traceEvents\":["
        )?;
        let mut comma = "";
        for line in self.headers() {
            write!(sink, "{comma}\n{line}")?;
            comma = ",";
        }
        for entry in self.entries() {
            writeln!(sink, "{comma}")?;
            comma = ",";
            match entry.kind {
                Kind::Sample => self.sample(sink, entry)?,
                Kind::Slice => self.slice(sink, entry)?,
                Kind::Instant => self.instant(sink, entry)?,
            }
        }
        sink.write_all(b"\n]}\n")
    }

    /// Returns the lines that define the names and the order of processes and lanes.
    fn headers(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let line = |name: &str, pid, tid: Option<usize>, key: &str, value: &dyn fmt::Display| {
            let tid = tid.map_or(String::new(), |tid| format!(",\"tid\":{tid}"));
            format!("{{\"name\":\"{name}\",\"ph\":\"M\",\"pid\":{pid}{tid},\"args\":{{\"{key}\":{value}}}}}")
        };
        for (&pid, &name) in self.processes.iter().zip(&self.timeline.processes) {
            lines.push(line("process_name", pid, None, "name", &self.name(name)));
            lines.push(line("process_sort_index", pid, None, "sort_index", &pid));
        }
        for ((track, &first), &count) in self
            .timeline
            .tracks
            .iter()
            .zip(&self.tracks)
            .zip(&self.lanes.count)
        {
            let pid = self.process(track.process);
            for lane in 0..count {
                let name = lane_name(self.timeline.names.get(track.name), count, lane);
                let name = serde_json::Value::from(name);
                let tid = first + lane;
                lines.push(line("thread_name", pid, Some(tid), "name", &name));
                lines.push(line("thread_sort_index", pid, Some(tid), "sort_index", &tid));
            }
        }
        lines
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(self.timeline.events());
        for (index, (slice, lane)) in self.timeline.slices.iter().zip(&self.lanes.of).enumerate() {
            entries.push(Entry {
                at: slice.start,
                number: self.track(slice.track) + lane,
                kind: Kind::Slice,
                index,
            });
        }
        for (index, instant) in self.timeline.instants.iter().enumerate() {
            entries.push(Entry {
                at: instant.at,
                number: self.track(instant.track),
                kind: Kind::Instant,
                index,
            });
        }
        for (index, sample) in self.timeline.samples.iter().enumerate() {
            let counter = self.timeline.counters.get(sample.counter);
            entries.push(Entry {
                at: sample.at,
                number: counter.map_or(0, |counter| self.process(counter.process)),
                kind: Kind::Sample,
                index,
            });
        }
        entries.sort_unstable();
        entries
    }

    fn slice(&self, sink: &mut impl Write, entry: Entry) -> io::Result<()> {
        let Some(slice) = self.timeline.slices.get(entry.index) else {
            return Ok(());
        };
        let duration = slice.end.checked_sub(slice.start).unwrap_or_default();
        write!(
            sink,
            "{{\"name\":{},\"cat\":{},\"ph\":\"X\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{}",
            self.name(slice.name),
            self.name(slice.category),
            Microseconds(slice.start),
            Microseconds(duration),
            self.process_of(slice.track),
            entry.number
        )?;
        self.args(sink, slice.args)
    }

    fn instant(&self, sink: &mut impl Write, entry: Entry) -> io::Result<()> {
        let Some(instant) = self.timeline.instants.get(entry.index) else {
            return Ok(());
        };
        // The kind is written first, because viewers shorten long names at their ends and the
        // kind is more important.
        let word = instant.mark.word();
        let name = match self.timeline.names.get(instant.name) {
            "" => word.to_owned(),
            name => format!("{word}: {name}"),
        };
        write!(
            sink,
            "{{\"name\":{},\"cat\":\"{word}\",\"ph\":\"i\",\"s\":\"t\",\"ts\":{},\"pid\":{},\"tid\":{}",
            serde_json::Value::from(name),
            Microseconds(instant.at),
            self.process_of(instant.track),
            entry.number
        )?;
        self.args(sink, instant.args)
    }

    fn sample(&self, sink: &mut impl Write, entry: Entry) -> io::Result<()> {
        let Some(sample) = self.timeline.samples.get(entry.index) else {
            return Ok(());
        };
        let Some(counter) = self.timeline.counters.get(sample.counter) else {
            return Ok(());
        };
        write!(
            sink,
            "{{\"name\":{},\"ph\":\"C\",\"ts\":{},\"pid\":{},\"args\":{{{}:{}}}}}",
            self.name(counter.name),
            Microseconds(sample.at),
            entry.number,
            self.name(counter.unit),
            sample.value
        )
    }

    /// Writes the arguments of an event and ends the event.
    fn args(&self, sink: &mut impl Write, details: Details) -> io::Result<()> {
        let args = self.timeline.args.iter().skip(details.first).take(details.count);
        for (index, (key, value)) in args.enumerate() {
            let before = if index == 0 { ",\"args\":{" } else { "," };
            write!(sink, "{before}{}:", self.name(*key))?;
            match value {
                Detail::Integer(value) => write!(sink, "{value}")?,
                Detail::Text(text) => write!(sink, "{}", self.name(*text))?,
            }
        }
        sink.write_all(if details.count == 0 { b"}" } else { b"}}" })
    }

    fn name(&self, name: NameId) -> &str {
        self.names.get(name.index()).map_or("\"\"", String::as_str)
    }

    fn process(&self, index: usize) -> usize {
        self.processes.get(index).copied().unwrap_or_default()
    }

    fn track(&self, index: usize) -> usize {
        self.tracks.get(index).copied().unwrap_or_default()
    }

    fn process_of(&self, track: usize) -> usize {
        let track = self.timeline.tracks.get(track);
        track.map_or(0, |track| self.process(track.process))
    }
}

/// A time that is written in microseconds, without rounding.
struct Microseconds(Time);

impl fmt::Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0.ns() / 1_000, self.0.ns() % 1_000)
    }
}
