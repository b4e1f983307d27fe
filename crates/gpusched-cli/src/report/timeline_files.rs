//! Traces and Gantt charts of simulations.

use super::{Content, Output, OutputPath};
use gpusched_model::artifact::Artifact;
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_sim::timeline::{MAX_EVENTS, Timeline, TimelineError};
use gpusched_study::plot::gantt::{self, Options};

/// Output files of the timeline.
#[derive(Debug, clap::Args)]
pub struct TimelineFiles {
    /// Also write a trace of the run for ui.perfetto.dev, to NAME.json
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath)]
    trace: Option<OutputPath>,
    /// Also draw a Gantt chart of the run, to NAME.svg
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Svg), value_hint = clap::ValueHint::FilePath)]
    gantt: Option<OutputPath>,
    /// Start of the Gantt chart [default: start of the run]
    #[arg(long, value_name = "TIME", requires = "gantt")]
    from: Option<Time>,
    /// End of the Gantt chart [default: end of the run]
    #[arg(long, value_name = "TIME", requires = "gantt")]
    to: Option<Time>,
}

impl TimelineFiles {
    /// Whether the options request a trace or a Gantt chart.
    pub fn wanted(&self) -> bool {
        self.trace.is_some() || self.gantt.is_some()
    }

    /// Converts the error of a timeline to an error that names the option.
    pub fn refuse(&self, error: TimelineError) -> Error {
        let option = if self.trace.is_some() { "trace" } else { "gantt" };
        Error::from(error).map_refusal(|refusal| refusal.of_field(option))
    }

    /// Refuses a run that has at least `least` events, if a timeline cannot contain this number.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for more than [`MAX_EVENTS`] events.
    pub fn expect(&self, least: u64) -> Result<()> {
        let limit = MAX_EVENTS;
        match self.wanted() && least > limit as u64 {
            true => Err(self.refuse(TimelineError::TooManyEvents { limit })),
            false => Ok(()),
        }
    }

    /// Opens the output files, before a simulation.
    ///
    /// # Errors
    /// Fails if `--from` is not before `--to`, or if files cannot be written.
    pub fn open(&self, output: &mut Output) -> Result<Canvas<'_>> {
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from >= to
        {
            return Err(Error::parameter(
                "from",
                from,
                format!("a time before --to, {to}"),
            ));
        }
        Ok(Canvas {
            timeline_files: self,
            trace: output.beside(self.trace.as_ref())?,
            gantt: output.beside(self.gantt.as_ref())?,
        })
    }

    /// Returns the Gantt chart of a run. `title` is the title of the chart.
    fn chart(&self, timeline: &Timeline, title: &str) -> Result<String> {
        let options = Options {
            title: Some(title.to_owned()),
            from: self.from,
            to: self.to,
        };
        gantt::svg(timeline, &options).map_err(|error| error.map_refusal(|refusal| refusal.of_field("gantt")))
    }
}

/// Output files of the timeline that are open, but still empty.
#[derive(Debug)]
pub struct Canvas<'a> {
    timeline_files: &'a TimelineFiles,
    trace: Option<Artifact>,
    gantt: Option<Artifact>,
}

impl Canvas<'_> {
    /// Draws `timeline` with `title` into the output files.
    ///
    /// # Errors
    /// Fails if there are too many events from `--from` to `--to` for a Gantt chart, or if files
    /// cannot be written.
    pub fn draw(self, timeline: &Timeline, title: &str, output: &mut Output) -> Result<()> {
        if let Some(file) = self.gantt {
            output.complete(file, self.timeline_files.chart(timeline, title)?)?;
        }
        if let Some(mut file) = self.trace {
            let written = timeline.write_trace(&mut file);
            written.map_err(|cause| file.failed(cause))?;
            output.add(file);
        }
        Ok(())
    }
}
