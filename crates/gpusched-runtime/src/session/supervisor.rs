//! The thread that owns the GPU.

use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use gpusched_model::Factor;
use gpusched_model::error::Error;
use gpusched_model::time::Time;

use super::fault::{Fault, Kind};
use super::options::Options;
use crate::backend::threads::refused;
use crate::backend::{Backend, cuda, paced};
use crate::client::Start;
use crate::program::Program;
use crate::run::Run;
use crate::work::Work;

/// The thread that owns the GPU. It keeps the partitions and their streams until the session closes it.
pub(super) struct Supervisor {
    thread: JoinHandle<()>,
    /// The run that ended. `None` if the session closed before a start.
    result: Receiver<Result<Option<Run>, Fault>>,
    /// The thread ends when this value is dropped.
    hold: Sender<()>,
}

impl Supervisor {
    /// Waits for the end of the run. Returns its result once.
    pub fn result(&self) -> Result<Option<Run>, Fault> {
        let panicked = || Error::Internal("the thread of the session panicked".to_owned());
        let ended = self.result.recv();
        ended.unwrap_or_else(|_| Err(Fault::of(Kind::Internal)(panicked())))
    }

    /// Destroys the partitions, and waits for the end of the thread.
    pub fn close(self) {
        drop(self.hold);
        // The session has reported a panic as the result.
        let _ = self.thread.join();
    }
}

/// Seed of the execution times without a GPU.
const SEED: u64 = 1;

/// Starts the thread that owns the GPU. Returns the way to start the dispatchers, and the streams of the partitions.
pub(super) fn supervise(
    program: &Program,
    options: &Options,
) -> Result<(Sender<Start>, Vec<usize>, Supervisor), Fault> {
    let (opened, streams) = channel();
    let (sender, start) = channel::<Start>();
    let (ended, result) = sync_channel(1);
    let (hold, held) = channel::<()>();
    let (program, options) = (program.clone(), options.clone());
    let serve = move || {
        // The program uses the streams until the session closes, so the partitions exist until then.
        let keep = |run: Result<Option<Run>, Error>| {
            let _ = ended.send(run.map_err(Fault::about_gpu));
            let _ = held.recv();
        };
        match options.backend {
            Backend::Simulated => {
                // The session waits for the streams.
                let _ = opened.send(vec![0; program.partitions.len()]);
                let work = Work {
                    seed: SEED,
                    shortest: Factor::from_f64(0.5).unwrap_or(Factor::ONE),
                    stated: Default::default(),
                    faults: Default::default(),
                };
                let run = start.recv().ok().map(|start| paced::serve(start, &work));
                keep(run.transpose());
            }
            Backend::Cuda => {
                let driver = match cuda::Driver::load() {
                    Ok(driver) => driver,
                    Err(refusal) => {
                        let _ = ended.send(Err(Fault::about_driver(refusal)));
                        return;
                    }
                };
                let settings = cuda::Options {
                    duration: Time::ZERO,
                    reserve: Time::ZERO,
                    spin: options.spin,
                    fifo_priority: options.fifo_priority,
                    wake_bound: program.overheads.map(|overheads| overheads.wake_ns),
                };
                let prepare = |streams: &[usize]| {
                    opened.send(streams.to_vec()).ok()?;
                    let start = start.recv().ok();
                    if start.is_none() {
                        // After a start that failed early, the program still uses the streams.
                        let _ = held.recv();
                    }
                    start
                };
                let failed = cuda::serve(&driver, &program, options.device, settings, prepare, |run| {
                    keep(run.map(Some));
                });
                if let Err(error) = failed {
                    let _ = ended.send(Err(Fault::about_gpu(error)));
                }
            }
        }
    };
    let thread = thread::Builder::new().spawn(serve);
    let thread = thread.map_err(|cause| Fault::about_gpu(refused(&cause).into()))?;
    let supervisor = Supervisor { thread, result, hold };
    match streams.recv() {
        Ok(streams) => Ok((sender, streams, supervisor)),
        Err(_) => {
            let none = || Error::Internal("the GPU opened without streams".to_owned());
            let fault = supervisor.result().err();
            supervisor.close();
            Err(fault.unwrap_or_else(|| Fault::of(Kind::Internal)(none())))
        }
    }
}
