//! Who watches a simulation.

use gpusched_model::time::Time;

/// A job.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Job {
    /// The position of its task in the partition.
    pub task: usize,
    /// How many jobs of the task arrived before it.
    pub number: u64,
    /// When it arrived [ns].
    pub arrival: Time,
    /// When it is due [ns].
    pub deadline: Time,
}

/// Is told what happens, in the order of time. What it does not care about costs nothing.
pub trait Observer {
    /// `job` may run from `now` on.
    #[inline]
    fn released(&mut self, now: Time, job: Job) {
        let _ = (now, job);
    }

    /// `job` runs for the first time.
    #[inline]
    fn started(&mut self, now: Time, job: Job) {
        let _ = (now, job);
    }

    /// `job` makes way for another; it has that much left to run [ns].
    #[inline]
    fn preempted(&mut self, now: Time, job: Job, left: Time) {
        let _ = (now, job, left);
    }

    /// `job` runs again.
    #[inline]
    fn resumed(&mut self, now: Time, job: Job) {
        let _ = (now, job);
    }

    /// `job` is done; it took `execution` [ns], preemption aside.
    #[inline]
    fn completed(&mut self, now: Time, job: Job, execution: Time) {
        let _ = (now, job, execution);
    }

    /// `job`, just completed, is late.
    #[inline]
    fn missed(&mut self, now: Time, job: Job) {
        let _ = (now, job);
    }

    /// Whether the simulation shall go on; asked after every completion.
    #[inline]
    fn goes_on(&self) -> bool {
        true
    }
}

/// Looks away.
impl Observer for () {}

/// Two watch.
impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline]
    fn released(&mut self, now: Time, job: Job) {
        self.0.released(now, job);
        self.1.released(now, job);
    }

    #[inline]
    fn started(&mut self, now: Time, job: Job) {
        self.0.started(now, job);
        self.1.started(now, job);
    }

    #[inline]
    fn preempted(&mut self, now: Time, job: Job, left: Time) {
        self.0.preempted(now, job, left);
        self.1.preempted(now, job, left);
    }

    #[inline]
    fn resumed(&mut self, now: Time, job: Job) {
        self.0.resumed(now, job);
        self.1.resumed(now, job);
    }

    #[inline]
    fn completed(&mut self, now: Time, job: Job, execution: Time) {
        self.0.completed(now, job, execution);
        self.1.completed(now, job, execution);
    }

    #[inline]
    fn missed(&mut self, now: Time, job: Job) {
        self.0.missed(now, job);
        self.1.missed(now, job);
    }

    #[inline]
    fn goes_on(&self) -> bool {
        self.0.goes_on() && self.1.goes_on()
    }
}

/// One watches for another.
impl<O: Observer> Observer for &mut O {
    #[inline]
    fn released(&mut self, now: Time, job: Job) {
        (**self).released(now, job);
    }

    #[inline]
    fn started(&mut self, now: Time, job: Job) {
        (**self).started(now, job);
    }

    #[inline]
    fn preempted(&mut self, now: Time, job: Job, left: Time) {
        (**self).preempted(now, job, left);
    }

    #[inline]
    fn resumed(&mut self, now: Time, job: Job) {
        (**self).resumed(now, job);
    }

    #[inline]
    fn completed(&mut self, now: Time, job: Job, execution: Time) {
        (**self).completed(now, job, execution);
    }

    #[inline]
    fn missed(&mut self, now: Time, job: Job) {
        (**self).missed(now, job);
    }

    #[inline]
    fn goes_on(&self) -> bool {
        (**self).goes_on()
    }
}

/// One watches, or none.
impl<O: Observer> Observer for Option<O> {
    #[inline]
    fn released(&mut self, now: Time, job: Job) {
        if let Some(observer) = self {
            observer.released(now, job);
        }
    }

    #[inline]
    fn started(&mut self, now: Time, job: Job) {
        if let Some(observer) = self {
            observer.started(now, job);
        }
    }

    #[inline]
    fn preempted(&mut self, now: Time, job: Job, left: Time) {
        if let Some(observer) = self {
            observer.preempted(now, job, left);
        }
    }

    #[inline]
    fn resumed(&mut self, now: Time, job: Job) {
        if let Some(observer) = self {
            observer.resumed(now, job);
        }
    }

    #[inline]
    fn completed(&mut self, now: Time, job: Job, execution: Time) {
        if let Some(observer) = self {
            observer.completed(now, job, execution);
        }
    }

    #[inline]
    fn missed(&mut self, now: Time, job: Job) {
        if let Some(observer) = self {
            observer.missed(now, job);
        }
    }

    #[inline]
    fn goes_on(&self) -> bool {
        self.as_ref().is_none_or(Observer::goes_on)
    }
}
