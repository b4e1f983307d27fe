//! The backend without a GPU: each partition runs in virtual time, with drawn execution times and overheads.
//!
//! Partitions share nothing in the analysis of a plan without memory interference, so each partition has its own
//! virtual clock. An event that ends the run of all partitions stops the other clocks, too: gpusched then repeats the run up
//! to this time.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use gpusched_model::error::Result;
use gpusched_model::interrupt;
use gpusched_model::streams::{Purpose, stream};
use gpusched_model::time::Time;
use rand_chacha::ChaCha8Rng;

use super::{Backend, Control, Lane, dispatch};
use crate::client::Signal;
use crate::core::{Job, Outcome, Overrun, Record};
use crate::program::{Part, Program};
use crate::run::{PartRun, Run};
use crate::trace::Heading;
use crate::work::{Draws, Fault, Work, uniform};

/// A partition in virtual time. All times are in ns.
struct Virtual<'a> {
    now: u64,
    part: &'a Part,
    draws: Draws,
    overheads: ChaCha8Rng,
    /// Longest overhead of a job, and longest delay of a wake-up.
    longest: (u64, u64),
    /// Faults by position of the task in the partition and number of the job.
    faults: BTreeMap<(usize, u64), Fault>,
    /// Delays of wake-ups beyond their bound, by the time of the wake-up.
    late: BTreeMap<u64, u64>,
    overrun: Overrun,
    /// Time for which the clock stood still.
    interrupted: u64,
    control: Control<'a>,
}

/// The end of a partition before its last job.
struct End {
    text: String,
    /// Time from which no partition launches a job, if the cause concerns all partitions.
    all: Option<u64>,
}

impl<'a> Virtual<'a> {
    fn new(
        program: &Program,
        (index, part): (usize, &'a Part),
        work: &Work,
        control: Control<'a>,
    ) -> Virtual<'a> {
        let overheads = program.overheads.unwrap_or_default();
        let (mut faults, mut late) = (BTreeMap::new(), BTreeMap::new());
        for (place, task) in part.tasks.iter().enumerate() {
            let of_task = work.faults.range((task.position, 0)..=(task.position, u64::MAX));
            for (&(_, number), &fault) in of_task {
                match fault {
                    Fault::LateWake(delay) => {
                        late.insert(number.saturating_mul(task.period.ns()), delay.ns());
                    }
                    fault => drop(faults.insert((place, number), fault)),
                }
            }
        }
        Virtual {
            now: 0,
            part,
            draws: work.of(&part.tasks),
            overheads: stream(work.seed, Purpose::DispatchOverheads, 0, index as u64),
            longest: (overheads.occupancy_ns.ns(), overheads.wake_ns.ns()),
            faults,
            late,
            overrun: program.overrun,
            interrupted: 0,
            control,
        }
    }
}

impl Lane for Virtual<'_> {
    type Error = End;

    fn now(&mut self) -> u64 {
        self.now
    }

    fn run(&mut self, job: &Job, decision: u64) -> Result<(u64, Outcome), End> {
        interrupt::check();
        let (mut execution, last) = self.draws.next(job);
        let mut overhead = uniform(&mut self.overheads, self.longest.0);
        let enqueue = uniform(&mut self.overheads, overhead);
        let mut outcome = Outcome {
            enqueued: decision.saturating_add(enqueue),
            overhead: None,
            failed: false,
            last,
        };
        let name = || format!("{}#{}", self.part.tasks[job.task].name, job.number);
        // A fault concerns the last chunk of a job.
        let fault = self.faults.get(&(job.task, job.number)).filter(|_| last);
        match fault {
            None | Some(Fault::LateWake(_)) => {}
            Some(Fault::LateEnd(delay)) => overhead = delay.ns().max(enqueue),
            Some(Fault::Fails) => outcome.failed = true,
            // Nothing was enqueued, so the job ends at once.
            Some(Fault::NoLaunch) => (outcome.failed, execution) = (true, 0),
            Some(Fault::Lost) => {
                return Err(End {
                    text: format!("{}: a fault ended the context of all partitions", name()),
                    all: Some(decision.saturating_add(1)),
                });
            }
            Some(Fault::Endless) => {
                let limit = self.part.tasks[job.task].budget.ns().saturating_mul(10);
                let aborts = self.overrun == Overrun::Abort;
                return Err(End {
                    text: format!(
                        "{} has not ended {} after its decision, ten times its budget",
                        name(),
                        Time::from_ns(limit)
                    ),
                    all: aborts.then(|| decision.saturating_add(limit)),
                });
            }
            Some(Fault::Suspend(time)) => self.interrupted = self.interrupted.saturating_add(time.ns()),
        }
        outcome.overhead = Some(overhead);
        self.now = decision.saturating_add(overhead).saturating_add(execution);
        Ok((self.now, outcome))
    }

    fn sleep(&mut self, until: u64) -> u64 {
        let late = uniform(&mut self.overheads, self.longest.1);
        let late = self.late.get(&until).copied().unwrap_or(late);
        self.now = self.now.max(until.saturating_add(late));
        self.now
    }

    fn signal(&mut self) -> Option<Signal> {
        self.control.signal()
    }
}

/// Runs `program` in virtual time. The first job of each task arrives at time 0, and no job arrives at `end` or later.
///
/// # Errors
/// Fails in the same cases as [`Part::core`] and [`Ring::prepare`](crate::trace::ring::Ring::prepare).
pub fn run(program: &Program, work: &Work, end: Time, control: Control<'_>) -> Result<Run> {
    let wake_bound = Some(program.overheads.unwrap_or_default().wake_ns);
    if let Some(ring) = control.ring {
        ring.prepare(&Heading {
            program: program.clone(),
            work: Some(work.clone()),
            places: None,
            backend: Backend::Simulated.to_string(),
            duration: end,
            wake_bound,
            machine: None,
            contexts: vec![None; program.partitions.len()],
        })?;
    }
    let all = |halt: u64| -> Result<Vec<(PartRun, Option<u64>, u64)>> {
        let partitions = program.partitions.iter().enumerate();
        { partitions }
            .map(|part| run_part(program, part, work, (end, halt), control))
            .collect()
    };
    let mut runs = all(u64::MAX)?;
    // The first end of all partitions is the same in the second run, because equal jobs precede it. A stopped run keeps the
    // jobs of its first run.
    let first = runs.iter().filter_map(|&(_, all, _)| all).min();
    if let Some(halt) = first.filter(|_| !control.stop.load(Ordering::Relaxed)) {
        runs = all(halt)?;
    }
    let interrupted = runs.iter().map(|&(.., interrupted)| interrupted).max();
    let partitions: Vec<PartRun> = runs.into_iter().map(|(run, ..)| run).collect();
    Ok(Run {
        origin: 0,
        duration: end,
        wake_bound,
        stopped: control.stopped(program, end, &partitions),
        own: false,
        interrupted: interrupted.unwrap_or(0),
        partitions,
        machine: None,
    })
}

/// Runs one partition until `halt`. Returns its run, the time at which it ends the run of all partitions, and the time for
/// which its clock stood still [ns].
fn run_part(
    program: &Program,
    (index, part): (usize, &Part),
    work: &Work,
    (end, halt): (Time, u64),
    control: Control<'_>,
) -> Result<(PartRun, Option<u64>, u64)> {
    let overheads = program.overheads.unwrap_or_default();
    let core = part.core(0, end.ns(), overheads.wake_ns)?;
    let mut core = core
        .with_overrun(program.overrun)
        .with_overhead(overheads.occupancy_ns.ns());
    core.halt(halt);
    let mut lane = Virtual::new(program, (index, part), work, control);
    let mut records: Vec<Record> = Vec::new();
    let mut slots = control.ring.and_then(|ring| ring.slots(index));
    let done = |_: &mut Virtual<'_>, record| {
        slots.iter_mut().for_each(|slots| slots.push(&record));
        records.push(record);
    };
    let ended = dispatch(&mut core, &mut lane, done).err();
    // An earlier run of the partition may have written more records.
    slots.iter_mut().for_each(|slots| slots.clear());
    let aborted = core
        .aborted()
        .map(|_| records.last().map_or(0, |last| last.completion));
    let all = ended.as_ref().and_then(|end| end.all).or(aborted);
    let mut run = PartRun::of(&core, part, records);
    if let Some(end) = ended {
        run.lost = Some(end.text);
    }
    Ok((run, all, lane.interrupted))
}
