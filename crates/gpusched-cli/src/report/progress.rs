//! Counter on standard error that shows the progress of a run.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::Global;

/// Counter on standard error. The counter is hidden with `--quiet`, and if standard error is not
/// a terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// Creates a counter of `units`.
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

    /// Sets the counter.
    pub fn at(&self, position: u64) {
        self.0.set_position(position);
    }

    /// Increments the counter.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
