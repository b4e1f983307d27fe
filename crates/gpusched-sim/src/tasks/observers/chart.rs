//! Observer that draws the jobs of one partition on a timeline.

use crate::tasks::{Event, Job};
use crate::timeline::{Instant, Mark, ProcessId, Slice, Timeline, TimelineError, TrackId};
use gpusched_model::Observer;
use gpusched_model::time::Time;

/// Draws one track with the jobs that the partition executes. Also draws one track per task, with
/// its releases and deadline misses.
#[derive(Debug)]
pub struct Chart<'a> {
    timeline: &'a mut Timeline,
    /// First error that the timeline returned.
    refused: Option<TimelineError>,
    partition: TrackId,
    tasks: Vec<(String, TrackId)>,
    /// Time at which the running job started or was last resumed.
    since: Time,
}

impl<'a> Chart<'a> {
    /// Creates the track of the partition called `name`, and the tracks of its tasks.
    ///
    /// # Errors
    /// Fails with [`TimelineError::TooManyTracks`] if the timeline cannot have more tracks.
    pub fn new(
        timeline: &'a mut Timeline,
        name: &str,
        tasks: Vec<String>,
    ) -> Result<Chart<'a>, TimelineError> {
        let process: ProcessId = timeline.process(name)?;
        let partition = timeline.track(process, "runs")?;
        let tracks = tasks.into_iter().map(|task| {
            let track = timeline.track(process, &task)?;
            Ok((task, track))
        });
        let tasks = tracks.collect::<Result<Vec<_>, TimelineError>>()?;
        Ok(Chart {
            timeline,
            refused: None,
            partition,
            tasks,
            since: Time::ZERO,
        })
    }

    /// Returns the first error that the timeline returned, if any.
    pub fn refused(self) -> Option<TimelineError> {
        self.refused
    }

    fn draw(&mut self, now: Time, event: Event) -> Result<(), TimelineError> {
        match event {
            Event::Release(job) => self.mark(now, job, Mark::Release),
            Event::Start(_) | Event::Resume(_) => {
                self.since = now;
                Ok(())
            }
            Event::Preempt(job, _) | Event::Complete(job, _) => self.ran(now, job),
            Event::Miss(job) => self.mark(job.deadline, job, Mark::Miss),
        }
    }

    /// Draws the execution of `job` from `self.since` to `now`.
    fn ran(&mut self, now: Time, job: Job) -> Result<(), TimelineError> {
        let Some((name, track)) = self.tasks.get(job.task) else {
            return Ok(());
        };
        let number = format!("job {}", job.number);
        let slice = Slice::new(&number, name, self.since, now);
        self.timeline.slice(*track, slice)?;
        self.timeline.slice(self.partition, slice)
    }

    fn mark(&mut self, at: Time, job: Job, mark: Mark) -> Result<(), TimelineError> {
        let Some((_, track)) = self.tasks.get(job.task) else {
            return Ok(());
        };
        let name = format!("job {}", job.number);
        self.timeline.instant(*track, Instant::new(&name, mark, at))
    }
}

impl Observer<Event> for Chart<'_> {
    #[inline(always)]
    fn see(&mut self, now: Time, event: Event) {
        if let Err(error) = self.draw(now, event) {
            self.refused.get_or_insert(error);
        }
    }

    fn goes_on(&self) -> bool {
        self.refused.is_none()
    }
}
