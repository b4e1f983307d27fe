//! The equation of each value of the table.

use gpusched_model::end_to_end::{CorePolicy, EnginePolicy, PartitionPolicy, Resource};

use super::compare::same_bound;
use super::core::FixedPriorities;
use super::device::{self, Rule};
use super::edf::{Edf, Source};
use super::service::{Lost, Service};
use super::stream::Stream;
use super::table::Table;
use super::window::{blocking, smaller};
use crate::fault::Fault;

/// A resource with the data for its equations.
enum Prepared<'a> {
    /// A core with fixed priorities, without enforced releases.
    Core(FixedPriorities<'a>),
    /// A core with EDF, without enforced releases. The list has the position of each task among
    /// the sources.
    EdfCore(Edf<'a>, Vec<usize>),
    /// Segments as independent streams under the given rule.
    Device(Rule),
    /// Segments as independent streams under EDF.
    EdfDevice(Edf<'a>),
}

/// Least values of the table that satisfy the equations. `None` means that there is no bound.
struct Required {
    end: Option<u128>,
    delay: Option<u128>,
}

/// Checks every value of `table`. Returns the first value that is too small, or else the first value that is larger than
/// necessary.
pub(super) fn check(table: &Table<'_>) -> Result<(), Fault> {
    let mut found = Vec::new();
    for resource in table.system.resources() {
        let streams = table.streams(resource);
        let mut prepared = prepare(table, resource, streams);
        for (position, stream) in streams.iter().enumerate() {
            let required = prepared.required(table, streams, position);
            check_segment(table, stream, &required, false)?;
            found.push((stream, required));
        }
    }
    found
        .iter()
        .try_for_each(|(stream, required)| check_segment(table, stream, required, true))
}

/// Checks that R and S of the segment `stream` are at least `required`, or equal `required` if `exactly` is true. If a task
/// has no bound, R of all its segments must be null.
fn check_segment(
    table: &Table<'_>,
    stream: &Stream,
    required: &Required,
    exactly: bool,
) -> Result<(), Fault> {
    let (task, segment) = (stream.task, stream.segment);
    let (end, delay) = (table.end(task, segment), table.delay(task, segment));
    let field = |list: &str| format!("bounds[{task}].{list}[{segment}]");
    if !exactly {
        at_least(end, required.end, || field("ends_ns"))?;
        at_least(delay, required.delay, || field("delays_ns"))?;
        return match table.enforced() {
            true => check_order(table, stream),
            false => Ok(()),
        };
    }
    let bounded = table.response(task).is_some();
    same_bound(&field("ends_ns"), end, required.end.filter(|_| bounded))?;
    same_bound(&field("delays_ns"), delay, required.delay)
}

/// Checks that `claimed` is at least `required`, or null.
fn at_least(claimed: Option<u128>, required: Option<u128>, field: impl Fn() -> String) -> Result<(), Fault> {
    match (claimed, required) {
        (None, _) => Ok(()),
        (Some(claimed), Some(required)) if claimed >= required => Ok(()),
        (Some(claimed), Some(required)) => {
            let message = format!("found {claimed} ns, expected at least {required} ns");
            Err(Fault::new(field(), message))
        }
        (Some(claimed), None) => {
            let message =
                format!("found {claimed} ns, expected null, because no bound follows from the table");
            Err(Fault::new(field(), message))
        }
    }
}

/// Checks that the previous segment has ended when the timer releases the segment `stream`. If the previous segment may
/// still execute, the table must not state R for `stream`.
fn check_order(table: &Table<'_>, stream: &Stream) -> Result<(), Fault> {
    let (task, segment) = (stream.task, stream.segment);
    let Some(end) = table.end(task, segment) else {
        return Ok(());
    };
    let field = |segment| format!("bounds[{task}].ends_ns[{segment}]");
    if let Some(next) = table.next_offset(task, segment)
        && end > next
    {
        let message =
            format!("found {end} ns, expected null or at most {next} ns, the next enforced release");
        return Err(Fault::new(field(segment), message));
    }
    match table.release(task, segment) {
        Some(_) => Ok(()),
        None => {
            let message = format!("found {end} ns, expected null, because the previous segment has no bound");
            Err(Fault::new(field(segment), message))
        }
    }
}

fn prepare<'a>(table: &'a Table<'_>, resource: Resource, streams: &'a [Stream]) -> Prepared<'a> {
    match resource {
        Resource::Core(index) => match (table.system.cores()[index].policy, table.enforced()) {
            (CorePolicy::Fp, false) => Prepared::Core(FixedPriorities::new(table, streams)),
            (CorePolicy::Fp, true) => Prepared::Device(Rule::Preemptive),
            (CorePolicy::Edf, false) => edf_core(table, resource, streams),
            (CorePolicy::Edf, true) => edf_device(table, resource, PartitionPolicy::Edf),
        },
        Resource::Engine(index) => match table.system.engines()[index].policy {
            EnginePolicy::Fifo => Prepared::Device(Rule::Fifo),
            EnginePolicy::NpFp => Prepared::Device(Rule::NonPreemptive),
        },
        Resource::Partition(index) => match table.system.partitions()[index].policy {
            PartitionPolicy::NpFifo => Prepared::Device(Rule::Fifo),
            PartitionPolicy::NpFp => Prepared::Device(Rule::NonPreemptive),
            PartitionPolicy::Fp => Prepared::Device(Rule::Preemptive),
            PartitionPolicy::LpFp => Prepared::Device(Rule::Limited),
            edf => edf_device(table, resource, edf),
        },
    }
}

/// Returns a core with EDF. Each job has the demand E, because the task occupies the core while it waits.
fn edf_core<'a>(table: &'a Table<'_>, resource: Resource, streams: &[Stream]) -> Prepared<'a> {
    let by_task = streams.chunk_by(|a, b| a.task == b.task);
    let tasks: Vec<usize> = by_task
        .filter_map(|streams| Some(streams.first()?.task))
        .collect();
    let sources = tasks.iter().map(|&task| {
        let (jitter, deadline) = (table.task(task).jitter.ns(), table.task(task).deadline.ns());
        (jitter <= deadline).then_some(())?;
        Some(Source {
            period: table.period(task),
            cost: table.whole(task)?,
            jitter: jitter.into(),
            deadline: deadline.into(),
            blocking: 0,
            segment: None,
        })
    });
    Prepared::EdfCore(
        Edf::new(sources.collect(), service_in_busy(table, resource)),
        tasks,
    )
}

/// Returns a resource with EDF. Each segment is an independent task, whose jobs arrive at a + φ.
fn edf_device<'a>(table: &'a Table<'_>, resource: Resource, policy: PartitionPolicy) -> Prepared<'a> {
    let streams = table.streams(resource);
    let in_full = table.shares_memory();
    let sources = streams.iter().map(|stream| {
        let (jitter, deadline) = (stream.jitter?, stream.deadline?);
        (jitter <= deadline).then_some(())?;
        // A job may preempt a kernel of another task with a later deadline. The preemption makes
        // the kernel up to one block longer. A kernel of one block is never preempted.
        let preempted = streams.iter().filter(|other| {
            policy == PartitionPolicy::LpEdf
                && other.task != stream.task
                && other.block < other.cost
                && other.deadline.is_none_or(|other| other > deadline - jitter)
        });
        let charge = preempted.map(|other| other.block).max().unwrap_or(0); // preempts no kernel
        Some(Source {
            period: stream.period,
            cost: stream.cost.saturating_add(charge),
            jitter,
            deadline,
            blocking: match policy {
                PartitionPolicy::Edf => 0,
                PartitionPolicy::LpEdf => blocking([stream.block].into_iter(), in_full),
                _ => blocking([stream.cost].into_iter(), in_full),
            },
            segment: (!table.enforced()).then_some((stream.task, stream.segment)),
        })
    });
    let limited = policy == PartitionPolicy::LpEdf && in_full; // a preempted kernel may transfer its data again
    let sources = sources.collect::<Option<Vec<Source>>>().filter(|_| !limited);
    Prepared::EdfDevice(Edf::new(sources, service_in_busy(table, resource)))
}

/// Returns the service of `resource` in a busy period under EDF. This busy period may start before the release of
/// the analyzed job.
fn service_in_busy<'a>(table: &'a Table<'_>, resource: Resource) -> Service<'a> {
    let first = table.streams(resource).first();
    let lost = first.map_or(Lost::default(), |stream| {
        table.lost_from_idle(resource, stream.task)
    });
    table.service(resource, lost)
}

impl Prepared<'_> {
    /// Evaluates the equations of the stream at `position` of `streams`, the streams on the
    /// resource.
    fn required(&mut self, table: &Table<'_>, streams: &[Stream], position: usize) -> Required {
        let own = &streams[position];
        let (task, segment) = (own.task, own.segment);
        let limit = table.period(task);
        // The segment ends at most S after its release. The release is at most R(i,k−1) after the arrival. With
        // enforced releases, a timer releases the segment at its offset o after the arrival. The first segment has the
        // jitter J.
        let release = match table.enforced() {
            true if segment == 0 => table.release(task, segment),
            true => Some(own.earliest),
            false => table.release(task, segment),
        };
        let after = |start: Option<u128>, length: Option<u128>| Some(start?.saturating_add(length?));
        match self {
            Prepared::Core(core) => Required {
                end: core.end(table, task, segment),
                delay: None,
            },
            Prepared::EdfCore(edf, tasks) => {
                let index = tasks.iter().position(|&other| other == task);
                let prefix = table.prefix(task, segment);
                Required {
                    end: index
                        .zip(prefix)
                        .and_then(|(index, own)| edf.response(index, own, limit)),
                    delay: None,
                }
            }
            Prepared::Device(rule) => Required {
                end: after(release, table.delay(task, segment)),
                delay: device::delay(*rule, table, streams, own),
            },
            Prepared::EdfDevice(edf) => {
                // The response time counts from a + φ, so it includes J.
                let cost = edf.cost(position);
                let response = cost.and_then(|cost| edf.response(position, cost, limit));
                let direct = after(Some(own.earliest), response);
                let end = match table.enforced() {
                    true => direct,
                    false => smaller(direct, after(release, table.delay(task, segment))),
                };
                Required { end, delay: response }
            }
        }
    }
}
