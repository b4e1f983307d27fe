//! The backend on a GPU: partitions are CUDA green contexts in one process, with one dispatcher thread each.
//!
//! [`serve`] runs the jobs of the user's program. With [`run`], the work of a job is a kernel that occupies all SMs of
//! the partition for the execution time of the job, minus a reserve for launch and detection. So a plan can run before
//! the user's kernels exist.
//!
//! * `library`: the driver, loaded at run time;
//! * `context`, `split`: the GPU, its split into partitions, and the SMs that kernels observe;
//! * `events`: events of a stream;
//! * `memory`: flags that the GPU writes and the host reads, and memory of the GPU;
//! * `lane`: one partition, with its launches and its ways to wait;
//! * `calibration`: properties that the driver does not state;
//! * `describe`: statements of the driver about a GPU, and the partitions that it grants;
//! * `measure`: one partition that runs the samples of a measurement;
//! * `nvml`: clocks, temperature and throttling.

mod calibration;
mod context;
mod describe;
mod events;
mod lane;
mod library;
mod measure;
mod memory;
mod nvml;
mod split;

use std::cell::Cell;
use std::sync::atomic::Ordering;

use gpusched_model::device::Granularity;
use gpusched_model::error::{Error, Result};
use gpusched_model::provenance::SameGpu;
use gpusched_model::time::Time;
use gpusched_model::{Refusal, counted};

use super::threads::{Gate, together};
use super::{Backend, Control, dispatch};
use crate::client::{self, OPEN_END, Start};
use crate::core::{Overrun, Record};
use crate::program::{Part, Program};
use crate::realtime;
use crate::run::{Context, Machine, PartRun, Run, Statistics};
use crate::trace::Heading;
use crate::trace::ring::{Ring, Slots};
use crate::work::Work;
pub use calibration::{Observations, PIPES, Pipes, Priority, Rate, Slices, observations, placements, tick};
use context::{Device, Partition};
pub use describe::{Description, Grants, Limits, describe, grants};
use lane::{GpuLane, Jobs, Shared};
pub use library::Driver;
pub use measure::{GRAPHS, Kernel, Kernels, Launch, MeasuredGpu, OtherKernel, Place, Plugin, gpu};
use memory::Flags;

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

/// Time from the start of the threads to the first arrivals of synthetic jobs [ns].
const LEAD: u64 = 200_000_000;

/// A dispatcher before its start.
struct Dispatcher<'a> {
    part: &'a Part,
    lane: GpuLane<'a>,
    /// Core of its thread.
    core: Option<usize>,
    overrun: Overrun,
    /// Bound o on the overhead of a job [ns].
    overhead_bound: u64,
    /// Memory for the records. It exists before `lock_memory`, so that no page fault delays the dispatcher.
    records: Vec<Record>,
}

/// Checks that the partitions of `program` can be green contexts.
///
/// # Errors
/// Refuses a plan for partitions of another kind.
pub fn check(program: &Program) -> Result<(), Refusal> {
    match program.hardware.as_ref().map(|hardware| hardware.granularity) {
        None | Some(Granularity::GreenContext) => Ok(()),
        Some(other) => Err(Refusal::new(
            "hardware.granularity",
            other,
            "green-context, because the dispatchers of one process create green contexts",
        )),
    }
}

/// Runs `program` with synthetic work on the first GPU. `progress` receives the number of completed jobs from time to time.
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
    chunks_stated(program)?;
    let device = open(driver, program, 0)?;
    // The flags live longer than the streams that write to them.
    let flags = Flags::new(driver, program.partitions.len())?;
    let (partitions, split) = device.partitions(&sizes(program))?;
    let shared = Shared::default();
    let cores = realtime::cores();
    let mut dispatchers: Vec<Dispatcher<'_>> = Vec::new();
    for (index, (part, partition)) in program.partitions.iter().zip(&partitions).enumerate() {
        let jobs = usize::try_from(work.launches(&part.tasks, options.duration))
            .unwrap_or(usize::MAX)
            .min(MOST_RECORDS);
        let own = Jobs::Synthetic {
            draws: work.of(&part.tasks),
            reserve: options.reserve.ns(),
            control,
        };
        let lane = GpuLane::new(
            &device,
            partition,
            flags.get(index),
            &shared,
            (own, options.spin.ns()),
            (jobs, longest(part)),
        );
        // The first core handles most interrupts.
        let core = (cores.len() > program.partitions.len()).then(|| cores[1 + index]);
        dispatchers.push(Dispatcher {
            part,
            lane,
            core,
            overrun: program.overrun,
            // The reserve is a part of the overhead that the budgets do not contain.
            overhead_bound: u64::MAX,
            records: Vec::with_capacity(jobs),
        });
    }
    let heading = |ring| {
        let heading = Heading {
            program: program.clone(),
            work: Some(work.clone()),
            places: None,
            backend: Backend::Cuda.to_string(),
            duration: options.duration,
            wake_bound: options.wake_bound,
            machine: None,
            contexts: Vec::new(),
        };
        (ring, heading)
    };
    let prepared = (dispatchers, split, options);
    let mut run = start(
        &device,
        &partitions,
        (&shared, control.ring.map(heading)),
        prepared,
        || Ok(realtime::now() + LEAD),
        progress,
    )?;
    run.stopped = control.stopped(program, options.duration, &run.partitions);
    if run.is_lost() {
        // The end of the process frees what a job may still use.
        std::mem::forget((flags, partitions));
        std::mem::forget(device);
    }
    Ok(run)
}

/// Runs the jobs of a program on the GPU `ordinal`, until the program stops the dispatchers. `prepare` receives the stream of each
/// partition, and returns when the program starts the dispatchers. It returns `None` if the program ends without a start. `ended` receives
/// the run, or the error of its start. The streams and their contexts exist until `ended` returns.
///
/// # Errors
/// Fails if a call of the driver fails, if the GPU is another GPU than the GPU of the plan, or if the driver grants other partitions.
pub fn serve(
    driver: &Driver,
    program: &Program,
    ordinal: i32,
    options: Options,
    prepare: impl FnOnce(&[usize]) -> Option<Start>,
    ended: impl FnOnce(Result<Run>),
) -> Result<()> {
    let device = open(driver, program, ordinal)?;
    // The flags live longer than the streams that write to them.
    let flags = Flags::new(driver, program.partitions.len())?;
    let (partitions, split) = device.partitions(&sizes(program))?;
    let streams: Vec<usize> = partitions.iter().map(|partition| partition.stream).collect();
    let Some(start) = prepare(&streams) else {
        return Ok(());
    };
    let run = serve_on(&device, &flags, (&partitions, split), (program, options), start);
    let is_lost = run.as_ref().is_ok_and(Run::is_lost);
    ended(run);
    if is_lost {
        // The end of the process frees what a job may still use.
        std::mem::forget((flags, partitions));
        std::mem::forget(device);
    }
    Ok(())
}

/// Runs the jobs of a program on `partitions`.
fn serve_on(
    device: &Device<'_>,
    flags: &Flags<'_>,
    (partitions, split): (&[Partition<'_>], String),
    (program, options): (&Program, Options),
    start_of: Start,
) -> Result<Run> {
    let Start {
        first,
        partitions: served,
        ring,
        running,
    } = start_of;
    let shared = Shared::default();
    let options = Options {
        duration: Time::from_ns(OPEN_END),
        ..options
    };
    let mut dispatchers: Vec<Dispatcher<'_>> = Vec::new();
    let (parts, clients): (Vec<_>, Vec<_>) = served
        .into_iter()
        .map(|served| (served.part, (served.client, served.core)))
        .unzip();
    for (index, ((part, partition), (client, core))) in parts.iter().zip(partitions).zip(clients).enumerate()
    {
        let lane = GpuLane::new(
            device,
            partition,
            flags.get(index),
            &shared,
            (Jobs::Own(client), options.spin.ns()),
            (OWN_RECORDS, longest(part)),
        );
        dispatchers.push(Dispatcher {
            part,
            lane,
            core,
            overrun: program.overrun,
            overhead_bound: program
                .overheads
                .map_or(u64::MAX, |overheads| overheads.occupancy_ns.ns()),
            // The session keeps the records.
            records: Vec::new(),
        });
    }
    let prepared = (dispatchers, split, options);
    let origin = || {
        let now = realtime::now();
        // The warm-up takes time.
        client::not_passed(first, now)?;
        let origin = match first {
            0 => now.saturating_add(client::LEAD),
            first => first,
        };
        // The session may have ended already.
        let _ = running.send(origin);
        Ok(origin)
    };
    let ring = ring.as_ref().map(|(ring, heading)| {
        let wake_bound = options.wake_bound;
        (
            &**ring,
            Heading {
                wake_bound,
                ..heading.clone()
            },
        )
    });
    start(device, partitions, (&shared, ring), prepared, origin, &|_| {})
}

/// Opens the GPU of `program`.
fn open<'a>(driver: &'a Driver, program: &Program, ordinal: i32) -> Result<Device<'a>> {
    let device = Device::open(driver, ordinal)?;
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
    Ok(device)
}

fn sizes(program: &Program) -> Vec<u32> {
    program.partitions.iter().map(|part| part.sms).collect()
}

/// Returns the largest budget of a job [ns].
fn longest(part: &Part) -> u64 {
    part.tasks.iter().map(|task| task.budget.ns()).max().unwrap_or(0)
}

/// Starts the dispatchers, and waits for their end. `origin` returns the time of the first arrivals when all dispatchers run.
fn start(
    device: &Device<'_>,
    partitions: &[Partition<'_>],
    (shared, ring): (&Shared, Option<(&Ring, Heading)>),
    (mut dispatchers, split, options): (Vec<Dispatcher<'_>>, String, Options),
    origin: impl FnOnce() -> Result<u64>,
    progress: &dyn Fn(u64),
) -> Result<Run> {
    for (index, dispatcher) in dispatchers.iter_mut().enumerate() {
        let field = format!("partition {index}");
        dispatcher
            .lane
            .warm_up()
            .map_err(|error| Refusal::new(&field, error, "jobs that end"))?;
    }
    let wanted: Vec<u32> = dispatchers.iter().map(|dispatcher| dispatcher.part.sms).collect();
    let observed = observe(partitions)?;
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
    let wait: Vec<&str> = dispatchers
        .iter()
        .map(|dispatcher| dispatcher.lane.wait.described())
        .collect();
    let wait = wait.first().copied().unwrap_or_default().to_owned();
    let mut settings = realtime::computer();
    settings.push(("mlockall".to_owned(), realtime::lock_memory()));
    let mut notes = notes(&settings, partitions.len(), options);
    notes.extend(few);
    let machine = Machine {
        notes,
        gpu: device.name.clone(),
        sms: device.sms,
        driver: device.driver.version,
        granularity: device.granularity,
        split,
        wait,
        reserve_ns: options.reserve,
        spin_ns: options.spin,
        fifo_priority: options.fifo_priority,
        settings,
    };
    let contexts = { wanted.iter().zip(&observed) }.map(|(&granted, sm_ids)| {
        Some(Context {
            granted,
            sm_ids: sm_ids.clone(),
            ..Context::default()
        })
    });
    let ring = ring.map(|(ring, heading)| {
        let contexts = contexts.collect();
        let machine = Some(machine.clone());
        ring.prepare(&Heading {
            machine,
            contexts,
            ..heading
        })?;
        Ok::<&Ring, Error>(ring)
    });
    let ring = ring.transpose()?;
    let first = Cell::new(0);
    let begin = || {
        first.set(origin()?);
        ring.iter().for_each(|ring| ring.begin(first.get()));
        Ok(first.get())
    };
    let serve = |index, dispatcher, gate| {
        let slots = ring.and_then(|ring| ring.slots(index));
        serve_part(device, (dispatcher, slots), options, gate)
    };
    let watch = || progress(shared.jobs.load(Ordering::Relaxed));
    let (_, slept) = realtime::slept();
    let mut runs = together(dispatchers, serve, begin, Some(&watch))?;
    // After a fault, a call of the driver may wait forever for a job that never ends.
    let is_lost = runs.iter().any(|run| run.lost.is_some());
    let later = (!is_lost).then(|| observe(partitions).ok()).flatten();
    for (index, (run, sm_ids)) in runs.iter_mut().zip(observed).enumerate() {
        if let Some(context) = &mut run.context {
            context.same_at_end = later.as_ref().map(|later| later[index] == sm_ids);
            context.sm_ids = sm_ids;
        }
    }
    Ok(Run {
        origin: first.get(),
        duration: options.duration,
        wake_bound: options.wake_bound,
        stopped: false,
        own: false,
        partitions: runs,
        interrupted: realtime::slept().0.saturating_sub(slept),
        machine: Some(machine),
    })
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

/// Number of times of enqueues that a lane keeps for the statistics of a program's run.
const OWN_RECORDS: usize = 100_000;

/// Largest number of records for which a lane reserves memory before the start.
const MOST_RECORDS: usize = 10_000_000;

/// Runs one partition in its thread.
fn serve_part(
    device: &Device<'_>,
    (dispatcher, mut slots): (Dispatcher<'_>, Option<Slots<'_>>),
    options: Options,
    gate: Gate,
) -> Result<PartRun> {
    let Dispatcher {
        part,
        mut lane,
        core,
        overrun,
        overhead_bound,
        mut records,
    } = dispatcher;
    device.make_current()?;
    let thread = realtime::prepare_thread(core, options.fifo_priority);
    let wake_bound = options.wake_bound.unwrap_or(Time::from_ns(u64::MAX));
    // After the gate, the same call succeeds, because only the order of the tasks can be wrong.
    part.core(0, 0, wake_bound)?;
    let first = gate.wait()?;
    let end = first.saturating_add(options.duration.ns());
    let core = part.core(first, end, wake_bound)?;
    let mut core = core.with_overrun(overrun).with_overhead(overhead_bound);
    let done = |lane: &mut GpuLane<'_>, record| {
        slots.iter_mut().for_each(|slots| slots.push(&record));
        match &mut lane.jobs {
            Jobs::Own(client) => client.done(&record),
            Jobs::Synthetic { .. } => records.push(record),
        }
    };
    let lost = dispatch(&mut core, &mut lane, done).err();
    if core.aborted().is_some() {
        lane.end_all();
    }
    if let Jobs::Own(client) = &mut lane.jobs {
        client.ended(lost.as_deref());
    }
    let context = Context {
        granted: part.sms,
        sm_ids: Vec::new(),
        same_at_end: None,
        thread,
        wake: Statistics::of_wakes(&records),
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
