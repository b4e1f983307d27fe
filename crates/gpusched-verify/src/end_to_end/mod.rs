//! Check of end-to-end verdicts. The certificate is a table with two values per segment:
//!
//! * R(i,k), `ends_ns`: bound on the time from the arrival of task i to the end of segment k;
//! * S(i,k), `delays_ns`: bound on the time from the release to the end of segment k.
//!
//! Every equation of the analysis has the form R(i,k) = f(table) or S(i,k) = f(table), and f is monotone. The check
//! evaluates each f once, with the values of the table. The table is safe if each value is at least the result of its
//! equation. Proof: suppose that a job exceeds a bound of a safe table for the first time at t. Until t, all releases
//! obey the table, so the result of the equation bounds this job. The value in the table is at least this result, so
//! the job cannot exceed it. The check accepts a value only if it equals the result, so that it detects every change.
//!
//! If R of the last segment is null, the task has no bound, and its jobs may queue. In this case, R of all its segments must
//! be null. These values claim nothing, so the check accepts them. A value S of this row may be null, too.
//!
//! * `window`: least fixed points, and sums of values that may have no bound;
//! * `table`: the shape of the table;
//! * `stream`: the releases of a segment that follow from the table;
//! * `compare`: comparison of stated values with recomputed values;
//! * `service`: the time that a resource loses to memory traffic, and to other contexts of its GPU;
//! * `segments`: the equation of each value;
//! * `load`: the work of other tasks in a window;
//! * `device`: copy engines and partitions, except EDF;
//! * `core`: cores with fixed priorities;
//! * `edf`: cores and partitions with EDF;
//! * `several`: windows over several segments of a job;
//! * `pipelined`: segments of pipelined tasks, except under EDF;
//! * `budgets`: WCETs under memory bandwidth budgets, and chosen budgets;
//! * `verdict`: the verdicts on tasks and on the system;
//! * `chain`: reaction times and data ages.

mod budgets;
mod chain;
mod compare;
mod core;
mod device;
mod edf;
mod load;
mod pipelined;
mod segments;
mod service;
mod several;
mod stream;
mod table;
mod verdict;
mod window;

use gpusched_model::Overheads;
use gpusched_model::assumptions::Assumption;
use gpusched_model::end_to_end::{Analysis, Answer, Draft, Environment, System};
use gpusched_model::policy::Strength;

use crate::fault::Fault;
use crate::premises::{check_input, compare};
pub use budgets::verify_chosen;
use table::Table;

/// Result of the check of a valid end-to-end verdict.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VerifiedSystem {
    /// Number of tasks with a confirmed bound on the response time.
    pub bounded_tasks: usize,
    /// Number of chains with a confirmed bound on the reaction time.
    pub bounded_chains: usize,
}

/// Returns the system whose WCETs are the WCETs under budgets in `answer`. `draft` has budgets.
///
/// # Errors
/// Fails if the lists in `answer` do not fit the system, or if a budget or a time is invalid.
pub fn budgeted_system(answer: &Answer, draft: &Draft, environment: Environment) -> Result<System, Fault> {
    Ok(budgets::Stated::new(answer, draft, environment)?.system)
}

/// Recomputes and checks every statement of `answer` about the system in `draft`, with or without budgets. If the answer states its
/// identity, it must have been computed for `draft`.
///
/// # Errors
/// Returns the first [`Fault`] of the answer.
pub fn verify_draft(
    answer: &Answer,
    draft: &Draft,
    environment: Environment,
) -> Result<VerifiedSystem, Fault> {
    check_input(answer.identity.as_ref(), draft)?;
    if draft.budgets.is_none() {
        let system = System::new(draft, environment);
        let system = system.map_err(|refusal| Fault::new(refusal.field(), refusal.message()))?;
        return verify_system(answer, &system);
    }
    if answer.evidence.offsets_ns.is_some() {
        let message = "found enforced releases, expected none with budgets";
        return Err(Fault::new("offsets_ns", message).inside("evidence"));
    }
    let stated = budgets::Stated::new(answer, draft, environment)?;
    let verified = check(answer, &stated.system, &draft.assumptions(&stated.system))?;
    stated.check(answer)?;
    Ok(verified)
}

/// Recomputes and checks every statement of `answer` about `system`, except its identity, which is about the file of a system.
///
/// # Errors
/// Returns the first [`Fault`] of the answer.
pub fn verify_system(answer: &Answer, system: &System) -> Result<VerifiedSystem, Fault> {
    if answer.budgets.is_some() {
        let message = "found budgets, expected none, because the system has no budgets";
        return Err(Fault::new("budgets", message));
    }
    check(
        answer,
        system,
        &system.assumptions(answer.evidence.offsets_ns.is_some()),
    )
}

/// Checks `answer` except its WCETs under budgets. `assumptions` are the assumptions of the analysis.
fn check(answer: &Answer, system: &System, assumptions: &[Assumption]) -> Result<VerifiedSystem, Fault> {
    let enforced = answer.evidence.offsets_ns.is_some();
    let expected = match enforced {
        true => Analysis::EnforcedReleases,
        false => Analysis::EndToEnd,
    };
    if enforced && system.overheads().is_some() {
        return Err(Fault::new(
            "overheads",
            "found overheads, expected none with enforced releases",
        ));
    }
    if enforced && !system.time_slices().is_empty() {
        let message = "found enforced releases, expected none with time slices";
        return Err(Fault::new("offsets_ns", message).inside("evidence"));
    }
    if answer.policy != expected {
        let message = format!("found {}, expected {expected}", answer.policy);
        return Err(Fault::new("policy", message));
    }
    if answer.strength != Strength::Sufficient {
        let message = format!("found {}, expected {}", answer.strength, Strength::Sufficient);
        return Err(Fault::new("strength", message));
    }
    if answer.overheads != system.overheads() {
        let text =
            |overheads: Option<Overheads>| overheads.map_or("none".to_owned(), |found| found.to_string());
        let (found, expected) = (text(answer.overheads), text(system.overheads()));
        return Err(Fault::new(
            "overheads",
            format!("found {found}, expected {expected}"),
        ));
    }
    // A verdict without a list of assumptions is valid, because its reader sees that the list is missing.
    if !answer.assumptions.is_empty() {
        compare(&answer.assumptions, assumptions)?;
    }
    let table = Table::new(system, &answer.evidence).map_err(|fault| fault.inside("evidence"))?;
    segments::check(&table).map_err(|fault| fault.inside("evidence"))?;
    verdict::check(answer, &table)
}
