//! Measurements on a GPU: the jobs of a plugin run through the dispatcher, in a green context of each size.
//!
//! The dispatcher of one partition runs all jobs of a series. So the time of a job is its occupancy, from the decision of the dispatcher
//! to the next decision, and it includes the overheads of a dispatcher that runs alone. Two events around the job give its time on the
//! GPU. The state of the GPU is read before and after each series, and never changed.
#![allow(unsafe_code, reason = "calls of the CUDA driver and of plugins")]

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use gpusched_model::Times;
use gpusched_model::error::{Error, Refusal, Result};
use libloading::Library;

use super::context::{Device, Flags, Memory, Partition};
use super::lane::{GpuLane, Jobs, Shared};
use super::library::{Address, Code, Driver, Handle};
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

/// Jobs of a kernel on other SMs that wait in its stream, so that it never idles.
const DEPTH: u32 = 8;

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
    device: Device<'a>,
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
            device,
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
    fn beside(&self, sms: u32) -> Result<u32> {
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
        let events = Events::new(driver);
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
        lane.warm_up()
            .map_err(|error| Refusal::new("partition 0", error, "jobs that end"))?;
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
            let samples = receive(&receiver, count, done);
            let ended = dispatcher
                .join()
                .unwrap_or_else(|_| Err("its thread panicked".to_owned()));
            ended.map(|()| samples)
        });
        let lost = |error: String| Error::parameter("plugin", error, "jobs that end");
        let samples = match ended {
            Ok(samples) => samples,
            Err(error) => {
                // A job may still use the memory. The end of the process frees it.
                std::mem::forget((flags, events, second, cold));
                return Err(lost(error));
            }
        };
        Ok((samples?, wait))
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
    receiver: &Receiver<Result<Sample, c_int>>,
    count: u64,
    done: &(dyn Fn(u64) + Sync),
) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    // The channel ends with the dispatcher.
    while let Ok(sample) = receiver.recv() {
        let failed = |code| {
            let found = format!("the result {code} of job {}", samples.len());
            Error::parameter("plugin", found, format!("0 from `{FUNCTION}`"))
        };
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
    synchronize: unsafe extern "C" fn(Handle) -> Code,
    record: unsafe extern "C" fn(Handle, Handle) -> Code,
    elapsed: unsafe extern "C" fn(*mut f32, Handle, Handle) -> Code,
    await_event: unsafe extern "C" fn(Handle) -> Code,
}

impl Calls {
    fn of(driver: &Driver) -> Calls {
        Calls {
            fill: driver.fill,
            synchronize: driver.stream_synchronize,
            record: driver.event_record,
            elapsed: driver.event_elapsed,
            await_event: driver.event_synchronize,
        }
    }
}

/// Two events, before and after a job.
struct Events<'a> {
    driver: &'a Driver,
    /// `None` if the driver refuses events.
    handles: Option<[Handle; 2]>,
}

impl<'a> Events<'a> {
    fn new(driver: &'a Driver) -> Events<'a> {
        let mut handles = [0; 2];
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

impl Drop for Events<'_> {
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
    sender: Sender<Result<Sample, c_int>>,
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
    fn prepare(&self) {
        // SAFETY: the streams exist, and the memory has this number of words. Stream 0 is the default stream.
        unsafe {
            if self.second != 0 {
                (self.calls.synchronize)(self.second);
            }
            if let Some((memory, words)) = self.cold {
                (self.calls.fill)(memory, 7, words);
                (self.calls.synchronize)(0);
            }
        }
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
                // The receiver may have ended.
                let _ = self.sender.send(Err(code));
                self.left = 0;
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
            self.prepare();
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

/// A kernel that runs in its own partition until `stop`. Returns the error of its function.
fn run_beside(
    device: &Device<'_>,
    partition: &Partition<'_>,
    function: Function,
    stop: &AtomicBool,
) -> c_int {
    if device.make_current().is_err() {
        return -1;
    }
    let mut waiting = 0;
    while !stop.load(Ordering::Relaxed) {
        // SAFETY: the user states that the function enqueues one job on the stream.
        let code = unsafe { function(partition.stream as *mut c_void) };
        if code != 0 {
            return code;
        }
        waiting += 1;
        if waiting == DEPTH {
            partition.synchronize();
            waiting = 0;
        }
    }
    partition.synchronize();
    0
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
        let device = &self.device;
        let (partitions, how) = match series.neighbor {
            Some(Neighbor::Beside(_)) => device.partitions(&[series.sms, self.beside(series.sms)?])?,
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
                let (measured, code) = std::thread::scope(|scope| {
                    let beside = scope.spawn(|| run_beside(device, second, function, &stop));
                    let measured = self.series(partition, (series, count), done);
                    stop.store(true, Ordering::Relaxed);
                    (measured, beside.join().unwrap_or(-1))
                });
                if code != 0 {
                    let found = format!("the result {code} of the other kernel");
                    return Err(Error::parameter("plugin", found, format!("0 from `{FUNCTION}`")));
                }
                measured
            }
            _ => self.series(partition, (series, count), done),
        };
        let (samples, wait) = match measured {
            Ok(measured) => measured,
            Err(error) => {
                // A job may still run, and the driver would wait for it.
                std::mem::forget(partitions);
                return Err(error);
            }
        };
        drop(partitions);
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

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }
}
