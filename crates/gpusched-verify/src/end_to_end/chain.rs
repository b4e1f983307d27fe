//! Reaction times and data ages of chains.
//!
//! Let T be the longest time between two arrivals of a task, and R its response time. Each method bounds the reaction
//! time:
//!
//! * [`Method::Davare`]: Σ (T + R);
//! * [`Method::Durr`]: T₁ + Rₙ + Σ_{i<n} max(Rᵢ, Tᵢ₊₁ + θᵢ·Rᵢ);
//! * [`Method::Kloda`]: the longest reaction time over the arrivals of the first task, if all phases are known;
//! * [`Method::Let`]: Σ (T + D).
//!
//! θᵢ is 0 if no job of task i+1 can start while a job of task i is pending. Otherwise, θᵢ is 1.

use gpusched_model::end_to_end::{Chain, ChainBound, Communication, CorePolicy, Method, Resource};
use gpusched_model::time::Time;

use super::compare::{number, same_bound};
use super::table::Table;
use crate::conditions::least_common_multiple;
use crate::fault::Fault;

/// The check of [`Method::Kloda`] examines at most this number of arrivals after the first arrival, as the analysis does.
const STEP_LIMIT: u128 = 1_000_000;

/// A task of a chain.
struct Link {
    task: usize,
    /// T: longest time between two arrivals.
    sampling: u128,
    /// Longest time from the arrival to the output: R, or D with [`Method::Let`].
    processing: u128,
    /// Shortest time between two arrivals.
    period: u128,
    phase: Option<u128>,
    /// θ·R for the step to the next task.
    visible: u128,
}

/// Checks the bounds of `claim` on `chain`: they must equal the bounds that follow from the table.
pub(super) fn check(claim: &ChainBound, chain: &Chain, table: &Table<'_>) -> Result<(), Fault> {
    if claim.name != chain.name {
        let message = format!("found {:?}, expected {:?}", claim.name, chain.name);
        return Err(Fault::new("name", message));
    }
    let links = links(chain, table);
    let links = links.as_deref();
    let (method, reaction) = best(chain.communication, links);
    if claim.method != method {
        let message = format!("found {}, expected {method}", claim.method);
        return Err(Fault::new("method", message));
    }
    same_bound("reaction_ns", number(claim.reaction_ns), reaction.and_then(known))?;
    same_bound("age_ns", number(claim.age_ns), links.map(age).and_then(known))?;
    check_hops(claim, links.unwrap_or_default())?; // a chain without a bound has no hops
    let limit = number(chain.limit);
    same_bound("limit_ns", number(claim.limit_ns), limit)?;
    let meets = chain
        .limit
        .map(|limit| claim.reaction_ns.is_some_and(|reaction| reaction <= limit));
    if claim.meets != meets {
        let shown = |meets: Option<bool>| meets.map_or("null".to_owned(), |meets| meets.to_string());
        let message = format!("found {}, expected {}", shown(claim.meets), shown(meets));
        return Err(Fault::new("meets", message));
    }
    Ok(())
}

/// Returns whether the bound on the reaction time of `chain` is at most its limit; `None` without a limit.
pub(super) fn meets(chain: &Chain, table: &Table<'_>) -> Option<bool> {
    let limit = number(Some(chain.limit?));
    let (_, reaction) = best(chain.communication, links(chain, table).as_deref());
    Some({ reaction.and_then(known) }.is_some_and(|reaction| Some(reaction) <= limit))
}

/// A bound above the longest supported time is no bound.
fn known(bound: u128) -> Option<u128> {
    Some(bound).filter(|&bound| bound <= Time::LIMIT.ns().into())
}

/// Returns the method with the smallest bound on the reaction time, and this bound. Of several methods with the smallest
/// bound, returns the first of davare, durr and kloda. A chain without a bound has the first method.
fn best(communication: Communication, links: Option<&[Link]>) -> (Method, Option<u128>) {
    let methods: &[Method] = match communication {
        Communication::Let => &[Method::Let],
        Communication::Asynchronous => &[Method::Davare, Method::Durr, Method::Kloda],
    };
    let bounds = methods
        .iter()
        .map(|&method| (method, links.and_then(|links| reaction(method, links))));
    // All bounds above 64 bits are equal, and no bound is larger than every bound.
    let key = |bound: Option<u128>| bound.map_or(u128::MAX, |bound| bound.min(u64::MAX.into()));
    let least = bounds.min_by_key(|&(_, bound)| key(bound));
    least.unwrap_or((Method::Davare, None)) // the list is never empty
}

/// Checks the part of the chain's bound that the claim states for each task.
fn check_hops(claim: &ChainBound, links: &[Link]) -> Result<(), Fault> {
    if claim.hops.len() != links.len() {
        let message = format!("found {} hops, expected {}", claim.hops.len(), links.len());
        return Err(Fault::new("hops", message));
    }
    for (index, (hop, link)) in claim.hops.iter().zip(links).enumerate() {
        let found = [
            hop.task as u128,
            hop.sampling_ns.ns().into(),
            hop.processing_ns.ns().into(),
        ];
        let expected = [link.task as u128, link.sampling, link.processing];
        let fields = ["task", "sampling_ns", "processing_ns"];
        for (field, (found, expected)) in fields.into_iter().zip(found.into_iter().zip(expected)) {
            if found != expected {
                let message = format!("found {found}, expected {expected}");
                return Err(Fault::new(format!("hops[{index}].{field}"), message));
            }
        }
    }
    Ok(())
}

/// Returns the tasks of `chain`. Returns `None` if a task has no bound, or if the time between its arrivals has no
/// maximum. With logical execution times, every task must meet its deadline.
fn links(chain: &Chain, table: &Table<'_>) -> Option<Vec<Link>> {
    let next = chain.tasks.iter().copied().skip(1).map(Some).chain([None]);
    let links = chain.tasks.iter().zip(next).map(|(&position, next)| {
        let task = table.task(position);
        let response = table.response(position)?;
        let deadline = u128::from(task.deadline.ns());
        let logical = chain.communication == Communication::Let;
        if logical && response > deadline {
            return None;
        }
        let processing = if logical { deadline } else { response };
        let early = !logical && next.is_some_and(|next| starts_after(table, position, next));
        Some(Link {
            task: position,
            sampling: task.max_interarrival?.ns().into(),
            processing,
            period: task.period.ns().into(),
            phase: task.phase.map(|phase| phase.ns().into()),
            visible: if early { 0 } else { processing },
        })
    });
    links.collect()
}

/// Returns whether a job of `second` never starts while a job of `first` is pending. The result is `true` if `first`
/// has higher priority, and if each job of `first` occupies the core on which `second` starts, from its arrival to its
/// end.
fn starts_after(table: &Table<'_>, first: usize, second: usize) -> bool {
    let (first, second) = (table.task(first), table.task(second));
    let starts_on =
        |segments: &[gpusched_model::end_to_end::Segment]| segments.first().map(|segment| segment.on);
    let Some(Resource::Core(core)) = starts_on(&first.segments) else {
        return false;
    };
    if first.is_pipelined() || second.is_pipelined() {
        return false;
    }
    let preemptive = table
        .system
        .cores()
        .get(core)
        .is_some_and(|core| core.policy == CorePolicy::Fp);
    preemptive
        && starts_on(&second.segments) == Some(Resource::Core(core))
        && first.priority < second.priority
        && (first.segments.len() == 1 || first.spins())
        && first.jitter.ns() == 0
        && !table.enforced()
}

/// Returns the bound of `method` on the reaction time, or `None` if the method has no bound.
fn reaction(method: Method, links: &[Link]) -> Option<u128> {
    let sum = links
        .iter()
        .map(|link| link.sampling.saturating_add(link.processing));
    let sum = sum.fold(0, u128::saturating_add);
    match method {
        Method::Davare | Method::Let => Some(sum),
        Method::Durr => {
            let (first, last) = (links.first()?, links.last()?);
            let hops = links.iter().zip(links.iter().skip(1));
            let hops =
                hops.map(|(link, next)| link.processing.max(next.sampling.saturating_add(link.visible)));
            Some(hops.fold(
                first.sampling.saturating_add(last.processing),
                u128::saturating_add,
            ))
        }
        Method::Kloda => enumerated(links),
    }
}

/// Returns the bound on the reduced data age: Rₙ + Σ_{i<n} (Tᵢ + θᵢ·Rᵢ).
fn age(links: &[Link]) -> u128 {
    let Some((last, earlier)) = links.split_last() else {
        return u128::MAX; // a chain has at least one task
    };
    let waits = earlier
        .iter()
        .map(|link| link.sampling.saturating_add(link.visible));
    waits.fold(last.processing, u128::saturating_add)
}

/// Returns the longest reaction time over the arrivals of the first task. If an event occurs just after the arrival z
/// of a job, the next job of the first task reads the event. Each later task of the chain reads the output of the
/// previous task at its own next arrival. After the largest phase, the arrivals repeat in each hyperperiod. Returns
/// `None` if a phase is unknown, or if there are too many arrivals.
fn enumerated(links: &[Link]) -> Option<u128> {
    let (first, last) = (links.first()?, links.last()?);
    let phases = links
        .iter()
        .map(|link| link.phase)
        .collect::<Option<Vec<u128>>>()?;
    let start = first.phase?;
    let end = least_common_multiple(links.iter().map(|link| link.period))?
        .checked_add(phases.into_iter().max()?)?;
    u64::try_from(end).ok()?; // the analysis examines no later arrivals
    let count = (end - start) / first.period + 1;
    if count > STEP_LIMIT + 1 {
        return None;
    }
    let hops = || links.iter().zip(links.iter().skip(1));
    let length = |arrival: u128| {
        hops()
            .try_fold(arrival + first.period, |read, (link, next)| {
                let ready = read.checked_add(link.visible)?.saturating_sub(next.phase?);
                next.phase?
                    .checked_add(ready.div_ceil(next.period).checked_mul(next.period)?)
            })
            .and_then(|read| (read - arrival).checked_add(last.processing))
    };
    let lengths = (0..count).map(|job| length(start + job * first.period));
    lengths.collect::<Option<Vec<u128>>>()?.into_iter().max()
}
