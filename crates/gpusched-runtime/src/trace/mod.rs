//! The trace of a run, in the form of Kineto (trace events in JSON), so that `gpusched recording audit` and
//! ui.perfetto.dev read it.
//!
//! For each job, the trace contains a range `task#number` from the arrival to the completion. Each chunk of the job has a host
//! call at its decision, and a kernel from the decision to its completion. A job without preemption points is one chunk. The
//! context of the kernel is the partition. The object `gpusched` states what the events cannot: hashes, options, sizes, SM ids,
//! overheads, and spans without guarantee.
//!
//! * [`ring`]: a file that receives each record at once, so that a killed run loses only the record that it was writing.

mod recovered;
pub mod ring;

use std::io::{self, Write};

use gpusched_model::Overheads;
use gpusched_model::time::Time;
use serde::{Deserialize, Serialize};

use crate::core::{Counters, Order, Record, Skipped, Suspension};
use crate::program::{Part, PlannedTask, Program};
use crate::run::{Context, Machine, Run};
use crate::work::Work;

/// A run as it is known before its first job.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Heading {
    /// The program that runs.
    pub program: Program,
    /// Execution times of its jobs. `None` for the jobs of the user's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// Number of places for records in the file, per task. If they are full, the last records of a partition replace its first ones. `None`: one
    /// place for each launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<usize>,
    /// Name of the backend.
    pub backend: String,
    /// Time from the first arrivals after which no job arrives.
    pub duration: Time,
    /// w: bound that the wake-ups are compared with. `None` if no bound is stated.
    pub wake_bound: Option<Time>,
    /// The GPU and the computer of the run. `None` in virtual time.
    pub machine: Option<Machine>,
    /// The contexts of the partitions. `None` in virtual time.
    pub contexts: Vec<Option<Context>>,
}

/// The object `gpusched` of a trace.
#[derive(Serialize)]
struct Head<'a> {
    version: u32,
    backend: &'a str,
    plan_sha256: &'a str,
    set_sha256: &'a str,
    /// Execution times of the jobs. Absent for the jobs of the user's program.
    #[serde(flatten)]
    work: Option<&'a Work>,
    duration_ns: Time,
    /// Arrivals of the jobs of all tasks that are not sporadic: job n arrives at n·T.
    arrivals: &'static str,
    /// Time until which the records of all partitions are complete [ns]. Absent if the run did not stop early.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_ns: Option<u64>,
    clock: &'a str,
    /// Time 0 of the trace on this clock [ns].
    origin_ns: u64,
    overheads: Overheads,
    /// w: bound that the wake-ups were compared with [ns]. `null` if no bound is stated.
    wake_bound_ns: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a Machine>,
    /// Reason why the plan is not proven with the overheads.
    #[serde(skip_serializing_if = "Option::is_none")]
    unproven: Option<&'a str>,
    kept: bool,
    #[serde(skip_serializing_if = "is_zero")]
    interrupted_ns: u64,
    totals: Counters,
    contexts: Vec<ContextHead<'a>>,
}

/// A partition in the object `gpusched`.
#[derive(Serialize)]
struct ContextHead<'a> {
    /// Value of the field `context` of the kernels of the partition.
    context: usize,
    /// Number of SMs in the plan.
    sms: u32,
    policy: String,
    overrun: String,
    /// Positions of the tasks in the task set, by decreasing rank. Absent without fixed priorities.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<Vec<usize>>,
    #[serde(flatten)]
    counters: Counters,
    /// Number of completed jobs that the trace does not contain.
    #[serde(skip_serializing_if = "is_zero")]
    omitted: u64,
    suspensions: Vec<Suspension>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped_jobs: Vec<Skipped>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    granted: Option<&'a Context>,
    tasks: Vec<TaskHead<'a>>,
}

/// A task in the object `gpusched`.
#[derive(Serialize)]
struct TaskHead<'a> {
    task: &'a str,
    /// Position of the task in the task set.
    position: usize,
    period_ns: Time,
    deadline_ns: Time,
    /// Whether the user's program releases the jobs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sporadic: bool,
    wcet_ns: u64,
    budget_ns: u64,
    jobs: usize,
    longest_occupancy_ns: u64,
    longest_response_ns: u64,
}

/// Writes the trace of `run`, which executed `work` for `program`. The user's program states no work. `backend` is the name of the backend.
///
/// # Errors
/// Fails if `out` fails.
pub fn write(
    out: &mut impl Write,
    (program, work): (&Program, Option<&Work>),
    run: &Run,
    backend: &str,
) -> io::Result<()> {
    let contexts = program.partitions.iter().zip(&run.partitions).enumerate();
    let head = Head {
        version: 2,
        backend,
        plan_sha256: &program.plan_sha256,
        set_sha256: &program.set_sha256,
        work,
        duration_ns: run.duration,
        arrivals: "periodic",
        ends_ns: run.ends(program),
        clock: if run.machine.is_some() {
            "CLOCK_MONOTONIC"
        } else {
            "virtual"
        },
        origin_ns: run.origin,
        overheads: program.overheads.unwrap_or_default(),
        wake_bound_ns: run.wake_bound,
        machine: run.machine.as_ref(),
        unproven: program.unproven.as_deref(),
        kept: run.kept(),
        interrupted_ns: run.interrupted,
        totals: run.totals(),
        contexts: contexts
            .map(|(context, (part, run_of))| ContextHead {
                context,
                sms: part.sms,
                policy: part.policy.to_string(),
                overrun: program.overrun.to_string(),
                ranks: match &part.order {
                    Order::Deadlines | Order::Arrivals => None,
                    Order::Ranks(ranks) => {
                        Some(ranks.iter().map(|&task| part.tasks[task].position).collect())
                    }
                },
                counters: run_of.counters,
                omitted: run_of.omitted(),
                suspensions: run_of
                    .suspensions
                    .iter()
                    .map(|span| relative(*span, run.origin))
                    .collect(),
                skipped_jobs: run_of
                    .skipped
                    .iter()
                    .map(|job| Skipped {
                        arrival: job.arrival.saturating_sub(run.origin),
                        ..*job
                    })
                    .collect(),
                lost: run_of.lost.as_deref(),
                granted: run_of.context.as_ref(),
                tasks: tasks(part, &run_of.records),
            })
            .collect(),
    };
    let sms = run
        .machine
        .as_ref()
        .map_or(program.gpu_sms, |machine| machine.sms);
    let name = run
        .machine
        .as_ref()
        .map_or("virtual GPU", |machine| machine.gpu.as_str());
    write!(
        out,
        "{{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"deviceProperties\":[{{\"id\":0,\"name\":"
    )?;
    serde_json::to_writer(&mut *out, name)?;
    write!(out, ",\"numSms\":{sms}}}],\n\"gpusched\":")?;
    serde_json::to_writer(&mut *out, &head)?;
    write!(out, ",\n\"traceEvents\":[")?;
    let mut events = Events {
        out,
        first: true,
        correlation: 0,
        origin: run.origin,
        tasks: program.partitions.iter().map(|part| part.tasks.len()).sum(),
    };
    for (context, (part, run)) in program.partitions.iter().zip(&run.partitions).enumerate() {
        events.partition(context, part, &run.records)?;
    }
    writeln!(events.out, "\n]}}")
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn relative(span: Suspension, origin: u64) -> Suspension {
    Suspension {
        from: span.from.saturating_sub(origin),
        until: span.until.map(|until| until.saturating_sub(origin)),
        ..span
    }
}

fn tasks<'a>(part: &'a Part, records: &[Record]) -> Vec<TaskHead<'a>> {
    let of = |(index, task): (usize, &'a PlannedTask)| {
        let of = || records.iter().filter(move |record| record.job.task == index);
        let response = |record: &Record| record.completion.saturating_sub(record.job.arrival);
        TaskHead {
            task: &task.name,
            position: task.position,
            period_ns: task.period,
            deadline_ns: task.deadline,
            sporadic: task.sporadic,
            wcet_ns: task.wcet.ns(),
            budget_ns: task.budget.ns(),
            jobs: of().filter(|record| record.last).count(),
            longest_occupancy_ns: of().map(|record| record.occupancy).max().unwrap_or(0),
            longest_response_ns: of().map(response).max().unwrap_or(0),
        }
    };
    part.tasks.iter().enumerate().map(of).collect()
}

/// Writer of events.
struct Events<'a, W> {
    out: &'a mut W,
    first: bool,
    correlation: u64,
    /// Time 0 of the trace [ns].
    origin: u64,
    /// Number of tasks of all partitions.
    tasks: usize,
}

impl<W: Write> Events<'_, W> {
    fn partition(&mut self, context: usize, part: &Part, records: &[Record]) -> io::Result<()> {
        // Jobs of one task that overlap are on different lanes, so that each decision is inside one range of its lane.
        let mut lanes: Vec<Vec<u64>> = vec![Vec::new(); part.tasks.len()];
        // Numbers of the jobs that ended, by task. They ascend, because the jobs of a task run in this order.
        let mut ended: Vec<Vec<u64>> = vec![Vec::new(); part.tasks.len()];
        for record in records.iter().filter(|record| record.last) {
            ended[record.job.task].push(record.job.number);
        }
        for record in records {
            let job = record.job;
            let open = ended[job.task].binary_search(&job.number).is_err();
            let task = &part.tasks[job.task];
            let free = lanes[job.task].iter().position(|&end| end <= job.arrival);
            let lane = free.unwrap_or(lanes[job.task].len());
            match free {
                _ if !record.last => {} // a chunk
                Some(free) => lanes[job.task][free] = record.completion,
                None => lanes[job.task].push(record.completion),
            }
            let thread = 1 + task.position + lane * self.tasks;
            let name = match task.name.starts_with('#') {
                true => task.name.clone(), // a task without a name
                false => format!("{}#{}", task.name, job.number),
            };
            self.correlation += 1;
            let (correlation, status) = (self.correlation, record.status);
            let mut args = format!(
                "\"visible_ns\":{},\"deadline_ns\":{},\"miss\":{}",
                self.since(record.visible),
                self.since(job.deadline),
                status.missed
            );
            for (name, found) in [("overrun", status.overrun), ("late_wake", status.late_wake)] {
                args += &if found {
                    format!(",\"{name}\":true")
                } else {
                    String::new()
                };
            }
            if record.last {
                self.event(
                    "user_annotation",
                    &name,
                    (job.arrival, record.completion),
                    thread,
                    &args,
                )?;
            }
            // Without its range, a host call would belong to the range of another job.
            if !open {
                let args = format!("\"correlation\":{correlation}");
                let enqueued = record.enqueued.clamp(record.decision, record.completion);
                self.event(
                    "cuda_runtime",
                    "enqueue",
                    (record.decision, enqueued),
                    thread,
                    &args,
                )?;
            }
            let failed = if status.failed { ",\"failed\":true" } else { "" };
            let args = format!(
                "\"device\":0,\"context\":{context},\"stream\":{context},\"correlation\":{correlation}{failed}"
            );
            self.event(
                "kernel",
                &task.name,
                (record.decision, record.completion),
                context,
                &args,
            )?;
        }
        Ok(())
    }

    fn event(
        &mut self,
        cat: &str,
        name: &str,
        (from, to): (u64, u64),
        tid: usize,
        args: &str,
    ) -> io::Result<()> {
        let comma = if std::mem::take(&mut self.first) { "" } else { "," };
        let start = Microseconds(self.since(from));
        let length = Microseconds(i128::from(to) - i128::from(from));
        write!(self.out, "{comma}\n{{\"ph\":\"X\",\"cat\":\"{cat}\",\"name\":")?;
        serde_json::to_writer(&mut *self.out, name)?;
        let pid = u8::from(cat != "kernel"); // the GPU is process 0, and the host is process 1
        write!(
            self.out,
            ",\"pid\":{pid},\"tid\":{tid},\"ts\":{start},\"dur\":{length},\"args\":{{{args}}}}}"
        )
    }

    fn since(&self, time: u64) -> i128 {
        i128::from(time) - i128::from(self.origin)
    }
}

/// A time in ns that is written in microseconds with all digits.
struct Microseconds(i128);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let ns = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:03}", ns / 1000, ns % 1000)
    }
}
