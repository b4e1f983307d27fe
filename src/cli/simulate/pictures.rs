//! Simulations as traces and Gantt charts: what all of them offer.

use std::path::{Path, PathBuf};

use crate::artifact::Artifact;
use crate::error::{Error, Result};
use crate::plot::gantt::{self, Options, Terminal};
use crate::simulator::timeline::{Timeline, TimelineError};
use crate::time::Time;

/// Where a run is drawn.
#[derive(Debug, clap::Args)]
pub struct Pictures {
    /// Also write a trace for ui.perfetto.dev.
    #[arg(long, value_name = "PATH")]
    trace: Option<PathBuf>,
    /// Also draw a Gantt chart: NAME.svg for a paper, any other name for text.
    #[arg(long, value_name = "PATH")]
    gantt: Option<PathBuf>,
    /// --gantt: the beginning of the window [default: that of the run].
    #[arg(long, value_name = "TIME", requires = "gantt")]
    from: Option<Time>,
    /// --gantt: the end of the window [default: that of the run].
    #[arg(long, value_name = "TIME", requires = "gantt")]
    to: Option<Time>,
}

impl Pictures {
    /// Whether there is anything to draw.
    pub fn wanted(&self) -> bool {
        self.trace.is_some() || self.gantt.is_some()
    }

    /// What a timeline refused, as an error of the user's.
    pub fn refuse(&self, error: TimelineError) -> Error {
        let option = if self.trace.is_some() {
            "--trace"
        } else {
            "--gantt"
        };
        match Error::from(error) {
            Error::Usage(message) => Error::Usage(format!("{option}: {message}")),
            other => other,
        }
    }

    /// Writes the pictures of a run called `title`.
    ///
    /// # Errors
    /// A window that is none, or more in it than a chart can show; files that cannot be written.
    pub fn write(&self, timeline: &Timeline, title: &str) -> Result<()> {
        if let Some(path) = &self.gantt {
            let options = Options {
                title: Some(title.to_owned()),
                from: self.from,
                to: self.to,
            };
            let drawn = match is_svg(path) {
                true => gantt::svg(timeline, &options)?,
                false => gantt::text(timeline, &options, &Terminal::default())?,
            };
            Artifact::write(path, drawn)?;
        }
        if let Some(path) = &self.trace {
            let mut artifact = Artifact::create(path)?;
            let written = timeline.write_trace(&mut artifact);
            written.map_err(|cause| Error::io(path, "write", cause))?;
            artifact.commit()?;
        }
        Ok(())
    }
}

fn is_svg(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("svg"))
}
