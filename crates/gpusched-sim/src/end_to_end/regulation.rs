//! Regulation of best-effort cores while segments are in progress: the rules R1 to R3 of
//! `docs/explanation/budgets-end-to-end.md`. Accesses delay segments for the longest time that the rules allow.
//!
//! A segment is in progress from its start to its end. It has an account, which its start and each boundary of a
//! regulation period set to its memory time b. Best-effort cores access memory only while all accounts are positive, and
//! the time of their accesses debits all accounts. A segment that executes for y ns of this time may take min(δ, σ·y) ns
//! longer. The simulator adds this delay at the end of the segment, so the segment can take all of it.

use gpusched_model::Factor;
use gpusched_model::end_to_end::System;
use gpusched_model::error::Error;
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use rand_chacha::ChaCha8Rng;

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
        let found = lengths(&mut self.segments.iter().map(Vec::len));
        let expected = lengths(&mut system.tasks().iter().map(|task| task.segments.len()));
        if found != expected {
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
    /// y: memory time during which the segment has executed.
    seen: u64,
    /// Delay that the segment has taken.
    taken: u64,
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
}

impl Regulated {
    /// Returns the state at time 0 of a run with `threads` threads.
    pub fn new(regulation: Option<&Regulation>, threads: usize) -> Regulated {
        let random = regulation.and_then(|found| match found.attack {
            Attack::Random {
                numbers: (seed, run), ..
            } => Some(stream(seed, Purpose::RegulatedRuns, run, 0)),
            _ => None,
        });
        Regulated {
            accounts: vec![None; threads],
            executing: Vec::new(),
            active: false,
            since: 0,
            boundary: regulation.map_or(NEVER, |found| found.phase.ns()),
            until: NEVER,
            random,
            wanted: (false, 0),
        }
    }

    /// Opens the account of `thread`, whose segment starts now.
    pub fn open(&mut self, thread: usize, exposed: Exposed) {
        self.accounts[thread] = Some(Account {
            exposed,
            left: exposed.burst,
            seen: 0,
            taken: 0,
        });
    }

    /// Closes the account of `thread`, whose segment has ended.
    pub fn close(&mut self, thread: usize) {
        self.accounts[thread] = None;
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
            for account in self.accounts.iter_mut().flatten() {
                account.left -= passed.min(account.left);
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
            for account in self.accounts.iter_mut().flatten() {
                account.left = account.exposed.burst;
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
        // Without a segment in progress, accesses delay nothing.
        let least = open.unwrap_or(0);
        self.active = wanted && least > 0;
        if self.active {
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
