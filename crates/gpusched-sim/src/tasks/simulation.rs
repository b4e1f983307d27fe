//! Simulation of one partition from the first release to the last completion.

use rand_chacha::ChaCha8Rng;

use super::lane::Lane;
use super::ready::{AnyOrder, ByRank, ByTime, Ready};
use super::{Discipline, Event, Order, Release, Task, jobs_before};
use crate::engine::few::Few;
use crate::engine::tournament::{NEVER, Queue, Tournament};
use gpusched_model::Observer;
use gpusched_model::error::Error;
use gpusched_model::interrupt;
use gpusched_model::policy::Preemption;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;

/// Upper bound on all times [ns]. The sum of two times fits into 64 bits.
const FOREVER: u64 = 1 << 62;

/// Simulation of one partition, ready to run.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// States of the tasks, sorted by decreasing rank.
    lanes: Vec<Lane>,
    discipline: Discipline,
    end: u64,
    /// Random stream of an order that changes. `None` for all other orders.
    order: Option<Box<ChaCha8Rng>>,
}

/// The job that is running.
#[derive(Copy, Clone, Debug)]
struct Running {
    rank: usize,
    /// Completion time of the job if it is not preempted again.
    finish: u64,
    /// End of the first block after the last start or resumption of the job.
    boundary: u64,
    /// Time of the next preemption, if this time is known.
    switch: u64,
}

/// State of an idle partition.
const IDLE: Running = Running {
    rank: usize::MAX,
    finish: NEVER,
    boundary: NEVER,
    switch: NEVER,
};

impl Simulation {
    /// Prepares a simulation of all jobs of `tasks` that arrive before `end`. `releases` contains the release
    /// parameters of each task, in the order of `tasks`. `discipline` schedules the jobs. `order` contains the
    /// positions of the tasks, sorted by decreasing rank. `seed` and the number `set` of the task set select the random
    /// streams.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if a time is out of range, or if the total time of all jobs can exceed 2⁶² ns.
    /// Fails with [`Error::Internal`] if the number of `releases` differs from the number of tasks, or if `order` is
    /// not a permutation of all positions.
    pub fn new(
        tasks: &[Task],
        releases: &[Release],
        discipline: Discipline,
        order: &[usize],
        end: Time,
        (seed, set): (u64, u64),
    ) -> Result<Simulation, Error> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if releases.len() != tasks.len() || !sorted.iter().copied().eq(0..tasks.len()) {
            return Err(Error::Internal(format!(
                "found {} tasks with {} releases and the order {order:?}, expected one release per task, and each task position once in the order",
                tasks.len(),
                releases.len()
            )));
        }
        check(tasks, releases, end)?;
        let lane = |&task: &usize| Lane::new(&tasks[task], &releases[task], task, seed, set);
        Ok(Simulation {
            lanes: order.iter().map(lane).collect(),
            discipline,
            end: end.ns(),
            order: (discipline.order == Order::Any).then(|| {
                let task = tasks.first().map_or(0, |task| task.stream);
                Box::new(stream(seed, Purpose::Sharing, set, task))
            }),
        })
    }

    /// Runs the simulation. `observer` receives each event.
    pub fn run(self, observer: &mut impl Observer<Event>) {
        let count = self.lanes.len();
        let releases = Tournament::new(count);
        match (self.discipline.order, &self.order) {
            (Order::Deadlines, _) => {
                let latest = self.lanes.iter().map(|lane| lane.latest(self.end)).max();
                match Few::new(count, latest.unwrap_or(0)) {
                    Some(few) => self.run_with(few.clone(), few, observer),
                    None => self.run_with(ByTime::<false>::new(count), releases, observer),
                }
            }
            (Order::Releases, _) => self.run_with(ByTime::<true>::new(count), releases, observer),
            (Order::Any, Some(rng)) => {
                let shortest = self.lanes.iter().map(Lane::period).min().unwrap_or(0);
                let ready = AnyOrder::new(count, shortest, (**rng).clone());
                self.run_with(ready, releases, observer);
            }
            (Order::Ranks | Order::Any, _) => self.run_with(ByRank::new(count), releases, observer),
        }
    }

    fn run_with<R: Ready>(self, mut ready: R, mut releases: impl Queue, observer: &mut impl Observer<Event>) {
        let Simulation {
            mut lanes,
            discipline,
            end,
            ..
        } = self;
        let lanes = &mut lanes[..];
        for (rank, lane) in lanes.iter_mut().enumerate() {
            releases.set(rank, lane.next_release(end));
        }
        let mut running = IDLE;
        loop {
            let now = releases
                .time()
                .min(running.finish)
                .min(running.switch)
                .min(ready.change());
            if now == NEVER {
                return;
            }
            if now == running.finish {
                interrupt::check();
                complete(&mut lanes[running.rank], running.rank, now, &mut ready, observer);
                running = IDLE;
                if !observer.goes_on() {
                    return;
                }
            }
            while releases.time() <= now {
                let rank = releases.winner();
                let lane = &mut lanes[rank];
                let (job, first) = lane.release();
                observer.see(Time::from_ns(now), Event::Release(job));
                if first {
                    ready.insert(rank, lane);
                }
                releases.set(rank, lane.next_release(end));
            }
            if now >= ready.change() {
                ready.reorder(now);
            }
            let Some(best) = ready.first() else { continue };
            if best == running.rank {
                continue;
            }
            if running.finish < NEVER {
                match discipline.preemption {
                    Preemption::NonPreemptive => continue,
                    Preemption::Preemptive => {}
                    Preemption::Limited => {
                        let block = lanes[running.rank].block;
                        running.switch = end_of_block(running, block, now);
                        if running.switch > now {
                            continue;
                        }
                        // A preemption adds one block to the execution time of the job.
                        running.finish += block;
                    }
                }
                preempt(&mut lanes[running.rank], running.finish - now, now, observer);
            }
            running = dispatch(&mut lanes[best], best, now, observer);
        }
    }
}

/// Returns the end of the block that is running or that ends at `now`. Returns [`NEVER`] for the
/// last block of the job.
fn end_of_block(running: Running, block: u64, now: u64) -> u64 {
    let since = now.saturating_sub(running.boundary);
    let end = running.boundary + since.div_ceil(block) * block;
    if end < running.finish { end } else { NEVER }
}

#[inline(always)]
fn complete<R: Ready>(
    lane: &mut Lane,
    rank: usize,
    now: u64,
    ready: &mut R,
    observer: &mut impl Observer<Event>,
) {
    let (job, due) = (lane.head(), lane.due());
    let (execution, another) = lane.complete();
    let execution = Time::from_ns(execution);
    observer.see(Time::from_ns(now), Event::Complete(job, execution));
    if now > due {
        observer.see(Time::from_ns(now), Event::Miss(job));
    }
    if another {
        ready.insert(rank, lane);
    } else {
        ready.remove(rank);
    }
}

#[inline(always)]
fn preempt(lane: &mut Lane, left: u64, now: u64, observer: &mut impl Observer<Event>) {
    lane.left = left;
    let (job, left) = (lane.head(), Time::from_ns(left));
    observer.see(Time::from_ns(now), Event::Preempt(job, left));
}

#[inline(always)]
fn dispatch(lane: &mut Lane, rank: usize, now: u64, observer: &mut impl Observer<Event>) -> Running {
    if lane.started {
        observer.see(Time::from_ns(now), Event::Resume(lane.head()));
    } else {
        lane.started = true;
        observer.see(Time::from_ns(now), Event::Start(lane.head()));
    }
    Running {
        rank,
        finish: now + lane.left,
        boundary: now + lane.block.min(lane.left),
        switch: NEVER,
    }
}

/// Checks that all times in the simulation are below [`FOREVER`].
fn check(tasks: &[Task], releases: &[Release], end: Time) -> Result<(), Error> {
    for (position, (task, release)) in tasks.iter().zip(releases).enumerate() {
        let within = |low: Time, time: Time, high: Time| low <= time && time <= high;
        let one = Time::from_ns(1);
        let times = [
            within(one, task.shortest, task.wcet),
            within(one, task.block, task.wcet),
            within(one, task.wcet, Time::LIMIT),
            within(one, task.period, Time::LIMIT),
            within(Time::ZERO, task.deadline, Time::LIMIT),
            within(Time::ZERO, release.gap, Time::from_ns(FOREVER)),
            release.jitter <= task.jitter && release.first.max(release.earliest).ns() < FOREVER,
        ];
        if times.contains(&false) {
            let found = format!("{task:?} with the releases {release:?}");
            let expected = "times within the limits of the simulator";
            return Err(Error::parameter(format!("tasks[{position}]"), found, expected));
        }
    }
    if end.ns() > FOREVER {
        return Err(Error::parameter("duration", end, "at most 2^62 ns"));
    }
    let longest = tasks.iter().map(|task| task.block.ns()).max().unwrap_or(0);
    let mut work = u128::from(end.ns());
    for (task, release) in tasks.iter().zip(releases) {
        let jobs = u128::from(jobs_before(task, release, end));
        let time = u128::from(task.wcet.ns()) + u128::from(longest);
        work = work.saturating_add(jobs.saturating_mul(time));
        work = work.saturating_add(task.jitter.ns().into());
    }
    if work > u128::from(FOREVER) {
        let found = format!("{end}, for which all jobs together may take longer than 2^62 ns");
        return Err(Error::parameter("duration", found, "a shorter duration"));
    }
    Ok(())
}
