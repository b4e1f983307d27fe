//! The verdicts on tasks and on the system, which must follow from the table.

use std::cmp::Reverse;

use gpusched_model::end_to_end::{Answer, Resource, TaskAnswer};

use super::compare::{number, same_bound, same_length};
use super::table::Table;
use super::{VerifiedSystem, chain};
use crate::conditions::least_common_multiple;
use crate::fault::Fault;

/// Checks the verdicts of `answer` against `table`, whose values are valid.
pub(super) fn check(answer: &Answer, table: &Table<'_>) -> Result<VerifiedSystem, Fault> {
    let tasks = table.system.tasks().len();
    same_length("response_times_ns", answer.response_times_ns.len(), tasks, "task")?;
    same_length("tasks", answer.tasks.len(), tasks, "task")?;
    let mut verified = VerifiedSystem::default();
    let mut schedulable = true;
    let claims = answer.response_times_ns.iter().zip(&answer.tasks);
    for (task, (&response, claim)) in claims.enumerate() {
        let bound = table.response(task);
        same_bound(&format!("response_times_ns[{task}]"), number(response), bound)?;
        check_task(claim, table, task).map_err(|fault| fault.inside(&format!("tasks[{task}]")))?;
        schedulable &= claim.meets;
        verified.bounded_tasks += usize::from(bound.is_some());
    }
    let chains = table.system.chains();
    same_length("chains", answer.chains.len(), chains.len(), "chain")?;
    for (index, (claim, chain)) in answer.chains.iter().zip(chains).enumerate() {
        chain::check(claim, chain, table).map_err(|fault| fault.inside(&format!("chains[{index}]")))?;
        schedulable &= claim.meets != Some(false);
        verified.bounded_chains += usize::from(claim.reaction_ns.is_some());
    }
    if answer.schedulable != schedulable {
        let message = format!(
            "found {}, expected {schedulable}: all tasks and chains with a limit must meet their limits",
            answer.schedulable
        );
        return Err(Fault::new("schedulable", message));
    }
    Ok(verified)
}

fn check_task(claim: &TaskAnswer, table: &Table<'_>, task: usize) -> Result<(), Fault> {
    let expected = table.task(task);
    if claim.name != expected.name {
        let message = format!("found {:?}, expected {:?}", claim.name, expected.name);
        return Err(Fault::new("name", message));
    }
    let deadline = number(Some(expected.deadline));
    same_bound("deadline_ns", number(Some(claim.deadline_ns)), deadline)?;
    let bound = table.response(task);
    same_bound("bound_ns", number(claim.bound_ns), bound)?;
    let meets = bound
        .zip(deadline)
        .is_some_and(|(bound, deadline)| bound <= deadline);
    if claim.meets != meets {
        let message = format!("found {}, expected {meets}", claim.meets);
        return Err(Fault::new("meets", message));
    }
    check_stages(claim, table, task)?;
    check_costliest(claim.costliest_segment, table, task)
}

/// Checks the numbers of jobs of a pipelined task, and the loads of its resources. A job is in the task from its arrival for
/// at most R, and at a segment for at most R − φ. A sequential task has no such numbers.
fn check_stages(claim: &TaskAnswer, table: &Table<'_>, task: usize) -> Result<(), Fault> {
    let found = table.task(task);
    let pipelined = found.is_pipelined();
    let jobs = |length: u128| length.div_ceil(table.period(task));
    let bound = table.response(task);
    let same = |field: String, found: Option<u64>, expected: Option<u128>| {
        if found.map(u128::from) == expected {
            return Ok(());
        }
        let shown = |number: Option<u128>| number.map_or("null".to_owned(), |number| number.to_string());
        let message = format!(
            "found {}, expected {}",
            shown(found.map(u128::from)),
            shown(expected)
        );
        Err(Fault::new(field, message))
    };
    let expected = bound.filter(|_| pipelined).map(jobs);
    same("jobs_max".to_owned(), claim.jobs_max, expected)?;
    let segments = if pipelined { found.segments.len() } else { 0 };
    same_length("stages", claim.stages.len(), segments, "segment")?;
    for (segment, stage) in claim.stages.iter().enumerate() {
        let place = |field: &str| format!("stages[{segment}].{field}");
        let lag = table.end(task, segment);
        let lag = lag.map(|end| end.saturating_sub(table.earliest(task, segment)));
        same(place("jobs_max"), stage.jobs_max, lag.map(jobs))?;
        let load = load_permille(table, found.segments[segment].on);
        same(place("load_permille"), stage.load_permille, load)?;
    }
    Ok(())
}

/// Returns Σ C/T over all segments on `resource` [thousandths], rounded up. Returns `None` if the least common multiple of the
/// periods is too large.
fn load_permille(table: &Table<'_>, resource: Resource) -> Option<u128> {
    let streams = table.streams(resource);
    let multiple = least_common_multiple(streams.iter().map(|stream| stream.period))?;
    let work = streams.iter().try_fold(0u128, |work, stream| {
        work.checked_add((multiple / stream.period).checked_mul(stream.cost)?)
    })?;
    Some(work.checked_mul(1000)?.div_ceil(multiple))
}

/// Checks which segment has the largest part of the bound. The part of a segment is the difference between its bound
/// and the bound of the previous segment. The part of the first segment includes the release jitter. Of several segments
/// with the largest part, the first counts. If the table does not state all parts, no segment counts.
fn check_costliest(claim: Option<usize>, table: &Table<'_>, task: usize) -> Result<(), Fault> {
    let segments = table.task(task).segments.len();
    let ends: Option<Vec<u128>> = (0..segments).map(|segment| table.end(task, segment)).collect();
    let ends = ends.unwrap_or_default(); // no parts
    let starts = [0].into_iter().chain(ends.iter().copied());
    let parts = ends
        .iter()
        .zip(starts)
        .map(|(end, start)| end.saturating_sub(start));
    let expected = parts
        .enumerate()
        .max_by_key(|&(segment, part)| (part, Reverse(segment)));
    let expected = expected.map(|(segment, _)| segment);
    if claim == expected {
        return Ok(());
    }
    let shown = |segment: Option<usize>| segment.map_or("null".to_owned(), |segment| segment.to_string());
    let message = format!(
        "found {}, expected {}, the segment with the largest part of the bound",
        shown(claim),
        shown(expected)
    );
    Err(Fault::new("costliest_segment", message))
}
