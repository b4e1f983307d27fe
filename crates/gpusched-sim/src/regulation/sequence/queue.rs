//! Queue of waiting jobs and future jobs.

use super::dispatch::Dispatch;
use gpusched_model::System;
use gpusched_model::time::Time;

/// A job that is about to start.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Next {
    /// Index of the kernel in the system.
    pub kernel: usize,
    /// Number of the job among the jobs of its kernel, from 0.
    pub job: u64,
    pub release: Time,
    /// Absolute deadline of the job. `None` if the kernel has no deadline.
    pub due: Option<Time>,
}

/// For each kernel, the jobs that have not started. Jobs of one kernel start in the order of
/// their releases.
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
    /// Returns the release of the first job that has not started. Returns `None` if all jobs have
    /// started.
    fn release(&self) -> Option<u64> {
        let later = self.started.saturating_mul(self.period.unwrap_or(0));
        (self.started < self.jobs).then(|| self.offset.saturating_add(later))
    }
}

impl Queue {
    /// Creates the queue of all jobs that `system` releases in one hyperperiod.
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

    /// Returns the earliest release of all jobs that have not started. If a job waits, this
    /// release is in the past. Returns `None` if all jobs have started.
    pub fn release(&self) -> Option<Time> {
        self.kernels
            .iter()
            .filter_map(Releases::release)
            .min()
            .map(Time::from_ns)
    }

    /// Removes and returns the job that starts at `now` under the rule `dispatch`. Returns `None`
    /// if no job waits.
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
