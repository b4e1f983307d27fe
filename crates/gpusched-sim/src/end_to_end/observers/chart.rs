//! Observer that draws an end-to-end run on a timeline.

use crate::end_to_end::{Event, Job, Part};
use crate::timeline::{Instant, Mark, ProcessId, Slice, Timeline, TimelineError, TrackId};
use gpusched_model::Observer;
use gpusched_model::end_to_end::{Resource, System};
use gpusched_model::time::Time;

/// Draws one track for each core, copy engine and partition, with the segments that it executes. The chart shows
/// busy-waiting tasks on the tracks of their cores. Also draws one track per sequential task, and one track per segment of a
/// pipelined task. The first track of a task has its releases, deadlines and deadline misses.
#[derive(Debug)]
pub struct Chart<'a> {
    timeline: &'a mut Timeline,
    /// First error that the timeline returned.
    refused: Option<TimelineError>,
    tracks: Vec<(Resource, TrackId)>,
    tasks: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: String,
    waits: String,
    /// One track for a sequential task. One track per segment of a pipelined task, because its segments overlap.
    tracks: Vec<TrackId>,
}

impl Row {
    fn track(&self, segment: usize) -> Option<TrackId> {
        self.tracks.get(segment).or(self.tracks.first()).copied()
    }
}

impl<'a> Chart<'a> {
    /// Creates the tracks of the resources and tasks of `system`.
    ///
    /// # Errors
    /// Fails with [`TimelineError::TooManyTracks`] if the timeline cannot have more tracks.
    pub fn new(timeline: &'a mut Timeline, system: &System) -> Result<Chart<'a>, TimelineError> {
        let resources: ProcessId = timeline.process("resources")?;
        let tracks = system.resources().map(|resource| {
            let track = timeline.track(resources, system.resource_name(resource))?;
            Ok((resource, track))
        });
        let tracks = tracks.collect::<Result<Vec<_>, TimelineError>>()?;
        let process = timeline.process("tasks")?;
        let tasks = system.tasks().iter().map(|task| {
            let mut tracks = vec![timeline.track(process, &task.name)?];
            if task.is_pipelined() {
                for segment in 1..task.segments.len() {
                    tracks.push(timeline.track(process, &format!("{}, segment {segment}", task.name))?);
                }
            }
            Ok(Row {
                name: task.name.clone(),
                waits: format!("{} (waits)", task.name),
                tracks,
            })
        });
        let tasks = tasks.collect::<Result<Vec<_>, TimelineError>>()?;
        Ok(Chart {
            timeline,
            refused: None,
            tracks,
            tasks,
        })
    }

    /// Returns the first error that the timeline returned, if any.
    pub fn refused(self) -> Option<TimelineError> {
        self.refused
    }

    fn draw(&mut self, now: Time, event: Event) -> Result<(), TimelineError> {
        match event {
            Event::Release(part) if part.segment == 0 => self.mark(now, part.job, Mark::Release),
            Event::Ran {
                part,
                on,
                since,
                spins,
            } => self.ran(part, on, (since, now), spins),
            Event::Complete(job) => self.mark(job.deadline, job, Mark::Deadline),
            Event::Miss(job) => self.mark(job.deadline, job, Mark::Miss),
            _ => Ok(()),
        }
    }

    fn ran(
        &mut self,
        part: Part,
        on: Resource,
        (start, end): (Time, Time),
        spins: bool,
    ) -> Result<(), TimelineError> {
        let track = self.tracks.iter().find(|(resource, _)| *resource == on);
        let (Some(&(_, track)), Some(row)) = (track, self.tasks.get(part.job.task)) else {
            return Ok(());
        };
        let args = [
            ("job", part.job.number.into()),
            ("segment", (part.segment as u64).into()),
        ];
        let slice = Slice {
            args: &args,
            ..Slice::new(if spins { &row.waits } else { &row.name }, &row.name, start, end)
        };
        if let (false, Some(own)) = (spins, row.track(part.segment)) {
            self.timeline.slice(own, slice)?;
        }
        self.timeline.slice(track, slice)
    }

    fn mark(&mut self, at: Time, job: Job, mark: Mark) -> Result<(), TimelineError> {
        let Some(track) = self.tasks.get(job.task).and_then(|row| row.track(0)) else {
            return Ok(());
        };
        let name = format!("job {}", job.number);
        self.timeline.instant(track, Instant::new(&name, mark, at))
    }
}

impl Observer<Event> for Chart<'_> {
    fn see(&mut self, now: Time, event: Event) {
        if let Err(error) = self.draw(now, event) {
            self.refused.get_or_insert(error);
        }
    }

    fn goes_on(&self) -> bool {
        self.refused.is_none()
    }
}
