//! Progress bar of a study.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::Global;
use gpusched_study::{Observer, Spec};

/// Progress bar on standard error. The bar is hidden with `--quiet`, and if standard error is not
/// a terminal.
pub struct Progress {
    study: String,
    /// Name of the units that the bar counts.
    units: &'static str,
    visible: bool,
    bar: ProgressBar,
}

impl Progress {
    /// Creates a progress bar for `study`.
    pub fn new(study: &Spec, global: &Global) -> Progress {
        Progress {
            study: study.name().to_owned(),
            units: study.kind().units(),
            visible: !global.quiet && io::stderr().is_terminal(),
            bar: ProgressBar::hidden(),
        }
    }
}

impl Observer for Progress {
    fn started(&mut self, total: u64, resumed: u64) {
        if !self.visible || resumed == total {
            return;
        }
        let units = self.units;
        let mut template =
            format!("{{prefix}} {{bar:30}} {{percent}}% {{pos}}/{{len}} {units}, {{per_sec}}, ETA {{eta}}");
        if resumed > 0 {
            template += " ({msg} resumed)";
        }
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar = ProgressBar::new(total)
            .with_style(style)
            .with_prefix(self.study.clone())
            .with_message(resumed.to_string())
            .with_position(resumed);
        self.bar.reset_eta(); // units of earlier runs must not count for the speed
        self.bar.enable_steady_tick(Duration::from_millis(500));
    }

    fn advanced(&mut self, units: u64) {
        self.bar.inc(units);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
