//! Simulated runs of a plan whose partitions share a memory. The runs differ in the releases and
//! stages of jobs, in other memory traffic, and in the division of the bandwidth. Validation and
//! studies search these runs for missed deadlines.

mod requests;

use requests::Requests;

use crate::shared::{Client, Division, Miss, Outcome, Stage, Task, simulate};
use crate::tasks::{Discipline, priorities};
use gpusched_analysis::interference::Interference;
use gpusched_analysis::interference::model_of;
use gpusched_analysis::partitioning::Problem;
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::{Arbitration, Bandwidth, Evidence, Policy, SharedMemory, TaskSet, Verdict};

/// Number of release patterns for each system: one synchronous pattern and two random patterns.
pub const RELEASES: u64 = 3;

/// Maximum number of clients for which gpusched simulates every priority order at the memory.
/// With more clients, gpusched simulates the rotations of two orders.
const ALL_ORDERS: usize = 5;

/// The simulated system.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// All tasks of the system, and all memory traffic of other sources.
    pub set: &'a TaskSet,
    /// Tasks and number of SMs of each partition.
    pub parts: Vec<(&'a [usize], u32)>,
    /// Memory that the partitions share.
    pub memory: SharedMemory,
    /// Bandwidth of the memory slices of each partition. `None` if the partitions have no own memory slices. With
    /// memory slices, other sources may use the slices of any partition.
    pub slices: Option<Vec<Bandwidth>>,
    /// Scheduling policy of all partitions.
    pub policy: Policy,
    /// End of the arrivals [ns]. All jobs arrive before this time.
    pub end: u64,
}

/// Simulates `system` under all release patterns and all divisions of the bandwidth, until the
/// first deadline miss. `verdicts` states the priorities of tasks. Returns the first deadline
/// miss, the number of runs and the number of jobs.
pub fn first_miss(
    system: &Setting<'_>,
    verdicts: &[Verdict],
    seed: u64,
    index: u64,
) -> (Option<Miss>, u64, u64) {
    let (mut runs, mut jobs) = (0, 0);
    for release in 0..RELEASES {
        let Some(memories) = memories(system, verdicts, seed, index, release) else {
            continue;
        };
        for (clients, capacity) in memories {
            for division in divisions(system.memory.arbitration, clients.len()) {
                let outcome: Outcome = simulate(&clients, capacity.bytes_per_second(), &division, system.end);
                runs += 1;
                jobs += outcome.jobs;
                if outcome.miss.is_some() {
                    return (outcome.miss, runs, jobs);
                }
            }
        }
    }
    (None, runs, jobs)
}

/// Returns the clients and the bandwidth of each memory. There is one shared memory, or one
/// memory per partition if partitions have memory slices. Returns `None` for a policy without a
/// scheduler.
fn memories(
    system: &Setting<'_>,
    verdicts: &[Verdict],
    seed: u64,
    index: u64,
    release: u64,
) -> Option<Vec<(Vec<Client>, Bandwidth)>> {
    let clients = clients(system, verdicts, seed, index, release)?;
    let Some(slices) = &system.slices else {
        return Some(vec![(clients, system.memory.bandwidth)]);
    };
    let (parts, others) = clients.split_at(system.parts.len());
    let memory = |(part, &own): (&Client, &Bandwidth)| {
        let clients = std::iter::once(part).chain(others);
        (clients.map(|client| client.within(own)).collect(), own)
    };
    Some(parts.iter().zip(slices).map(memory).collect())
}

/// Returns divisions of the bandwidth that `arbitration` permits. The analysis must be valid for
/// all these divisions.
fn divisions(arbitration: Arbitration, clients: usize) -> Vec<Division> {
    let mut all = vec![Division::MaxMin];
    if arbitration == Arbitration::Any {
        all.push(Division::Spite);
        if clients > ALL_ORDERS {
            for first in 0..clients {
                let order: Vec<usize> = (0..clients).map(|place| (first + place) % clients).collect();
                all.push(Division::Order(order.iter().rev().copied().collect()));
                all.push(Division::Order(order));
            }
            return all;
        }
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for client in 0..clients {
            orders = orders
                .into_iter()
                .flat_map(|order| {
                    (0..=order.len()).map(move |place| {
                        let mut longer = order.clone();
                        longer.insert(place, client);
                        longer
                    })
                })
                .collect();
        }
        all.extend(orders.into_iter().map(Division::Order));
    }
    all
}

/// Returns a client for each partition, followed by a client for each source of other memory
/// traffic. Returns `None` for a policy without a scheduler.
fn clients(
    system: &Setting<'_>,
    verdicts: &[Verdict],
    seed: u64,
    index: u64,
    release: u64,
) -> Option<Vec<Client>> {
    let mut rng = stream(seed, Purpose::SharedMemoryRuns, index, release);
    let model = model_of(Interference::Conflict);
    let sms = system.parts.iter().map(|&(_, sms)| sms).sum::<u32>().max(1);
    let problem = Problem::new(system.set, sms, system.policy, model).ok()?;
    let discipline = Discipline::of(system.policy)?;
    let mut clients = Vec::new();
    for (&(part, sms), verdict) in system.parts.iter().zip(verdicts) {
        let demands = problem.demands(part, sms).ok()?;
        let order = match &verdict.evidence {
            Evidence::ResponseTimes { priorities, .. } => {
                let place = |task: &usize| part.iter().position(|other| other == task);
                priorities.iter().map(place).collect::<Option<Vec<usize>>>()?
            }
            _ => priorities(system.policy, &plain(&demands)).unwrap_or_else(|| (0..part.len()).collect()),
        };
        let tasks = order.iter().map(|&position| {
            let (task, demand) = (
                system.set.tasks().get(*part.get(position)?)?,
                demands.get(position)?,
            );
            let peak = task
                .bandwidth(sms)
                .unwrap_or(system.memory.bandwidth)
                .bytes_per_second();
            let bytes = task.traffic().map_or(u128::MAX, |bytes| bytes.nano());
            let shape = below(&mut rng, 3);
            Some(Task {
                stages: stages(demand.wcet.ns(), peak, bytes, shape),
                first: match release {
                    0 => 0,
                    _ => below(&mut rng, usize::try_from(demand.period.ns()).ok()?) as u64,
                },
                jitter: demand.jitter.ns(),
                period: demand.period.ns(),
                deadline: demand.deadline.ns(),
            })
        });
        clients.push(Client {
            tasks: tasks.collect::<Option<Vec<Task>>>()?,
            discipline,
            drops: false,
        });
    }
    // In the synchronous pattern, the first jobs of all tasks are released at one instant. Each
    // of these jobs has the maximum jitter of its task.
    let mut instant = None;
    if release == 0 {
        let latest = clients
            .iter()
            .flat_map(|client| &client.tasks)
            .map(|task| task.jitter)
            .max()?;
        for task in clients.iter_mut().flat_map(|client| &mut client.tasks) {
            task.first = latest - task.jitter;
        }
        instant = Some(latest);
    }
    for other in system.set.other_traffic() {
        let requests = match release {
            0 => Requests::Piled,
            1 => Requests::Pieces,
            _ => Requests::Whole,
        };
        let start = match instant {
            Some(instant) => instant,
            None => below(&mut rng, usize::try_from(other.period.ns()).ok()?) as u64,
        };
        clients.push(requests.client(other, system.memory.bandwidth, start, &mut rng)?);
    }
    Some(clients)
}

/// Converts the demands to tasks of the simulator, which are used only to assign priorities.
fn plain(demands: &[gpusched_analysis::schedulability::Demand]) -> Vec<crate::tasks::Task> {
    let task = |demand: &gpusched_analysis::schedulability::Demand| crate::tasks::Task {
        wcet: demand.wcet,
        shortest: demand.wcet,
        block: demand.block,
        period: demand.period,
        deadline: demand.deadline,
        jitter: demand.jitter,
        stream: 0,
    };
    demands.iter().map(task).collect()
}

/// Returns the stages of a job with execution time `time` [ns]. The job transfers up to `bytes` [nano-bytes] at a rate
/// of up to `peak` [bytes per second]. If `shape` is 0, the job transfers the bytes evenly. If `shape` is 1, the job
/// transfers the bytes at its start. For other values of `shape`, the job transfers the bytes at its end.
fn stages(time: u64, peak: u64, bytes: u128, shape: usize) -> Vec<Stage> {
    let busy = bytes
        .checked_div(peak.into())
        .map_or(time, |busy| u64::try_from(busy).unwrap_or(time).min(time));
    let memory = Stage {
        time: busy,
        rate: peak,
    };
    let compute = Stage {
        time: time - busy,
        rate: 0,
    };
    match shape {
        0 => {
            let rate = bytes.checked_div(time.into()).unwrap_or(0).min(peak.into());
            vec![Stage {
                time,
                rate: u64::try_from(rate).unwrap_or(peak),
            }]
        }
        1 => vec![memory, compute],
        _ => vec![compute, memory],
    }
}
