//! Progress of a run: a bar on a terminal, lines in a file, or a report to the program that embeds gpusched.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::progress_lines::{Lines, SEARCH};
use crate::{Global, embedding};
use gpusched_model::interrupt;

/// Progress of a run on standard error: a bar on a terminal, or a line every 30 s. It is hidden with `--quiet`.
pub struct Progress {
    bar: ProgressBar,
    /// Lines in place of the bar.
    _lines: Option<Lines>,
}

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

    /// Creates the progress of a search, which [`Progress::tell`] describes.
    pub fn of_search(global: &Global) -> Progress {
        let progress = Progress::show(global, None, ("", SEARCH), 0);
        progress.bar.set_message("searching for a first plan");
        progress
    }

    /// Creates a progress bar that stays hidden.
    pub fn hidden() -> Progress {
        Progress {
            bar: ProgressBar::hidden(),
            _lines: None,
        }
    }

    /// Creates a counter of `units` for a command that writes results while it runs. The counter is hidden if the results
    /// go to the same terminal.
    pub fn beside_results(global: &Global, total: Option<u64>, units: &str) -> Progress {
        match global.file().is_none() && io::stdout().is_terminal() {
            true => Progress::hidden(),
            false => Progress::show(global, total, ("", units), 0),
        }
    }

    fn show(global: &Global, total: Option<u64>, (name, units): (&str, &str), resumed: u64) -> Progress {
        let bar = match total {
            Some(total) => {
                ProgressBar::with_draw_target(Some(total), indicatif::ProgressDrawTarget::hidden())
            }
            None => ProgressBar::hidden(),
        };
        bar.set_position(resumed);
        let mut lines = None;
        if embedding::is_active() {
            embedding::watch(&bar, units);
        } else if !global.quiet && io::stderr().is_terminal() {
            bar.set_style(style(total, (name, units), resumed));
            bar.set_draw_target(indicatif::ProgressDrawTarget::stderr());
            bar.reset_eta(); // units of earlier runs must not count for the speed
            bar.enable_steady_tick(Duration::from_millis(500));
        } else if !global.quiet {
            lines = Lines::start(&bar, (name, units), resumed);
        }
        Progress { bar, _lines: lines }
    }

    /// Sets the number of finished units.
    pub fn at(&self, position: u64) {
        interrupt::check();
        self.bar.set_position(position);
    }

    /// Describes the state of a search.
    pub fn tell(&self, state: String) {
        interrupt::check();
        self.bar.set_message(state);
    }

    /// Increments the number of finished units.
    pub fn step(&self) {
        self.advance(1);
    }

    /// Increases the number of finished units by `units`.
    pub fn advance(&self, units: u64) {
        interrupt::check();
        self.bar.inc(units);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
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
        (None, SEARCH) => "{spinner} {msg}, after {elapsed}".to_owned(),
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
