//! Measurements on a GPU: the jobs of a kernel run through the dispatcher, in a green context of each size.
//!
//! The dispatcher of one partition runs all jobs of a series. So the time of a job is its occupancy, from the decision of the dispatcher
//! to the next decision, and it includes the overheads of a dispatcher that runs alone. Two events around the job give its time on the
//! GPU. The state of the GPU is read before and after each series, and never changed.
//!
//! * `kernel`: plugins, and kernels of the program that measures;
//! * `sequence`: the jobs of a series, as the dispatcher sees them;
//! * `beside`: a kernel that runs on other SMs;
//! * `fault`: reasons for the early end of a series.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

mod beside;
mod fault;
mod kernel;
mod sequence;

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use gpusched_model::Times;
use gpusched_model::error::{Error, Refusal, Result};

use self::beside::{Supply, run_beside};
use self::fault::{BUDGET, Fault, poll};
use self::kernel::Launcher;
pub use self::kernel::{Kernel, Launch, Place, Plugin};
use self::sequence::{Calls, Sequence};
use super::calibration::{Buffers, Kernels as LoadKernels};
use super::context::{Device, Partition};
use super::events::Events;
use super::lane::{GpuLane, Jobs, Shared};
use super::library::{Driver, Handle};
use super::memory::{Flags, Memory};
use super::nvml::Nvml;
use super::separate;
use crate::backend::dispatch;
use crate::client::OPEN_END;
use crate::core::{Arrivals, Core, Order, Task};
use crate::measure::{Cache, Conditions, Contention, Executor, Load, Neighbor, Sample, Series};
use crate::realtime;

/// Size of the memory that replaces the content of L2, as a multiple of the size of L2 in halves.
const HALVES: usize = 5;

/// Time before an arrival from which the dispatcher spins [ns]. It only waits for its own preparation, so it never sleeps.
const SPIN: u64 = 1_000_000;

/// Setting of a measurement whose jobs are CUDA graphs.
pub const GRAPHS: &str = "jobs";

/// Another kernel of a measurement.
pub enum OtherKernel<'a> {
    /// A kernel of the user.
    User(Box<dyn Kernel + 'a>),
    /// A kernel of gpusched, for other SMs.
    Load(Load),
}

/// The measured kernel, and the other kernels.
pub type Kernels<'a> = (Box<dyn Kernel + 'a>, Vec<OtherKernel<'a>>);

/// A GPU that runs the jobs of kernels.
pub struct MeasuredGpu<'a> {
    device: ManuallyDrop<Device<'a>>,
    /// Whether a job may still run. Then the device stays open, because its end would wait for the job.
    lost: bool,
    /// SMs of the kernel on other SMs, by the SMs of the measured kernel.
    rest: BTreeMap<u32, u32>,
    measured: Box<dyn Kernel + 'a>,
    others: Vec<OtherKernel<'a>>,
    sizes: Vec<u32>,
    nvml: Option<Nvml>,
    conditions: Conditions,
}

impl<'a> MeasuredGpu<'a> {
    /// Opens the GPU `ordinal` for the measured kernel and the other kernels. `locked` states whether the clocks cannot change.
    ///
    /// # Errors
    /// Fails without this GPU, and if a call of the driver fails.
    pub fn open(
        driver: &'a Driver,
        ordinal: i32,
        (measured, others): Kernels<'a>,
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
            measured,
            others,
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

    /// Returns the largest number of SMs that a second partition can have beside `sms` SMs.
    fn second_size(&self, sms: u32) -> Result<u32> {
        // The last size is the whole GPU, and the size before it is the largest total of a split.
        let split = self.sizes.iter().rev().nth(1).copied().unwrap_or(0);
        let rest = self.sizes.iter().rev().find(|&&rest| rest + sms <= split);
        let expected = "fewer SMs, because the other kernel needs SMs of its own";
        rest.copied()
            .ok_or_else(|| Error::parameter("sms", sms, expected))
    }

    /// Runs `count` jobs of `series` in `partition`. `second` is the stream of a concurrent kernel, or 0.
    fn series(
        &self,
        (partition, second): (&Partition<'_>, Handle),
        (measured, other): (Launch, Option<Launch>),
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
            Some(Neighbor::Inside(_, contention)) => other.map(|other| (other, contention)),
            None | Some(Neighbor::Beside(_)) => None,
        };
        let flags = Flags::new(driver, 1)?;
        let shared = Shared::default();
        let events = Events::<2>::new(driver);
        let (sender, receiver) = channel();
        let sequence = Sequence {
            calls: Calls::of(driver),
            events: events.handles,
            launcher: Launcher::of(driver),
            measured,
            neighbor,
            second,
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
            std::mem::forget((flags, events, cold));
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
            let samples = receive(driver, receiver, count, done);
            let ended = dispatcher
                .join()
                .unwrap_or_else(|_| Err("its thread panicked".to_owned()));
            ended.map(|()| samples)
        });
        let lost = |error: String| Error::parameter("plugin", error, "jobs that end");
        match ended.map_err(lost).flatten() {
            Ok(samples) => Ok((samples, wait)),
            Err(error) => {
                std::mem::forget((flags, events, cold));
                Err(error)
            }
        }
    }
}

/// Prepares the measured kernel for its place, and the other kernel of a series for its own.
fn prepare(
    measured: &mut (dyn Kernel + '_),
    others: &mut [OtherKernel<'_>],
    own: Place,
    other: Option<(usize, Place)>,
) -> Result<(Launch, Option<Job>)> {
    let measured = measured.prepare(own)?;
    let other = other.map(|(index, place)| {
        let none = || Error::Internal(format!("there is no kernel {index}"));
        match others.get_mut(index).ok_or_else(none)? {
            OtherKernel::User(kernel) => kernel.prepare(place).map(Job::User),
            OtherKernel::Load(load) => Ok(Job::Load(*load)),
        }
    });
    Ok((measured, other.transpose()?))
}

/// Stops the kernel on other SMs at its end, which may be an interrupt of the measurement.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A job of another kernel.
#[derive(Copy, Clone)]
enum Job {
    User(Launch),
    Load(Load),
}

impl Job {
    /// Returns the job of a kernel of the user.
    fn of_user(self) -> Option<Launch> {
        match self {
            Job::User(launch) => Some(launch),
            Job::Load(_) => None,
        }
    }
}

/// Runs `job` in `partition` until `stop`, as [`run_beside`] does.
fn beside(
    device: &Device<'_>,
    partition: &Partition<'_>,
    job: Job,
    signals: (&Sender<()>, &AtomicBool),
) -> Result<Supply> {
    device.make_current()?;
    let driver = device.driver;
    let failed = |fault: Fault| fault.error(driver, "the other kernel");
    match job {
        Job::User(launch) => {
            let launcher = Launcher::of(driver);
            let enqueue = |stream| launcher.enqueue(launch, stream);
            run_beside(driver, partition.stream, &enqueue, signals).map_err(failed)
        }
        Job::Load(load) => {
            let expected = "a GPU whose driver states the size of its L2 cache";
            let none = || Error::parameter("beside", device.name.clone(), expected);
            let kernels = LoadKernels::load(device)?;
            let buffers = ManuallyDrop::new(Buffers::new(device)?.ok_or_else(none)?);
            let enqueue = |stream| match buffers.load(&kernels, (stream, partition.sms), load) {
                0 => Ok(()),
                code => Err(Fault::Call("cuLaunchKernel", code)),
            };
            let supply = run_beside(driver, partition.stream, &enqueue, signals);
            match supply {
                Ok(supply) => {
                    drop(ManuallyDrop::into_inner(buffers));
                    Ok(supply)
                }
                Err(fault) => {
                    // A job may still run. The end of the process frees its kernel and its memory.
                    std::mem::forget(kernels);
                    Err(failed(fault))
                }
            }
        }
    }
}

/// Observes the SMs of all partitions again, and refuses SMs other than `before`.
fn stayed(partitions: &[Partition<'_>], before: &[Vec<u32>]) -> Result<(), Refusal> {
    for (index, (partition, before)) in partitions.iter().zip(before).enumerate() {
        let after = partition.observe()?;
        if after != *before {
            let listed = |sms: &[u32]| sms.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
            let found = format!("kernels on the SMs {} after the jobs", listed(&after));
            let expected = format!("the SMs before the jobs: {}", listed(before));
            return Err(Refusal::new(format!("partition {index}"), found, expected));
        }
    }
    Ok(())
}

/// Frees what all kernels created for the last series.
fn release(measured: &mut (dyn Kernel + '_), others: &mut [OtherKernel<'_>]) {
    measured.release();
    for other in others {
        if let OtherKernel::User(kernel) = other {
            kernel.release();
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

/// Collects `count` samples, and reports each to `done`. If `done` interrupts the measurement, the channel ends, and with it the series.
fn receive(
    driver: &Driver,
    receiver: Receiver<Result<Sample, Fault>>,
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

/// Returns the name of the GPU `ordinal`, and its number of SMs.
///
/// # Errors
/// Fails without this GPU, or if a call of the driver fails.
pub fn gpu(driver: &Driver, ordinal: i32) -> Result<(String, u32)> {
    let device = Device::open(driver, ordinal)?;
    Ok((device.name.clone(), device.sms))
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
        let others = self.others.iter().map(|other| match other {
            OtherKernel::User(kernel) => kernel.name().to_owned(),
            OtherKernel::Load(load) => load.to_string(),
        });
        (self.measured.name().to_owned(), others.collect())
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
        let concurrent = matches!(series.neighbor, Some(Neighbor::Inside(_, Contention::Concurrent)));
        let second = concurrent.then(|| partition.second_stream()).transpose()?;
        let second_stream = second.as_ref().map_or(0, |second| second.stream);
        let place = |stream, sms| Place {
            stream,
            sms,
            all: device.sms,
        };
        // The other kernel has a stream of its own, unless it alternates with the measured kernel.
        let other = match (series.neighbor, partitions.get(1)) {
            (Some(Neighbor::Beside(other)), Some(beside)) => Some((other, place(beside.stream, beside.sms))),
            (Some(Neighbor::Inside(other, Contention::Concurrent)), _) => {
                Some((other, place(second_stream, partition.sms)))
            }
            (Some(Neighbor::Inside(other, _)), _) => Some((other, place(partition.stream, partition.sms))),
            _ => None,
        };
        let own = place(partition.stream, partition.sms);
        let launches = prepare(&mut *self.measured, &mut self.others, own, other);
        let launches = match launches {
            Ok(launches) => launches,
            Err(error) => {
                release(&mut *self.measured, &mut self.others);
                return Err(error);
            }
        };
        let run_series = |gpu: &MeasuredGpu<'_>| {
            let launches = (launches.0, launches.1.and_then(Job::of_user));
            gpu.series((partition, second_stream), launches, (series, count), done)
        };
        let measured = match (series.neighbor, partitions.get(1), launches.1) {
            (Some(Neighbor::Beside(_)), Some(second), Some(job)) => {
                let stop = AtomicBool::new(false);
                let (begun, begins) = channel();
                let stopped = &stop;
                let beside = move || beside(device, second, job, (&begun, stopped));
                let (measured, beside) = std::thread::scope(|scope| {
                    let beside = scope.spawn(beside);
                    let end = Stop(&stop);
                    let measured = match begins.recv() {
                        Ok(()) => run_series(self),
                        // The thread returns the reason.
                        Err(_) => Err(Error::Internal("the other kernel did not begin".to_owned())),
                    };
                    drop(end);
                    let panicked = |_| Err(Error::Internal("a thread panicked".to_owned()));
                    (measured, beside.join().unwrap_or_else(panicked))
                });
                beside.and_then(|supply| Ok((measured?, Some(supply))))
            }
            _ => run_series(self).map(|measured| (measured, None)),
        };
        // The driver loaded the kernel after the first observation.
        let measured = measured.and_then(|measured| {
            if concurrent {
                let ended = poll("cuStreamQuery", || {
                    // SAFETY: the stream exists.
                    unsafe { (device.driver.stream_query)(second_stream) }
                });
                ended.map_err(|fault| fault.error(device.driver, "the other kernel"))?;
            }
            stayed(&partitions, &observed)?;
            Ok(measured)
        });
        let ((samples, wait), supply) = match measured {
            Ok(measured) => measured,
            Err(error) => {
                // A job may still run, and the driver would wait for it.
                std::mem::forget((second, partitions));
                self.lost = true;
                return Err(error);
            }
        };
        let beside = partitions.get(1).map(|partition| partition.sms);
        release(&mut *self.measured, &mut self.others);
        drop(second);
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
        let graph = |launch| matches!(launch, Some(Launch::Graph(_)));
        if graph(Some(launches.0)) || graph(launches.1.and_then(Job::of_user)) {
            self.note(GRAPHS, "CUDA graphs, whose SMs are not observed");
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
