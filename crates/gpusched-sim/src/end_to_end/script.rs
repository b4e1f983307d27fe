//! Runs for which the caller states every job.

use super::{Arrival, Extent, Source};
use gpusched_model::Refusal;
use gpusched_model::end_to_end::System;
use gpusched_model::time::Time;

/// List of all jobs in a run. Tests use such lists, and searches for critical runs use them, too.
#[derive(Clone, Debug)]
pub struct Script<'a> {
    system: &'a System,
    tasks: Vec<Jobs>,
}

/// Jobs of one task.
#[derive(Clone, Default, Debug)]
struct Jobs {
    arrivals: Vec<Arrival>,
    /// Execution times of the segments of all jobs, in the order of the jobs [ns].
    times: Vec<Time>,
}

impl<'a> Script<'a> {
    /// Creates a run of `system` without jobs.
    pub fn new(system: &'a System) -> Script<'a> {
        Script {
            system,
            tasks: vec![Jobs::default(); system.tasks().len()],
        }
    }

    /// Adds the jobs that `source` supplies within `extent`.
    ///
    /// # Errors
    /// Fails if a job is refused by [`Script::push`].
    pub fn record(
        system: &'a System,
        source: &mut impl Source,
        extent: Extent,
    ) -> Result<Script<'a>, Refusal> {
        let mut script = Script::new(system);
        for (task, found) in system.tasks().iter().enumerate() {
            let mut jobs = 0;
            while jobs < extent.jobs
                && let Some(arrival) = source.arrival(task).filter(|found| found.at < extent.end)
            {
                let segments = 0..found.segments.len();
                let times: Vec<Time> = segments.map(|segment| source.execution(task, segment)).collect();
                script.push(task, arrival, &times)?;
                jobs += 1;
            }
        }
        Ok(script)
    }

    /// Adds a job of `task`. `times` contains the execution times of the segments [ns].
    ///
    /// # Errors
    /// Fails if the job arrives less than one period after the previous job, or if the delay of its release exceeds the
    /// jitter. Also fails if an execution time is not between BCET and WCET.
    pub fn push(&mut self, task: usize, arrival: Arrival, times: &[Time]) -> Result<(), Refusal> {
        let place = format!("tasks[{task}]");
        let (Some(of), Some(jobs)) = (self.system.tasks().get(task), self.tasks.get_mut(task)) else {
            let expected = format!("a position below {}", self.tasks.len());
            return Refusal::refuse("task", task, expected);
        };
        if let Some(last) = jobs.arrivals.last() {
            let least = Time::from_ns(last.at.ns().saturating_add(of.period.ns()));
            if arrival.at < least {
                Refusal::refuse(
                    format!("{place}.arrival"),
                    arrival.at,
                    format!("at least {least}"),
                )?;
            }
        }
        if arrival.jitter > of.jitter {
            let expected = format!("at most {}, the jitter", of.jitter);
            Refusal::refuse(format!("{place}.jitter"), arrival.jitter, expected)?;
        }
        if times.len() != of.segments.len() {
            let expected = format!("{} execution times", of.segments.len());
            Refusal::refuse(
                place.as_str(),
                format!("{} execution times", times.len()),
                expected,
            )?;
        }
        for (segment, &time) in of.segments.iter().zip(times) {
            if time < segment.bcet || time > segment.wcet {
                let expected = format!("{} to {}", segment.bcet, segment.wcet);
                Refusal::refuse(format!("{place}.execution"), time, expected)?;
            }
        }
        jobs.arrivals.push(arrival);
        jobs.times.extend_from_slice(times);
        Ok(())
    }

    /// Removes all jobs.
    pub fn clear(&mut self) {
        for jobs in &mut self.tasks {
            jobs.arrivals.clear();
            jobs.times.clear();
        }
    }

    /// Returns the jobs of `task`: their arrivals, and the execution times of their segments [ns].
    pub fn jobs(&self, task: usize) -> impl Iterator<Item = (Arrival, &[Time])> {
        let jobs = self.tasks.get(task);
        let segments = self
            .system
            .tasks()
            .get(task)
            .map_or(1, |task| task.segments.len());
        jobs.into_iter().flat_map(move |jobs| {
            let times = jobs.times.chunks_exact(segments.max(1));
            jobs.arrivals.iter().copied().zip(times)
        })
    }

    /// Returns a source that supplies the jobs.
    pub fn play(&self) -> Playback<'_> {
        Playback {
            script: self,
            cursors: {
                let tasks = self.system.tasks().iter();
                tasks.map(|task| (0, vec![0; task.segments.len()])).collect()
            },
        }
    }
}

/// Source that supplies the jobs of a [`Script`].
#[derive(Clone, Debug)]
pub struct Playback<'a> {
    script: &'a Script<'a>,
    /// For each task: number of supplied arrivals, and for each segment the number of supplied execution times.
    cursors: Vec<(usize, Vec<usize>)>,
}

impl Source for Playback<'_> {
    fn arrival(&mut self, task: usize) -> Option<Arrival> {
        let (arrivals, _) = &mut self.cursors[task];
        let arrival = self.script.tasks[task].arrivals.get(*arrivals).copied();
        *arrivals += usize::from(arrival.is_some());
        arrival
    }

    fn execution(&mut self, task: usize, segment: usize) -> Time {
        let (_, segments) = &mut self.cursors[task];
        // Each job has one time per segment, and the simulator asks once for each segment of each supplied job.
        let job = segments[segment] * segments.len();
        segments[segment] += 1;
        self.script.tasks[task].times[job + segment]
    }
}
