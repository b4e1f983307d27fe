//! The start of the dispatchers.

use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread;

use gpusched_model::time::Time;

use super::fault::Fault;
use super::jobs::{Partition, Source};
use super::records::{EVENTS, OnComplete};
use super::state::{Phase, Running, Session, Setup, internal, outside};
use crate::backend::threads::refused;
use crate::client::{self, OPEN_END, Served, Start};
use crate::grant::Grant;
use crate::queue::{Progress, queue};
use crate::realtime;
use crate::trace::Heading;

/// Messages that fit into the queue of a dispatcher.
pub(super) const SIGNALS: usize = 4096;

impl Session {
    /// Starts the dispatchers. The first job of each periodic task arrives at `first` on CLOCK_MONOTONIC [ns]; with 0, 10 ms after the
    /// start. Returns the time of the first arrivals.
    ///
    /// # Errors
    /// Fails if a periodic task has no work, if kernels run on other SMs than planned, or if `first` has passed before the call or during
    /// the warm-up. A session whose warm-up has begun does not start again.
    pub fn start(&self, first: u64) -> Result<u64, Fault> {
        outside()?;
        let mut phase = self.phase();
        let setup = match &*phase {
            Phase::Open(setup) => setup,
            Phase::Failed(fault, _) => return Err(fault.clone()),
            Phase::Running(..) | Phase::Stopped(..) => {
                return Err(Fault::usage("start", "a second start", "one start per session"));
            }
        };
        client::not_passed(first, realtime::now()).map_err(|refusal| Fault::about_gpu(refusal.into()))?;
        for (task, name) in setup.tasks.iter().zip(&self.names) {
            if task.work.is_none() && !task.sporadic {
                let expected = "a function or a graph, or a sporadic task whose jobs a thread enqueues";
                return Err(Fault::usage(name, "no work", expected));
            }
        }
        let placeholder = Fault::usage("start", "a start that did not end", "a start");
        let Phase::Open(setup) = std::mem::replace(&mut *phase, Phase::Failed(placeholder, None)) else {
            return Err(Fault::usage("start", "no open session", "an open session"));
        };
        let (next, result) = self.launch(setup, first);
        *phase = next;
        match &result {
            Ok(_) => self.ring.iter().for_each(|ring| ring.keep()),
            Err(_) => self.stopped.store(true, Ordering::Relaxed),
        }
        result
    }

    /// Hands the work of all tasks over to the dispatchers. Returns the next phase, and the time of the first arrivals.
    fn launch(&self, setup: Setup, first: u64) -> (Phase, Result<u64, Fault>) {
        let failed = |fault: Fault, supervisor| (Phase::Failed(fault.clone(), supervisor), Err(fault));
        let Setup {
            tasks,
            start,
            supervisor,
        } = setup;
        let count = self.names.len();
        let progress = Arc::new(Progress::new(count));
        let (reporter, mut inbox) = queue(EVENTS, &progress);
        let (running, origin) = sync_channel(1);
        let mut works = Vec::with_capacity(count);
        let mut functions: Vec<Option<OnComplete>> = Vec::with_capacity(count);
        let (mut grants, mut releases) = (vec![None; count], Vec::with_capacity(count));
        for registered in tasks {
            works.push(registered.work);
            functions.push(registered.complete);
            releases.push(registered.sporadic.then(|| Mutex::new(0)));
        }
        let (mut partitions, mut served) = (Vec::new(), Vec::new());
        let mut program = self.program.clone();
        for (index, part) in program.partitions.iter_mut().enumerate() {
            let mut sources = Vec::with_capacity(part.tasks.len());
            for task in &mut part.tasks {
                task.sporadic = releases[task.position].is_some();
                sources.push(match works[task.position].take() {
                    Some(work) => Source::Work(work),
                    None => {
                        let grant = Arc::new(Grant::new(task.budget.ns()));
                        grants[task.position] = Some(Arc::clone(&grant));
                        Source::Grant(grant)
                    }
                });
            }
            let (sender, signals) = sync_channel(SIGNALS);
            partitions.push(sender);
            let client = Partition {
                index,
                positions: part.tasks.iter().map(|task| task.position).collect(),
                sources,
                signals,
                reporter: reporter.clone(),
            };
            served.push(Served {
                part: part.clone(),
                client: Box::new(client),
                core: self.options.cpus.get(index).copied(),
            });
        }
        drop(reporter);
        let records = Arc::clone(&self.records);
        let keep = move || records.keep(&mut inbox, &mut functions);
        let keeper = match thread::Builder::new().spawn(keep) {
            Ok(keeper) => keeper,
            Err(cause) => return failed(Fault::about_gpu(refused(&cause).into()), Some(supervisor)),
        };
        let ring = self.ring.as_ref().map(|ring| {
            let heading = Heading {
                wake_bound: None,
                machine: None,
                contexts: Vec::new(),
                backend: self.options.backend.to_string(),
                duration: Time::from_ns(OPEN_END),
                work: None,
                places: Some(self.options.records.max(1)),
                program,
            };
            (Arc::clone(ring), heading)
        });
        // If the supervisor has ended, it drops the message, and the next line learns of it.
        let _ = start.send(Start {
            first,
            partitions: served,
            ring,
            running,
        });
        let Ok(origin) = origin.recv() else {
            let early = || internal("the dispatchers ended before their start");
            let fault = supervisor.result().err().unwrap_or_else(early);
            let _ = keeper.join();
            return failed(fault, Some(supervisor));
        };
        let state = Running {
            partitions,
            releases,
            grants,
            progress,
        };
        if self.running.set(state).is_err() {
            return failed(internal("the session has started twice"), Some(supervisor));
        }
        (Phase::Running(supervisor, keeper), Ok(origin))
    }
}
