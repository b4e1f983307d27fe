//! The application scheduler, which assigns turns to applications ([Sanudo20] §III-A).

use gpusched_model::scenario::Application;
use gpusched_model::time::Time;

/// A cyclic list of turns. The scheduler skips applications without work.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// Indices of applications. An application occurs several times if its priority requires
    /// several turns per round.
    runlist: Vec<usize>,
    timeslices: Vec<u64>,
    /// Index in `runlist` of the entry that had the last turn.
    last: usize,
    /// Application that has the current turn.
    pub current: Option<usize>,
    slice: Slice,
    /// Number of the current timeslice. An end event with another number is outdated.
    generation: u64,
}

/// The end of the current turn.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Slice {
    /// No other application waits. The first timeslice of the turn starts at this time, and further timeslices follow
    /// directly. When another application begins to wait, the turn ends at the end of the current timeslice.
    Open(Time),
    /// The end of the turn is scheduled.
    Scheduled,
    /// The turn has ended.
    Over,
}

impl Turns {
    /// Creates the runlist of `applications`, round by round. Round r, counted from 0, contains each application with
    /// more than r slots.
    pub fn new(applications: &[Application]) -> Turns {
        let rounds = applications
            .iter()
            .map(|application| application.priority.slots())
            .max();
        let round = |round| {
            let all = applications.iter().enumerate();
            all.filter(move |(_, application)| application.priority.slots() > round)
                .map(|(index, _)| index)
        };
        let mut runlist: Vec<usize> = (0..rounds.unwrap_or(0)).flat_map(round).collect();
        if runlist.is_empty() {
            runlist.push(0);
        }
        Turns {
            last: runlist.len() - 1,
            runlist,
            timeslices: applications
                .iter()
                .map(|application| application.timeslice.ns())
                .collect(),
            current: None,
            slice: Slice::Over,
            generation: 0,
        }
    }

    /// Returns the next runlist entry whose application has `work`. The current entry is checked
    /// last.
    pub fn next(&self, work: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
        let entries = (self.last + 1..self.runlist.len()).chain(0..=self.last);
        let mut all = entries.filter_map(|entry| Some((entry, *self.runlist.get(entry)?)));
        all.find(|(_, application)| work(*application))
    }

    /// Starts the turn of `entry`.
    pub fn begin(&mut self, entry: usize, application: usize, now: Time) {
        self.last = entry;
        self.current = Some(application);
        self.slice = Slice::Open(now);
        self.generation += 1;
    }

    /// Ends the current turn.
    pub fn end(&mut self) {
        self.current = None;
        self.generation += 1;
    }

    /// Schedules the end of the timeslice, because another application waits. Returns the end and
    /// the number of the timeslice, or `None` if the end is already scheduled.
    pub fn schedule(&mut self, now: Time) -> Option<(Time, u64)> {
        let Slice::Open(since) = self.slice else {
            return None;
        };
        let slice = self
            .current
            .and_then(|current| self.timeslices.get(current))
            .copied()?
            .max(1);
        let passed = now.ns().saturating_sub(since.ns()) / slice;
        self.slice = Slice::Scheduled;
        let end = since.ns().saturating_add(slice.saturating_mul(passed + 1));
        Some((Time::from_ns(end), self.generation))
    }

    /// Ends the timeslice if `generation` is the number of this timeslice.
    pub fn expire(&mut self, generation: u64) {
        if generation == self.generation && self.current.is_some() {
            self.slice = Slice::Over;
        }
    }

    /// Returns whether the timeslice has ended.
    pub fn is_over(&self) -> bool {
        self.slice == Slice::Over
    }
}
