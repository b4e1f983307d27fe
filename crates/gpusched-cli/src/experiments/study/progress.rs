//! Progress bar of a study.

use crate::Global;
use crate::report;
use gpusched_study::{Observer, Spec};

/// Progress bar of a study. The bar appears when the run starts.
pub struct Progress<'a> {
    global: &'a Global,
    study: &'a Spec,
    bar: Option<report::Progress>,
}

impl<'a> Progress<'a> {
    /// Creates a progress bar for `study`.
    pub fn new(study: &'a Spec, global: &'a Global) -> Progress<'a> {
        Progress {
            global,
            study,
            bar: None,
        }
    }
}

impl Observer for Progress<'_> {
    fn started(&mut self, total: u64, resumed: u64) {
        if resumed < total {
            let names = (self.study.name(), self.study.kind().units());
            self.bar = Some(report::Progress::resumed(self.global, names, total, resumed));
        }
    }

    fn advanced(&mut self, units: u64) {
        if let Some(bar) = &self.bar {
            bar.advance(units);
        }
    }
}
