//! Regulation of best-effort cores while segments are in progress: the rules of
//! `docs/explanation/budgets-end-to-end.md`. Accesses delay segments for the longest time that the rules allow.
//!
//! A segment is in progress from its start to its end. It has an account, which its start and each boundary of a
//! regulation period set to its memory time b. Best-effort cores access memory only while all accounts are positive, and
//! the time of their accesses debits all accounts. A segment that executes for y ns of this time may take min(δ, σ·y) ns
//! longer. The simulator adds this delay at the end of the segment, so the segment can take all of it.

use gpusched_analysis::bandwidth::{Chooser, step_policy};
use gpusched_model::Factor;
use gpusched_model::end_to_end::System;
use gpusched_model::error::Error;
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use rand_chacha::ChaCha8Rng;

use super::slack::{Carry, Nominal, Slack, Spare};
use crate::engine::tournament::NEVER;

/// Effect of best-effort accesses on a segment, and the memory time that its budget allows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Exposed {
    /// b: memory time of a regulation period while the segment is in progress [ns].
    pub burst: u64,
    /// δ: longest delay of the segment [ns].
    pub delay: u64,
    /// σ: longest delay for each ns of memory time, from 0 to 1.
    pub rate: Factor,
}

/// When best-effort cores access memory. They never exceed an account.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Attack {
    /// As soon as all accounts are positive.
    Always,
    /// As soon as all accounts are positive while this segment of this task executes.
    On {
        /// Position of the task.
        task: usize,
        /// Position of the segment in the task.
        segment: usize,
    },
    /// As soon as all accounts are positive, but at least this long after each boundary of a period [ns].
    Late(Time),
    /// In random intervals of at most this length [ns]. `numbers` select the random stream.
    Random {
        /// Longest interval with or without accesses; above 0.
        most: Time,
        /// Seed, and number of the run.
        numbers: (u64, u64),
    },
}

/// Regulation of best-effort cores in the runs of a simulator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regulation {
    /// T: regulation period [ns]; > 0.
    pub period: Time,
    /// First boundary between two regulation periods [ns].
    pub phase: Time,
    /// The segments of each task.
    pub segments: Vec<Vec<Exposed>>,
    /// Accesses of best-effort cores.
    pub attack: Attack,
    /// Budgets that use slack; `None` for constant budgets.
    pub slack: Option<Slack>,
}

impl Regulation {
    /// Checks the regulation for `system`.
    ///
    /// # Errors
    /// Fails if a time must be positive, if a rate exceeds 1, or if the lists do not have one entry for each segment.
    pub(super) fn check(&self, system: &System) -> Result<(), Error> {
        let positive = match self.attack {
            Attack::Random { most, .. } => self.period.min(most),
            _ => self.period,
        };
        if positive == Time::ZERO {
            return Err(Error::parameter(
                "period",
                "0ns",
                "a positive regulation period and interval",
            ));
        }
        let lengths = |mut lists: &mut dyn Iterator<Item = usize>| -> Vec<usize> { (&mut lists).collect() };
        let expected = lengths(&mut system.tasks().iter().map(|task| task.segments.len()));
        let mut lists = vec![lengths(&mut self.segments.iter().map(Vec::len))];
        let slack = self.slack.iter();
        lists.extend(slack.map(|slack| lengths(&mut slack.segments.iter().map(Vec::len))));
        if let Some(found) = lists.into_iter().find(|found| *found != expected) {
            let found = format!("lists of {found:?} segments");
            return Err(Error::parameter(
                "segments",
                found,
                format!("lists of {expected:?} segments"),
            ));
        }
        let mut all = self.segments.iter().flatten();
        match all.find(|segment| segment.rate > Factor::ONE) {
            Some(segment) => Err(Error::parameter("rate", segment.rate, "a number from 0 to 1")),
            None => Ok(()),
        }
    }
}

/// Account of a thread whose segment is in progress. All times are in ns.
#[derive(Copy, Clone, Debug)]
struct Account {
    exposed: Exposed,
    left: u64,
    spare: Option<Spare>,
    /// y: memory time during which the segment has executed.
    seen: u64,
    /// Delay that the segment has taken.
    taken: u64,
}

impl Account {
    /// Sets the account at the start of the segment or at a boundary. The next boundary is `first` away.
    fn renew(&mut self, now: u64, first: u64) {
        let nominal = self.exposed.burst;
        self.left = match &mut self.spare {
            Some(spare) => spare.account(nominal, now, first),
            None => nominal,
        };
    }
}

/// A segment that starts. All times are in ns.
#[derive(Copy, Clone, Debug)]
pub(super) struct Starting {
    pub thread: usize,
    pub task: usize,
    pub segment: usize,
    /// Number of the resource.
    pub resource: usize,
    /// Number of the job, its arrival, and the release of the segment.
    pub job: u64,
    pub arrival: u64,
    pub release: u64,
}

/// State of the regulation in a run. All times are in ns.
#[derive(Clone, Debug)]
pub(super) struct Regulated {
    /// Accounts of the threads with a segment in progress.
    accounts: Vec<Option<Account>>,
    /// Threads whose segments execute after the present instant.
    pub executing: Vec<usize>,
    /// Whether best-effort cores access memory after the present instant.
    active: bool,
    /// Last instant.
    since: u64,
    boundary: u64,
    /// Next change of the regulation without an event of a segment; [`NEVER`] without regulation.
    pub until: u64,
    random: Option<ChaCha8Rng>,
    /// Whether a random attack allows accesses, and the end of this interval.
    wanted: (bool, u64),
    /// Latest end of the previous segment of each thread in the nominal schedule, with its job and its position.
    previous: Vec<Option<(u64, usize, u64)>>,
    /// Latest end of the last segment of each resource in the nominal schedule.
    queues: Vec<u64>,
    /// Number of segments that ended after their nominal schedules.
    pub late: u64,
    /// Time during which best-effort cores accessed memory until the last instant.
    memory: u64,
}

impl Regulated {
    /// Returns the state at time 0 of a run with this number of threads and resources.
    pub fn new(regulation: Option<&Regulation>, threads: usize, resources: usize) -> Regulated {
        let random = regulation.and_then(|found| match found.attack {
            Attack::Random {
                numbers: (seed, run), ..
            } => Some(stream(seed, Purpose::RegulatedRuns, run, 0)),
            _ => None,
        });
        Regulated {
            accounts: vec![None; threads],
            executing: Vec::new(),
            // Before the first event, no budget limits the accesses.
            active: regulation.is_some_and(|found| found.attack == Attack::Always),
            since: 0,
            boundary: regulation.map_or(NEVER, |found| found.phase.ns()),
            until: NEVER,
            random,
            wanted: (false, 0),
            previous: vec![None; threads],
            queues: vec![0; resources],
            late: 0,
            memory: 0,
        }
    }

    /// Opens the account of the segment `starting`, which starts at `now`.
    pub fn open(&mut self, regulation: &Regulation, starting: Starting, exposed: Exposed, now: u64) {
        let nominal = regulation.slack.as_ref().and_then(|slack| {
            let nominal = *slack.segments.get(starting.task)?.get(starting.segment)?;
            Some((slack.policy, nominal?))
        });
        let period = regulation.period.ns();
        let spare = nominal.map(|(policy, nominal)| {
            let (limit, until) = self.limits(&nominal, starting, now);
            let chooser = Chooser::new(step_policy(policy), exposed.burst, period);
            Spare::new(chooser, &nominal, exposed, limit, until)
        });
        let mut account = Account {
            exposed,
            left: exposed.burst,
            spare,
            seen: 0,
            taken: 0,
        };
        // At a boundary, `advance` has passed to the next one.
        account.renew(now, self.boundary.saturating_sub(now).min(period));
        self.accounts[starting.thread] = Some(account);
    }

    /// Returns for how long the segment `starting` may execute, and its latest end in the nominal schedule.
    fn limits(&mut self, nominal: &Nominal, starting: Starting, now: u64) -> (u64, u64) {
        let wcet = nominal.wcet.ns();
        let from = match nominal.carry {
            Carry::Window => {
                let end = nominal.end.map(|end| starting.arrival.saturating_add(end.ns()));
                return (wcet, end.unwrap_or(NEVER));
            }
            Carry::Segment => now,
            Carry::Queue => starting.release.max(self.queues[starting.resource]),
            Carry::Job => match self.previous[starting.thread] {
                Some((job, segment, until)) if (job, segment + 1) == (starting.job, starting.segment) => {
                    until
                }
                _ => now,
            },
        };
        let until = from.saturating_add(wcet);
        match nominal.carry {
            Carry::Queue => self.queues[starting.resource] = until,
            Carry::Job => self.previous[starting.thread] = Some((starting.job, starting.segment, until)),
            _ => {}
        }
        (until.saturating_sub(now), until)
    }

    /// Closes the account of `thread`, whose segment ends at `now`.
    pub fn close(&mut self, thread: usize, now: u64) {
        let closed = self.accounts[thread].take();
        let until = closed.and_then(|account| account.spare).map(|spare| spare.until);
        self.late += u64::from(until.is_some_and(|until| now > until));
    }

    /// Returns the time until `end` during which best-effort cores access memory. `end` is not before the last instant.
    pub fn memory_until(&self, end: u64) -> u64 {
        let rest = if self.active {
            end.saturating_sub(self.since)
        } else {
            0
        };
        self.memory + rest
    }

    /// Returns the delay that the segment of `thread` has not yet taken, and counts it as taken.
    pub fn owed(&mut self, thread: usize) -> u64 {
        let Some(account) = &mut self.accounts[thread] else {
            return 0;
        };
        let (numerator, denominator) = account.exposed.rate.ratio();
        // Rounded down, because a delay is at most σ·y.
        let delay = u128::from(account.seen) * u128::from(numerator) / u128::from(denominator);
        let delay = u64::try_from(delay)
            .unwrap_or(u64::MAX)
            .min(account.exposed.delay);
        delay - std::mem::replace(&mut account.taken, delay)
    }

    /// Passes to the instant `now`: debits the accounts, and sets them at a boundary.
    pub fn advance(&mut self, regulation: &Regulation, now: u64) {
        let passed = now - std::mem::replace(&mut self.since, now);
        if self.active {
            self.memory += passed;
            for account in self.accounts.iter_mut().flatten() {
                account.left -= passed.min(account.left);
                if let Some(spare) = &mut account.spare {
                    spare.debit(passed);
                }
            }
            for &thread in &self.executing {
                if let Some(account) = &mut self.accounts[thread] {
                    account.seen += passed;
                }
            }
        }
        if self.boundary <= now {
            let missed = (now - self.boundary) / regulation.period.ns();
            self.boundary += (missed + 1) * regulation.period.ns();
            let first = self.boundary - now;
            for account in self.accounts.iter_mut().flatten() {
                account.renew(now, first);
            }
        }
    }

    /// Decides whether best-effort cores access memory after the instant `now`. `is_target` says whether the thread
    /// executes the segment of [`Attack::On`].
    pub fn decide(&mut self, regulation: &Regulation, now: u64, is_target: impl Fn(usize) -> bool) {
        self.until = self.boundary;
        let wanted = match regulation.attack {
            Attack::Always => true,
            Attack::On { .. } => self.executing.iter().any(|&thread| is_target(thread)),
            Attack::Late(delay) => {
                let late = self
                    .boundary
                    .saturating_sub(regulation.period.ns())
                    .saturating_add(delay.ns());
                if now < late {
                    self.until = self.until.min(late);
                }
                now >= late
            }
            Attack::Random { most, .. } => self.draw(now, most.ns()),
        };
        let open = self.accounts.iter().flatten().map(|account| account.left).min();
        // Without a segment in progress, no budget limits the accesses.
        self.active = wanted && open != Some(0);
        if let Some(least) = open.filter(|_| self.active) {
            self.until = self.until.min(now + least);
        }
    }

    fn draw(&mut self, now: u64, most: u64) -> bool {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        while let (Some(random), true) = (&mut self.random, self.wanted.1 <= now) {
            let length = 1 + below(random, most) as u64;
            self.wanted = (!self.wanted.0, now + length);
        }
        self.until = self.until.min(self.wanted.1);
        self.wanted.0
    }
}
