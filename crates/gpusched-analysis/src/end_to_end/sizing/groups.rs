//! Groups of kernels: which tasks share a partition. Kernels of one task stay together if the file assigns them to one
//! partition.

use std::collections::BTreeMap;

use gpusched_model::end_to_end::{Draft, PartitionDraft};
use gpusched_model::error::Refusal;

use super::{Effort, Gpu, Room, Search, Sized, fewest};
use crate::partitioning::HeuristicKind;

/// Maximum number of units for which `optimal` examines all groups (4140 divisions of 8 units).
const MOST_UNITS: usize = 8;

/// A unit: the kernels of one task on one partition, as positions in the file.
type Unit = (usize, usize);

/// A division of the units into partitions.
type Division = Vec<Vec<Unit>>;

/// Returns the units: all pairs of a task and a partition on which the task has kernels.
fn units(draft: &Draft) -> Vec<Unit> {
    let mut units = BTreeMap::new();
    for (index, task) in draft.tasks.iter().enumerate() {
        for segment in &task.segments {
            if let Some(partition) = draft
                .partitions
                .iter()
                .position(|partition| partition.name == segment.on)
            {
                units.insert((index, partition), ());
            }
        }
    }
    units.into_keys().collect()
}

/// Whether `heuristic` examines all groups.
pub(super) fn is_exhaustive(draft: &Draft, heuristic: HeuristicKind) -> bool {
    let single = units(draft).len() < 2;
    single || (heuristic == HeuristicKind::Optimal && units(draft).len() <= MOST_UNITS)
}

/// Returns one draft for each division into groups from which `heuristic` starts.
pub(super) fn candidates(draft: &Draft, heuristic: HeuristicKind) -> Result<Vec<Draft>, Refusal> {
    let units = units(draft);
    let apart: Division = units.iter().map(|&unit| vec![unit]).collect();
    let together: Division = vec![units.clone()];
    let as_written: Division = (0..draft.partitions.len())
        .map(|partition| {
            units
                .iter()
                .copied()
                .filter(|&(_, own)| own == partition)
                .collect()
        })
        .filter(|group: &Vec<Unit>| !group.is_empty())
        .collect();
    let divisions = match heuristic {
        _ if units.is_empty() => vec![Vec::new()],
        HeuristicKind::OneGpu => vec![together],
        HeuristicKind::OnePerPartition | HeuristicKind::Savings | HeuristicKind::Sms | HeuristicKind::Bf => {
            vec![apart]
        }
        HeuristicKind::Auto => vec![as_written, together, apart],
        HeuristicKind::Optimal if units.len() <= MOST_UNITS => divisions(&units),
        HeuristicKind::Optimal => {
            let found = format!("{} kernels", units.len());
            let refusal = Refusal::new("heuristic", found, format!("at most {MOST_UNITS} for optimal"));
            return Err(refusal.hint("use the heuristic auto"));
        }
        other => {
            let expected =
                "auto, optimal, savings, fewest-sms, bf, 1g or one-per-partition, for an end-to-end system";
            return Refusal::refuse("heuristic", other, expected);
        }
    };
    Ok(divisions
        .iter()
        .map(|division| regrouped(draft, division))
        .collect())
}

/// Returns all divisions of `units`.
fn divisions(units: &[Unit]) -> Vec<Division> {
    let mut all: Vec<Division> = vec![Vec::new()];
    for &unit in units {
        all = all
            .into_iter()
            .flat_map(|division| {
                (0..=division.len()).map(move |group| {
                    let mut next = division.clone();
                    match next.get_mut(group) {
                        Some(group) => group.push(unit),
                        None => next.push(vec![unit]),
                    }
                    next
                })
            })
            .collect();
    }
    all
}

/// Returns `draft` with one partition for each group. A partition has the policy of its first kernel in the file.
fn regrouped(draft: &Draft, division: &Division) -> Draft {
    let mut regrouped = draft.clone();
    regrouped.partitions.clear();
    let taken = |name: &str| {
        let cores = draft.cores.iter().any(|core| core.name == name);
        cores || draft.copy_engines.iter().any(|engine| engine.name == name)
    };
    for (index, group) in division.iter().enumerate() {
        let Some(&(_, first)) = group.first() else {
            continue;
        };
        let Some(original) = draft.partitions.get(first) else {
            continue;
        };
        let mut name = format!("partition{index}");
        while taken(&name) {
            name.push('_');
        }
        regrouped.partitions.push(PartitionDraft {
            name: name.clone(),
            sms: None,
            ..original.clone()
        });
        for &(task, partition) in group {
            let Some(old) = draft.partitions.get(partition) else {
                continue;
            };
            let segments = draft.tasks.get(task).map_or(&[][..], |task| &task.segments);
            let target = regrouped
                .tasks
                .get_mut(task)
                .map_or(&mut [][..], |task| &mut task.segments);
            for (segment, target) in segments.iter().zip(target) {
                if segment.on == old.name {
                    target.on.clone_from(&name);
                }
            }
        }
    }
    regrouped
}

/// Merges partitions of `draft` by the rule of the heuristic, and returns the best draft with its sizes.
pub(super) fn improve(
    draft: Draft,
    gpu: Gpu,
    search: Search,
    (limit, effort): (Option<u32>, &mut Effort),
) -> (Draft, Sized) {
    let merges = match search.heuristic {
        HeuristicKind::Savings | HeuristicKind::Sms | HeuristicKind::Bf | HeuristicKind::Auto => true,
        _ => false, // the groups are final
    };
    let sizes = gpu.sizes();
    let on_gpu = Room {
        sizes: &sizes,
        most: gpu.sms.into(),
        gpu: Some(gpu),
    };
    // Groups that do not fit may fit after a merge.
    let count = draft.partitions.len() as u64;
    let roomy = Room {
        sizes: &sizes,
        most: u64::from(gpu.sms) * count,
        gpu: None,
    };
    let first = match merges {
        true => fewest(&draft, &roomy, search.environment, (None, &mut *effort)),
        false => fewest(&draft, &on_gpu, search.environment, (limit, &mut *effort)),
    };
    if !merges {
        return (draft, first);
    }
    let (mut draft, mut sizes) = match first {
        Sized::Fewest(sizes) | Sized::Some(sizes) => (draft, sizes),
        other => return (draft, other),
    };
    loop {
        let total: u32 = sizes.iter().sum();
        let mut best: Option<(u64, Draft, Vec<u32>)> = None;
        'pairs: for left in 0..draft.partitions.len() {
            for right in left + 1..draft.partitions.len() {
                let merged = merged(&draft, left, right);
                let found = fewest(&merged, &roomy, search.environment, (None, &mut *effort));
                let (Sized::Fewest(found) | Sized::Some(found)) = found else {
                    continue;
                };
                let sum: u32 = found.iter().sum();
                if sum > total {
                    continue;
                }
                let measure = match search.heuristic {
                    HeuristicKind::Sms => u64::from(found.get(left).copied().unwrap_or(u32::MAX)),
                    _ => u64::from(sum),
                };
                if best.as_ref().is_none_or(|(least, _, _)| measure < *least) {
                    best = Some((measure, merged, found));
                }
                if search.heuristic == HeuristicKind::Bf {
                    break 'pairs;
                }
            }
        }
        match best {
            Some((_, next, found)) => (draft, sizes) = (next, found),
            None => break,
        }
    }
    let sized = match gpu.fits(&sizes) {
        true => Sized::Some(sizes),
        false => Sized::None,
    };
    (draft, sized)
}

/// Returns `draft` with the kernels of partition `right` moved to partition `left`.
fn merged(draft: &Draft, left: usize, right: usize) -> Draft {
    let mut merged = draft.clone();
    let (Some(to), Some(from)) = (draft.partitions.get(left), draft.partitions.get(right)) else {
        return merged;
    };
    for segment in merged.tasks.iter_mut().flat_map(|task| &mut task.segments) {
        if segment.on == from.name {
            segment.on.clone_from(&to.name);
        }
    }
    merged.partitions.remove(right);
    merged
}
