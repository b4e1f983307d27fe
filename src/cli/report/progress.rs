//! How far a run is, on standard error.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::Global;

/// A counter on standard error, if that is a terminal and nobody asked for quiet.
pub struct Progress(ProgressBar);

impl Progress {
    /// A counter of `units`.
    pub fn new(global: &Global, units: &str) -> Progress {
        if global.quiet || !io::stderr().is_terminal() {
            return Progress(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template(&format!("{{spinner}} {{human_pos}} {units}, {{per_sec}}"));
        let bar =
            ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.enable_steady_tick(Duration::from_millis(500));
        Progress(bar)
    }

    /// It is so far.
    pub fn at(&self, position: u64) {
        self.0.set_position(position);
    }

    /// It is one further.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
