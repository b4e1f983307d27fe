//! The backend on a GPU: partitions are CUDA green contexts in one process, with one dispatcher thread each.
//!
//! The work of a job is a kernel that occupies all SMs of the partition for the execution time of the job, minus a
//! reserve for launch and detection. So a plan can run before the user's kernels exist.
//!
//! * `library`: the driver, loaded at run time;
//! * `context`: the GPU, its split into partitions, and the SMs that kernels observe;
//! * `lane`: one partition, with its launches and its ways to wait.

mod context;
mod lane;
mod library;

use std::sync::Barrier;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gpusched_model::error::{Error, Result};
use gpusched_model::provenance::SameGpu;
use gpusched_model::time::Time;
use gpusched_model::{Refusal, counted};

use super::{Backend, Control, dispatch};
use crate::core::Record;
use crate::program::{Part, Program};
use crate::realtime;
use crate::run::{Context, Machine, PartRun, Run, Statistics};
use crate::trace::Heading;
use crate::work::Work;
use context::{Device, Flags, Partition};
use lane::{GpuLane, Shared};
pub use library::Driver;

/// Options of a run on a GPU.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Time after which no job arrives.
    pub duration: Time,
    /// Part of each execution time that is left for launch and detection.
    pub reserve: Time,
    /// Time before an arrival from which an idle dispatcher spins. Before, it sleeps.
    pub spin: Time,
    /// Priority of the dispatcher threads under SCHED_FIFO; 0 for the default scheduler.
    pub fifo_priority: i32,
    /// w: bound on the delay of wake-ups. `None` if no bound is stated, so that the dispatcher checks none.
    pub wake_bound: Option<Time>,
}

/// Time from the start of the threads to the first arrivals [ns].
const LEAD: u64 = 200_000_000;

/// Runs `program` on the first GPU. `progress` receives the number of completed jobs from time to time.
///
/// # Errors
/// Fails if a call of the driver fails during the start, if the GPU is another GPU than the GPU of the plan, or if the
/// driver grants other partitions. A fault after the start is part of the result.
pub fn run(
    driver: &Driver,
    program: &Program,
    work: &Work,
    options: Options,
    (control, progress): (Control<'_>, &dyn Fn(u64)),
) -> Result<Run> {
    let device = Device::open(driver)?;
    if device.sms != program.gpu_sms {
        let found = format!("{} with {}", device.name, counted(device.sms, "SM"));
        let expected = format!("{}, as in the plan", program.gpu_sms);
        return Err(Error::parameter("gpu_sms", found, expected));
    }
    if let Some(planned) = program.hardware.as_ref().map(|hardware| &hardware.device)
        && SameGpu::of(Some(&device.name), None, planned) == SameGpu::No
    {
        let expected = format!("{}, the GPU of the plan", planned.name());
        return Err(Error::parameter("gpu", device.name.clone(), expected));
    }
    chunks_stated(program)?;
    let wanted: Vec<u32> = program.partitions.iter().map(|part| part.sms).collect();
    // The flags live longer than the streams that write to them.
    let flags = Flags::new(driver, wanted.len())?;
    let (partitions, split) = device.partitions(&wanted)?;
    let shared = Shared::default();
    let mut lanes: Vec<(GpuLane<'_>, Vec<Record>)> = Vec::new();
    for (index, (part, partition)) in program.partitions.iter().zip(&partitions).enumerate() {
        let jobs = usize::try_from(work.launches(&part.tasks, options.duration))
            .unwrap_or(usize::MAX)
            .min(MOST_RECORDS);
        let budget = part.tasks.iter().map(|task| task.budget.ns()).max().unwrap_or(0);
        let work = (work.of(&part.tasks), options.reserve.ns(), options.spin.ns());
        let mut lane = GpuLane::new(
            &device,
            partition,
            flags.get(index),
            (&shared, control),
            work,
            (jobs, budget),
        );
        let field = format!("partition {index}");
        lane.warm_up()
            .map_err(|error| Refusal::new(&field, error, "jobs that end"))?;
        // No page fault delays a dispatcher, because the memory of its records exists before `lock_memory`.
        lanes.push((lane, Vec::with_capacity(jobs)));
    }
    let observed = observe(&partitions)?;
    separate(&observed, &wanted)?;
    let mut few = Vec::new();
    for (index, (sms, wanted)) in observed.iter().zip(&wanted).enumerate() {
        if sms.len() < *wanted as usize {
            few.push(format!(
                "partition {index}: kernels were observed on {} of {wanted} SMs",
                sms.len()
            ));
        }
    }
    let wait: Vec<&str> = lanes.iter().map(|(lane, _)| lane.wait.described()).collect();
    let wait = wait.first().copied().unwrap_or_default().to_owned();
    let mut settings = realtime::computer();
    settings.push(("mlockall".to_owned(), realtime::lock_memory()));
    let mut notes = notes(&settings, partitions.len(), options);
    notes.extend(few);
    let machine = Machine {
        notes,
        gpu: device.name.clone(),
        sms: device.sms,
        driver: driver.version,
        granularity: device.granularity,
        split,
        wait,
        reserve_ns: options.reserve,
        spin_ns: options.spin,
        fifo_priority: options.fifo_priority,
        settings,
    };
    if let Some(ring) = control.ring {
        let contexts = program.partitions.iter().zip(&observed);
        let contexts = contexts.map(|(part, sm_ids)| {
            Some(Context {
                granted: part.sms,
                sm_ids: sm_ids.clone(),
                ..Context::default()
            })
        });
        ring.prepare(&Heading {
            program: program.clone(),
            work: work.clone(),
            backend: Backend::Cuda.to_string(),
            duration: options.duration,
            wake_bound: options.wake_bound,
            machine: Some(machine.clone()),
            contexts: contexts.collect(),
        })?;
    }
    let cores = realtime::cores();
    let barrier = Barrier::new(lanes.len() + 1);
    let origin = std::sync::OnceLock::new();
    let mut runs: Vec<Result<PartRun>> = Vec::new();
    let (_, slept) = realtime::slept();
    std::thread::scope(|scope| {
        let threads: Vec<_> = lanes
            .into_iter()
            .enumerate()
            .map(|(index, lane)| {
                // The first core handles most interrupts.
                let core = (cores.len() > program.partitions.len()).then(|| cores[1 + index]);
                let (device, start) = (&device, (&barrier, &origin, control));
                scope.spawn(move || serve(device, program, (index, lane), core, options, start))
            })
            .collect();
        barrier.wait();
        let first = *origin.get_or_init(|| realtime::now() + LEAD);
        control.ring.iter().for_each(|ring| ring.begin(first));
        barrier.wait();
        while !threads.iter().all(|thread| thread.is_finished()) {
            progress(shared.jobs.load(Ordering::Relaxed));
            std::thread::sleep(Duration::from_millis(50));
        }
        let panicked = || Error::Internal("the thread of a partition panicked".to_owned());
        runs.extend(
            threads
                .into_iter()
                .map(|thread| thread.join().map_err(|_| panicked()).flatten()),
        );
    });
    let mut runs = runs.into_iter().collect::<Result<Vec<PartRun>>>()?;
    // After a fault, a call of the driver may wait forever for a job that never ends.
    let is_lost = runs.iter().any(|run| run.lost.is_some());
    let later = (!is_lost).then(|| observe(&partitions).ok()).flatten();
    for (index, (run, sm_ids)) in runs.iter_mut().zip(observed).enumerate() {
        if let Some(context) = &mut run.context {
            context.same_at_end = later.as_ref().map(|later| later[index] == sm_ids);
            context.sm_ids = sm_ids;
        }
    }
    let run = Run {
        origin: origin.get().copied().unwrap_or_default(),
        duration: options.duration,
        wake_bound: options.wake_bound,
        stopped: control.stopped(program, options.duration, &runs),
        partitions: runs,
        interrupted: realtime::slept().0.saturating_sub(slept),
        machine: Some(machine),
    };
    if is_lost {
        // The end of the process frees what a job may still use.
        std::mem::forget((flags, partitions));
        std::mem::forget(device);
    }
    Ok(run)
}

/// Checks that each job states its chunks if the policy of its partition has preemption points. A dispatcher cannot preempt a
/// kernel, so it launches one kernel per chunk.
fn chunks_stated(program: &Program) -> Result<(), Refusal> {
    let parts = program
        .partitions
        .iter()
        .filter(|part| part.policy.counts_blocks());
    let whole = |part: &&Part| part.tasks.iter().any(|task| task.block.is_none());
    let Some(part) = { parts }.find(whole) else {
        return Ok(());
    };
    let task = part.tasks.iter().find(|task| task.block.is_none());
    let field = task.map(|task| format!("tasks[{}].block", task.position));
    let expected = format!(
        "the longest time between two preemption points, because {} launches one kernel per chunk of a job",
        part.policy
    );
    Err(Refusal::new(field.unwrap_or_default(), "none", expected))
}

/// Largest number of records for which a lane reserves memory before the start.
const MOST_RECORDS: usize = 10_000_000;

/// Runs one partition in its thread.
fn serve(
    device: &Device<'_>,
    program: &Program,
    (index, (mut lane, mut records)): (usize, (GpuLane<'_>, Vec<Record>)),
    core: Option<usize>,
    options: Options,
    (barrier, origin, control): (&Barrier, &std::sync::OnceLock<u64>, Control<'_>),
) -> Result<PartRun> {
    let part = &program.partitions[index];
    let current = device.make_current();
    let thread = realtime::prepare_thread(core, options.fifo_priority);
    barrier.wait();
    barrier.wait();
    current?;
    let first = origin.get().copied().unwrap_or_default();
    let end = first.saturating_add(options.duration.ns());
    let core = part.core(first, end, options.wake_bound.unwrap_or(Time::from_ns(u64::MAX)))?;
    let mut core = core.with_overrun(program.overrun);
    let mut slots = control.ring.and_then(|ring| ring.slots(index));
    let done = |record| {
        slots.iter_mut().for_each(|slots| slots.push(&record));
        records.push(record);
    };
    let lost = dispatch(&mut core, &mut lane, done).err();
    if core.aborted().is_some() {
        lane.end_all();
    }
    let wakes = records.iter().filter_map(|record| record.wake);
    let context = Context {
        granted: part.sms,
        sm_ids: Vec::new(),
        same_at_end: None,
        thread,
        wake: Statistics::of(wakes.collect()),
        enqueue: Statistics::of(lane.enqueues),
        overhead: Statistics::of(lane.overheads),
        problems: lane.stuck,
    };
    let run = PartRun::of(&core, part, records);
    Ok(PartRun {
        context: Some(context),
        lost: lost.or(run.lost.clone()),
        ..run
    })
}

fn observe(partitions: &[Partition<'_>]) -> Result<Vec<Vec<u32>>, Refusal> {
    partitions.iter().map(Partition::observe).collect()
}

/// Checks that the kernels of each partition run on at most as many SMs as planned, and on no SM of another partition.
fn separate(observed: &[Vec<u32>], wanted: &[u32]) -> Result<(), Refusal> {
    for (index, (sms, &wanted)) in observed.iter().zip(wanted).enumerate() {
        if sms.len() > wanted as usize {
            let found = format!("kernels on {}", counted(sms.len(), "SM"));
            let expected = format!("{wanted}, the size in the plan");
            return Err(Refusal::new(format!("partition {index}"), found, expected));
        }
        for (other, others) in observed.iter().enumerate().take(index) {
            let common: Vec<String> = sms
                .iter()
                .filter(|sm| others.contains(sm))
                .map(u32::to_string)
                .collect();
            if !common.is_empty() {
                let found = format!("the SMs {} of partition {other}", common.join(", "));
                return Err(Refusal::new(
                    format!("partition {index}"),
                    found,
                    "SMs of its own",
                ));
            }
        }
    }
    Ok(())
}

/// Returns notes about settings that make a run less predictable.
fn notes(settings: &[(String, String)], streams: usize, options: Options) -> Vec<String> {
    let value = |name: &str| {
        settings
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    let mut notes = Vec::new();
    if options.wake_bound.is_none() {
        notes.push("no overheads are stated, so the proof counts no delay of a wake-up".to_owned());
    }
    if value("CUDA_MODULE_LOADING") != Some("EAGER") {
        notes.push("CUDA_MODULE_LOADING is not EAGER, so the first launch of a kernel may load it and delay all partitions".to_owned());
    }
    let connections = value("CUDA_DEVICE_MAX_CONNECTIONS").and_then(|value| value.parse::<usize>().ok());
    if connections.unwrap_or(8) < streams {
        notes.push(format!(
            "CUDA_DEVICE_MAX_CONNECTIONS is less than {streams}, so partitions may share a queue"
        ));
    }
    notes
}
