//! Chains of tasks that follow the labels from sensors to actuators.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::end_to_end::{ChainDraft, Communication};

use super::flow::Flows;

/// Maximum number of chains.
const MAX_CHAINS: usize = 1000;

/// Maximum number of steps of the search.
const MAX_STEPS: usize = 1_000_000;

/// Returns all chains of `tasks`. Each entry of `tasks` is a task with its accesses to labels. Returns `None` if there
/// are too many chains.
///
/// A task reads a label if its first access in a job is a read. A task writes a label if its first or its last access
/// in a job is a write. A task that reads and writes a label updates the label. For each label, edges lead from all
/// writers to all other updaters. If the label has updaters, edges lead from these updaters to each task that only
/// reads the label. If it has no updater, edges lead from all writers to these tasks. A chain is a path from a task
/// without a predecessor to a task without a successor.
pub fn chains(tasks: &[(&str, &Flows)]) -> Option<Vec<ChainDraft>> {
    let mut by_label: BTreeMap<&str, Vec<(usize, bool, bool)>> = BTreeMap::new();
    for (index, (_, flows)) in tasks.iter().enumerate() {
        for (label, flow) in &flows.0 {
            let users = by_label.entry(label).or_default();
            users.push((index, flow.reads, flow.produces()));
        }
    }
    let mut next: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); tasks.len()];
    let mut has_previous = vec![false; tasks.len()];
    let mut steps = 0usize;
    for users in by_label.values() {
        for &(writer, writer_reads, writes) in users {
            for &(reader, reads, reader_writes) in users {
                steps += 1;
                if steps > MAX_STEPS {
                    return None;
                }
                // If tasks other than the reader update the label, the reader gets the data from these tasks.
                let updated = users
                    .iter()
                    .any(|&(updater, reads, writes)| updater != reader && reads && writes);
                let bypasses = !reader_writes && updated && !writer_reads;
                if writes && reads && writer != reader && !bypasses {
                    next[writer].insert(reader);
                    has_previous[reader] = true;
                }
            }
        }
    }
    let mut found = Vec::new();
    for (first, has_previous) in has_previous.iter().enumerate() {
        if !has_previous {
            let mut path = vec![first];
            follow(&next, &mut path, &mut found, &mut steps)?;
        }
    }
    let chains = found.into_iter().map(|path: Vec<usize>| ChainDraft {
        name: None,
        tasks: path.iter().map(|&task| tasks[task].0.to_owned()).collect(),
        limit: None,
        communication: Communication::default(),
    });
    Some(chains.collect())
}

/// Adds all paths that start with `path`. A path ends at a task whose successors are all in the path.
fn follow(
    next: &[BTreeSet<usize>],
    path: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
    steps: &mut usize,
) -> Option<()> {
    *steps += path.len();
    if *steps > MAX_STEPS {
        return None;
    }
    let last = *path.last()?;
    let mut ends = true;
    for &task in &next[last] {
        if !path.contains(&task) {
            ends = false;
            path.push(task);
            follow(next, path, found, steps)?;
            path.pop();
        }
    }
    if ends && path.len() > 1 {
        found.push(path.clone());
    }
    (found.len() <= MAX_CHAINS).then_some(())
}
