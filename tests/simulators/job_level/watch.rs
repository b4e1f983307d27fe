//! An observer that records all events and checks their order.

use gpusched::model::Observer;
use gpusched::simulator::tasks::{Event, Job};
use gpusched::time::Time;

/// A released job and its outcome.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    pub job: Job,
    pub release: u64,
    pub start: Option<u64>,
    pub finish: Option<u64>,
    pub execution: u64,
    /// Total execution time [ns].
    pub ran: u64,
    pub preemptions: u64,
    pub missed: bool,
}

/// Observed jobs, by release.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    pub jobs: Vec<Seen>,
    now: u64,
    /// Running job and the start of its execution.
    running: Option<(Job, u64)>,
}

impl Watch {
    fn find(&mut self, now: Time, job: Job) -> &mut Seen {
        assert!(now.ns() >= self.now, "{job:?} at {now}, after {}", self.now);
        self.now = now.ns();
        let found = self.jobs.iter_mut().find(|seen| seen.job == job);
        found.unwrap_or_else(|| panic!("{job:?} was not released"))
    }

    fn stop(&mut self, now: Time, job: Job) -> &mut Seen {
        let (running, since) = self.running.take().unwrap();
        assert_eq!(running, job);
        let seen = self.find(now, job);
        seen.ran += now.ns() - since;
        seen
    }
}

impl Observer<Event> for Watch {
    fn see(&mut self, now: Time, event: Event) {
        match event {
            Event::Release(job) => {
                assert!(job.arrival <= now);
                let mut before = self.jobs.iter().filter(|seen| seen.job.task == job.task);
                assert_eq!(before.clone().count() as u64, job.number);
                assert!(
                    before
                        .next_back()
                        .is_none_or(|last| last.job.arrival < job.arrival)
                );
                self.jobs.push(Seen {
                    job,
                    release: now.ns(),
                    start: None,
                    finish: None,
                    execution: 0,
                    ran: 0,
                    preemptions: 0,
                    missed: false,
                });
                self.find(now, job);
            }
            Event::Start(job) => {
                assert_eq!(self.running.replace((job, now.ns())), None);
                let seen = self.find(now, job);
                assert_eq!(seen.start.replace(now.ns()), None);
            }
            Event::Preempt(job, left) => {
                assert!(left > Time::ZERO);
                self.stop(now, job).preemptions += 1;
            }
            Event::Resume(job) => {
                assert_eq!(self.running.replace((job, now.ns())), None);
                assert!(self.find(now, job).preemptions > 0);
            }
            Event::Complete(job, execution) => {
                let seen = self.stop(now, job);
                assert_eq!(seen.finish.replace(now.ns()), None);
                seen.execution = execution.ns();
            }
            Event::Miss(job) => {
                let seen = self.find(now, job);
                assert!(seen.finish == Some(now.ns()) && now > job.deadline);
                seen.missed = true;
            }
        }
    }
}
