//! One partition on a GPU: launches the work of a job, and waits for its end.
#![allow(unsafe_code, reason = "calls of the CUDA driver")]

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::context::{Device, Partition};
use super::library::{Address, Code, NOT_READY};
use crate::backend::{Control, Lane};
use crate::core::{Job, Outcome};
use crate::realtime;
use crate::run::OTHER_ENDED;
use crate::work::Draws;
use gpusched_model::time::Time;

/// Threads per block of a job. One block per SM is enough to occupy a partition.
const THREADS: u32 = 64;
/// Time after which the dispatcher asks the driver about a job that has not ended [ns].
const PATIENCE: u64 = 20_000_000;
/// Shortest time after which the dispatcher gives up on a job [ns].
const LIMIT: u64 = 5_000_000_000;

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

/// A partition on a GPU.
pub struct GpuLane<'a> {
    device: &'a Device<'a>,
    partition: &'a Partition<'a>,
    flag: &'a AtomicU32,
    address: Address,
    shared: &'a Shared,
    control: Control<'a>,
    pub wait: Wait,
    number: u32,
    draws: Draws,
    /// Part of each execution time that is left for launch and detection [ns].
    reserve: u64,
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
        (shared, control): (&'a Shared, Control<'a>),
        (draws, reserve, spin): (Draws, u64, u64),
        (jobs, budget): (usize, u64),
    ) -> GpuLane<'a> {
        GpuLane {
            device,
            partition,
            flag,
            address,
            shared,
            control,
            wait: Wait::WriteValue,
            number: 0,
            draws,
            reserve,
            spin,
            limit: budget.saturating_mul(10).max(LIMIT),
            enqueues: Vec::with_capacity(jobs),
            overheads: Vec::with_capacity(jobs),
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
                lane.enqueue(10_000)
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

    /// Enqueues a kernel that lasts `spin` ns on all SMs of the partition, and the mark behind it.
    fn enqueue(&mut self, mut spin: u64) -> Result<(), (&'static str, Code)> {
        let (device, stream) = (self.device, self.partition.stream);
        self.number = self.number.wrapping_add(1);
        let size = (self.partition.sms, THREADS, 0);
        // SAFETY: the kernel and the stream exist, and `gpusched_spin` takes one 64-bit number.
        let code = unsafe { device.launch(device.spin, stream, size, &mut [(&raw mut spin).cast()]) };
        if code != 0 {
            return Err(("cuLaunchKernel", code));
        }
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
        let (execution, last) = self.draws.next(job);
        let spin = execution.saturating_sub(self.reserve);
        let launched = self.enqueue(spin);
        let enqueued = realtime::now();
        let mut outcome = Outcome {
            enqueued,
            overhead: None,
            failed: false,
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
            // If the stream works, the error concerns only this launch. What was enqueued ends first.
            loop {
                match self.query() {
                    0 => break,
                    NOT_READY => std::hint::spin_loop(),
                    _ => return Err(lost(self, error)),
                }
            }
            self.stuck.push(error);
            return Ok((realtime::now(), outcome));
        }
        let end = self.await_end(decision).map_err(|error| lost(self, error))?;
        self.enqueues.push(enqueued.saturating_sub(decision));
        self.overheads
            .push(end.saturating_sub(decision).saturating_sub(spin));
        Ok((end, outcome))
    }

    fn sleep(&mut self, until: u64) -> u64 {
        loop {
            let now = realtime::now();
            match until.checked_sub(now) {
                None | Some(0) => return now,
                Some(_) if self.stops() => return now,
                Some(rest) if rest > self.spin.saturating_mul(2) => {
                    realtime::sleep_until((until - self.spin).min(now.saturating_add(PATIENCE)));
                }
                Some(_) => std::hint::spin_loop(),
            }
        }
    }

    fn stops(&self) -> bool {
        self.control.stop.load(Ordering::Relaxed)
    }
}
