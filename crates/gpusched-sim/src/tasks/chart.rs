//! An observer that draws the jobs of one partition on a timeline.

use super::{Job, Observer};
use crate::timeline::{Instant, Mark, ProcessId, Slice, Timeline, TimelineError, TrackId};
use gpusched_model::time::Time;

/// A track for all that a partition runs, and one for each of its tasks, with releases and misses.
#[derive(Debug)]
pub struct Chart<'a> {
    timeline: &'a mut Timeline,
    /// What the timeline refused first.
    refused: Option<TimelineError>,
    partition: TrackId,
    tasks: Vec<(String, TrackId)>,
    /// Since when the running job runs.
    since: Time,
}

impl<'a> Chart<'a> {
    /// Nothing drawn yet of the partition called `name` and its tasks.
    ///
    /// # Errors
    /// [`TimelineError::TooManyTracks`].
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

    /// What the timeline refused first.
    pub fn refused(self) -> Option<TimelineError> {
        self.refused
    }

    fn keep(&mut self, drawn: Result<(), TimelineError>) {
        if let Err(error) = drawn {
            self.refused.get_or_insert(error);
        }
    }

    /// The job that ran since `since` no longer does.
    fn draw(&mut self, now: Time, job: Job) {
        let Some((name, track)) = self.tasks.get(job.task) else {
            return;
        };
        let number = format!("job {}", job.number);
        let slice = Slice::new(&number, name, self.since, now);
        let drawn = self
            .timeline
            .slice(*track, slice)
            .and_then(|()| self.timeline.slice(self.partition, slice));
        self.keep(drawn);
    }

    fn mark(&mut self, at: Time, job: Job, mark: Mark) {
        if let Some((_, track)) = self.tasks.get(job.task) {
            let name = format!("job {}", job.number);
            let drawn = self.timeline.instant(*track, Instant::new(&name, mark, at));
            self.keep(drawn);
        }
    }
}

impl Observer for Chart<'_> {
    fn released(&mut self, now: Time, job: Job) {
        self.mark(now, job, Mark::Release);
    }

    fn started(&mut self, now: Time, _job: Job) {
        self.since = now;
    }

    fn preempted(&mut self, now: Time, job: Job, _left: Time) {
        self.draw(now, job);
    }

    fn resumed(&mut self, now: Time, _job: Job) {
        self.since = now;
    }

    fn completed(&mut self, now: Time, job: Job, _execution: Time) {
        self.draw(now, job);
    }

    fn missed(&mut self, _now: Time, job: Job) {
        self.mark(job.deadline, job, Mark::Miss);
    }

    fn goes_on(&self) -> bool {
        self.refused.is_none()
    }
}
