//! One partition on a GPU: launches the work of a job, and waits for its end.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::context::{Device, Partition};
use super::library::{Address, Code, NOT_READY};
use crate::backend::{Control, Lane};
use crate::client::{Client, Launched, Signal};
use crate::core::{Job, Outcome};
use crate::realtime;
use crate::run::OTHER_ENDED;
use crate::work::Draws;
use gpusched_model::time::Time;

/// Time after which the dispatcher asks the driver about a job that has not ended [ns].
const PATIENCE: u64 = 20_000_000;
/// Shortest time after which the dispatcher gives up on a job [ns].
const LIMIT: u64 = 5_000_000_000;

/// Largest number of problems that a lane keeps.
const MOST_PROBLEMS: usize = 1000;

/// How a dispatcher learns that a job has ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Wait {
    /// `cuStreamWriteValue32` writes the number of the job to pinned memory.
    WriteValue,
    /// A kernel of one thread writes the number of the job to pinned memory.
    FlagKernel,
    /// The dispatcher asks `cuStreamQuery` again and again.
    Query,
}

impl Wait {
    pub fn described(self) -> &'static str {
        match self {
            Wait::WriteValue => "flag in host memory, written by cuStreamWriteValue32",
            Wait::FlagKernel => "flag in host memory, written by a kernel of one thread",
            Wait::Query => "cuStreamQuery",
        }
    }
}

/// State that all partitions share.
#[derive(Default)]
pub struct Shared {
    /// A fault has ended the primary context, or an overrun has ended the run, so no partition continues.
    pub lost: AtomicBool,
    /// Number of completed jobs of all partitions.
    pub jobs: AtomicU64,
}

/// The work of the jobs of a partition.
pub enum Jobs<'a> {
    /// Kernels that stand in for the user's kernels.
    Synthetic {
        draws: Draws,
        /// Part of each execution time that is left for launch and detection [ns].
        reserve: u64,
        control: Control<'a>,
    },
    /// The work of the user's program.
    Own(Box<dyn Client>),
}

/// A partition on a GPU.
pub struct GpuLane<'a> {
    device: &'a Device<'a>,
    partition: &'a Partition<'a>,
    flag: &'a AtomicU32,
    address: Address,
    shared: &'a Shared,
    pub wait: Wait,
    number: u32,
    pub jobs: Jobs<'a>,
    /// A message of the user's program that ended a sleep.
    pending: Option<Signal>,
    /// Time before an arrival from which the idle dispatcher spins [ns].
    spin: u64,
    /// Time after which the dispatcher gives up on a job [ns]: ten times the largest budget, or longer.
    limit: u64,
    pub enqueues: Vec<u64>,
    pub overheads: Vec<u64>,
    /// Longest job without an end before its report [ns], by position of the task.
    pub stuck: Vec<String>,
}

impl<'a> GpuLane<'a> {
    pub fn new(
        device: &'a Device<'a>,
        partition: &'a Partition<'a>,
        (flag, address): (&'a AtomicU32, Address),
        shared: &'a Shared,
        (own, spin): (Jobs<'a>, u64),
        (records, budget): (usize, u64),
    ) -> GpuLane<'a> {
        GpuLane {
            device,
            partition,
            flag,
            address,
            shared,
            wait: Wait::WriteValue,
            number: 0,
            jobs: own,
            pending: None,
            spin,
            limit: budget.saturating_mul(10).max(LIMIT),
            enqueues: Vec::with_capacity(records),
            overheads: Vec::with_capacity(records),
            stuck: Vec::new(),
        }
    }

    /// Runs jobs of 10 µs, so that no later launch is the first of its kind, and finds out how to wait.
    ///
    /// # Errors
    /// Fails with a text if no way to wait works.
    pub fn warm_up(&mut self) -> Result<(), String> {
        let mut refused = Vec::new();
        for wait in [Wait::WriteValue, Wait::FlagKernel, Wait::Query] {
            self.wait = wait;
            let once = |lane: &mut GpuLane<'a>| {
                lane.spin(10_000)
                    .and_then(|()| lane.mark())
                    .map_err(|(call, code)| (call, lane.device.driver.name_of(code)))?;
                lane.await_end(realtime::now())
                    .map_err(|error| ("the end of a job", error))
            };
            match (0..32).try_for_each(|_| once(self).map(drop)) {
                Ok(()) => return Ok(()),
                Err((call, error)) => refused.push(format!("{}: {call}: {error}", wait.described())),
            }
        }
        Err(refused.join("; "))
    }

    /// Enqueues a kernel that lasts `time` ns on all SMs of the partition.
    fn spin(&mut self, time: u64) -> Result<(), (&'static str, Code)> {
        match self.partition.spin(time) {
            0 => Ok(()),
            code => Err(("cuLaunchKernel", code)),
        }
    }

    /// Enqueues the mark behind the work of a job.
    fn mark(&mut self) -> Result<(), (&'static str, Code)> {
        let (device, stream) = (self.device, self.partition.stream);
        self.number = self.number.wrapping_add(1);
        let mut value = self.number;
        let (call, code) = match self.wait {
            // SAFETY: the stream exists, and the address is a flag.
            Wait::WriteValue => unsafe {
                (
                    "cuStreamWriteValue32",
                    (device.driver.write_value)(stream, self.address, value, 0),
                )
            },
            Wait::FlagKernel => {
                let mut address = self.address;
                let arguments = &mut [(&raw mut address).cast(), (&raw mut value).cast()];
                // SAFETY: `gpusched_flag` takes an address and a 32-bit number. The flag outlives the stream.
                let code = unsafe { device.launch(device.flag, stream, (1, 1, 0), arguments) };
                ("cuLaunchKernel", code)
            }
            Wait::Query => ("", 0),
        };
        match code {
            0 => Ok(()),
            code => Err((call, code)),
        }
    }

    /// Launches an executable graph of the user's program.
    fn graph(&self, graph: usize) -> Result<(), (&'static str, Code)> {
        // SAFETY: the stream exists, and the program states that the graph exists.
        match unsafe { (self.device.driver.graph_launch)(graph, self.partition.stream) } {
            0 => Ok(()),
            code => Err(("cuGraphLaunch", code)),
        }
    }

    /// Ends the run of all partitions, when their present jobs have ended.
    pub fn end_all(&self) {
        self.shared.lost.store(true, Ordering::Relaxed);
    }

    fn query(&self) -> Code {
        // SAFETY: the stream exists.
        unsafe { (self.device.driver.stream_query)(self.partition.stream) }
    }

    /// Waits until the enqueued work has ended. `from` is the time of the decision [ns]. Returns the time at
    /// which it observed the end.
    fn await_end(&mut self, from: u64) -> Result<u64, String> {
        let (mut asked, mut reported) = (from.saturating_add(PATIENCE), false);
        loop {
            let ended = match self.wait {
                Wait::Query => match self.query() {
                    0 => true,
                    NOT_READY => false,
                    code => return Err(self.device.driver.name_of(code)),
                },
                _ => self.flag.load(Ordering::Acquire) == self.number,
            };
            let now = realtime::now();
            if ended {
                return Ok(now);
            }
            std::hint::spin_loop();
            if now < asked {
                continue;
            }
            asked = now.saturating_add(PATIENCE);
            match self.query() {
                NOT_READY => {}
                // The flag may have been written since it was read.
                0 if self.flag.load(Ordering::Acquire) == self.number || self.wait == Wait::Query => {}
                0 => return Err("all work of the stream has ended, but its flag was not written".to_owned()),
                code => return Err(self.device.driver.name_of(code)),
            }
            let waited = now.saturating_sub(from);
            if waited > 10 * PATIENCE && !std::mem::replace(&mut reported, true) {
                self.stuck.push(format!(
                    "a job has not ended {} ms after its decision",
                    waited / 1_000_000
                ));
            }
            if waited > self.limit {
                return Err(format!(
                    "a job has not ended {} after its decision",
                    Time::from_ns(self.limit)
                ));
            }
        }
    }
}

impl Lane for GpuLane<'_> {
    type Error = String;

    fn now(&mut self) -> u64 {
        realtime::now()
    }

    fn run(&mut self, job: &Job, decision: u64) -> Result<(u64, Outcome), String> {
        if self.shared.lost.load(Ordering::Relaxed) {
            return Err(OTHER_ENDED.to_owned());
        }
        let (mut failed, mut last) = (false, true);
        let (work, spin) = match &mut self.jobs {
            Jobs::Synthetic { draws, reserve, .. } => {
                let (execution, is_last) = draws.next(job);
                last = is_last;
                let time = execution.saturating_sub(*reserve);
                (self.spin(time), Some(time))
            }
            Jobs::Own(client) => match client.enqueue(self.partition.stream, job) {
                Launched::Enqueued => (Ok(()), None),
                Launched::Graph(graph) => (self.graph(graph), None),
                Launched::Failed => {
                    failed = true;
                    (Ok(()), None)
                }
            },
        };
        let launched = work.and_then(|()| self.mark());
        let enqueued = realtime::now();
        let mut outcome = Outcome {
            enqueued,
            // The time on the GPU is unknown, but the time to enqueue the work is a part of the overhead.
            overhead: spin.is_none().then(|| enqueued.saturating_sub(decision)),
            failed,
            last,
        };
        self.shared.jobs.fetch_add(u64::from(last), Ordering::Relaxed);
        let lost = |lane: &GpuLane<'_>, error: String| {
            lane.shared.lost.store(true, Ordering::Relaxed);
            error
        };
        if let Err((call, code)) = launched {
            // A job whose chunk fails has ended.
            (outcome.failed, outcome.last) = (true, true);
            let error = format!("{call}: {}", self.device.driver.name_of(code));
            // If the stream works, the error concerns only this launch. Work that was enqueued ends first.
            loop {
                let waited = realtime::now().saturating_sub(decision);
                match self.query() {
                    0 => break,
                    NOT_READY if waited <= self.limit => std::hint::spin_loop(),
                    _ => return Err(lost(self, error)),
                }
            }
            if self.stuck.len() < MOST_PROBLEMS {
                self.stuck.push(error);
            }
            return Ok((realtime::now(), outcome));
        }
        let end = self.await_end(decision).map_err(|error| lost(self, error))?;
        // A push beyond the reserved memory would allocate while other partitions run.
        if self.enqueues.len() < self.enqueues.capacity() {
            self.enqueues.push(enqueued.saturating_sub(decision));
            if let Some(spin) = spin {
                self.overheads
                    .push(end.saturating_sub(decision).saturating_sub(spin));
            }
        }
        Ok((end, outcome))
    }

    fn sleep(&mut self, until: u64) -> u64 {
        loop {
            let now = realtime::now();
            let Some(rest) = until.checked_sub(now).filter(|&rest| rest > 0) else {
                return now;
            };
            let far = rest > self.spin.saturating_mul(2);
            match &mut self.jobs {
                Jobs::Own(client) => {
                    self.pending = client.signal(if far { until - self.spin } else { 0 });
                    if self.pending.is_some() {
                        return realtime::now();
                    }
                }
                Jobs::Synthetic { control, .. } if control.signal().is_some() => return now,
                Jobs::Synthetic { .. } if far => {
                    realtime::sleep_until((until - self.spin).min(now.saturating_add(PATIENCE)));
                }
                Jobs::Synthetic { .. } => std::hint::spin_loop(),
            }
        }
    }

    fn signal(&mut self) -> Option<Signal> {
        match &mut self.jobs {
            Jobs::Own(client) => self.pending.take().or_else(|| client.signal(0)),
            Jobs::Synthetic { control, .. } => control.signal(),
        }
    }
}
