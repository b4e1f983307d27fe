//! The equation of each value of the table.

use gpusched_model::end_to_end::{Bounds, CorePolicy, EnginePolicy, PartitionPolicy, Resource, TaskBounds};
use gpusched_model::time::Time;

use super::compare::same_bound;
use super::core::FixedPriorities;
use super::device::{self, Rule};
use super::edf::{Edf, Source, signed};
use super::pipelined;
use super::service::{Lost, Service};
use super::several::Windows;
use super::stream::Stream;
use super::table::Table;
use super::window::{blocking, smaller};
use crate::fault::Fault;

/// A resource with the data for its equations.
enum Prepared<'a> {
    /// A core with fixed priorities, without enforced releases.
    Core(FixedPriorities<'a>),
    /// A core with EDF, without enforced releases: with whole jobs, and with segments.
    EdfCore(Vec<EdfCore<'a>>),
    /// Segments as independent streams under the given rule.
    Device(Rule),
    /// Segments as independent streams under EDF.
    EdfDevice(Edf<'a>),
}

/// A core with EDF. The list has the task of each source, and its segment. A source without a segment has whole jobs.
struct EdfCore<'a>(Edf<'a>, Vec<(usize, Option<usize>)>);

/// Least values of the table that satisfy the equations. `None` means that there is no bound.
struct Required {
    end: Option<u128>,
    delay: Option<u128>,
}

/// Checks every value of `table`. Returns the first value that is too small, or else the first value that is larger than
/// necessary.
pub(super) fn check(table: &Table<'_>) -> Result<(), Fault> {
    let found = evaluate(table);
    [false, true].into_iter().try_for_each(|exactly| {
        { found.iter() }.try_for_each(|(stream, required)| check_segment(table, stream, required, exactly))
    })
}

/// Evaluates the equations of every value of `table`. The table must have no enforced releases.
pub(super) fn next_bounds(table: &Table<'_>) -> Bounds {
    let mut next: Vec<TaskBounds> = { table.system.tasks().iter() }
        .map(|task| TaskBounds {
            ends_ns: vec![None; task.segments.len()],
            delays_ns: vec![None; task.segments.len()],
        })
        .collect();
    // A bound above the longest supported time is no bound.
    let time = |bound: Option<u128>| {
        Some(Time::from_ns(bound?.try_into().ok()?)).filter(|time| *time <= Time::LIMIT)
    };
    for (stream, required) in evaluate(table) {
        let row = &mut next[stream.task];
        row.ends_ns[stream.segment] = time(required.end);
        row.delays_ns[stream.segment] = time(required.delay);
    }
    // Each stage of a pipelined task has its own bound.
    let sequential = { next.iter_mut().zip(table.system.tasks()) }.filter(|(_, task)| !task.is_pipelined());
    for (row, task) in sequential {
        let too_long = |bound: &Option<Time>| bound.is_some_and(|bound| bound > task.period);
        for delay in &mut row.delays_ns {
            *delay = delay.filter(|_| !too_long(delay));
        }
        if row.ends_ns.last().is_none_or(Option::is_none) || row.ends_ns.iter().any(too_long) {
            row.ends_ns.fill(None); // the task has no bound
        }
    }
    Bounds(next)
}

/// Returns the least values of all segments.
fn evaluate<'a>(table: &'a Table<'_>) -> Vec<(&'a Stream, Required)> {
    let mut found = Vec::new();
    let windows = Windows::new(table);
    for resource in table.system.resources() {
        let streams = table.streams(resource);
        let mut prepared = prepare(table, resource, streams);
        for (position, stream) in streams.iter().enumerate() {
            let mut required = prepared.required(table, streams, position);
            if let Some(windows) = &windows
                && !stream.pipelined
                && table.response(stream.task).is_some()
            {
                required.end = windows.end(stream.task, stream.segment, required.end);
            }
            found.push((stream, required));
        }
    }
    found
}

/// Checks that R and S of the segment `stream` are at least `required`, or equal `required` if `exactly` is true. If a
/// sequential task has no bound, R of all its segments must be null.
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
    // The row of a sequential task without a bound claims nothing where it is null.
    let bounded = stream.pipelined || table.response(task).is_some();
    same_bound(&field("ends_ns"), end, required.end.filter(|_| bounded))?;
    let null = !bounded && delay.is_none();
    same_bound(&field("delays_ns"), delay, required.delay.filter(|_| !null))
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
            (CorePolicy::Fp, false) => Prepared::Core(FixedPriorities::new(table, resource)),
            (CorePolicy::Fp, true) => Prepared::Device(Rule::Preemptive),
            (CorePolicy::Edf, false) => edf_core(table, resource, streams),
            (CorePolicy::Edf, true) => edf_device(table, resource, PartitionPolicy::Edf),
        },
        Resource::Engine(index) => match table.system.engines()[index].policy {
            EnginePolicy::Fifo => Prepared::Device(Rule::Fifo),
            EnginePolicy::NpFp => Prepared::Device(Rule::NonPreemptive),
        },
        Resource::Partition(index) => match table.system.partitions()[index].policy {
            // All orders of the segments of one thread are equal.
            policy if serves_one_thread(table, policy, streams) => Prepared::Device(Rule::Fifo),
            PartitionPolicy::NpFifo => Prepared::Device(Rule::Fifo),
            PartitionPolicy::NpFp => Prepared::Device(Rule::NonPreemptive),
            PartitionPolicy::Fp => Prepared::Device(Rule::Preemptive),
            PartitionPolicy::LpFp => Prepared::Device(Rule::Limited),
            edf => edf_device(table, resource, edf),
        },
    }
}

/// Returns whether one thread executes all segments `streams` of a partition, without timers and without a shared memory: the segments
/// belong to one sequential task, or the only segment belongs to a pipelined task. With fixed priorities, a pipelined task has windows
/// over several stages, so this rule does not apply to it.
fn serves_one_thread(table: &Table<'_>, policy: PartitionPolicy, streams: &[Stream]) -> bool {
    let edf = matches!(
        policy,
        PartitionPolicy::Edf | PartitionPolicy::NpEdf | PartitionPolicy::LpEdf
    );
    let one = match streams {
        [] => false,
        [only] => edf || !only.pipelined,
        [first, others @ ..] => others
            .iter()
            .all(|other| other.task == first.task && !other.pipelined),
    };
    one && !table.enforced() && !table.shares_memory()
}

/// Returns both analyses of a core with EDF. In the first one, each job of a sequential task has the demand E, as if the task occupied
/// the core while it waits. In the second one, only tasks that busy-wait have this demand. Each other segment is an independent task.
fn edf_core<'a>(table: &'a Table<'_>, resource: Resource, streams: &[Stream]) -> Prepared<'a> {
    let jobs = EdfCore::new(table, resource, streams, |task| !table.task(task).is_pipelined());
    let segments = EdfCore::new(table, resource, streams, |task| table.task(task).spins());
    Prepared::EdfCore(vec![jobs, segments])
}

impl<'a> EdfCore<'a> {
    /// Creates the core `resource` with the segments `streams`. `whole` tells whether a task has whole jobs.
    fn new(
        table: &'a Table<'_>,
        resource: Resource,
        streams: &[Stream],
        whole: impl Fn(usize) -> bool,
    ) -> EdfCore<'a> {
        let mut demands = Vec::new();
        let mut sources = Vec::new();
        for stream in streams {
            let task = stream.task;
            let demand = (task, (!whole(task)).then_some(stream.segment));
            if demands.last() == Some(&demand) {
                continue; // the job has a source
            }
            demands.push(demand);
            sources.push(match demand.1 {
                Some(_) => independent(stream, 0, 0),
                None => table.whole(task).map(|cost| Source {
                    period: table.period(task),
                    cost,
                    jitter: table.task(task).jitter.ns().into(),
                    deadline: table.task(task).deadline.ns().into(),
                    blocking: 0,
                    segment: None,
                    pipelined: false,
                }),
            });
        }
        let sources = sources.into_iter().collect();
        EdfCore(Edf::new(sources, service_in_busy(table, resource)), demands)
    }

    /// Returns the least R of the segment `own` that follows from the analysis; `None` above `limit`.
    fn end(&mut self, table: &Table<'_>, own: &Stream, limit: u128) -> Option<u128> {
        let EdfCore(edf, demands) = self;
        let position = |segment| demands.iter().position(|&demand| demand == (own.task, segment));
        match position(Some(own.segment)) {
            Some(index) => {
                let response = edf.response(index, own.cost, limit)?;
                Some(own.earliest.saturating_add(response)).filter(|&end| end <= limit)
            }
            None => {
                let prefix = table.prefix(own.task, own.segment)?;
                edf.response(position(None)?, prefix, limit)
            }
        }
    }
}

/// Returns the segment `stream` as an independent task, whose jobs arrive at a + φ. Returns `None` without a bound
/// on its jitter. Each job takes `charge` longer.
fn independent(stream: &Stream, charge: u128, blocking: u128) -> Option<Source> {
    Some(Source {
        period: stream.period,
        cost: stream.cost.saturating_add(charge),
        jitter: stream.jitter?,
        deadline: stream.deadline,
        blocking,
        segment: Some((stream.task, stream.segment)),
        pipelined: stream.pipelined,
    })
}

/// Returns a resource with EDF. Each segment is an independent task, whose jobs arrive at a + φ.
fn edf_device<'a>(table: &'a Table<'_>, resource: Resource, policy: PartitionPolicy) -> Prepared<'a> {
    let streams = table.streams(resource);
    let in_full = table.shares_memory();
    let sources = streams.iter().map(|stream| {
        let earliest = stream.deadline - signed(stream.jitter?);
        // A job may preempt a kernel of another task with a later deadline. The preemption makes the kernel up to one block
        // longer. A kernel of one block is never preempted. A job of a pipelined task may also preempt a younger job.
        let preempted = streams.iter().filter(|other| {
            let same = other.task == stream.task && (!stream.pipelined || other.segment == stream.segment);
            policy == PartitionPolicy::LpEdf && !same && other.block < other.cost && other.deadline > earliest
        });
        let charge = preempted.map(|other| other.block).max().unwrap_or(0); // preempts no kernel
        let blocking = match policy {
            PartitionPolicy::Edf => 0,
            PartitionPolicy::LpEdf => blocking([stream.block].into_iter(), in_full),
            _ => blocking([stream.cost].into_iter(), in_full),
        };
        let source = independent(stream, charge, blocking)?;
        Some(Source {
            segment: source.segment.filter(|_| !table.enforced()),
            ..source
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

/// Returns the smaller R of the segment `own` over both analyses of its core.
fn least_end(cores: &mut [EdfCore<'_>], table: &Table<'_>, own: &Stream, limit: u128) -> Option<u128> {
    let ends = cores.iter_mut().map(|core| core.end(table, own, limit));
    ends.fold(None, smaller)
}

impl Prepared<'_> {
    /// Returns the least valid R of the segment `own` of a pipelined task, the stream at `position` on the resource.
    fn pipelined_end(&mut self, table: &Table<'_>, position: usize, own: &Stream) -> Option<u128> {
        if own.cost > own.period {
            return None;
        }
        let limit = pipelined::longest_end(table, own.task);
        let response = match self {
            Prepared::Core(_) => return pipelined::end(Rule::Preemptive, table, own),
            Prepared::Device(rule) => return pipelined::end(*rule, table, own),
            Prepared::EdfCore(cores) => return least_end(cores, table, own, limit),
            Prepared::EdfDevice(edf) => {
                let cost = edf.cost(position)?;
                edf.response(position, cost, limit)
            }
        };
        Some(own.earliest.saturating_add(response?)).filter(|&end| end <= limit)
    }

    /// Evaluates the equations of the stream at `position` of `streams`, the streams on the
    /// resource.
    fn required(&mut self, table: &Table<'_>, streams: &[Stream], position: usize) -> Required {
        let own = &streams[position];
        let (task, segment) = (own.task, own.segment);
        if own.pipelined {
            return Required {
                end: self.pipelined_end(table, position, own),
                delay: None,
            };
        }
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
            Prepared::EdfCore(cores) => Required {
                end: least_end(cores, table, own, limit),
                delay: None,
            },
            Prepared::Device(rule) => Required {
                end: after(release, table.delay(task, segment)),
                delay: {
                    let delay = device::delay(*rule, table, streams, own);
                    // Beside pipelined tasks, a busy window also bounds the delay.
                    let beside = *rule == Rule::Fifo && streams.iter().any(|other| other.pipelined);
                    let busy = beside.then(|| pipelined::busy_window(table, own)).flatten();
                    smaller(delay, busy.filter(|&busy| busy <= limit))
                },
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
