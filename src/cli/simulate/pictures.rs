//! Simulations as traces and Gantt charts: what all of them offer.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::artifact::Artifact;
use crate::error::{Error, Result};
use crate::plot::gantt::{self, Options, Terminal};
use crate::simulator::timeline::{Timeline, TimelineError};
use crate::time::Time;

/// Whether all pictures of a run are there. A chart that would show too much is no reason to lose the rest of a long run: what is
/// wrong with it is said when all else is written.
#[derive(Debug, Default)]
#[must_use]
pub struct Drawn(Option<Error>);

impl Drawn {
    /// Not all: why.
    pub fn refused(error: Error) -> Drawn {
        Drawn(Some(error))
    }

    /// # Errors
    /// What is wrong with the chart that is not there.
    pub fn complete(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

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

    /// Whether the paths make sense, to be asked before a simulation.
    ///
    /// # Errors
    /// Standard output, which has the answer, a path that the pictures share with each other or with one of `files`, and a
    /// window that is none.
    pub fn check(&self, files: &[(&str, Option<&Path>)]) -> Result<()> {
        let dash = Path::new("-");
        for (option, path) in [("--trace", &self.trace), ("--gantt", &self.gantt)] {
            if path.as_deref() == Some(dash) {
                let message =
                    format!("{option}: found -, expected a file, for standard output has the answer");
                return Err(Error::Usage(message));
            }
        }
        let pictures = [
            ("--trace", self.trace.as_deref()),
            ("--gantt", self.gantt.as_deref()),
        ];
        let mut all: Vec<(&str, &Path)> = Vec::new();
        for (option, path) in pictures.iter().chain(files) {
            let Some(path) = *path else { continue };
            if let Some((other, _)) = all.iter().find(|(_, known)| same_file(known, path)) {
                let message = format!("{other}, {option}: found the same file, expected two");
                return Err(Error::Usage(message));
            }
            all.push((option, path));
        }
        match (self.from, self.to) {
            (Some(from), Some(to)) if from >= to => {
                let message = format!("--from: found {from}, expected less than --to, {to}");
                Err(Error::Usage(message))
            }
            _ => Ok(()),
        }
    }

    /// Writes the pictures of a run called `title`: all that can be drawn, or none where a file cannot be written.
    ///
    /// # Errors
    /// Files that cannot be written. More in the window than a chart can show is an error in the answer.
    pub fn write(&self, timeline: &Timeline, title: &str) -> Result<Drawn> {
        let (mut artifacts, mut done) = (Vec::new(), Drawn::default());
        if let Some(path) = &self.gantt {
            let options = Options {
                title: Some(title.to_owned()),
                from: self.from,
                to: self.to,
            };
            let drawn = match is_svg(path) {
                true => gantt::svg(timeline, &options),
                false => gantt::text(timeline, &options, &Terminal::default()),
            };
            match drawn {
                Ok(drawn) => {
                    let mut artifact = Artifact::create(path)?;
                    let written = artifact.write_all(drawn.as_bytes());
                    written.map_err(|cause| Error::io(path, "write", cause))?;
                    artifacts.push(artifact);
                }
                Err(Error::Usage(message)) => {
                    let message = format!("--gantt: {message}; all else is written");
                    done = Drawn::refused(Error::Usage(message));
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(path) = &self.trace {
            let mut artifact = Artifact::create(path)?;
            let written = timeline.write_trace(&mut artifact);
            written.map_err(|cause| Error::io(path, "write", cause))?;
            artifacts.push(artifact);
        }
        artifacts.into_iter().try_for_each(Artifact::commit)?;
        Ok(done)
    }
}

/// Whether both name one file, which need not be there yet; streams and devices are none.
fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let device = one.exists() && !one.is_file();
    one != Path::new("-") && !device && real(one) == real(other)
}

fn is_svg(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("svg"))
}
