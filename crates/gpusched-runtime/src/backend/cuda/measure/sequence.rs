//! The jobs of a series, as the dispatcher sees them.
#![allow(unsafe_code, reason = "calls of the CUDA driver and of plugins")]

use std::sync::mpsc::Sender;

use super::super::library::{Address, Code, Driver, Handle};
use super::fault::{Fault, poll};
use super::kernel::{Launch, Launcher};
use crate::client::{Client, Launched, Signal};
use crate::core::{Job, Record};
use crate::measure::{Contention, Sample};
use crate::realtime;

/// The calls of the driver that a sequence of jobs uses. The functions are valid as long as the process runs.
#[derive(Copy, Clone)]
pub struct Calls {
    fill: unsafe extern "C" fn(Address, u32, usize) -> Code,
    query: unsafe extern "C" fn(Handle) -> Code,
    record: unsafe extern "C" fn(Handle, Handle) -> Code,
    elapsed: unsafe extern "C" fn(*mut f32, Handle, Handle) -> Code,
    await_event: unsafe extern "C" fn(Handle) -> Code,
}

impl Calls {
    pub fn of(driver: &Driver) -> Calls {
        Calls {
            fill: driver.fill,
            query: driver.stream_query,
            record: driver.event_record,
            elapsed: driver.event_elapsed,
            await_event: driver.event_synchronize,
        }
    }
}

/// The jobs of a series, as the dispatcher sees them. With warm caches, each job directly follows the job before. Other jobs need a
/// preparation, so the dispatcher idles before them.
pub struct Sequence {
    pub calls: Calls,
    /// Events before and after a job.
    pub events: Option<[Handle; 2]>,
    pub launcher: Launcher,
    pub measured: Launch,
    pub neighbor: Option<(Launch, Contention)>,
    /// Stream of a concurrent kernel; 0 without such a kernel.
    pub second: Handle,
    /// Memory that replaces the content of L2, and its number of words.
    pub cold: Option<(Address, usize)>,
    /// Number of jobs that have not completed.
    pub left: u64,
    /// Releases that the dispatcher has not received yet: positions of tasks, the next one last.
    pub pending: Vec<usize>,
    /// Whether a job was released and has not completed.
    pub busy: bool,
    /// Completion of the last job [ns]; 0 before the first job.
    pub last: u64,
    pub sender: Sender<Result<Sample, Fault>>,
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
        let launcher = self.launcher;
        let enqueued = match (job.task, self.neighbor) {
            (1, Some((other, _))) => launcher.enqueue(other, stream),
            _ => {
                let before = match self.neighbor {
                    Some((other, Contention::Concurrent)) => launcher.enqueue(other, self.second),
                    _ => Ok(()),
                };
                self.record(0, stream);
                let measured = launcher.enqueue(self.measured, stream);
                self.record(1, stream);
                before.and(measured)
            }
        };
        match enqueued {
            Ok(()) => Launched::Enqueued,
            Err(fault) => {
                self.fail(fault);
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
        if self.sender.send(Ok(sample)).is_err() {
            // The measurement was interrupted.
            self.left = 0;
        }
    }

    fn ended(&mut self, _: Option<&str>) {}
}
