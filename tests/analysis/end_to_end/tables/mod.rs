//! Tables of bounds, written by hand: the golden examples, other resources, memory traffic, enforced releases and chains. The
//! analysis finds these tables, and `verify_system` refuses smaller values.

mod chains;
mod deadlines;
mod enforced;
mod examples;
mod memory;
mod resources;
mod time_slices;

use gpusched::end_to_end::analyze;
use gpusched::model::Interference;
use gpusched::model::end_to_end::{
    Analysis, Answer, Bounds, ChainBound, Draft, Evidence, Hop, Method, System, TaskAnswer, TaskBounds,
};
use gpusched::model::policy::Strength;
use gpusched::time::Time;
use gpusched::verification::verify_system;

/// R and S of one task.
type Row = (Vec<Option<u64>>, Vec<Option<u64>>);

fn system(text: &str) -> System {
    let draft: Draft = serde_json::from_str(text).expect("a system");
    System::new(&draft, Interference::None).expect("a valid system")
}

/// Reads a table: for each task, the lists R and S.
fn rows(text: &str) -> Vec<Row> {
    serde_json::from_str(text).expect("a table")
}

fn times(values: &[Option<u64>]) -> Vec<Option<Time>> {
    values.iter().map(|value| value.map(Time::from_ns)).collect()
}

/// Returns the answer that follows from the table `rows`, without bounds on chains.
fn answer(system: &System, rows: &[Row], offsets: Option<&[&[u64]]>) -> Answer {
    let bounds = rows.iter().map(|(ends, delays)| TaskBounds {
        ends_ns: times(ends),
        delays_ns: times(delays),
    });
    let bounds = Bounds(bounds.collect());
    let tasks: Vec<TaskAnswer> = system
        .tasks()
        .iter()
        .enumerate()
        .map(|(index, task)| {
            let bound = bounds.response_time(index);
            let ends = bounds.0[index].ends_ns.iter();
            let part = |segment: usize, end: &Option<Time>| {
                let before = segment
                    .checked_sub(1)
                    .map_or(Some(0), |before| bounds.end(index, before).map(Time::ns));
                end.zip(before)
                    .map(|(end, before)| end.ns().saturating_sub(before))
            };
            let parts = ends.enumerate().map(|(segment, end)| part(segment, end));
            let parts: Vec<u64> = parts.collect::<Option<Vec<u64>>>().unwrap_or_default();
            let costliest = parts
                .iter()
                .max()
                .and_then(|most| parts.iter().position(|part| part == most));
            TaskAnswer {
                name: task.name.clone(),
                deadline_ns: task.deadline,
                bound_ns: bound,
                meets: bound.is_some_and(|bound| bound <= task.deadline),
                costliest_segment: costliest,
                jobs_max: None,
                stages: Vec::new(),
            }
        })
        .collect();
    let chains: Vec<ChainBound> = system
        .chains()
        .iter()
        .map(|chain| ChainBound {
            name: chain.name.clone(),
            reaction_ns: None,
            age_ns: None,
            method: Method::Davare,
            limit_ns: chain.limit,
            meets: chain.limit.map(|_| false),
            hops: Vec::new(),
        })
        .collect();
    Answer {
        schedulable: tasks.iter().all(|task| task.meets) && chains.iter().all(|chain| chain.meets.is_none()),
        policy: if offsets.is_some() {
            Analysis::EnforcedReleases
        } else {
            Analysis::EndToEnd
        },
        strength: Strength::Sufficient,
        response_times_ns: (0..tasks.len()).map(|task| bounds.response_time(task)).collect(),
        evidence: Evidence {
            bounds,
            offsets_ns: offsets.map(|offsets| {
                offsets
                    .iter()
                    .map(|offsets| offsets.iter().copied().map(Time::from_ns).collect())
                    .collect()
            }),
        },
        tasks,
        chains,
        overheads: system.overheads(),
        budgets: None,
        sensitivity: None,
        assumptions: Vec::new(),
        identity: None,
    }
}

/// Returns generous bounds of a task with a CPU segment, a kernel and a CPU segment. The first segment ends by `first`, or
/// within three quarters of the period. The kernel ends within `delay` after its release.
fn generous(period: Time, first: Option<u64>, delay: u64) -> Row {
    let first = first.unwrap_or(period.ns() / 4 * 3);
    let ends = [first, first + delay, period.ns() - 1];
    (ends.map(Some).to_vec(), vec![None, Some(delay), None])
}

/// Returns the fault of the table `rows`, or `None` if the table is valid.
fn fault(system: &System, rows: &[Row], offsets: Option<&[&[u64]]>) -> Option<String> {
    let result = verify_system(&answer(system, rows, offsets), system);
    result.err().map(|fault| fault.to_string())
}

/// Checks that `rows` is valid, and that no value can be 1 ns smaller.
fn tight_with(system: &System, rows: &[Row], offsets: Option<&[&[u64]]>) {
    assert_eq!(fault(system, rows, offsets), None, "{rows:?}");
    for task in 0..rows.len() {
        for (list, name) in [(0, "ends_ns"), (1, "delays_ns")] {
            for segment in 0..rows[task].0.len() {
                let mut lower = rows.to_vec();
                let row = &mut lower[task];
                let value = if list == 0 {
                    &mut row.0[segment]
                } else {
                    &mut row.1[segment]
                };
                let Some(lowered) = *value else { continue };
                *value = Some(lowered - 1);
                let field = format!(
                    "evidence.bounds[{task}].{name}[{segment}]: found {} ns",
                    lowered - 1
                );
                let found = fault(system, &lower, offsets).expect("a value that is too small");
                assert!(found.starts_with(&field), "{found}, not {field}");
            }
        }
    }
}

/// Checks that the analysis finds the bounds of `table`, that they are valid, and that no value can be 1 ns smaller.
fn tight(system: &System, table: &str) {
    let found = analyze(system).evidence.bounds.0;
    let ns = |times: &[Option<Time>]| times.iter().map(|time| time.map(Time::ns)).collect();
    let found: Vec<Row> = found
        .iter()
        .map(|task| (ns(&task.ends_ns), ns(&task.delays_ns)))
        .collect();
    assert_eq!(found, rows(table));
    tight_with(system, &rows(table), None);
}
