//! Gantt charts of timelines, as SVG.
//!
//! A chart shows its tracks from top to bottom. The lanes of a track are adjacent, and the counters of a process are
//! below its tracks. Each category has the same colour in all windows of a timeline. Colours also differ in lightness
//! or hatching, so the chart remains readable on black-and-white printers and for color-blind readers (Okabe & Ito
//! 2008). Each byte of the output depends only on the timeline and the options.
//!
//! ```
//! use gpusched_study::plot::gantt::{self, Options};
//! use gpusched_sim::timeline::{Slice, Timeline};
//! use gpusched_model::time::Time;
//!
//! let mut timeline = Timeline::new();
//! let gpu = timeline.process("GPU")?;
//! let sm = timeline.track(gpu, "SM 0")?;
//! timeline.slice(sm, Slice::new("block 0", "conv", Time::from_ns(0), Time::from_ns(600)))?;
//! timeline.slice(sm, Slice::new("block 1", "conv", Time::from_ns(200), Time::from_ns(900)))?;
//!
//! let svg = gantt::svg(&timeline, &Options::default())?;
//! assert!(svg.starts_with("<svg ") && svg.contains("SM 0"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis;
mod options;
mod scene;
mod svg;

pub use axis::TimeAxis;
pub use options::{MAX_SLICES, Options};
pub use scene::Window;
pub use svg::svg;
