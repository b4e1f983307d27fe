//! Simulation of clients that share one memory.

use std::collections::VecDeque;

use super::{Client, Division};
use crate::tasks::Order;
use gpusched_model::interrupt;
use gpusched_model::policy::Preemption;

/// Number of rate units in one byte per second. The number is a multiple of every number from 1 to 16, so up to 16
/// clients can divide the bandwidth without rounding.
const SCALE: u128 = 720_720;

/// A missed deadline in a simulation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Miss {
    /// Index of the client that missed the deadline.
    pub client: usize,
    /// Index of the task within the client.
    pub task: usize,
    /// Absolute deadline of the job [ns].
    pub due: u64,
}

/// The result of one simulated run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// First missed deadline, if any. The run ends when a deadline is missed.
    pub miss: Option<Miss>,
    /// Number of jobs that were completed.
    pub jobs: u64,
    /// Longest response time of each task [ns], indexed by client and then by task.
    pub longest: Vec<Vec<u64>>,
}

/// The state of a task during a run.
struct Lane {
    /// Arrival and release of the next job of the task [ns].
    arrival: u64,
    release: u64,
    /// Arrivals of jobs that have been released but are not complete.
    waiting: VecDeque<u64>,
    /// Current stage of the first waiting job, and remaining work of this stage. The unit of the work is one nano-byte
    /// divided by [`SCALE`]. For a stage without memory traffic, the unit of the work is ns.
    stage: usize,
    left: u128,
    started: bool,
}

struct State<'a> {
    client: &'a Client,
    lanes: Vec<Lane>,
    running: Option<usize>,
}

/// Simulates all jobs of `clients` that arrive before `end` [ns], until the first deadline miss.
/// The memory has the bandwidth `capacity` [bytes per second].
pub fn simulate(clients: &[Client], capacity: u64, division: &Division, end: u64) -> Outcome {
    let capacity = u128::from(capacity) * SCALE;
    let mut states: Vec<State<'_>> = clients.iter().map(|client| State::new(client, end)).collect();
    let mut outcome = Outcome {
        longest: clients.iter().map(|client| vec![0; client.tasks.len()]).collect(),
        ..Outcome::default()
    };
    let count = clients.len();
    let (mut wants, mut shares, mut due) = (vec![0u128; count], vec![0u128; count], vec![0u64; count]);
    let mut now = 0;
    loop {
        interrupt::check();
        for (index, state) in states.iter_mut().enumerate() {
            state.release(now, end);
            if let Some(miss) = state.late(now, index) {
                outcome.miss = Some(miss);
                return outcome;
            }
            state.choose();
        }
        // Computes the rate of each running job, and completes each stage that ends within the
        // current nanosecond.
        for (index, state) in states.iter().enumerate() {
            wants[index] = state.rate(capacity);
            due[index] = state.due();
        }
        shares.fill(0);
        division.shares(capacity, &wants, &due, &mut shares);
        let mut ended = false;
        for (index, state) in states.iter_mut().enumerate() {
            if state.running.is_some() && state.ends_now(wants[index], shares[index]) {
                state.end_stage(now, capacity, index, &mut outcome);
                ended = true;
            }
        }
        if ended {
            continue;
        }
        let ends = states
            .iter()
            .enumerate()
            .filter_map(|(index, state)| state.next_end(now, wants[index], shares[index]));
        let next = ends.chain(states.iter().filter_map(State::next_release)).min();
        let Some(next) = next else { return outcome };
        for (index, state) in states.iter_mut().enumerate() {
            state.progress(next - now, wants[index], shares[index]);
        }
        // A job whose deadline is before `next` misses its deadline, also if it completes at `next`.
        for (index, state) in states.iter_mut().enumerate() {
            if let Some(miss) = state.late(next, index) {
                outcome.miss = Some(miss);
                return outcome;
            }
        }
        // A stage that ends at `next` ends before the releases at `next`. Otherwise, a release would preempt a job that has no
        // work left, and delay its completion.
        for (index, state) in states.iter_mut().enumerate() {
            if state.running.is_some() && state.ends_now(wants[index], shares[index]) {
                state.end_stage(next, capacity, index, &mut outcome);
            }
        }
        now = next;
    }
}

impl<'a> State<'a> {
    fn new(client: &'a Client, end: u64) -> State<'a> {
        let lane = |task: &super::Task| Lane {
            arrival: task.first,
            release: if task.first < end {
                task.first.saturating_add(task.jitter)
            } else {
                u64::MAX
            },
            waiting: VecDeque::new(),
            stage: 0,
            left: 0,
            started: false,
        };
        State {
            client,
            lanes: client.tasks.iter().map(lane).collect(),
            running: None,
        }
    }

    /// Adds all jobs with releases up to `now` to the waiting jobs.
    fn release(&mut self, now: u64, end: u64) {
        for (lane, task) in self.lanes.iter_mut().zip(&self.client.tasks) {
            while lane.release <= now {
                lane.waiting.push_back(lane.arrival);
                lane.arrival = lane.arrival.saturating_add(task.period.max(1));
                lane.release = if lane.arrival < end {
                    lane.arrival.max(lane.release)
                } else {
                    u64::MAX
                };
            }
        }
    }

    /// Returns the first missed deadline before `now`. If the client drops late jobs, drops the
    /// jobs with deadlines up to `now` and returns `None`.
    fn late(&mut self, now: u64, client: usize) -> Option<Miss> {
        for (task, (lane, job)) in self.lanes.iter_mut().zip(&self.client.tasks).enumerate() {
            while let Some(&arrival) = lane.waiting.front() {
                let due = arrival.saturating_add(job.deadline);
                let late = if self.client.drops { due <= now } else { due < now };
                if !late {
                    break;
                }
                if !self.client.drops {
                    return Some(Miss { client, task, due });
                }
                lane.waiting.pop_front();
                lane.started = false;
                if self.running == Some(task) {
                    self.running = None;
                }
            }
        }
        None
    }

    /// Chooses the job that the client executes next.
    fn choose(&mut self) {
        let runs_on = self.client.discipline.preemption != Preemption::Preemptive;
        if runs_on && self.running.is_some() {
            return;
        }
        let key = |task: usize| -> Option<(u64, usize)> {
            let arrival = self.lanes.get(task)?.waiting.front()?;
            Some(match self.client.discipline.order {
                Order::Deadlines => (
                    arrival.saturating_add(self.client.tasks.get(task)?.deadline),
                    task,
                ),
                // No test of kernels that run together counts a shared memory.
                Order::Ranks | Order::Any => (0, task),
                // Jobs are released when they arrive.
                Order::Releases => (*arrival, task),
            })
        };
        let best = (0..self.lanes.len()).filter_map(key).min();
        self.running = best.map(|(_, task)| task);
    }

    fn stage(&self) -> Option<super::Stage> {
        let task = self.running?;
        let lane = self.lanes.get(task)?;
        let stage = if lane.started { lane.stage } else { 0 };
        self.client.tasks.get(task)?.stages.get(stage).copied()
    }

    /// Returns the bandwidth demand of the running job.
    fn rate(&self, capacity: u128) -> u128 {
        self.stage()
            .map_or(0, |stage| (u128::from(stage.rate) * SCALE).min(capacity))
    }

    /// Returns the absolute deadline of the running job [ns].
    fn due(&self) -> u64 {
        let due = |task: usize| {
            let arrival = self.lanes.get(task)?.waiting.front()?;
            Some(arrival.saturating_add(self.client.tasks.get(task)?.deadline))
        };
        self.running.and_then(due).unwrap_or(u64::MAX)
    }

    /// Returns the remaining work of the current stage of the running job.
    fn left(&self, want: u128) -> u128 {
        let Some(lane) = self.running.and_then(|task| self.lanes.get(task)) else {
            return 0;
        };
        match lane.started {
            true => lane.left,
            false => self
                .stage()
                .map_or(0, |stage| u128::from(stage.time).saturating_mul(want.max(1))),
        }
    }

    /// Returns whether the current stage ends within one nanosecond. A stage that waits for
    /// bandwidth does not end.
    fn ends_now(&self, want: u128, share: u128) -> bool {
        let speed = if want == 0 { 1 } else { share };
        let left = self.left(want);
        left == 0 || speed > 0 && left < speed
    }

    fn next_end(&self, now: u64, want: u128, share: u128) -> Option<u64> {
        self.running?;
        let speed = if want == 0 { 1 } else { share };
        let whole = self.left(want).checked_div(speed)?;
        Some(now.saturating_add(u64::try_from(whole).unwrap_or(u64::MAX)))
    }

    fn next_release(&self) -> Option<u64> {
        // Late jobs are dropped exactly at their deadlines.
        let drops = self
            .lanes
            .iter()
            .zip(&self.client.tasks)
            .filter_map(|(lane, task)| {
                let arrival = lane.waiting.front().filter(|_| self.client.drops)?;
                Some(arrival.saturating_add(task.deadline))
            });
        let releases = self.lanes.iter().map(|lane| lane.release);
        releases.chain(drops).filter(|&time| time < u64::MAX).min()
    }

    fn progress(&mut self, time: u64, want: u128, share: u128) {
        let left = self.left(want);
        let speed = if want == 0 { 1 } else { share };
        if let Some(lane) = self.running.and_then(|task| self.lanes.get_mut(task)) {
            if !lane.started {
                (lane.started, lane.stage) = (true, 0);
            }
            lane.left = left.saturating_sub(speed.saturating_mul(time.into()));
        }
    }

    /// Ends the current stage of the running job, and all stages without work that follow. If no stage with work follows, the
    /// job completes.
    fn end_stage(&mut self, now: u64, capacity: u128, client: usize, outcome: &mut Outcome) {
        let Some(task) = self.running else { return };
        let (Some(lane), Some(job)) = (self.lanes.get_mut(task), self.client.tasks.get(task)) else {
            return;
        };
        lane.stage = if lane.started { lane.stage + 1 } else { 1 };
        lane.started = true;
        while job.stages.get(lane.stage).is_some_and(|stage| stage.time == 0) {
            lane.stage += 1;
        }
        if let Some(stage) = job.stages.get(lane.stage) {
            let rate = (u128::from(stage.rate) * SCALE).min(capacity);
            lane.left = u128::from(stage.time).saturating_mul(rate.max(1));
            return;
        }
        if let Some(arrival) = lane.waiting.pop_front() {
            let longest = outcome
                .longest
                .get_mut(client)
                .and_then(|tasks| tasks.get_mut(task));
            if let Some(longest) = longest {
                *longest = (*longest).max(now.saturating_sub(arrival));
            }
            outcome.jobs += 1;
        }
        (lane.started, lane.stage) = (false, 0);
        self.running = None;
    }
}
