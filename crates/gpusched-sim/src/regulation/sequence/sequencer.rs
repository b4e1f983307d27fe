//! Simulator of several kernels that share one GPU.

use std::borrow::Cow;

use super::course::Course;
use super::dispatch::Dispatch;
use super::job::{Job, SequenceRun, Stretch};
use super::limits::{MOST_BLOCKS, check, horizon};
use super::queue::{Next, Queue};
use crate::regulation::Block;
use crate::regulation::execution::{Blocks, random_offset};
use crate::regulation::governor::{Governor, Process};
use crate::regulation::{REQUESTS_PER_NS, Setting};
use gpusched_analysis::bandwidth::{Allocator, BudgetPolicy, RemainingTable};
use gpusched_model::System;
use gpusched_model::error::{Error, Result};
use gpusched_model::interrupt;
use gpusched_model::time::Time;

/// Simulator of one system under one set of assumptions.
#[derive(Clone, Debug)]
pub struct Sequencer {
    members: Vec<Member>,
    queue: Queue,
    dispatch: Dispatch,
    period: Time,
    horizon: Time,
    setting: Setting,
    seed: u64,
}

/// A kernel of the system.
#[derive(Clone, Debug)]
struct Member {
    table: RemainingTable,
    blocks: Blocks,
    clusters: usize,
    active: usize,
    jobs: u64,
    /// Number of jobs of all kernels with a lower index.
    before: u64,
}

impl Sequencer {
    /// Prepares a simulation of `system`. `nominal` contains the nominal WCET of each kernel.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if there are too many blocks or regulation periods, or if
    /// the offset or the lead is one period or longer. Also fails if a profile lacks times that
    /// the setting uses.
    pub fn new(
        system: &System,
        nominal: &[Time],
        dispatch: Dispatch,
        setting: Setting,
        seed: u64,
    ) -> Result<Sequencer> {
        let period = system.regulation_period();
        for (name, time) in [
            ("offset", setting.offset_ns.unwrap_or(Time::ZERO)),
            ("lead", setting.lead_ns),
        ] {
            if time >= period {
                return Err(Error::parameter(
                    name,
                    time,
                    format!("less than {period}, the regulation period"),
                ));
            }
        }
        let mut members = Vec::with_capacity(system.kernels().len());
        let (mut before, mut blocks) = (0, 0u128);
        for (index, task) in system.kernels().iter().enumerate() {
            let (kernel, jobs) = (task.kernel(), system.jobs(task));
            check(index, kernel)?;
            blocks += u128::from(kernel.blocks()) * u128::from(jobs);
            let table = RemainingTable::new(kernel);
            // Each kernel has its own stream of random numbers.
            let own = seed.wrapping_add((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            members.push(Member {
                blocks: Blocks::new(kernel, setting.blocks, &table, own).map_err(|error| {
                    error.map_refusal(|refusal| refusal.within(&format!("kernels[{index}].kernel")))
                })?,
                table,
                clusters: kernel.clusters().len(),
                active: usize::try_from(kernel.active_blocks()).unwrap_or(usize::MAX),
                jobs,
                before,
            });
            before += jobs;
        }
        if blocks > MOST_BLOCKS {
            return Err(Error::parameter(
                "kernels",
                format!("{blocks} blocks in all jobs"),
                format!("at most {MOST_BLOCKS} blocks"),
            ));
        }
        let queue = Queue::new(system);
        let horizon = horizon(system, queue.clone(), nominal, period)?;
        Ok(Sequencer {
            members,
            queue,
            dispatch,
            period,
            horizon,
            setting,
            seed,
        })
    }

    /// Replaces the thread blocks of the kernel with index `kernel` by `blocks`. The new number
    /// of blocks must not exceed the old number.
    pub fn with_blocks(mut self, kernel: usize, blocks: Vec<Block>) -> Sequencer {
        if let Some(member) = self.members.get_mut(kernel) {
            member.blocks = Blocks::Fixed(blocks);
        }
        self
    }

    /// Returns the length of a run [ns] if no kernel exceeds its nominal WCET. The length is one
    /// hyperperiod, or more if the last job may end later. The length is equal under all
    /// policies.
    pub fn horizon(&self) -> Time {
        self.horizon
    }

    /// Returns the time from the last start of a regulation period to time 0 of run `run`.
    pub fn offset(&self, run: u64) -> Time {
        let offset = self.setting.offset_ns;
        offset.unwrap_or_else(|| random_offset(self.seed, run, self.period))
    }

    /// Simulates the run with number `run` under `policy`. `allocators` contains one allocator of
    /// budgets for each kernel. If `record` is true, the result contains a record of each
    /// stretch.
    pub fn run(
        &self,
        run: u64,
        policy: BudgetPolicy,
        allocators: &mut [Allocator],
        record: bool,
    ) -> SequenceRun {
        let process = match policy {
            BudgetPolicy::Nominal => Process::default(),
            _ => self.setting.process(self.period),
        };
        self.simulate(run, policy, allocators, process, record)
    }

    /// Simulates the run with number `run`. `governors` contains one governor for each kernel.
    /// `process` states the lead and the memory traffic of the decisions.
    pub fn simulate(
        &self,
        run: u64,
        policy: BudgetPolicy,
        governors: &mut [impl Governor],
        process: Process,
        record: bool,
    ) -> SequenceRun {
        let mut found = SequenceRun {
            run,
            policy,
            jobs: Vec::new(),
            running_requests: 0.0,
            idle_requests: 0.0,
            idle: Time::ZERO,
            length: Time::ZERO,
            stretches: Vec::new(),
        };
        let offset = self.offset(run);
        let mut queue = self.queue.clone();
        let mut now = Time::ZERO;
        loop {
            interrupt::check();
            if let Some(next) = queue.take(now, self.dispatch) {
                let parts = (self.members.get(next.kernel), governors.get_mut(next.kernel));
                let (Some(member), Some(governor)) = parts else {
                    continue; // A kernel without a governor does not run.
                };
                let job = self.job(next, now, member, governor, process, offset, record, &mut found);
                now = job.finish_ns;
                found.running_requests += job.requests;
                found.jobs.push(job);
            } else if let Some(release) = queue.release() {
                self.idle(now, release, offset, record, &mut found);
                now = release;
            } else {
                break;
            }
        }
        if now < self.horizon {
            self.idle(now, self.horizon, offset, record, &mut found);
            now = self.horizon;
        }
        found.length = now;
        found
    }

    /// Simulates the job `next`, which starts at `start`.
    #[allow(
        clippy::too_many_arguments,
        reason = "each argument differs from call to call"
    )]
    fn job(
        &self,
        next: Next,
        start: Time,
        member: &Member,
        governor: &mut impl Governor,
        process: Process,
        offset: Time,
        record: bool,
        found: &mut SequenceRun,
    ) -> Job {
        let blocks = match &member.blocks {
            Blocks::Fixed(blocks) => Cow::Borrowed(blocks),
            drawn => {
                let drawing = found.run.wrapping_mul(member.jobs).wrapping_add(next.job);
                Cow::Owned(drawn.of(drawing))
            }
        };
        let course = Course {
            table: &member.table,
            clusters: member.clusters,
            active: member.active,
            blocks: &blocks,
            period: self.period.ns(),
            first: self.room(start, offset),
            setting: &self.setting,
            process,
            random: (self.seed, member.before + next.job, found.run),
        };
        let (from, stretches) = (found.stretches.len(), &mut found.stretches);
        let arrival = course.run(governor, record, |step| {
            let begin = later(start, step.elapsed);
            stretches.push(Stretch {
                begin,
                end: later(begin, step.length),
                job: Some((next.kernel, next.job)),
                q: step.q,
                remaining: step.remaining,
                requests: step.requests,
                slack: step.slack,
            });
        });
        let finish = later(start, arrival.length);
        // Removes final stretches that exist only because of rounding.
        while stretches.len() > from + 1 && stretches.last().is_some_and(|last| last.begin >= finish) {
            stretches.pop();
        }
        if let Some(last) = stretches.last_mut().filter(|_| record) {
            last.end = last.end.min(finish);
        }
        let margin = i128::from(governor.deadline().ns()) - i128::from(arrival.length);
        Job {
            kernel: next.kernel,
            job: next.job,
            release_ns: next.release,
            start_ns: start,
            finish_ns: finish,
            response_ns: finish.checked_sub(next.release).unwrap_or_default(),
            due_ns: next.due,
            missed: next.due.is_some_and(|due| finish > due),
            margin_ns: i64::try_from(margin).unwrap_or(i64::MIN),
            requests: arrival.requests,
        }
    }

    /// Simulates the interval from `from` to `to`, during which no kernel runs.
    fn idle(&self, from: Time, to: Time, offset: Time, record: bool, found: &mut SequenceRun) {
        let demand = self.setting.demand.as_f64() * REQUESTS_PER_NS;
        let length = to.ns().saturating_sub(from.ns());
        found.idle = later(found.idle, length);
        found.idle_requests += length as f64 * demand;
        let mut begin = from;
        while record && begin < to {
            let end = later(begin, self.room(begin, offset)).min(to);
            found.stretches.push(Stretch {
                begin,
                end,
                job: None,
                q: 1.0,
                remaining: Vec::new(),
                requests: (end.ns() - begin.ns()) as f64 * demand,
                slack: None,
            });
            begin = end;
        }
    }

    /// Returns the time from `now` to the next start of a regulation period [ns]. If a regulation
    /// period starts at `now`, returns the length of a whole period.
    fn room(&self, now: Time, offset: Time) -> u64 {
        let period = self.period.ns();
        let past = (u128::from(now.ns()) + u128::from(offset.ns())) % u128::from(period);
        period - u64::try_from(past).unwrap_or(0)
    }
}

fn later(time: Time, by: u64) -> Time {
    Time::from_ns(time.ns().saturating_add(by))
}
