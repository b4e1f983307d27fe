//! A plan that runs with the jobs of the user's program.
//!
//! A session verifies a plan, creates its partitions, and dispatches the jobs of a program, in one process. The program adds the work of
//! each task, starts the dispatchers, waits for jobs, and stops them. The C interface and the Python module use sessions.
//!
//! One thread owns the GPU and waits for the dispatchers. One thread keeps the records of completed jobs and calls the functions of the
//! user. Each partition has the thread of its dispatcher, which calls the work of its tasks.

mod fault;
mod jobs;
mod records;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gpusched_model::artifact::Outputs;
use gpusched_model::error::{Error, Refusal};
use gpusched_model::reader::{OverheadsFiles, Plans, TaskSets};
use gpusched_model::time::Time;
use gpusched_model::{Factor, Overheads, Times, counted};

pub use fault::{Fault, Kind};
pub use jobs::{Enqueue, Work};

use crate::backend::{Backend, cuda, paced};
use crate::client::{Served, Signal, Start};
use crate::core::{Job, Record};
use crate::program::{Part, Prepared, Program};
use crate::realtime;
use crate::run::{Run, Statistics};
use crate::{trace, work};
use jobs::{Grant, Partition, Source, inside, is_inside};
use records::{Event, OnComplete, Records};

/// Options of a session.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the jobs run.
    pub backend: Backend,
    /// File with bounds on the overheads of the dispatcher. `None`: the bounds of the plan. If the plan states none either, the WCETs
    /// must include the overheads.
    pub overheads: Option<PathBuf>,
    /// Number of the GPU, from 0.
    pub device: i32,
    /// Whether a plan starts that is proven only without overheads, and whether threads of the program may enqueue jobs.
    pub allow_unproven: bool,
    /// Cores of the dispatchers, one per partition. Empty: any cores.
    pub cpus: Vec<usize>,
    /// Priority of the dispatchers under SCHED_FIFO, from 1 to 99; 0 for the default scheduler.
    pub fifo_priority: i32,
    /// Largest number of completed jobs of each task that the session keeps.
    pub records: usize,
    /// Time before an arrival from which an idle dispatcher spins. Before, it sleeps.
    pub spin: Time,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            backend: Backend::Cuda,
            overheads: None,
            device: 0,
            allow_unproven: false,
            cpus: Vec::new(),
            fifo_priority: 0,
            records: 65_536,
            spin: Time::from_ns(100_000),
        }
    }
}

/// Largest number of jobs of a sporadic task that wait. The dispatcher can keep a few more, so it drops none.
const MOST_WAITING: u64 = 1000;
/// Messages that fit into the queue of a dispatcher.
const SIGNALS: usize = 4096;
/// Records that fit into the queue of the thread that keeps them.
const EVENTS: usize = 8192;
/// Time between two looks at the state of a run.
const TICK: Duration = Duration::from_millis(20);

/// The thread that owns the GPU.
type Supervisor = JoinHandle<Result<Option<Run>, Fault>>;

/// A plan with the jobs of the user's program.
pub struct Session {
    program: Program,
    options: Options,
    /// Names of the tasks, by position in the set.
    names: Vec<String>,
    /// Partition of each task, and position of the task in the partition.
    places: Vec<(usize, usize)>,
    streams: Vec<usize>,
    records: Arc<Records>,
    running: OnceLock<Running>,
    phase: Mutex<Phase>,
}

enum Phase {
    Open(Setup),
    Running(Supervisor, JoinHandle<()>),
    Stopped(Box<Run>),
    /// The start or the run failed.
    Failed(Fault),
}

struct Setup {
    tasks: Vec<Registered>,
    start: Sender<Start>,
    supervisor: Supervisor,
}

#[derive(Default)]
struct Registered {
    work: Option<Work>,
    sporadic: bool,
    complete: Option<OnComplete>,
}

/// State that calls of other threads use while the dispatchers run.
struct Running {
    partitions: Vec<SyncSender<Signal>>,
    /// Number of releases of each sporadic task. The lock is only between threads that release jobs of one task.
    releases: Vec<Option<Mutex<u64>>>,
    grants: Vec<Option<Arc<Grant>>>,
    completed: Arc<Vec<AtomicU64>>,
    unrecorded: Arc<AtomicU64>,
    stopped: AtomicBool,
}

impl Session {
    /// Verifies the plan in file `plan` for the task set in file `set`, and creates its partitions.
    ///
    /// # Errors
    /// Fails if a file is wrong, if the plan does not verify or is not proven, or if the GPU does not grant its partitions.
    pub fn open(plan: &Path, set: &Path, options: Options) -> Result<Session, Fault> {
        let read = Plans::only(plan, "plan").map_err(Fault::about_files)?;
        let tasks = TaskSets::only(set, "task set").map_err(Fault::about_files)?;
        let overheads = options.overheads.as_ref();
        let overheads = overheads.map(|path| OverheadsFiles::only(path, "overheads file"));
        let overheads = overheads.transpose().map_err(Fault::about_files)?;
        let overheads = overheads.map(|measured| measured.bounds());
        let at = |error: Error| {
            let hinted = |refusal: Refusal| match refusal.field() {
                "policy" => refusal.hint("compute the plan under `np-edf`").at(plan, None),
                "overheads" => refusal.hint("state a file with overheads").at(set, None),
                _ => refusal.at(plan, None),
            };
            Fault::about_files(error.map_refusal(hinted))
        };
        let prepare = |overheads| Program::prepare(&read, &tasks, overheads).map_err(at);
        let unproven = |reason: String| Fault {
            kind: Kind::Unproven,
            text: format!("{}: {reason}", plan.display()),
        };
        let unstated = overheads.or(read.overheads).is_none() && tasks.times() == Some(Times::Gpu);
        let prepared = match unstated && options.allow_unproven {
            true => Prepared::Unproven("the WCETs are times on the GPU alone, without overheads".to_owned()),
            false => prepare(overheads)?,
        };
        let program = match prepared {
            Prepared::Ready(program) => *program,
            // The run has no bounds on overheads, and its budgets are the WCETs.
            Prepared::Unproven(reason) if options.allow_unproven => {
                match prepare(Some(Overheads::default()))? {
                    Prepared::Ready(program) => Program {
                        overheads: None,
                        unproven: Some(reason),
                        ..*program
                    },
                    Prepared::Unproven(reason) => return Err(unproven(reason)),
                }
            }
            Prepared::Unproven(reason) => return Err(unproven(reason)),
        };
        let whole = |part: &&Part| part.policy.counts_blocks();
        if let Some(part) = program.partitions.iter().find(whole) {
            let expected = "np-edf, np-fifo or np-fp…, because a function enqueues a whole job";
            return Err(at(Error::parameter("policy", part.policy, expected)));
        }
        let count = tasks.tasks().len();
        let mut places = vec![(0, 0); count];
        for (part, partition) in program.partitions.iter().enumerate() {
            for (index, task) in partition.tasks.iter().enumerate() {
                places[task.position] = (part, index);
            }
        }
        let partitions = program.partitions.len();
        if !options.cpus.is_empty() && options.cpus.len() != partitions {
            let expected = format!("{partitions}, one per partition of the plan");
            return Err(Fault::usage("cpu_count", options.cpus.len(), expected));
        }
        // A set of cores of Linux has 1024 places.
        if let Some(cpu) = options.cpus.iter().find(|&&cpu| cpu >= 1024) {
            return Err(Fault::usage("cpus", cpu, "the number of a core"));
        }
        if !(0..=99).contains(&options.fifo_priority) {
            return Err(Fault::usage("fifo_priority", options.fifo_priority, "0 to 99"));
        }
        if options.backend == Backend::Cuda {
            cuda::check(&program).map_err(|refusal| Fault::about_files(refusal.at(plan, None).into()))?;
        }
        let (start, streams, supervisor) = supervise(&program, &options)?;
        Ok(Session {
            names: (0..count).map(|task| tasks.label(task)).collect(),
            places,
            streams,
            records: Arc::new(Records::new(count, partitions, options.records)),
            running: OnceLock::new(),
            phase: Mutex::new(Phase::Open(Setup {
                tasks: (0..count).map(|_| Registered::default()).collect(),
                start,
                supervisor,
            })),
            program,
            options,
        })
    }

    /// Returns the stream of the partition of `task`, a `CUstream`. It is 0 without a GPU. Use it for warm-up before the start.
    ///
    /// # Errors
    /// Fails if the set has no task of this name.
    pub fn stream(&self, task: &str) -> Result<usize, Fault> {
        let (part, _) = self.places[self.position(task)?];
        Ok(self.streams[part])
    }

    /// Returns the number of SMs of the partition of `task`.
    ///
    /// # Errors
    /// Fails if the set has no task of this name.
    pub fn sms(&self, task: &str) -> Result<u32, Fault> {
        let (part, _) = self.places[self.position(task)?];
        Ok(self.program.partitions[part].sms)
    }

    /// States the work of the jobs of `task`.
    ///
    /// # Errors
    /// Fails if the set has no task of this name, or after the start.
    pub fn task(&self, task: &str, work: Work) -> Result<(), Fault> {
        self.register(task, |registered| registered.work = Some(work))
    }

    /// Makes `task` sporadic: the program releases its jobs, at least a period apart.
    ///
    /// # Errors
    /// Fails as [`Session::task`].
    pub fn sporadic(&self, task: &str) -> Result<(), Fault> {
        self.register(task, |registered| registered.sporadic = true)
    }

    /// Calls `function` with the record of each completed job of `task`, on a thread that is no dispatcher.
    ///
    /// # Errors
    /// Fails as [`Session::task`].
    pub fn on_complete(&self, task: &str, function: Box<dyn FnMut(&Record) + Send>) -> Result<(), Fault> {
        let mut function = function;
        let function: OnComplete = Box::new(move |record| inside(|| function(record)));
        self.register(task, |registered| registered.complete = Some(function))
    }

    /// Starts the dispatchers. The first job of each periodic task arrives at `first` on CLOCK_MONOTONIC [ns]; with 0, 10 ms after the
    /// start. Returns the time of the first arrivals.
    ///
    /// # Errors
    /// Fails if a periodic task has no work, if `first` has passed, or if kernels run on other SMs than planned.
    pub fn start(&self, first: u64) -> Result<u64, Fault> {
        outside()?;
        let mut phase = self.phase();
        let setup = match &*phase {
            Phase::Open(setup) => setup,
            Phase::Failed(fault) => return Err(fault.clone()),
            Phase::Running(..) | Phase::Stopped(_) => {
                return Err(Fault::usage("start", "a second start", "one start per session"));
            }
        };
        if first != 0 && first <= realtime::now() {
            return Err(Fault::usage(
                "first_arrival",
                first,
                "0 or a later time on CLOCK_MONOTONIC",
            ));
        }
        for (task, name) in setup.tasks.iter().zip(&self.names) {
            if task.work.is_none() && !task.sporadic {
                let expected = "a function or a graph, or a sporadic task whose jobs a thread enqueues";
                return Err(Fault::usage(name, "no work", expected));
            }
        }
        let placeholder = Fault::usage("start", "a start that did not end", "a start");
        let Phase::Open(setup) = std::mem::replace(&mut *phase, Phase::Failed(placeholder)) else {
            return Err(Fault::usage("start", "no open session", "an open session"));
        };
        let started = self.launch(setup, first);
        match started {
            Ok((next, origin)) => {
                *phase = next;
                Ok(origin)
            }
            Err(fault) => {
                *phase = Phase::Failed(fault.clone());
                Err(fault)
            }
        }
    }

    /// Hands the work of all tasks over to the dispatchers.
    fn launch(&self, setup: Setup, first: u64) -> Result<(Phase, u64), Fault> {
        let (events, kept) = sync_channel::<Event>(EVENTS);
        let (running, origin) = sync_channel(1);
        let count = self.names.len();
        let completed: Arc<Vec<AtomicU64>> = Arc::new((0..count).map(|_| AtomicU64::new(0)).collect());
        let unrecorded = Arc::new(AtomicU64::new(0));
        let mut works = Vec::with_capacity(count);
        let mut functions: Vec<Option<OnComplete>> = Vec::with_capacity(count);
        let (mut grants, mut releases) = (vec![None; count], Vec::with_capacity(count));
        for registered in setup.tasks {
            works.push(registered.work);
            functions.push(registered.complete);
            releases.push(registered.sporadic.then(|| Mutex::new(0)));
        }
        let (mut partitions, mut served) = (Vec::new(), Vec::new());
        for (index, part) in self.program.partitions.iter().enumerate() {
            let mut part = part.clone();
            let mut sources = Vec::with_capacity(part.tasks.len());
            for task in &mut part.tasks {
                task.sporadic = releases[task.position].is_some();
                let source = match works[task.position].take() {
                    Some(work) => Source::Work(work),
                    None => {
                        let grant = Arc::new(Grant::default());
                        grants[task.position] = Some(Arc::clone(&grant));
                        Source::Grant(grant)
                    }
                };
                sources.push((source, task.budget.ns()));
            }
            let (sender, signals) = sync_channel(SIGNALS);
            partitions.push(sender);
            let client = Partition {
                index,
                positions: part.tasks.iter().map(|task| task.position).collect(),
                sources,
                signals,
                events: events.clone(),
                completed: Arc::clone(&completed),
                unrecorded: Arc::clone(&unrecorded),
            };
            served.push(Served {
                part,
                client: Box::new(client),
                core: self.options.cpus.get(index).copied(),
            });
        }
        drop(events);
        let start = Start {
            first,
            partitions: served,
            running,
        };
        let records = Arc::clone(&self.records);
        let keeper = thread::spawn(move || records.keep(&kept, &mut functions));
        // If the supervisor has ended, it drops `start`, and the next line learns of it.
        let _ = setup.start.send(start);
        let Ok(origin) = origin.recv() else {
            let failed = end_of(setup.supervisor).err();
            let _ = keeper.join();
            let early = || internal("the dispatchers ended before their start");
            return Err(failed.unwrap_or_else(early));
        };
        let state = Running {
            partitions,
            releases,
            grants,
            completed,
            unrecorded,
            stopped: AtomicBool::new(false),
        };
        if self.running.set(state).is_err() {
            return Err(internal("the session has started twice"));
        }
        Ok((Phase::Running(setup.supervisor, keeper), origin))
    }

    /// Releases a job of the sporadic task `task` now. Returns the number of the job. The job arrives later if the arrival before it is
    /// less than a period ago.
    ///
    /// # Errors
    /// Fails if the task is not sporadic, if the dispatchers do not run, or if 1000 jobs of the task wait.
    pub fn release(&self, task: &str) -> Result<u64, Fault> {
        let at = realtime::now();
        let position = self.position(task)?;
        let running = self.running()?;
        let Some(released) = &running.releases[position] else {
            return Err(Fault::usage(task, "a periodic task", "a sporadic task"));
        };
        let (part, index) = self.places[position];
        let mut released = released.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = released.saturating_sub(running.completed[position].load(Ordering::Acquire));
        let full = || {
            let expected = format!("at most {MOST_WAITING}");
            Fault::usage(task, format!("{} that wait", counted(waiting, "job")), expected)
        };
        if waiting >= MOST_WAITING {
            return Err(full());
        }
        match running.partitions[part].try_send(Signal::Release { task: index, at }) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(full()),
            Err(TrySendError::Disconnected(_)) => return Err(self.over(part)),
        }
        let number = *released;
        *released += 1;
        Ok(number)
    }

    /// Releases a job of a sporadic task without work, and waits until the dispatcher has chosen it. Then this thread enqueues the work
    /// on the stream, and calls [`Session::end`]. Returns the job and the stream.
    ///
    /// # Errors
    /// Fails as [`Session::release`], and if the options do not allow unproven runs, because the time until the call of
    /// [`Session::end`] has no bound.
    pub fn begin(&self, task: &str) -> Result<(Job, usize), Fault> {
        outside()?;
        if !self.options.allow_unproven {
            let expected =
                "`allow_unproven`, because the time for which the thread enqueues a job has no bound";
            return Err(Fault::new(Kind::Unproven, task, "a job of a thread", expected));
        }
        let position = self.position(task)?;
        let running = self.running()?;
        let Some(grant) = &running.grants[position] else {
            let expected = "a sporadic task without a function and without a graph";
            return Err(Fault::usage(task, "a task with work", expected));
        };
        let number = self.release(task)?;
        let (part, _) = self.places[position];
        loop {
            if let Some(job) = grant.take(number, TICK) {
                return Ok((job, self.streams[part]));
            }
            if self.records.ended(part).is_some() || running.stopped.load(Ordering::Relaxed) {
                return Err(self.over(part));
            }
        }
    }

    /// Reports that all work of the job from [`Session::begin`] is on its stream. `task` is the position of its task in the set.
    ///
    /// # Errors
    /// Fails if the dispatcher does not wait for this job, for example after its time-out of ten budgets or 1 s.
    pub fn end(&self, task: usize, number: u64) -> Result<(), Fault> {
        let running = self.running()?;
        let grant = running.grants.get(task).and_then(Option::as_ref);
        match grant.is_some_and(|grant| grant.end(number)) {
            true => Ok(()),
            false => {
                let found = format!("job {number}");
                let expected = "a job that began at most ten budgets, or 1 s, ago";
                Err(Fault::usage("job", found, expected))
            }
        }
    }

    /// Waits for the completion of job `number` of `task`, counted from 0, for at most `timeout`. Returns its record. The task of the
    /// record is its position in the set.
    ///
    /// # Errors
    /// Fails with [`Kind::Timeout`], with [`Kind::Lost`] after a fault of the GPU, and with [`Kind::Usage`] if the session no longer
    /// keeps the record, or if the run stopped before.
    pub fn wait(&self, task: &str, number: u64, timeout: Duration) -> Result<Record, Fault> {
        outside()?;
        let position = self.position(task)?;
        self.running()?;
        let (part, _) = self.places[position];
        self.records.wait((position, part), number, timeout)
    }

    /// Stops the dispatchers after their running jobs, and waits for their end. A second stop has no effect.
    ///
    /// # Errors
    /// Fails with [`Kind::Lost`] if a fault has ended a partition.
    pub fn stop(&self) -> Result<(), Fault> {
        outside()?;
        let mut phase = self.phase();
        let placeholder = Fault::usage("stop", "a stop that did not end", "a stop");
        match std::mem::replace(&mut *phase, Phase::Failed(placeholder)) {
            Phase::Running(supervisor, keeper) => {
                let stopped = realtime::now();
                if let Some(running) = self.running.get() {
                    running.stopped.store(true, Ordering::Relaxed);
                    for partition in &running.partitions {
                        // A dispatcher that has ended needs no message.
                        let _ = partition.send(Signal::Stop);
                    }
                }
                let ended = end_of(supervisor);
                let _ = keeper.join();
                *phase = match ended {
                    Ok(Some(run)) => Phase::Stopped(Box::new(self.complete(run, stopped))),
                    Ok(None) => Phase::Failed(internal("the dispatchers ended without a run")),
                    Err(fault) => Phase::Failed(fault),
                };
            }
            Phase::Open(setup) => {
                *phase = Phase::Open(setup);
                return Err(Fault::usage("stop", "no start", "a start"));
            }
            other => *phase = other,
        }
        match &*phase {
            Phase::Stopped(run) => {
                let mut lost = run.partitions.iter().enumerate();
                let lost = lost.find_map(|(index, part)| Some((index, part.lost.as_ref()?)));
                match lost {
                    Some((index, lost)) => Err(Fault {
                        kind: Kind::Lost,
                        text: format!("partition {index}: {lost}"),
                    }),
                    None => Ok(()),
                }
            }
            Phase::Failed(fault) => Err(fault.clone()),
            _ => Ok(()),
        }
    }

    /// Adds the records and the time of the stop [ns] to the result of the dispatchers.
    fn complete(&self, mut run: Run, stopped: u64) -> Run {
        run.duration = Time::from_ns(stopped.saturating_sub(run.origin));
        // After a fault, the jobs that did not run are missing.
        (run.stopped, run.own) = (!run.is_lost(), true);
        for (part, ran) in self.program.partitions.iter().zip(&mut run.partitions) {
            for (index, task) in part.tasks.iter().enumerate() {
                let records = self.records.of(task.position).into_iter();
                ran.records.extend(records.map(|record| Record {
                    job: Job {
                        task: index,
                        ..record.job
                    },
                    ..record
                }));
            }
            ran.records
                .sort_by_key(|record| (record.decision, record.completion));
            if let Some(context) = &mut ran.context {
                context.wake = Statistics::of_wakes(&ran.records);
            }
        }
        run
    }

    /// Returns whether all jobs met their deadlines and all bounds of the plan held, and the result in one line.
    ///
    /// # Errors
    /// Fails before the stop.
    pub fn audit(&self) -> Result<(bool, String), Fault> {
        self.stopped(|run| {
            let mut text = run.headline(&self.program);
            if let Some(reason) = &self.program.unproven {
                text += &format!(", not proven: {reason}");
            }
            let unrecorded = self.running.get();
            let unrecorded = unrecorded.map_or(0, |running| running.unrecorded.load(Ordering::Relaxed));
            if unrecorded > 0 {
                text += &format!(", {} without a record", counted(unrecorded, "job"));
            }
            Ok((run.kept(), text))
        })
    }

    /// Writes the trace of the run to the file `path`, for `gpusched recording audit`. It contains the jobs that the session keeps.
    ///
    /// # Errors
    /// Fails before the stop, or if the file cannot be written.
    pub fn trace(&self, path: &Path) -> Result<(), Fault> {
        self.stopped(|run| {
            let mut program = self.program.clone();
            let releases = self.running.get().map_or(&[][..], |running| &running.releases);
            for task in program.partitions.iter_mut().flat_map(|part| &mut part.tasks) {
                task.sporadic = releases.get(task.position).is_some_and(Option::is_some);
            }
            let mut outputs = Outputs::default();
            let write = || -> gpusched_model::error::Result<()> {
                let mut file = outputs.create(path)?;
                let backend = self.options.backend.to_string();
                let written = trace::write(&mut file, (&program, None), run, &backend);
                written.map_err(|cause| Error::io(path, "write", cause))?;
                outputs.add(file);
                outputs.commit()
            };
            write().map_err(Fault::of(Kind::Usage))
        })
    }

    fn stopped<T>(&self, function: impl FnOnce(&Run) -> Result<T, Fault>) -> Result<T, Fault> {
        outside()?;
        match &*self.phase() {
            Phase::Stopped(run) => function(run),
            Phase::Failed(fault) => Err(fault.clone()),
            Phase::Open(_) | Phase::Running(..) => {
                Err(Fault::usage("session", "no stopped run", "a stop before"))
            }
        }
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> Result<&Running, Fault> {
        let none = || Fault::usage("session", "no running dispatchers", "a start before");
        self.running.get().ok_or_else(none)
    }

    /// Returns the error about a partition whose dispatcher has ended.
    fn over(&self, partition: usize) -> Fault {
        match self.records.ended(partition).flatten() {
            Some(lost) => Fault {
                kind: Kind::Lost,
                text: format!("partition {partition}: {lost}"),
            },
            None => Fault::usage("session", "a stopped run", "running dispatchers"),
        }
    }

    fn position(&self, task: &str) -> Result<usize, Fault> {
        let known = self.names.iter().position(|name| name == task);
        known.ok_or_else(|| {
            let names: Vec<String> = self.names.iter().map(|name| format!("{name:?}")).collect();
            Fault::usage("task", format!("{task:?}"), names.join(", "))
        })
    }

    fn register(&self, task: &str, change: impl FnOnce(&mut Registered)) -> Result<(), Fault> {
        outside()?;
        let position = self.position(task)?;
        match &mut *self.phase() {
            Phase::Open(setup) => {
                change(&mut setup.tasks[position]);
                Ok(())
            }
            _ => Err(Fault::usage(
                task,
                "a call after the start",
                "a call before the start",
            )),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if is_inside() {
            return;
        }
        // Errors were reported by the calls before.
        let _ = self.stop();
        let closed = Fault::usage("session", "a closed session", "an open session");
        if let Phase::Open(setup) = std::mem::replace(&mut *self.phase(), Phase::Failed(closed)) {
            drop(setup.start);
            let _ = end_of(setup.supervisor);
        }
    }
}

/// Seed of the execution times without a GPU.
const SEED: u64 = 1;

/// Starts the thread that owns the GPU. Returns the way to start the dispatchers, and the streams of the partitions.
fn supervise(program: &Program, options: &Options) -> Result<(Sender<Start>, Vec<usize>, Supervisor), Fault> {
    let (opened, streams) = channel();
    let (sender, start) = channel::<Start>();
    let (program, options) = (program.clone(), options.clone());
    let supervisor = thread::spawn(move || match options.backend {
        Backend::Simulated => {
            // The session waits for the streams.
            let _ = opened.send(vec![0; program.partitions.len()]);
            let work = work::Work {
                seed: SEED,
                shortest: Factor::from_f64(0.5).unwrap_or(Factor::ONE),
                stated: Default::default(),
                faults: Default::default(),
            };
            let run = start.recv().ok().map(|start| paced::serve(start, &work));
            run.transpose().map_err(Fault::of(Kind::Internal))
        }
        Backend::Cuda => {
            let driver = cuda::Driver::load().map_err(Fault::about_driver)?;
            let settings = cuda::Options {
                duration: Time::ZERO,
                reserve: Time::ZERO,
                spin: options.spin,
                fifo_priority: options.fifo_priority,
                wake_bound: program.overheads.map(|overheads| overheads.wake_ns),
            };
            let prepare = |streams: &[usize]| {
                opened.send(streams.to_vec()).ok()?;
                start.recv().ok()
            };
            cuda::serve(&driver, &program, options.device, settings, prepare).map_err(Fault::about_gpu)
        }
    });
    match streams.recv() {
        Ok(streams) => Ok((sender, streams, supervisor)),
        Err(_) => {
            let none = || internal("the GPU opened without streams");
            Err(end_of(supervisor).err().unwrap_or_else(none))
        }
    }
}

/// Waits for the end of the supervisor.
fn end_of(supervisor: Supervisor) -> Result<Option<Run>, Fault> {
    let panicked = |_| internal("the thread of the session panicked");
    supervisor.join().map_err(panicked).flatten()
}

fn internal(text: &str) -> Fault {
    Fault::of(Kind::Internal)(Error::Internal(text.to_owned()))
}

/// Refuses calls that wait for a dispatcher, or for a call of another thread that does, from a function that a dispatcher or the thread of
/// the records waits for.
fn outside() -> Result<(), Fault> {
    match is_inside() {
        true => Err(Fault::usage(
            "call",
            "a call inside a function of a task",
            "a call on another thread",
        )),
        false => Ok(()),
    }
}
