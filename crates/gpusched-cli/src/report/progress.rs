//! Progress of a run: a bar on standard error, or a report to the program that embeds gpusched.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::{Global, embedding};
use gpusched_model::interrupt;

/// Progress bar or counter on standard error. It is hidden with `--quiet`, and if standard error is not a terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// Creates a counter of `units` without a known total.
    pub fn new(global: &Global, units: &str) -> Progress {
        Progress::show(global, None, ("", units), 0)
    }

    /// Creates a progress bar for `total` `units`.
    pub fn of(global: &Global, total: u64, units: &str) -> Progress {
        Progress::show(global, Some(total), ("", units), 0)
    }

    /// Creates the progress bar of a run called `name`. Earlier runs finished `resumed` of the `total` `units`.
    pub fn resumed(global: &Global, (name, units): (&str, &str), total: u64, resumed: u64) -> Progress {
        Progress::show(global, Some(total), (name, units), resumed)
    }

    /// Creates a progress bar that stays hidden.
    pub fn hidden() -> Progress {
        Progress(ProgressBar::hidden())
    }

    fn show(global: &Global, total: Option<u64>, (name, units): (&str, &str), resumed: u64) -> Progress {
        let bar = match total {
            Some(total) => {
                ProgressBar::with_draw_target(Some(total), indicatif::ProgressDrawTarget::hidden())
            }
            None => ProgressBar::hidden(),
        };
        bar.set_position(resumed);
        if embedding::is_active() {
            embedding::watch(&bar, units);
        } else if !global.quiet && io::stderr().is_terminal() {
            bar.set_style(style(total, (name, units), resumed));
            bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            bar.reset_eta(); // units of earlier runs must not count for the speed
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Progress(bar)
    }

    /// Sets the number of finished units.
    pub fn at(&self, position: u64) {
        interrupt::check();
        self.0.set_position(position);
    }

    /// Increments the number of finished units.
    pub fn step(&self) {
        self.advance(1);
    }

    /// Increases the number of finished units by `units`.
    pub fn advance(&self, units: u64) {
        interrupt::check();
        self.0.inc(units);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(total: Option<u64>, (name, units): (&str, &str), resumed: u64) -> ProgressStyle {
    let name = match name {
        "" => String::new(),
        name => format!("{name} "),
    };
    let resumed = match resumed {
        0 => String::new(),
        resumed => format!(" ({resumed} resumed)"),
    };
    let template = match (total, units) {
        (Some(_), "bytes") => "{bar:40} {bytes} of {total_bytes}, {eta} left".to_owned(),
        (None, "bytes") => "{spinner} {bytes}, {bytes_per_sec}".to_owned(),
        (Some(_), units) => {
            format!(
                "{name}{{bar:30}} {{percent}}% {{pos}}/{{len}} {units}, {{per_sec}}, ETA {{eta}}{resumed}"
            )
        }
        (None, units) => format!("{{spinner}} {{human_pos}} {units}, {{per_sec}}"),
    };
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
