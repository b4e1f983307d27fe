//! The queue of records and the permissions of sessions, under all orders of the steps of their threads.

use std::sync::Arc;

use gpusched::runtime::core::Job;
use gpusched::runtime::grant::Grant;
use gpusched::runtime::queue::{Before, Inbox, Next, Progress, Reporter, queue};

/// Some threads that meet. A thread is a position from 0.
trait World {
    /// Number of threads.
    const THREADS: usize;

    /// Does the next step of `thread`. Returns whether the thread had one.
    fn step(&mut self, thread: usize) -> Result<bool, String>;

    /// Checks the state after the last step of all threads.
    fn end(&mut self) -> Result<(), String>;
}

/// Tries all orders of the steps in the world that `make` creates. Returns the number of orders, or the first fault.
fn explore<W: World>(make: impl Fn() -> W) -> Result<u64, String> {
    let (mut open, mut orders) = (vec![Vec::new()], 0);
    while let Some(order) = open.pop() {
        let mut ready = 0;
        for thread in 0..W::THREADS {
            let mut world = make();
            for &earlier in &order {
                assert!(world.step(earlier)?);
            }
            if world
                .step(thread)
                .map_err(|fault| format!("{fault} after {order:?}"))?
            {
                ready += 1;
                open.push(order.iter().copied().chain([thread]).collect());
            }
        }
        if ready == 0 {
            let mut world = make();
            for &earlier in &order {
                world.step(earlier)?;
            }
            world.end().map_err(|fault| format!("{fault} after {order:?}"))?;
            orders += 1;
        }
    }
    Ok(orders)
}

/// Two dispatchers and the thread that keeps the records. The message of a job is its task and its number.
struct Records {
    reporter: Reporter<(usize, u64)>,
    inbox: Inbox<(usize, u64)>,
    /// Jobs that each dispatcher has still to report, and its step for the first one.
    left: [(Vec<(usize, u64)>, u32); 2],
    before: Option<Before>,
    looks: u32,
    received: Vec<(usize, u64)>,
    settled: Vec<u64>,
    /// Whether the dispatchers state a lost record before they know whether it finds room.
    hasty: bool,
}

/// All jobs of the dispatchers.
const JOBS: [&[(usize, u64)]; 2] = [&[(0, 0), (0, 1)], &[(1, 0)]];

impl Records {
    fn new(places: usize, hasty: bool) -> Records {
        let (reporter, inbox) = queue(places, &Arc::new(Progress::new(2)));
        Records {
            reporter,
            inbox,
            left: JOBS.map(|jobs| (jobs.to_vec(), 0)),
            before: None,
            looks: 3,
            received: Vec::new(),
            settled: vec![0; 2],
            hasty,
        }
    }

    fn look(&mut self, before: Before) -> Result<bool, String> {
        match self.inbox.look(before) {
            Next::Event((task, number)) if number < self.settled[task] => Err(format!(
                "a record of job {number} of task {task} that counts as lost"
            )),
            Next::Event(job) => {
                self.received.push(job);
                Ok(true)
            }
            Next::Lost(settled) => {
                self.settled = settled;
                Ok(true)
            }
            Next::Empty | Next::End => Ok(false),
        }
    }
}

impl World for Records {
    const THREADS: usize = 3;

    fn step(&mut self, thread: usize) -> Result<bool, String> {
        let Some((jobs, step)) = self.left.get_mut(thread) else {
            // The thread that keeps the records looks a few times; `end` completes its work.
            return match self.before.take() {
                Some(before) => self.look(before).map(|_| true),
                None if self.looks > 0 => {
                    self.looks -= 1;
                    self.before = Some(self.inbox.before());
                    Ok(true)
                }
                None => Ok(false),
            };
        };
        let Some(&(task, number)) = jobs.first() else {
            return Ok(false);
        };
        *step += 1;
        let done = match (*step, self.hasty) {
            (1, _) => {
                self.reporter.count(task);
                false
            }
            (2, false) => self.reporter.offer((task, number)),
            (3, true) => {
                self.reporter.offer((task, number));
                true
            }
            _ => {
                self.reporter.miss(task, number);
                !self.hasty
            }
        };
        if done {
            jobs.remove(0);
            *step = 0;
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), String> {
        loop {
            let before = self.inbox.before();
            if !self.look(before)? {
                break;
            }
        }
        for &(task, number) in JOBS.into_iter().flatten() {
            if !self.received.contains(&(task, number)) && number >= self.settled[task] {
                return Err(format!("a wait for job {number} of task {task} that never ends"));
            }
        }
        Ok(())
    }
}

#[test]
fn each_record_arrives_or_counts_as_lost() {
    for places in 1..=3 {
        let orders = explore(|| Records::new(places, false)).unwrap();
        assert!(orders > 10_000, "{orders}");
    }
    // Dispatchers in the wrong order of steps are found.
    let fault = explore(|| Records::new(1, true)).unwrap_err();
    assert!(fault.contains("that counts as lost"), "{fault}");
}

/// A dispatcher, two threads that enqueue one job each, the stop, and a clock.
struct Grants {
    grant: Grant,
    /// Next step of each thread.
    steps: [u32; 5],
    closed: bool,
    late: bool,
    /// Jobs that their threads have ended in time, and that the dispatcher has seen as enqueued.
    ended: [Option<bool>; 2],
    seen: [Option<bool>; 2],
    stops: bool,
    times_out: bool,
}

const fn job(number: u64) -> Job {
    Job {
        task: 0,
        number,
        arrival: 0,
        deadline: 0,
        chunk: 0,
        resumed: false,
    }
}

impl Grants {
    fn new(stops: bool, times_out: bool) -> Grants {
        Grants {
            grant: Grant::new(1),
            steps: [0; 5],
            closed: false,
            late: false,
            ended: [None; 2],
            seen: [None; 2],
            stops,
            times_out,
        }
    }
}

impl World for Grants {
    const THREADS: usize = 5;

    fn step(&mut self, thread: usize) -> Result<bool, String> {
        let step = self.steps[thread];
        let stepped = match (thread, step) {
            // The dispatcher.
            (0, 0 | 2) => {
                self.grant.choose(job(u64::from(step / 2)));
                true
            }
            (0, 1 | 3) => {
                let ready = self.grant.is_decided() || self.late;
                if ready {
                    self.late = false;
                    self.seen[step as usize / 2] = Some(self.grant.finish());
                }
                ready
            }
            // The threads of the program.
            (1 | 2, 0) => {
                let taken = self.grant.take(thread as u64 - 1).is_some();
                if taken && self.closed {
                    return Err("a job that a thread took after the stop".to_owned());
                }
                taken
            }
            (1 | 2, 1) => {
                self.ended[thread - 1] = Some(self.grant.end(thread as u64 - 1));
                true
            }
            (3, 0) if self.stops => {
                self.grant.close();
                self.closed = true;
                true
            }
            // The time of a chosen job passes.
            (4, 0) if self.times_out && self.steps[0] % 2 == 1 => {
                self.late = true;
                true
            }
            _ => false,
        };
        self.steps[thread] += u32::from(stepped);
        Ok(stepped)
    }

    fn end(&mut self) -> Result<(), String> {
        for number in 0..2 {
            let (ended, seen) = (self.ended[number], self.seen[number]);
            let Some(seen) = seen else {
                return Err(format!("a dispatcher that waits for job {number} forever"));
            };
            if seen != (ended == Some(true)) {
                return Err(format!(
                    "job {number} that ended with {ended:?} and counts as {seen}"
                ));
            }
            if !seen && !self.stops && !self.times_out {
                return Err(format!("job {number} that failed without a reason"));
            }
        }
        Ok(())
    }
}

#[test]
fn a_dispatcher_waits_only_for_a_thread_that_has_taken_a_job() {
    for (stops, times_out) in [(false, false), (false, true), (true, false), (true, true)] {
        let orders = explore(|| Grants::new(stops, times_out)).unwrap();
        // Without a stop and without a time-out, each step waits for the step before.
        assert_eq!(orders > 1, stops || times_out, "{orders}");
    }
}
