//! `gpusched run`: dispatches the jobs of a plan, on a GPU or in virtual time.

mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::arguments::notes::{Notes, green_contexts};
use crate::arguments::{StatedOverheads, named, overheads, refused, whole};
use crate::plans::{MEASURE_OVERHEADS, of_other_set};
use crate::report::{Output, Palette};
use crate::{Format, Global, Outcome, complain, embedding};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::reader::{Plans, TaskSets};
use gpusched_model::time::{ParseTimeError, Time};
use gpusched_model::{Device, Factor, OverheadsOrigin, TaskSet};
use gpusched_runtime::core::Overrun;
use gpusched_runtime::trace::ring::Ring;
use gpusched_runtime::work::Fault;
use gpusched_runtime::{Backend, Control, Prepared, Program, Run, Work, simulated, trace};

/// Arguments of `gpusched run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Plan file, written by `partition --policy np-edf --format json`
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Task set of the plan
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// Where the jobs run
    #[arg(long, value_parser = named::<Backend>(), default_value_t = Backend::Cuda)]
    backend: Backend,
    /// Time after which no job arrives
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    duration: Time,
    /// Bounds on the overheads of the dispatcher
    ///
    /// gpusched tests each partition again: C' = C + o and J' = J + w. If the plan states overheads, the bounds in FILE must not be
    /// larger, and the run uses the bounds of the plan. Without FILE and without overheads in the plan, the WCETs include the overheads.
    #[arg(long, value_name = "FILE", value_parser = overheads)]
    overheads: Option<StatedOverheads>,
    /// File that receives each record at once, for a run that may be killed
    ///
    /// The file has a place of 64 bytes for each job or chunk, and disappears when the result is written. If the run is killed, `recording recover`
    /// writes the trace of all complete records. Choose a file system in memory, such as /dev/shm, if the disk may delay the dispatchers.
    #[arg(long, value_name = "FILE")]
    ring: Option<PathBuf>,
    /// Shortest execution time as a share of the WCET
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    shortest: Factor,
    /// Execution time of one job, e.g., `lidar#3=2ms`; may be repeated
    ///
    /// The time may exceed the WCET, to show the effect of an overrun.
    #[arg(long, value_name = "TASK#JOB=TIME", value_parser = stated)]
    execution: Vec<(String, u64, Time)>,
    /// Consequence of a job that exceeds its budget
    ///
    /// The job itself continues, because a GPU cannot stop a kernel.
    #[arg(long, value_parser = named::<Overrun>(), default_value_t)]
    overrun: Overrun,
    /// Fault of one job, e.g., `lidar#3=fails`; may be repeated
    ///
    /// Only with `--backend simulated`. `late-end:TIME`: the dispatcher observes the end late. `late-wake:TIME`: it wakes up late for
    /// the job. `fails`: the job fails. `no-launch`: its launch fails. `lost`: it ends the context of all partitions. `endless`: it
    /// never ends. `suspend:TIME`: the computer sleeps while the job runs.
    #[arg(long, value_name = "TASK#JOB=FAULT", value_parser = fault)]
    fault: Vec<(String, u64, Fault)>,
    /// Part of each execution time for launch and detection [default: 100us]
    ///
    /// Only with `--backend cuda`. The kernel of a job lasts for the execution time minus this time.
    #[arg(long, value_name = "TIME")]
    reserve: Option<Time>,
    /// Time before an arrival from which an idle dispatcher spins [default: 100us]
    ///
    /// Only with `--backend cuda`. Before, the dispatcher sleeps, and the system may wake it late. With a time longer than all periods,
    /// it never sleeps.
    #[arg(long, value_name = "TIME")]
    spin: Option<Time>,
    /// Real-time priority of the dispatchers (SCHED_FIFO); 0 for none [default: 50]
    ///
    /// Only with `--backend cuda`.
    #[arg(long, value_name = "N", value_parser = whole::<i32>(0..=99))]
    fifo_priority: Option<i32>,
}

const EXAMPLE: &str = "\
`run` first verifies the plan. Then one dispatcher per partition releases the jobs of each task periodically, and launches one job at
a time, in the order of the policy. The jobs are synthetic: their execution times are random, up to the WCETs.
The result is a summary. With --format json (or -o NAME.json), it is the trace of the run, which `recording audit` compares with the
plan. With --format csv (or -o NAME.csv), it has one row per job, or per chunk of a
job under a policy with preemption points.
Ctrl-C stops the run after the running jobs, and `run` writes its result.
Exit code 0: all jobs met their deadlines and budgets. 1: otherwise, the run was stopped, or the plan is not proven.

Example:
  gpusched partition tasksets/tasksets/adas.json --gpu orin --policy np-edf -o plan.json && gpusched run plan.json tasksets/tasksets/adas.json --backend simulated -o trace.json && gpusched recording audit trace.json --set tasksets/tasksets/adas.json --plan plan.json";

/// CSV columns.
const COLUMNS: &str = "partition,task,job,arrival_ns,visible_ns,decision_ns,enqueued_ns,completion_ns,deadline_ns,missed,overrun,late_wake,failed,chunk,last\n";

/// Longest duration. Times of a run and its deadlines then fit into 64 bits.
const LONGEST: Time = Time::from_ns(1 << 62);

fn duration(text: &str) -> Result<Time, String> {
    let time: Time = text.parse().map_err(|error: ParseTimeError| error.to_string())?;
    match Time::ZERO < time && time <= LONGEST {
        true => Ok(time),
        false => Err(refused(text, "a positive time, such as 10s")),
    }
}

fn share(text: &str) -> Result<Factor, String> {
    let value = text.parse().ok().and_then(Factor::from_f64);
    let value = value.filter(|&share| share > Factor::ZERO && share.ratio().0 <= share.ratio().1);
    value.ok_or_else(|| refused(text, "a number above 0 and at most 1, with at most nine decimals"))
}

fn stated(text: &str) -> Result<(String, u64, Time), String> {
    let parsed = text.rsplit_once('=').and_then(|(job, time)| {
        let (task, number) = job.rsplit_once('#')?;
        Some((task.to_owned(), number.parse().ok()?, time.parse().ok()?))
    });
    parsed.ok_or_else(|| refused(text, "TASK#JOB=TIME, such as lidar#3=2ms"))
}

fn fault(text: &str) -> Result<(String, u64, Fault), String> {
    let parsed = text.rsplit_once('=').and_then(|(job, kind)| {
        let (task, number) = job.rsplit_once('#')?;
        let (kind, time) = match kind.split_once(':') {
            Some((kind, time)) => (kind, Some(time.parse().ok()?)),
            None => (kind, None),
        };
        let fault = match (kind, time) {
            ("late-end", Some(time)) => Fault::LateEnd(time),
            ("late-wake", Some(time)) => Fault::LateWake(time),
            ("suspend", Some(time)) => Fault::Suspend(time),
            ("fails", None) => Fault::Fails,
            ("no-launch", None) => Fault::NoLaunch,
            ("lost", None) => Fault::Lost,
            ("endless", None) => Fault::Endless,
            _ => return None,
        };
        Some((task.to_owned(), number.parse().ok()?, fault))
    });
    let expected = "TASK#JOB=FAULT, such as lidar#3=fails; FAULT is late-end:TIME, late-wake:TIME, suspend:TIME, fails, no-launch, \
                    lost or endless";
    parsed.ok_or_else(|| refused(text, expected))
}

impl crate::Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        self.check()?;
        let plan = Plans::only(&self.plan, "plan")?;
        self.check_overheads(plan.overheads_origin.as_ref())?;
        let set = TaskSets::only(&self.set, "task set")?;
        if !global.quiet {
            Notes::default().on(&set);
            if self.backend == Backend::Simulated {
                // A plan keeps the rule of its own granularity only.
                let hardware = plan.hardware.as_ref();
                let device = hardware.and_then(|hardware| Device::named(hardware.device.name()));
                green_contexts(&set, &plan, device.as_ref());
            }
        }
        let work = self.work(&set, global)?;
        let at = |error: Error| error.map_refusal(|refusal| self.in_plan(refusal));
        let mut program =
            match Program::prepare(&plan, &set, self.overheads.as_ref().map(|stated| stated.bounds))
                .map_err(at)?
            {
                Prepared::Ready(program) => program,
                Prepared::Unproven(reason) => {
                    complain(&format!("note: gpusched does not run the plan, because {reason}"));
                    return Ok(Outcome::Negative);
                }
            };
        program.overrun = self.overrun;
        if let Some(stated) = self.overheads.as_ref().filter(|_| self.backend == Backend::Cuda) {
            let device = plan.hardware.as_ref().map(|hardware| &hardware.device);
            stated
                .doubt(&set, device)
                .iter()
                .for_each(|doubt| global.note(doubt));
        }
        work.check(&program, self.duration)?;
        self.check_jobs(&set)?;
        let mut output = Output::open(global)?;
        output.keep([&self.plan, &self.set])?;
        let ring = self.ring.as_deref().map(Ring::create).transpose()?;
        output.keep(&self.ring)?;
        let control = Control {
            stop: embedding::stop_flag(),
            ring: ring.as_ref(),
        };
        let run = match self.backend {
            Backend::Simulated => simulated::run(&program, &work, self.duration, control)?,
            Backend::Cuda => self.on_gpu(&program, &work, control, global)?,
        };
        let written = self.write(output, (&program, &work), &run, global);
        if let (Err(_), Some(ring)) = (&written, &ring) {
            ring.keep();
        }
        written?;
        if global.file().is_some() {
            global.note(run.headline(&program));
        }
        Ok((run.kept() && !run.stopped).into())
    }
}

impl Args {
    /// Writes the result of the run.
    fn write(
        &self,
        mut output: Output,
        (program, work): (&Program, &Work),
        run: &Run,
        global: &Global,
    ) -> Result<()> {
        match global.format() {
            Format::Json => {
                let path = global.file().unwrap_or(Path::new("-"));
                output.sync()?;
                let written =
                    trace::write(&mut output, (program, Some(work)), run, &self.backend.to_string());
                written.map_err(|cause| Error::io(path, "write", cause))?;
                output.finish()
            }
            Format::Csv => {
                output.write(COLUMNS)?;
                output.answer(report::rows(program, run))
            }
            Format::Text => output.answer(report::text(program, run, &Palette::of(global))),
        }
    }

    /// Adds the file of the plan, and a hint for a policy that the dispatcher does not support.
    fn in_plan(&self, refusal: Refusal) -> Refusal {
        let refusal = match refusal.field() {
            "policy" => refusal.hint("`gpusched partition --policy np-edf`"),
            "overheads" => {
                return refusal
                    .hint("state a file with `--overheads`")
                    .at(&self.set, None);
            }
            field => match of_other_set(field) {
                Some(hint) => refusal.hint(hint),
                None => refusal,
            },
        };
        refusal.at(&self.plan, None)
    }

    /// Refuses overheads of virtual time for a run on a GPU. They are from the file of `--overheads`, or else from the plan, whose
    /// overheads have the origin `of_plan`.
    fn check_overheads(&self, of_plan: Option<&OverheadsOrigin>) -> Result<()> {
        let stated = self.overheads.as_ref();
        let origin = stated.map(|stated| &stated.origin).or(of_plan);
        let Some(origin) = origin.filter(|_| self.backend == Backend::Cuda) else {
            return Ok(());
        };
        origin.check_gpu().map_err(|refusal| {
            let refusal = match stated {
                Some(_) => refusal,
                None => refusal.at(&self.plan, None),
            };
            refusal.hint(MEASURE_OVERHEADS).into()
        })
    }

    /// Refuses options without effect.
    fn check(&self) -> Result<()> {
        self.check_overheads(None)?;
        let options = [
            ("reserve", self.reserve.is_some()),
            ("spin", self.spin.is_some()),
            ("fifo-priority", self.fifo_priority.is_some()),
        ];
        for (option, given) in options {
            if given && self.backend != Backend::Cuda {
                let found = format!("--backend {}", self.backend);
                return Err(Error::parameter(
                    option,
                    found,
                    "--backend cuda, where the option has an effect",
                ));
            }
        }
        if !self.fault.is_empty() && self.backend != Backend::Simulated {
            let found = format!("--backend {}", self.backend);
            let expected = "--backend simulated, because a run in virtual time can inject faults";
            return Err(Error::parameter("fault", found, expected));
        }
        Ok(())
    }

    /// Refuses a stated execution time and a fault of a job that does not arrive.
    fn check_jobs(&self, set: &TaskSet) -> Result<()> {
        let times = self
            .execution
            .iter()
            .map(|(name, number, _)| ("execution", name, number));
        let faults = self.fault.iter().map(|(name, number, _)| ("fault", name, number));
        for (option, name, number) in times.chain(faults) {
            let task = (0..set.tasks().len()).find(|&task| set.label(task) == *name);
            let Some(task) = task.and_then(|task| set.tasks().get(task)) else {
                continue;
            };
            let jobs = self.duration.ns().div_ceil(task.period().ns().max(1));
            if *number >= jobs {
                let expected = format!(
                    "a job below {jobs}, because {jobs} jobs of {name} arrive before {}",
                    self.duration
                );
                return Err(Error::parameter(option, format!("{name}#{number}"), expected));
            }
        }
        Ok(())
    }

    /// Returns the execution times of the jobs.
    fn work(&self, set: &TaskSet, global: &Global) -> Result<Work> {
        let position = |option: &str, name: &String| {
            let position = (0..set.tasks().len()).find(|&task| set.label(task) == *name);
            let expected = "the name of a task of the set";
            position.ok_or_else(|| Error::parameter(option, format!("{name:?}"), expected))
        };
        let (mut stated, mut faults) = (BTreeMap::new(), BTreeMap::new());
        for (name, number, time) in &self.execution {
            stated.insert((position("execution", name)?, *number), *time);
        }
        for (name, number, fault) in &self.fault {
            faults.insert((position("fault", name)?, *number), *fault);
        }
        Ok(Work {
            seed: global.seed(),
            shortest: self.shortest,
            stated,
            faults,
        })
    }

    #[cfg(target_os = "linux")]
    fn on_gpu(&self, program: &Program, work: &Work, control: Control<'_>, global: &Global) -> Result<Run> {
        use crate::report::Progress;
        use gpusched_runtime::cuda;

        let hint = |refusal: Refusal| refusal.hint("`--backend simulated` runs the plan without a GPU");
        let green = |refusal: Refusal| {
            refusal.hint(
                "compute a plan for a GPU with `partition --granularity green-context`; `--backend simulated` runs this plan without a GPU",
            )
        };
        cuda::check(program).map_err(|refusal| green(refusal).at(&self.plan, None))?;
        let driver = cuda::Driver::load().map_err(hint)?;
        let options = cuda::Options {
            duration: self.duration,
            reserve: self.reserve.unwrap_or(Time::from_ns(100_000)),
            spin: self.spin.unwrap_or(Time::from_ns(100_000)),
            fifo_priority: self.fifo_priority.unwrap_or(50),
            wake_bound: program.overheads.map(|overheads| overheads.wake_ns),
        };
        let progress = Progress::new(global, "jobs");
        cuda::run(
            &driver,
            program,
            work,
            options,
            (control, &|jobs| progress.at(jobs)),
        )
    }

    #[cfg(not(target_os = "linux"))]
    fn on_gpu(&self, _: &Program, _: &Work, _: Control<'_>, _: &Global) -> Result<Run> {
        let refusal = Refusal::new("backend", "cuda on another system", "Linux");
        Err(refusal
            .hint("`--backend simulated` runs the plan without a GPU")
            .into())
    }
}
