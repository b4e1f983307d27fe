//! A system with budgets as the simulator executes it: WCETs in isolation, and the effect of best-effort accesses on each segment.

use gpusched_analysis::end_to_end::Budgeted;
use gpusched_model::end_to_end::{Draft, SegmentDraft, SegmentTimes, System};
use gpusched_model::error::{Error, Result};
use gpusched_model::time::Time;
use gpusched_model::{Contention, Factor, Interference};

use super::Exposed;

/// Returns the system of `draft` with its WCETs in isolation, and the effect of best-effort accesses on its segments. `budgeted` is the
/// result of its analysis. A kernel with a profile takes its WCET under its budget, because other simulators execute its thread blocks.
///
/// # Errors
/// Fails if `draft` has no budgets, or if its partitions have no sizes.
pub fn isolated(draft: &Draft, budgeted: &Budgeted) -> Result<(System, Vec<Vec<Exposed>>)> {
    let missing = || Error::Internal("no budgets in the result of the analysis".to_owned());
    let found = budgeted.answer.budgets.as_ref().ok_or_else(missing)?;
    let constant = |segment: &SegmentDraft| segment.wcet.as_ref()?.at(1, Contention::Isolated);
    let mut times = Vec::new();
    let mut all = Vec::new();
    for (task, found) in draft.tasks.iter().zip(&found.segments) {
        let mut exposed = Vec::new();
        let mut of_task = Vec::new();
        for (segment, found) in task.segments.iter().zip(found) {
            let alone = constant(segment);
            of_task.push(SegmentTimes {
                wcet: alone.unwrap_or(found.wcet_ns),
                block: segment
                    .block
                    .or_else(|| longest_block(segment, found.memory_time_ns)),
            });
            let delay = alone
                .zip(draft.contended(segment))
                .map(|(alone, contended)| contended.ns().saturating_sub(alone.ns()));
            exposed.push(Exposed {
                burst: found.memory_time_ns.ns(),
                delay: delay.unwrap_or(0),
                rate: segment.delay_rate.unwrap_or(Factor::ONE),
            });
        }
        times.push(of_task);
        all.push(exposed);
    }
    let system = System::new(&draft.with_wcets(&times), Interference::None)?;
    Ok((system, all))
}

/// Returns the longest thread block of a kernel with a profile, under a budget with the memory time `burst`.
fn longest_block(segment: &SegmentDraft, burst: Time) -> Option<Time> {
    let clusters = segment.profile.iter().flat_map(|profile| &profile.clusters);
    let longest = clusters.map(|cluster| match burst {
        Time::ZERO => cluster.isolated(),
        _ => cluster.contended(),
    });
    longest.max()
}
