//! Gantt charts of timelines: as SVG for papers, as text for terminals.
//!
//! Tracks are arranged from top to bottom. Lanes of one track are next to each other, and counters are below the tracks of
//! their process. A category has one colour in all windows of a timeline. Colours also differ in lightness or hatching, so
//! black-and-white printers and color-blind readers can distinguish them (Okabe & Ito 2008). The output depends, byte by
//! byte, only on the timeline and the options.
//!
//! ```
//! use gpusched_study::plot::gantt::{self, Options, Terminal};
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
//! let text = gantt::text(&timeline, &Options::default(), &Terminal { columns: 40, unicode: false })?;
//! assert!(text.contains("SM 0 . 1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axis;
mod options;
mod scene;
mod style;
mod svg;
mod text;

pub use options::{MAX_SLICES, Options, Terminal};
pub use svg::svg;
pub use text::text;
