//! The verdicts on tasks and on the system, which must follow from the table.

use gpusched_model::end_to_end::{Answer, TaskAnswer};
use gpusched_model::time::Time;

use super::table::{Table, same_length};
use super::{VerifiedSystem, chain};
use crate::Fault;

/// Formats a bound for a message.
pub(super) fn shown(bound: Option<u128>) -> String {
    bound.map_or("null".to_owned(), |bound| format!("{bound} ns"))
}

/// Converts a time for a comparison with a bound.
pub(super) fn number(time: Option<Time>) -> Option<u128> {
    time.map(|time| time.ns().into())
}

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

fn same_bound(field: &str, found: Option<u128>, expected: Option<u128>) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    let message = format!("found {}, expected {}", shown(found), shown(expected));
    Err(Fault::new(field, message))
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
    check_costliest(claim.costliest_segment, table, task)
}

/// Checks which segment has the largest part of the bound. The part of a segment is the difference between its bound
/// and the bound of the previous segment. The release jitter may count toward the part of the first segment.
fn check_costliest(claim: Option<usize>, table: &Table<'_>, task: usize) -> Result<(), Fault> {
    let fault = |message: String| Err(Fault::new("costliest_segment", message));
    let (claim, segments) = match (claim, table.response(task)) {
        (None, None) => return Ok(()),
        (Some(claim), None) => {
            return fault(format!("found {claim}, expected null, because there is no bound"));
        }
        (None, Some(_)) => return fault("found null, expected the position of a segment".to_owned()),
        (Some(claim), Some(_)) => (claim, table.task(task).segments.len()),
    };
    if claim >= segments {
        return fault(format!("found {claim}, expected at most {}", segments - 1));
    }
    let part = |segment: usize, start: u128| Some(table.end(task, segment)?.saturating_sub(start));
    let parts = |first: u128| -> Option<Vec<u128>> {
        let others = (1..segments).map(|segment| part(segment, table.release(task, segment)?));
        [part(0, first)].into_iter().chain(others).collect()
    };
    let largest = |first: u128| match parts(first) {
        Some(parts) => parts.get(claim) == parts.iter().max(),
        None => true, // the table does not state all parts
    };
    let jitter = u128::from(table.task(task).jitter.ns());
    match largest(0) || largest(jitter) {
        true => Ok(()),
        false => fault(format!(
            "found {claim}, expected the segment with the largest part of the bound"
        )),
    }
}
