//! The stop of the dispatchers, and the result of the run.

use std::path::Path;
use std::sync::atomic::Ordering;

use gpusched_model::artifact::Outputs;
use gpusched_model::counted;
use gpusched_model::error::Error;
use gpusched_model::time::Time;

use super::fault::{Fault, Kind};
use super::state::{Phase, Session, internal, lost_in, outside};
use crate::client::Signal;
use crate::core::{Job, Record};
use crate::realtime;
use crate::run::{Run, Statistics};
use crate::trace;

impl Session {
    /// Stops the dispatchers after their running jobs, and waits for their end. If a thread enqueues a job, the stop waits until
    /// [`Session::end`] or its time-out. The streams exist until the session is dropped. A second stop has no effect.
    ///
    /// # Errors
    /// Fails with [`Kind::Lost`] if a fault has ended a partition.
    pub fn stop(&self) -> Result<(), Fault> {
        outside()?;
        let mut phase = self.phase();
        let placeholder = Fault::usage("stop", "a stop that did not end", "a stop");
        match std::mem::replace(&mut *phase, Phase::Failed(placeholder, None)) {
            Phase::Running(supervisor, keeper) => {
                let stopped = realtime::now();
                self.stopped.store(true, Ordering::Relaxed);
                if let Some(running) = self.running.get() {
                    // A job that no thread has taken fails at once.
                    running.grants.iter().flatten().for_each(|grant| grant.close());
                    for partition in &running.partitions {
                        // A dispatcher that has ended needs no message.
                        let _ = partition.send(Signal::Stop);
                    }
                }
                let ended = supervisor.result();
                let _ = keeper.join();
                *phase = match ended {
                    Ok(Some(run)) => Phase::Stopped(Box::new(self.complete(run, stopped)), supervisor),
                    Ok(None) => {
                        Phase::Failed(internal("the dispatchers ended without a run"), Some(supervisor))
                    }
                    Err(fault) => Phase::Failed(fault, Some(supervisor)),
                };
            }
            Phase::Open(setup) => {
                *phase = Phase::Open(setup);
                return Err(Fault::usage("stop", "no start", "a start"));
            }
            other => *phase = other,
        }
        match &*phase {
            Phase::Stopped(run, _) => {
                let mut lost = run.partitions.iter().enumerate();
                let lost = lost.find_map(|(index, part)| Some((index, part.lost.as_ref()?)));
                match lost {
                    Some((index, lost)) => Err(lost_in(index, lost)),
                    None => Ok(()),
                }
            }
            Phase::Failed(fault, _) => Err(fault.clone()),
            _ => Ok(()),
        }
    }

    /// Adds the records and the time of the stop [ns] to the result of the dispatchers.
    fn complete(&self, mut run: Run, stopped: u64) -> Run {
        run.duration = Time::from_ns(stopped.saturating_sub(run.origin));
        // After a fault, the jobs that did not run are missing.
        (run.stopped, run.own) = (!run.is_lost(), true);
        for (part, ran) in self.program.partitions.iter().zip(&mut run.partitions) {
            for (index, task) in part.tasks.iter().enumerate() {
                let records = self.records.of(task.position).into_iter();
                ran.records.extend(records.map(|record| Record {
                    job: Job {
                        task: index,
                        ..record.job
                    },
                    ..record
                }));
            }
            ran.records
                .sort_by_key(|record| (record.decision, record.completion));
            if let Some(context) = &mut ran.context {
                context.wake = Statistics::of_wakes(&ran.records);
            }
        }
        run
    }

    /// Returns whether all jobs met their deadlines and all bounds of the plan held, and the result in one line.
    ///
    /// # Errors
    /// Fails before the stop.
    pub fn audit(&self) -> Result<(bool, String), Fault> {
        self.stopped(|run| {
            let mut text = run.headline(&self.program);
            if let Some(reason) = &self.program.unproven {
                text += &format!(", not proven: {reason}");
            }
            let unrecorded = self.running.get();
            let unrecorded = unrecorded.map_or(0, |running| running.progress.unrecorded());
            if unrecorded > 0 {
                text += &format!(", {} without a record", counted(unrecorded, "job"));
            }
            Ok((run.kept(), text))
        })
    }

    /// Writes the trace of the run to the file `path`, for `gpusched recording audit`. It contains the jobs that the session keeps. Then
    /// the file of records disappears.
    ///
    /// # Errors
    /// Fails before the stop, or if the file cannot be written.
    pub fn trace(&self, path: &Path) -> Result<(), Fault> {
        self.stopped(|run| {
            let mut program = self.program.clone();
            let releases = self.running.get().map_or(&[][..], |running| &running.releases);
            for task in program.partitions.iter_mut().flat_map(|part| &mut part.tasks) {
                task.sporadic = releases.get(task.position).is_some_and(Option::is_some);
            }
            let mut outputs = Outputs::default();
            let write = || -> gpusched_model::error::Result<()> {
                let mut file = outputs.create(path)?;
                let backend = self.options.backend.to_string();
                let written = trace::write(&mut file, (&program, None), run, &backend);
                written.map_err(|cause| Error::io(path, "write", cause))?;
                outputs.add(file);
                outputs.commit()
            };
            write().map_err(Fault::of(Kind::Usage))?;
            // The trace contains what the file of records keeps.
            self.ring.iter().for_each(|ring| ring.remove());
            Ok(())
        })
    }

    fn stopped<T>(&self, function: impl FnOnce(&Run) -> Result<T, Fault>) -> Result<T, Fault> {
        outside()?;
        match &*self.phase() {
            Phase::Stopped(run, _) => function(run),
            Phase::Failed(fault, _) => Err(fault.clone()),
            Phase::Open(_) | Phase::Running(..) => {
                Err(Fault::usage("session", "no stopped run", "a stop before"))
            }
        }
    }
}
