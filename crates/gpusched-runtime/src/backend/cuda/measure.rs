//! Measurements on a GPU: the jobs of a plugin run through the dispatcher, in a green context of each size.
//!
//! The dispatcher of one partition runs all jobs of a series. So the time of a job is its occupancy, from the decision of the dispatcher
//! to the next decision, and it includes the overheads of a dispatcher that runs alone. Two events around the job give its time on the
//! GPU. The state of the GPU is read before and after each series, and never changed.
#![allow(unsafe_code, reason = "calls of the CUDA driver and of plugins")]

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use gpusched_model::Times;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::time::Time;
use libloading::Library;

use super::context::{Device, Flags, Memory, Partition};
use super::lane::{GpuLane, Jobs, Shared};
use super::library::{Address, Code, Driver, Handle, NOT_READY};
use super::nvml::Nvml;
use super::separate;
use crate::backend::dispatch;
use crate::client::{Client, Launched, OPEN_END, Signal};
use crate::core::{Arrivals, Core, Job, Order, Record, Task};
use crate::measure::{Cache, Conditions, Contention, Executor, Neighbor, Sample, Series};
use crate::realtime;

/// Name of the function of a plugin.
const FUNCTION: &str = "gs_measure_job";

type Function = unsafe extern "C" fn(*mut c_void) -> c_int;

/// Size of the memory that replaces the content of L2, as a multiple of the size of L2 in halves.
const HALVES: usize = 5;

/// Time before an arrival from which the dispatcher spins [ns]. It only waits for its own preparation, so it never sleeps.
const SPIN: u64 = 1_000_000;

/// A tenth of the time after which the dispatcher gives up on a job [ns].
const BUDGET: u64 = 6_000_000_000;

/// Time after which a measurement gives up on work of another kernel [ns]: the same as for a measured job.
const LIMIT: u64 = 10 * BUDGET;

/// Half of the jobs of a kernel on other SMs that wait in its stream.
const HALF: usize = 8;

/// Why a series ends early.
#[derive(Copy, Clone, Debug)]
enum Fault {
    /// The function of the plugin returned this result.
    Plugin(c_int),
    /// A call of the driver failed.
    Call(&'static str, Code),
    /// Work of another kernel has not ended within [`LIMIT`].
    Endless,
}

impl Fault {
    /// Returns the error. `what` names the work of the plugin, such as a job.
    fn error(self, driver: &Driver, what: &str) -> Error {
        match self {
            Fault::Plugin(code) => {
                let found = format!("the result {code} of {what}");
                Error::parameter("plugin", found, format!("0 from `{FUNCTION}`"))
            }
            Fault::Call(call, code) => Refusal::new(call, driver.name_of(code), "CUDA_SUCCESS").into(),
            Fault::Endless => {
                let found = format!(
                    "a job of the other kernel without an end after {}",
                    Time::from_ns(LIMIT)
                );
                Error::parameter("plugin", found, "jobs that end")
            }
        }
    }
}

/// Asks the driver until the answer is not [`NOT_READY`]. `call` is the name of the question.
fn poll(call: &'static str, mut ask: impl FnMut() -> Code) -> Result<(), Fault> {
    let begin = realtime::now();
    loop {
        match ask() {
            0 => return Ok(()),
            NOT_READY if realtime::now().saturating_sub(begin) > LIMIT => return Err(Fault::Endless),
            NOT_READY => std::thread::yield_now(),
            code => return Err(Fault::Call(call, code)),
        }
    }
}

/// A shared library with a kernel.
struct Plugin {
    name: String,
    function: Function,
    /// Keeps the function valid. It stays loaded, because its kernels may still run.
    _library: ManuallyDrop<Library>,
}

impl Plugin {
    fn load(path: &Path) -> Result<Plugin> {
        let refuse = |found: String| {
            Refusal::new(
                "plugin",
                found,
                format!("a shared library with `int {FUNCTION}(void *stream)`"),
            )
        };
        let full = path
            .canonicalize()
            .map_err(|cause| Error::io(path, "open", cause))?;
        // SAFETY: the user states that the library is a plugin, whose initialization may run.
        let library = unsafe { Library::new(&full) }.map_err(|error| refuse(error.to_string()))?;
        // SAFETY: the function of this name has this signature, as the documentation of plugins states.
        let function = unsafe { library.get::<Function>(FUNCTION.as_bytes()) };
        let function = *function.map_err(|_| refuse(format!("{} without this function", path.display())))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok(Plugin {
            name: stem.strip_prefix("lib").unwrap_or(&stem).to_owned(),
            function,
            _library: ManuallyDrop::new(library),
        })
    }
}

/// A GPU that runs the jobs of plugins.
pub struct MeasuredGpu<'a> {
    device: ManuallyDrop<Device<'a>>,
    /// Whether a job may still run. Then the device stays open, because its end would wait for the job.
    lost: bool,
    /// SMs of the kernel on other SMs, by the SMs of the measured kernel.
    rest: BTreeMap<u32, u32>,
    measured: Plugin,
    others: Vec<Plugin>,
    sizes: Vec<u32>,
    nvml: Option<Nvml>,
    conditions: Conditions,
}

impl<'a> MeasuredGpu<'a> {
    /// Opens the GPU `ordinal`, and loads the plugin `measured` and the plugins `others`. `locked` states whether the clocks cannot
    /// change.
    ///
    /// # Errors
    /// Fails without this GPU, if a call of the driver fails, and for a file that is not a plugin.
    pub fn open(
        driver: &'a Driver,
        ordinal: i32,
        (measured, others): (&Path, &[PathBuf]),
        locked: Option<bool>,
    ) -> Result<MeasuredGpu<'a>> {
        let device = Device::open(driver, ordinal)?;
        let uuid = device.uuid();
        let nvml = uuid.as_deref().and_then(Nvml::of);
        let version = driver.version;
        let cuda = format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
        let known = nvml.as_ref().and_then(|nvml| nvml.driver.clone());
        let conditions = Conditions {
            gpu: device.name.clone(),
            uuid,
            sms: device.sms,
            driver: Some(known.map_or(cuda.clone(), |known| format!("{known}, {cuda}"))),
            settings: realtime::computer(),
            locked,
            ..Conditions::default()
        };
        Ok(MeasuredGpu {
            sizes: device.sizes()?,
            measured: Plugin::load(measured)?,
            others: others
                .iter()
                .map(|path| Plugin::load(path))
                .collect::<Result<_>>()?,
            device: ManuallyDrop::new(device),
            lost: false,
            rest: BTreeMap::new(),
            nvml,
            conditions,
        })
    }

    /// Adds a setting to the conditions, once.
    fn note(&mut self, name: &str, value: &str) {
        let setting = (name.to_owned(), value.to_owned());
        if !self.conditions.settings.contains(&setting) {
            self.conditions.settings.push(setting);
        }
    }

    fn other(&self, index: usize) -> Result<Function> {
        let other = self.others.get(index).map(|other| other.function);
        other.ok_or_else(|| Error::Internal(format!("there is no kernel {index}")))
    }

    /// Returns the largest number of SMs that a second partition can have beside `sms` SMs.
    fn second_size(&self, sms: u32) -> Result<u32> {
        // The last size is the whole GPU, and the size before it is the largest total of a split.
        let split = self.sizes.iter().rev().nth(1).copied().unwrap_or(0);
        let rest = self.sizes.iter().rev().find(|&&rest| rest + sms <= split);
        let expected = "fewer SMs, because the other kernel needs SMs of its own";
        rest.copied()
            .ok_or_else(|| Error::parameter("sms", sms, expected))
    }

    /// Runs `count` jobs of `series` in `partition`.
    fn series(
        &self,
        partition: &Partition<'_>,
        (series, count): (&Series, u64),
        done: &(dyn Fn(u64) + Sync),
    ) -> Result<(Vec<Sample>, String)> {
        let driver = self.device.driver;
        let cold = match (series.cache, self.device.l2_bytes()) {
            (Cache::Warm, _) => None,
            (Cache::Cold, Some(l2)) => Some((Memory::new(driver, l2 * HALVES / 2)?, l2 * HALVES / 8)),
            (Cache::Cold, None) => {
                let expected = "a GPU whose driver states the size of its L2 cache";
                return Err(Error::parameter("cold", self.device.name.clone(), expected));
            }
        };
        let neighbor = match series.neighbor {
            Some(Neighbor::Inside(other, contention)) => Some((self.other(other)?, contention)),
            None | Some(Neighbor::Beside(_)) => None,
        };
        let concurrent = matches!(neighbor, Some((_, Contention::Concurrent)));
        let second = concurrent.then(|| partition.second_stream()).transpose()?;
        let flags = Flags::new(driver, 1)?;
        let shared = Shared::default();
        let events = Events::<2>::new(driver);
        let (sender, receiver) = channel();
        let sequence = Sequence {
            calls: Calls::of(driver),
            events: events.handles,
            measured: self.measured.function,
            neighbor,
            second: second.as_ref().map_or(0, |stream| stream.stream),
            cold: cold.as_ref().map(|(memory, words)| (memory.address, *words)),
            left: count,
            pending: Vec::new(),
            busy: false,
            last: 0,
            sender,
        };
        let jobs = Jobs::Own(Box::new(sequence));
        let mut lane = GpuLane::new(
            &self.device,
            partition,
            flags.get(0),
            &shared,
            (jobs, SPIN),
            (0, BUDGET),
        );
        // A job may still use the memory after an error. The end of the process frees it.
        if let Err(error) = lane.warm_up() {
            drop(lane);
            std::mem::forget((flags, events, second, cold));
            return Err(Refusal::new("partition 0", error, "jobs that end").into());
        }
        let wait = lane.wait.described().to_owned();
        let ended = std::thread::scope(|scope| {
            let device = &self.device;
            let dispatcher = scope.spawn(move || {
                let current = device.make_current().map_err(|refusal| refusal.to_string());
                // The first core handles most interrupts.
                realtime::prepare_thread(realtime::cores().get(1).copied(), 0);
                let Some(mut core) = core() else {
                    return Err("the order of the tasks is wrong".to_owned());
                };
                current.and_then(|()| {
                    dispatch(&mut core, &mut lane, |lane, record| {
                        if let Jobs::Own(client) = &mut lane.jobs {
                            client.done(&record);
                        }
                    })
                })
            });
            let samples = receive(driver, &receiver, count, done);
            let ended = dispatcher
                .join()
                .unwrap_or_else(|_| Err("its thread panicked".to_owned()));
            ended.map(|()| samples)
        });
        let lost = |error: String| Error::parameter("plugin", error, "jobs that end");
        match ended.map_err(lost).flatten() {
            Ok(samples) => Ok((samples, wait)),
            Err(error) => {
                std::mem::forget((flags, events, second, cold));
                Err(error)
            }
        }
    }
}

/// Returns the dispatcher of the measured kernel (position 0) and the kernel that runs before it (position 1).
fn core() -> Option<Core> {
    let task = Task {
        arrivals: Arrivals::Sporadic,
        period: 1,
        deadline: OPEN_END,
        budget: OPEN_END,
        chunk: OPEN_END,
    };
    Core::new(&[task, task], &Order::Ranks(vec![1, 0]), OPEN_END, OPEN_END)
}

/// Collects `count` samples, and reports each to `done`.
fn receive(
    driver: &Driver,
    receiver: &Receiver<Result<Sample, Fault>>,
    count: u64,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    // The channel ends with the dispatcher.
    while let Ok(sample) = receiver.recv() {
        let failed = |fault: Fault| fault.error(driver, &format!("job {}", samples.len()));
        let sample = sample.map_err(failed)?;
        samples.push(sample);
        done(1);
        if samples.len() as u64 == count {
            break;
        }
    }
    Ok(samples)
}

/// The calls of the driver that a sequence of jobs uses. The functions are valid as long as the process runs.
#[derive(Copy, Clone)]
struct Calls {
    fill: unsafe extern "C" fn(Address, u32, usize) -> Code,
    query: unsafe extern "C" fn(Handle) -> Code,
    record: unsafe extern "C" fn(Handle, Handle) -> Code,
    elapsed: unsafe extern "C" fn(*mut f32, Handle, Handle) -> Code,
    await_event: unsafe extern "C" fn(Handle) -> Code,
}

impl Calls {
    fn of(driver: &Driver) -> Calls {
        Calls {
            fill: driver.fill,
            query: driver.stream_query,
            record: driver.event_record,
            elapsed: driver.event_elapsed,
            await_event: driver.event_synchronize,
        }
    }
}

/// Events of a stream.
struct Events<'a, const N: usize> {
    driver: &'a Driver,
    /// `None` if the driver refuses events.
    handles: Option<[Handle; N]>,
}

impl<'a, const N: usize> Events<'a, N> {
    fn new(driver: &'a Driver) -> Events<'a, N> {
        let mut handles = [0; N];
        let created = handles.iter_mut().all(|handle| {
            // SAFETY: the result is a valid place.
            unsafe { (driver.event_create)(handle, 0) == 0 }
        });
        Events {
            driver,
            handles: created.then_some(handles),
        }
    }
}

impl<const N: usize> Drop for Events<'_, N> {
    fn drop(&mut self) {
        for handle in self.handles.into_iter().flatten() {
            // SAFETY: the event exists, and no job uses it any more.
            unsafe { (self.driver.event_destroy)(handle) };
        }
    }
}

/// The jobs of a series, as the dispatcher sees them. With warm caches, each job directly follows the job before. Other jobs need a
/// preparation, so the dispatcher idles before them.
struct Sequence {
    calls: Calls,
    /// Events before and after a job.
    events: Option<[Handle; 2]>,
    measured: Function,
    neighbor: Option<(Function, Contention)>,
    /// Stream of a concurrent kernel; 0 without such a kernel.
    second: Handle,
    /// Memory that replaces the content of L2, and its number of words.
    cold: Option<(Address, usize)>,
    /// Number of jobs that have not completed.
    left: u64,
    /// Releases that the dispatcher has not received yet: positions of tasks, the next one last.
    pending: Vec<usize>,
    /// Whether a job was released and has not completed.
    busy: bool,
    /// Completion of the last job [ns]; 0 before the first job.
    last: u64,
    sender: Sender<Result<Sample, Fault>>,
}

impl Sequence {
    /// Whether each job needs a preparation while the partition is idle.
    fn prepares(&self) -> bool {
        self.cold.is_some() || self.second != 0
    }

    /// Returns the arrival of the next job [ns]: with warm caches, the completion of the job before, which is also the time of the next
    /// decision.
    fn arrival(&self) -> u64 {
        match self.prepares() || self.last == 0 {
            true => realtime::now(),
            false => self.last,
        }
    }

    /// Replaces the content of L2, and waits for a concurrent kernel.
    fn prepare(&self) -> Result<(), Fault> {
        // SAFETY: the stream exists. Stream 0 is the default stream.
        let end = |stream| poll("cuStreamQuery", || unsafe { (self.calls.query)(stream) });
        if self.second != 0 {
            end(self.second)?;
        }
        if let Some((memory, words)) = self.cold {
            // SAFETY: the memory has this number of words.
            match unsafe { (self.calls.fill)(memory, 7, words) } {
                0 => end(0)?,
                code => return Err(Fault::Call("cuMemsetD32", code)),
            }
        }
        Ok(())
    }

    /// Ends the series, because of `fault`.
    fn fail(&mut self, fault: Fault) {
        // The receiver may have ended.
        let _ = self.sender.send(Err(fault));
        self.left = 0;
    }

    /// Records event `index` on `stream`. If the stream refuses events, no further job has events.
    fn record(&mut self, index: usize, stream: Handle) {
        // SAFETY: the event and the stream exist.
        let refused = |[a, b]: [Handle; 2]| unsafe { (self.calls.record)([a, b][index], stream) != 0 };
        if self.events.is_some_and(refused) {
            self.events = None;
        }
    }

    /// Returns the time between the two events [ns].
    fn gpu_ns(&self) -> Option<u64> {
        let [start, end] = self.events?;
        let mut milliseconds = 0.0;
        // SAFETY: both events exist and were recorded, and the result is a valid place.
        let code = unsafe {
            match (self.calls.await_event)(end) {
                0 => (self.calls.elapsed)(&mut milliseconds, start, end),
                code => code,
            }
        };
        // A time of 0 is below the resolution of events.
        (code == 0 && milliseconds > 0.0).then(|| (f64::from(milliseconds) * 1e6).round() as u64)
    }
}

impl Client for Sequence {
    fn enqueue(&mut self, stream: usize, job: &Job) -> Launched {
        let call = |function: Function, stream: usize| {
            // SAFETY: the user states that the function enqueues one job on the stream.
            unsafe { function(stream as *mut c_void) }
        };
        let code = match (job.task, self.neighbor) {
            (1, Some((other, _))) => call(other, stream),
            _ => {
                let before = match self.neighbor {
                    Some((other, Contention::Concurrent)) => call(other, self.second),
                    _ => 0,
                };
                self.record(0, stream);
                let code = call(self.measured, stream);
                self.record(1, stream);
                if before != 0 { before } else { code }
            }
        };
        match code {
            0 => Launched::Enqueued,
            code => {
                self.fail(Fault::Plugin(code));
                Launched::Failed
            }
        }
    }

    fn signal(&mut self, until: u64) -> Option<Signal> {
        if let Some(task) = self.pending.pop() {
            let at = self.arrival();
            return Some(Signal::Release { task, at });
        }
        if self.busy {
            return None;
        }
        if self.left == 0 {
            return Some(Signal::Stop);
        }
        // An idle dispatcher waits until a time; a busy one does not.
        if self.prepares() {
            if until == 0 {
                return None;
            }
            if let Err(fault) = self.prepare() {
                self.fail(fault);
                return Some(Signal::Stop);
            }
        }
        self.busy = true;
        let before = matches!(self.neighbor, Some((_, Contention::Alternate)));
        if before {
            self.pending.push(0);
        }
        Some(Signal::Release {
            task: usize::from(before),
            at: self.arrival(),
        })
    }

    fn done(&mut self, record: &Record) {
        self.last = record.completion;
        if record.job.task != 0 && !record.status.failed {
            return;
        }
        self.busy = false;
        if record.status.failed {
            // The sequence ends, and a job that follows does not count.
            self.left = 0;
            return;
        }
        self.left = self.left.saturating_sub(1);
        let sample = Sample {
            time_ns: record.occupancy,
            gpu_ns: self.gpu_ns(),
        };
        // The receiver may have ended.
        let _ = self.sender.send(Ok(sample));
    }

    fn ended(&mut self, _: Option<&str>) {}
}

/// Returns the name of the GPU `ordinal`, and its number of SMs.
///
/// # Errors
/// Fails without this GPU, or if a call of the driver fails.
pub fn gpu(driver: &Driver, ordinal: i32) -> Result<(String, u32)> {
    let device = Device::open(driver, ordinal)?;
    Ok((device.name.clone(), device.sms))
}

/// Whether the stream of a kernel on other SMs never ran empty.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Supply {
    Gapless,
    /// The streams refuse events, so the kernel pauses after every second group of [`HALF`] jobs.
    Pauses,
}

/// Runs `function` again and again on `stream` until `stop`, and waits for its end. Sends a message to `begun` after the launch of the
/// first group, so that no job is measured before.
///
/// An event follows each group of [`HALF`] jobs. The next group but one waits for this event, so one group always waits in the stream. The
/// stream runs empty only if the GPU ends jobs faster than the host launches them.
fn run_beside(
    driver: &Driver,
    stream: Handle,
    function: Function,
    (begun, stop): (&Sender<()>, &AtomicBool),
) -> Result<Supply, Fault> {
    let mut events = ManuallyDrop::new(Events::<2>::new(driver));
    let mut supply = Supply::Gapless;
    // SAFETY: the stream exists.
    let all = || poll("cuStreamQuery", || unsafe { (driver.stream_query)(stream) });
    for group in 0usize.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        for _ in 0..HALF {
            // SAFETY: the user states that the function enqueues one job on the stream.
            match unsafe { function(stream as *mut c_void) } {
                0 => {}
                code => return Err(Fault::Plugin(code)),
            }
        }
        if group == 0 {
            let _ = begun.send(());
        }
        // SAFETY: the events and the stream exist.
        let recorded = |[a, b]: [Handle; 2]| unsafe { (driver.event_record)([a, b][group % 2], stream) == 0 };
        match events.handles.filter(|&handles| recorded(handles)) {
            None => {
                (events.handles, supply) = (None, Supply::Pauses);
                if group % 2 == 1 {
                    all()?;
                }
            }
            Some([a, b]) if group > 0 => {
                let older = [b, a][group % 2];
                // SAFETY: the event exists and was recorded.
                poll("cuEventQuery", || unsafe { (driver.event_query)(older) })?;
            }
            Some(_) => {}
        }
    }
    all()?;
    drop(ManuallyDrop::into_inner(events));
    Ok(supply)
}

impl Drop for MeasuredGpu<'_> {
    fn drop(&mut self) {
        if !self.lost {
            // SAFETY: the device is valid, and nothing uses it afterwards.
            unsafe { ManuallyDrop::drop(&mut self.device) };
        }
    }
}

impl Executor for MeasuredGpu<'_> {
    fn names(&self) -> (String, Vec<String>) {
        let others = self.others.iter().map(|other| other.name.clone());
        (self.measured.name.clone(), others.collect())
    }

    fn sizes(&self) -> Vec<u32> {
        self.sizes.clone()
    }

    fn grants(&self, sms: u32) -> bool {
        self.device.may_grant(sms)
    }

    fn times(&self) -> Times {
        Times::Occupancy
    }

    fn run(&mut self, series: &Series, count: u64, done: &(dyn Fn(u64) + Sync)) -> Result<Vec<Sample>> {
        if let Some(nvml) = &self.nvml {
            nvml.observe(&mut self.conditions);
        }
        let device = &*self.device;
        let (partitions, how) = match series.neighbor {
            Some(Neighbor::Beside(_)) => match device.with_rest(series.sms) {
                Ok(found) => found,
                // Some drivers make no context of the rest.
                Err(_) => device.partitions(&[series.sms, self.second_size(series.sms)?])?,
            },
            _ => {
                let (partition, how) = device.single(series.sms)?;
                (vec![partition], how)
            }
        };
        let Some(partition) = partitions.first() else {
            return Err(Error::Internal("a split has no partition".to_owned()));
        };
        let observed = partitions.iter().map(Partition::observe);
        let observed = observed.collect::<Result<Vec<_>, Refusal>>()?;
        let wanted: Vec<u32> = partitions.iter().map(|partition| partition.sms).collect();
        if partition.sms != series.sms {
            let found = format!("{} SMs", partition.sms);
            return Err(Error::parameter("partition 0", found, series.sms));
        }
        separate(&observed, &wanted)?;
        let measured = match (series.neighbor, partitions.get(1)) {
            (Some(Neighbor::Beside(other)), Some(second)) => {
                let (function, stop) = (self.other(other)?, AtomicBool::new(false));
                let (begun, begins) = channel();
                let stopped = &stop;
                let beside = move || {
                    device.make_current()?;
                    let ended = run_beside(device.driver, second.stream, function, (&begun, stopped));
                    ended.map_err(|fault| fault.error(device.driver, "the other kernel"))
                };
                let (measured, beside) = std::thread::scope(|scope| {
                    let beside = scope.spawn(beside);
                    let measured = match begins.recv() {
                        Ok(()) => self.series(partition, (series, count), done),
                        // The thread returns the reason.
                        Err(_) => Err(Error::Internal("the other kernel did not begin".to_owned())),
                    };
                    stop.store(true, Ordering::Relaxed);
                    let panicked = |_| Err(Error::Internal("a thread panicked".to_owned()));
                    (measured, beside.join().unwrap_or_else(panicked))
                });
                beside.and_then(|supply| Ok((measured?, Some(supply))))
            }
            _ => { self.series(partition, (series, count), done) }.map(|measured| (measured, None)),
        };
        let ((samples, wait), supply) = match measured {
            Ok(measured) => measured,
            Err(error) => {
                // A job may still run, and the driver would wait for it.
                std::mem::forget(partitions);
                self.lost = true;
                return Err(error);
            }
        };
        let beside = partitions.get(1).map(|partition| partition.sms);
        drop(partitions);
        if let Some(beside) = beside {
            self.rest.insert(series.sms, beside);
        }
        if supply == Some(Supply::Pauses) {
            self.note(
                "other kernel",
                "pauses between groups of jobs, because the streams refuse events",
            );
        }
        self.note("split", &how);
        self.note("wait", &wait);
        if samples.iter().any(|sample| sample.gpu_ns.is_none()) {
            self.note(
                "gpu_ns",
                "not known for all jobs, because the streams refuse events",
            );
        }
        if let Some(nvml) = &self.nvml {
            nvml.observe(&mut self.conditions);
        }
        Ok(samples)
    }

    fn beside(&self, sms: u32) -> Option<u32> {
        self.rest.get(&sms).copied()
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }
}
