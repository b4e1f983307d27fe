//! Jobs that wait, and jobs to come.

use super::dispatch::Dispatch;
use gpusched_model::System;
use gpusched_model::time::Time;

/// A job that is about to start.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Next {
    /// The kernel, by position.
    pub kernel: usize,
    /// Which of its jobs, from 0.
    pub job: u64,
    pub release: Time,
    /// When it must have ended, if ever.
    pub due: Option<Time>,
}

/// The jobs of each kernel that have not started. Those of one kernel start in the order of their releases.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    kernels: Vec<Releases>,
}

#[derive(Clone, Debug)]
struct Releases {
    jobs: u64,
    started: u64,
    offset: u64,
    period: Option<u64>,
    deadline: Option<u64>,
}

impl Releases {
    /// When the first job that has not started is released.
    fn release(&self) -> Option<u64> {
        let later = self.started.saturating_mul(self.period.unwrap_or(0));
        (self.started < self.jobs).then(|| self.offset.saturating_add(later))
    }
}

impl Queue {
    /// All jobs of `system`, over one hyperperiod.
    pub fn new(system: &System) -> Queue {
        let kernels = system.kernels().iter().map(|task| Releases {
            jobs: system.jobs(task),
            started: 0,
            offset: task.offset().ns(),
            period: task.period().map(Time::ns),
            deadline: task.deadline().map(Time::ns),
        });
        Queue {
            kernels: kernels.collect(),
        }
    }

    /// When the next job is released that has not started; in the past if it waits. `None`: all have started.
    pub fn release(&self) -> Option<Time> {
        self.kernels
            .iter()
            .filter_map(Releases::release)
            .min()
            .map(Time::from_ns)
    }

    /// Takes the job that starts at `now`, if one waits.
    pub fn take(&mut self, now: Time, dispatch: Dispatch) -> Option<Next> {
        let waiting = self.kernels.iter().enumerate().filter_map(|(index, kernel)| {
            let release = kernel.release().filter(|&release| release <= now.ns())?;
            let deadline = kernel.deadline.unwrap_or(u64::MAX);
            let key = match dispatch {
                Dispatch::Fifo => release,
                Dispatch::NpEdf => release.saturating_add(deadline),
                Dispatch::NpFp => deadline,
                Dispatch::NpFpRm => kernel.period.unwrap_or(u64::MAX),
                Dispatch::NpFpGiven => 0,
            };
            Some((key, index, release))
        });
        let (_, index, release) = waiting.min()?;
        let kernel = self.kernels.get_mut(index)?;
        let job = kernel.started;
        kernel.started += 1;
        Some(Next {
            kernel: index,
            job,
            release: Time::from_ns(release),
            due: kernel
                .deadline
                .map(|deadline| Time::from_ns(release.saturating_add(deadline))),
        })
    }
}
