//! The begin and the end of a session.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use gpusched_model::error::{Error, Refusal};
use gpusched_model::reader::{OverheadsFiles, Plans, TaskSets};
use gpusched_model::{MeasuredOverheads, Overheads, OverheadsOrigin, Times};

use super::fault::{Fault, Kind};
use super::jobs::is_inside;
use super::options::Options;
use super::records::Records;
use super::state::{Phase, Registered, Session, Setup};
use super::supervisor::supervise;
use crate::backend::{Backend, cuda};
use crate::program::{Part, Prepared, Program};
use crate::trace::ring::Ring;

impl Session {
    /// Verifies the plan in file `plan` for the task set in file `set`, and creates its partitions.
    ///
    /// # Errors
    /// Fails if a file is wrong, if the plan does not verify or is not proven, if the GPU does not grant its partitions, or if the file
    /// of records exists. On a GPU, also fails for overheads of virtual time.
    pub fn open(plan: &Path, set: &Path, options: Options) -> Result<Session, Fault> {
        let read = Plans::only(plan, "plan").map_err(Fault::about_files)?;
        let tasks = TaskSets::only(set, "task set").map_err(Fault::about_files)?;
        let overheads = options.overheads.as_ref();
        let overheads = overheads.map(|path| OverheadsFiles::only(path, "overheads file"));
        let overheads = overheads.transpose().map_err(Fault::about_files)?;
        if options.backend == Backend::Cuda {
            // Stated bounds are at most the bounds of the plan, so they count for the run.
            let stated = overheads.as_ref().map(MeasuredOverheads::origin);
            let origin = stated.as_ref().or(read.overheads_origin.as_ref());
            let file = options.overheads.as_deref().unwrap_or(plan);
            let checked = origin.map_or(Ok(()), OverheadsOrigin::check_gpu);
            checked.map_err(|refusal| {
                let hint = "measure them there, and state a file with them";
                Fault::about_files(refusal.hint(hint).at(file, None).into())
            })?;
        }
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
        let ring = options.ring.as_deref().map(Ring::create).transpose();
        let ring = ring.map_err(Fault::of(Kind::Usage))?.map(Arc::new);
        let (start, streams, supervisor) = supervise(&program, &options)?;
        Ok(Session {
            names: (0..count).map(|task| tasks.label(task)).collect(),
            places,
            streams,
            records: Arc::new(Records::new(count, partitions, options.records)),
            running: OnceLock::new(),
            ring,
            stopped: AtomicBool::new(false),
            phase: Mutex::new(Phase::Open(Setup {
                tasks: (0..count).map(|_| Registered::default()).collect(),
                start,
                supervisor,
            })),
            program,
            options,
        })
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
        let phase = std::mem::replace(&mut *self.phase(), Phase::Failed(closed, None));
        match phase {
            Phase::Open(Setup {
                start, supervisor, ..
            }) => {
                drop(start);
                supervisor.close();
            }
            Phase::Running(supervisor, _)
            | Phase::Stopped(_, supervisor)
            | Phase::Failed(_, Some(supervisor)) => {
                supervisor.close();
            }
            Phase::Failed(_, None) => {}
        }
    }
}
