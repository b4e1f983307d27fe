//! Random task sets whose jobs are kernels on a simulated GPU.
//!
//! A partition of one or two periodic tasks runs its jobs one at a time, without preemption. The WCET of a task is its
//! longest cold time in isolation on the SMs of its partition. gpusched simulates several launch times to find it. The
//! analysis adds the write-backs of dirty lines, and the memory time and the time at ports of all other partitions. The
//! simulation covers the jobs of one hyperperiod.

use std::collections::HashMap;

use crate::machine::SECTOR;
use crate::warp_run::{IndexSet, Queue, RunKernel, WarpRunShape};
use gpusched_analysis::interference::{Interference, model_of};
use gpusched_analysis::partitioning::{Offer, Problem};
use gpusched_model::device::{Granularity, Place};
use gpusched_model::error::{Error, Result};
use gpusched_model::streams::below;
use gpusched_model::time::Time;
use gpusched_model::traffic::{Drain, MemoryTime, RateForm, Sectors};
use gpusched_model::wcet::{Form as WcetForm, Table};
use gpusched_model::{
    Arbitration, Bandwidth, Bytes, Evidence, Policy, SharedMemory, Task, TaskSet, TaskShape, WcetFunction,
};
use rand::Rng;

use super::bound::{Examiner, Form, Victim};
use super::device::device;
use super::draw::Kernels;
use super::isolation::Alone;

/// Maximum number of scales that gpusched tries. Periods are multiples of the scale, and each scale is twice the
/// previous scale.
const DOUBLINGS: u32 = 14;

/// Length of the hyperperiod, as a multiple of the shortest possible period.
const HYPERPERIOD: u64 = 4;

/// A task set that the analysis accepts, with its jobs in one hyperperiod.
#[derive(Debug, Clone)]
pub struct Jobs {
    /// The jobs as kernels.
    pub run: WarpRunShape,
    /// For each job, by name: its time in isolation, and the bound on its response time [core cycles].
    pub bounds: HashMap<String, (u64, u64)>,
    /// Three hyperperiods [core cycles]. All jobs that meet their deadlines end before this time.
    pub end: u64,
}

/// A task before its jobs are released. Its period and its deadline depend on the scale, which all tasks share [core
/// cycles].
struct Source {
    kernel: RunKernel,
    alone: Alone,
    partition: usize,
    /// Period and deadline, as a multiple of the scale.
    multiple: u64,
    /// Release of the first job, as a share of the period in units of 2^-16.
    phase: u64,
}

impl Source {
    fn period(&self, scale: u64) -> u64 {
        self.multiple * scale
    }

    /// Returns the number of SMs of the partition.
    fn sms(&self) -> u32 {
        self.kernel
            .sms
            .as_ref()
            .map_or(0, |sms| sms.indices().len() as u32)
    }
}

/// Draws a task set for the bound `form`. Returns `None` if a simulation in isolation takes too long, or if the
/// analysis does not accept the task set at any scale of its periods.
///
/// # Errors
/// Fails if a kernel cannot be simulated.
pub fn draw(
    kernels: &Kernels<'_>,
    examiner: &Examiner,
    form: Form,
    random: &mut impl Rng,
) -> Result<Option<Jobs>> {
    let mut draft = kernels.co_run(random)?;
    draft.warm = false;
    for partition in 0..draft.members.len() {
        if below(random, 2) == 0 {
            draft.members.push(kernels.member(partition, random)?);
        }
    }
    draft.members.iter_mut().for_each(|member| member.launch = 0);
    let run = kernels.run(&draft)?;
    let warm = WarpRunShape {
        warm: true,
        ..run.clone()
    };
    let mut sources = Vec::new();
    for (kernel, member) in run.kernels.iter().zip(&draft.members) {
        let (Some(mut alone), Some(warm), Some(cold)) = (
            examiner.bench.alone(&run, kernel)?,
            examiner.bench.alone(&warm, kernel)?,
            examiner.bench.longest_cold(&run, kernel, 0, u64::MAX)?,
        ) else {
            return Ok(None);
        };
        alone.cold = alone.cold.max(cold);
        // Later jobs find data in L2, so their replies may hold ports for longer.
        alone.hold = alone.hold.max(warm.hold);
        sources.push(Source {
            kernel: kernel.clone(),
            alone,
            partition: member.partition,
            multiple: 1 << below(random, 3),
            phase: below(random, 1 << 16) as u64,
        });
    }
    let edf = below(random, 2) == 0;
    // At this scale, the utilization of some partitions may still exceed 1.
    let mut scale = sources.iter().map(|source| source.alone.cold).max().unwrap_or(1);
    for _ in 0..DOUBLINGS {
        if let Some(responses) = all_responses(examiner, &sources, scale, form, edf)? {
            return Ok(Some(release(run, &sources, scale, &responses, edf)));
        }
        scale *= 2;
    }
    Ok(None)
}

/// Bound on the response time of a task, and the priority number of the task under fixed priorities.
struct Response {
    cycles: u64,
    priority: u64,
}

/// Returns whether partitions have their own channels and ports.
fn apart(examiner: &Examiner, sources: &[Source]) -> bool {
    let machine = examiner.machine();
    let mut owners: HashMap<u32, usize> = HashMap::new();
    sources.iter().all(|source| {
        let sms = source.kernel.sms.as_ref().map(IndexSet::indices);
        let mut ports = sms.into_iter().flatten().map(|sm| machine.port_of_sm(*sm));
        let own = |port| *owners.entry(port).or_insert(source.partition) == source.partition;
        source.kernel.channels.is_some() && ports.all(own)
    })
}

/// Analyses the tasks. If partitions have their own channels and ports, they do not delay each other. So gpusched
/// analyses each partition as a separate task set. Returns `None` if a partition is not schedulable.
fn all_responses(
    examiner: &Examiner,
    sources: &[Source],
    scale: u64,
    form: Form,
    edf: bool,
) -> Result<Option<Vec<Response>>> {
    if !apart(examiner, sources) {
        let all: Vec<&Source> = sources.iter().collect();
        return responses(examiner, &all, scale, form, edf);
    }
    let mut found: Vec<Option<Response>> = sources.iter().map(|_| None).collect();
    for partition in 0..=sources.iter().map(|source| source.partition).max().unwrap_or(0) {
        let own = sources
            .iter()
            .enumerate()
            .filter(|(_, source)| source.partition == partition);
        let (indices, own): (Vec<usize>, Vec<&Source>) = own.unzip();
        let Some(responses) = responses(examiner, &own, scale, form, edf)? else {
            return Ok(None);
        };
        for (index, response) in indices.into_iter().zip(responses) {
            found[index] = Some(response);
        }
    }
    Ok(found.into_iter().collect())
}

/// Analyses the tasks of partitions that share the memory. Returns `None` if a partition is not schedulable.
fn responses(
    examiner: &Examiner,
    sources: &[&Source],
    scale: u64,
    form: Form,
    edf: bool,
) -> Result<Option<Vec<Response>>> {
    let invalid = || Error::Internal("a simulated kernel is no valid task".to_owned());
    let khz = u128::from(examiner.machine().clocks.core_khz);
    let tasks: Option<Vec<Task>> = sources
        .iter()
        .map(|source| task(source, scale, form, khz))
        .collect();
    let set = TaskSet::new(None, tasks.ok_or_else(invalid)?).map_err(|_| invalid())?;
    let policy: Policy = match edf {
        true => Policy::NpEdf,
        false => "np-fp-audsley".parse().map_err(|_| invalid())?,
    };
    let (interference, memory) = memory(examiner, form).ok_or_else(invalid)?;
    let offer = Offer::new(&device(examiner.machine())?, Granularity::Sm)?;
    let problem = Problem::new(&set, examiner.machine().sms(), policy, model_of(interference))?;
    let problem = problem.offered(&offer)?.sharing(memory)?;
    let mut parts: Vec<(Vec<usize>, Place)> = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        if parts.len() <= source.partition {
            parts.resize(source.partition + 1, (Vec::new(), Place::Sms(Vec::new())));
        }
        let (tasks, place) = &mut parts[source.partition];
        tasks.push(index);
        let sms = source.kernel.sms.as_ref().map(IndexSet::indices);
        *place = Place::Sms(sms.unwrap_or_default().to_vec());
    }
    parts.retain(|(tasks, _)| !tasks.is_empty());
    let parts: Vec<(&[usize], u32, Option<&Place>)> = parts
        .iter()
        .map(|(tasks, place)| (&tasks[..], sources[tasks[0]].sms(), Some(place)))
        .collect();
    let at_deadline = |source: &&Source| Response {
        cycles: source.period(scale),
        priority: 0,
    };
    let mut found: Vec<Response> = sources.iter().map(at_deadline).collect();
    for ((tasks, ..), verdict) in parts.iter().zip(problem.verdicts_at(&parts)) {
        if !verdict.schedulable {
            return Ok(None);
        }
        let Evidence::ResponseTimes {
            priorities,
            response_times_ns,
        } = verdict.evidence
        else {
            continue;
        };
        for (rank, &task) in priorities.iter().enumerate() {
            found[task].priority = rank as u64;
        }
        for (&task, time) in tasks.iter().zip(response_times_ns) {
            let cycles = narrow(u128::from(time.ns()) * khz / 1_000_000);
            found[task].cycles = found[task].cycles.min(cycles);
        }
    }
    Ok(Some(found))
}

/// Returns the task of `source` for the analysis with the bound `form`. `khz` is the clock of the SMs. Returns `None`
/// if the task is not valid.
fn task(source: &Source, scale: u64, form: Form, khz: u128) -> Option<Task> {
    let alone = &source.alone;
    // Shorter periods and longer WCETs are pessimistic.
    let period = u128::from(source.period(scale)) * 1_000_000 / khz;
    let wcet = match form {
        Form::Peak => alone.time,
        Form::Balanced | Form::OwnDrain | Form::Universal => alone.cold,
    };
    let wcet = Time::from_ns(narrow((u128::from(wcet) * 1_000_000).div_ceil(khz)));
    let table = || vec![(source.sms(), wcet)];
    let own_ways = source.kernel.l2_ways.is_some();
    // A kernel without accesses has rate 0 and no sectors, so its rate has no effect.
    let drain = Drain {
        l2: Bandwidth::new(alone.drain.l2.max(1))?,
        dram: Bandwidth::new(alone.drain.dram.max(1))?,
    };
    Task::from_shape(TaskShape {
        name: source.kernel.name.clone(),
        period: Time::from_ns(narrow(period)),
        deadline: None,
        jitter: None,
        block: None,
        launches: None,
        kind: None,
        traffic: Bytes::new(u64::from(SECTOR) * alone.dram),
        bandwidth: None,
        sectors: Some(Sectors {
            dram: own_ways.then_some(alone.dram_in_all),
            hold: Some(alone.hold),
            blocks: Some(alone.blocks),
            ..Sectors::new(alone.reads, alone.writes, Some(drain))?
        }),
        wcet_source: None,
        measured_on: None,
        wcet: WcetFunction::new(WcetForm::Table(Table::Each {
            isolated: table(),
            conflict: table(),
        }))
        .ok()?,
    })
    .ok()
}

/// Returns the interference model of `form`, and the parameters of the memory.
fn memory(examiner: &Examiner, form: Form) -> Option<(Interference, SharedMemory)> {
    let (rates, form) = match form {
        Form::Peak => {
            let peak = Bandwidth::new(examiner.machine().dram_bytes_per_second())?;
            return Some((Interference::Bandwidth, SharedMemory::new(peak, Arbitration::Any)));
        }
        Form::Balanced => (examiner.balanced, RateForm::Balanced),
        Form::OwnDrain => (examiner.balanced, RateForm::OwnDrain),
        Form::Universal => (examiner.universal, RateForm::Universal),
    };
    let time = MemoryTime {
        form,
        l2_bytes_per_second: Bandwidth::new(rates.l2)?,
        dram_bytes_per_second: Bandwidth::new(rates.dram)?,
        variation_percent: examiner.variation_percent,
        own_l2: true,
        camping_limit: None,
    };
    Some((Interference::MemoryTime, time.into()))
}

/// Releases the jobs of one hyperperiod.
fn release(mut run: WarpRunShape, sources: &[Source], scale: u64, responses: &[Response], edf: bool) -> Jobs {
    run.kernels.clear();
    let hyperperiod = HYPERPERIOD * scale;
    let mut bounds = HashMap::new();
    for (source, response) in sources.iter().zip(responses) {
        let period = source.period(scale);
        let offset = (period * source.phase) >> 16;
        for job in 0..hyperperiod / period.max(1) {
            let launch = offset + job * period;
            let mut kernel = source.kernel.clone();
            let name = format!("{}.{job}", kernel.name.unwrap_or_default());
            bounds.insert(name.clone(), (source.alone.time, response.cycles));
            kernel.name = Some(name);
            kernel.launch = launch;
            kernel.queue = Some(Queue {
                name: format!("partition-{}", source.partition),
                priority: match edf {
                    true => launch + period,
                    false => response.priority,
                },
            });
            run.kernels.push(kernel);
        }
    }
    Jobs {
        run,
        bounds,
        end: 3 * hyperperiod,
    }
}

impl Jobs {
    /// Simulates `run`, which contains all jobs or some of the jobs. Returns `None` if the run takes too long.
    ///
    /// # Errors
    /// Fails if a kernel cannot be simulated.
    pub fn examine(
        &self,
        examiner: &Examiner,
        run: &WarpRunShape,
        form: Form,
    ) -> Result<Option<Vec<Victim>>> {
        let Some(results) = examiner.bench.simulate(run, self.end)? else {
            return Ok(None);
        };
        let victims = run
            .kernels
            .iter()
            .zip(results.kernels)
            .filter_map(|(kernel, result)| {
                let &(alone, bound) = self.bounds.get(&result.name)?;
                Some(Victim {
                    together: result.finish.saturating_sub(kernel.launch),
                    alone,
                    bounds: vec![(form, bound)],
                    name: result.name,
                })
            });
        Ok(Some(victims.collect()))
    }
}

fn narrow(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}
