//! A timeline contains the events of one run of a simulator.
//!
//! A [`Timeline`] has *processes*, such as a GPU or a partition. A process has *tracks*, such as an SM or a task. A
//! track has *slices*, which have a start and an end, and *instants*. In addition to tracks, a process has *counters*,
//! which are values over time. Overlapping slices of one track, such as thread blocks on an SM, are on different
//! *lanes*. Each slice is on the lowest lane that is free.
//!
//! A timeline can be written as a [trace](Timeline::write_trace) for a viewer, and `plot::gantt`
//! can draw it. Equal calls always produce equal outputs, byte for byte.
//!
//! ```
//! use gpusched_sim::timeline::{Instant, Mark, Slice, Timeline};
//! use gpusched_model::time::Time;
//!
//! let us = |us: u64| Time::from_ns(1_000 * us);
//! let mut timeline = Timeline::new();
//! let gpu = timeline.process("GPU")?;
//! let sm = timeline.track(gpu, "SM 0")?;
//! timeline.slice(sm, Slice::new("block 0", "conv", us(0), us(7)))?;
//! timeline.slice(sm, Slice { args: &[("threads", 128u32.into())], ..Slice::new("block 1", "conv", us(2), us(5)) })?;
//! timeline.instant(sm, Instant::new("frame 0", Mark::Deadline, us(6)))?;
//! let busy = timeline.counter(gpu, "busy SMs", "SMs")?;
//! timeline.sample(busy, us(0), 1.0)?;
//!
//! let mut trace = Vec::new();
//! timeline.write_trace(&mut trace)?;
//! assert!(String::from_utf8(trace)?.contains(r#""ts":2.000,"dur":3.000"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod event;
mod lanes;
mod layout;
mod names;
mod recording;
mod trace;

pub use error::TimelineError;
pub use event::{Instant, Mark, Slice, Value};
pub use layout::{CounterLayout, Piece, Point, ProcessLayout, TrackLayout};
pub use recording::{CounterId, MAX_ARGS, MAX_EVENTS, MAX_TRACKS, ProcessId, Timeline, TrackId};
