//! How much longer each WCET may be before a plan fails, and which deadline is missed first.

use super::sensitivity::{joint_scaling, placed};
use crate::partitioning::problem::{Problem, Scale, missed, missed_job};
use crate::schedulability::{self, Demand};
use gpusched_model::device::Place;
use gpusched_model::plan::{LARGEST_SCALING, Partition, Plan};
use gpusched_model::time::Time;

/// Returns for each task of the problem the longest time by which its WCET on the SMs of its partition may grow [ns]. With
/// this growth, all partitions of `plan` pass their tests. With one nanosecond more, a test fails. All other WCETs stay the
/// same, and the longest thread block grows by the same time.
///
/// Returns `None` for a task without a partition, if the plan is not schedulable, and if each partition has its own memory slices, because
/// WCETs then depend on the bandwidth of the slices. The time is at most [`Time::LIMIT`].
pub fn growth(problem: &Problem<'_>, plan: &Plan) -> Vec<Option<Time>> {
    let mut times = vec![None; problem.tasks().len()];
    if !plan.schedulable || problem.has_slices() {
        return times;
    }
    for partition in &plan.partitions {
        for (position, &task) in partition.tasks.iter().enumerate() {
            if let Some(time) = times.get_mut(task) {
                *time = Some(longest(|more| match problem.memory() {
                    None => passes_alone(problem, partition, position, more),
                    Some(_) => pass_beside(problem, plan, (task, partition), more),
                }));
            }
        }
    }
    times
}

/// The deadline that is missed first if all WCETs grow together.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FirstMiss {
    /// Smallest factor on all WCETs with which the plan fails, in thousandths.
    pub permille: u64,
    /// Position of the first partition that fails its test at this factor.
    pub partition: usize,
    /// Position of the task in the set. `None` if the evidence is about no single task.
    pub task: Option<usize>,
    /// Number of the job that misses its deadline, from 1, counted from the start of a busy period. `None` if the evidence states
    /// no job.
    pub job: Option<u64>,
    /// Time by which the job exceeds its deadline [ns]. `None` if the evidence states no time.
    pub late: Option<Time>,
}

/// Returns the deadline that is missed first if all WCETs and longest thread blocks of `plan` grow by a common factor. Returns
/// `None` if the plan is not schedulable, and if it allows a factor of 1000.
pub fn first_miss(problem: &Problem<'_>, plan: &Plan) -> Option<FirstMiss> {
    if !plan.schedulable {
        return None;
    }
    let permille = joint_scaling(problem, &plan.partitions) + 1;
    if permille > LARGEST_SCALING {
        return None;
    }
    let scaled = problem.scaled(Scale::permille(permille));
    let parts = plan.partitions.iter();
    let parts: Vec<(&[usize], u32)> = parts
        .map(|partition| (&partition.tasks[..], partition.sms))
        .collect();
    let placed: Vec<_> = { plan.partitions.iter() }.map(placed).collect();
    let verdicts = scaled.verdicts_at(&placed);
    let partition = verdicts.iter().position(|verdict| !verdict.schedulable)?;
    let (tasks, sms) = parts.get(partition).copied()?;
    let alone = match problem.memory() {
        Some(_) => None, // the demands do not count the other partitions
        None => scaled.demands(tasks, sms).ok().and_then(|demands| {
            let evidence = schedulability::evidence(problem.policy(), &demands, sms);
            let (position, late) = missed(&evidence, &demands)?;
            let job = missed_job(&evidence, &demands, position);
            Some((*tasks.get(position)?, job, late))
        }),
    };
    Some(FirstMiss {
        permille,
        partition,
        task: { alone.map(|(task, ..)| task) }.or_else(|| verdicts.get(partition)?.evidence.task()),
        job: alone.and_then(|(_, job, _)| job),
        late: alone.and_then(|(.., late)| late),
    })
}

/// Whether `partition` passes its test if the WCET of the task at `position` is `more` longer.
fn passes_alone(problem: &Problem<'_>, partition: &Partition, position: usize, more: Time) -> bool {
    let Ok(mut demands) = problem.demands(&partition.tasks, partition.sms) else {
        return false;
    };
    if let Some(demand) = demands.get_mut(position) {
        let Some(&task) = partition.tasks.get(position) else {
            return false;
        };
        let varied = problem.growth_of(task, (&partition.tasks, partition.sms), more);
        *demand = longer(demand, partition.sms, (varied, more));
    }
    schedulability::accepts(problem.policy(), &demands, partition.sms)
}

/// Whether all partitions of `plan` pass their tests if the WCET of `task` in `own` is `more` longer.
fn pass_beside(problem: &Problem<'_>, plan: &Plan, (task, own): (usize, &Partition), more: Time) -> bool {
    let varied = problem.growth_of(task, (&own.tasks, own.sms), more);
    let parts = plan.partitions.iter();
    let parts: Vec<(&[usize], u32)> = parts
        .map(|partition| (&partition.tasks[..], partition.sms))
        .collect();
    let places: Vec<Option<&Place>> = { plan.partitions.iter() }.map(|one| one.place.as_ref()).collect();
    let sharing = problem.sharing_at(&places);
    let verdicts = problem.verdicts_scaled(&parts, &sharing, |changed, demand| match changed == task {
        true => longer(&demand, own.sms, (varied, more)),
        false => demand,
    });
    verdicts.iter().all(|verdict| verdict.schedulable)
}

/// Returns `demand` with a WCET that is `varied` longer, and a longest thread block that is `more` longer, on `sms` SMs. The variation
/// increases WCETs, but not thread blocks.
fn longer(demand: &Demand, sms: u32, (varied, more): (Time, Time)) -> Demand {
    let add =
        |time: Time, more: Time| Time::from_ns(time.ns().saturating_add(more.ns()).min(Time::LIMIT.ns() + 1));
    Demand {
        wcet: add(demand.wcet, varied),
        block: add(demand.block, more),
        least_work: { demand.least_work }.saturating_add(u128::from(sms) * u128::from(varied.ns())),
        ..*demand
    }
}

/// Returns the longest time for which `passes` is true, at most [`Time::LIMIT`]. `passes` is true for 0.
fn longest(passes: impl Fn(Time) -> bool) -> Time {
    let (mut holds, mut fails) = (0, Time::LIMIT.ns() + 1);
    while fails - holds > 1 {
        let middle = holds + (fails - holds) / 2;
        match passes(Time::from_ns(middle)) {
            true => holds = middle,
            false => fails = middle,
        }
    }
    Time::from_ns(holds)
}
