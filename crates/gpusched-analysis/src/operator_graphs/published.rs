//! The bound of Schowitz, Sinha and Gujarati (RTSS 2024), from the script `computeWCRT.py` of its authors in HoloHub.

use gpusched_model::time::Time;

use super::OperatorGraph;

/// Returns the published bound on the time from the arrival of a message in the queue of the first operator to the end of the last
/// operator. It holds for every period, because the first operator loses messages while its queue is full.
///
/// The *delay* of an operator v with several outputs is the longest sum of WCETs from v to its nearest common successor of all
/// paths, without that successor. The delay of every other operator is its WCET. The bound is the largest candidate of an operator:
/// (number of operators from the first one to v on the shortest path) · delay + the longest sum of WCETs from v to the end. If v is
/// not on the longest path of the graph, the longest path is added, without the WCETs before v on the shortest path.
///
/// Among shortest paths with equally many operators, the one with the smallest sum counts, because it gives the largest bound.
/// The publication assumes one last operator, so the result is `None` for several operators without outputs. It is also `None` if
/// the time is not representable.
pub fn published(graph: &OperatorGraph) -> Option<Time> {
    let (operators, costs) = (graph.operators(), graph.costs());
    let last = operators.len() - 1;
    let leaves = operators.iter().filter(|operator| operator.outputs.is_empty());
    if leaves.count() != 1 {
        return None;
    }
    let mut meeting = vec![last; operators.len()];
    let mut rest = vec![0u64; operators.len()];
    for (position, operator) in operators.iter().enumerate().rev() {
        let after = operator
            .outputs
            .iter()
            .map(|&output| rest[output])
            .max()
            .unwrap_or(0);
        rest[position] = costs[position].checked_add(after)?;
        // Paths meet at the nearest common successor; successors have larger positions.
        let common = |mut left: usize, mut right: usize| {
            while left != right {
                match left < right {
                    true => left = meeting[left],
                    false => right = meeting[right],
                }
            }
            left
        };
        if let Some(found) = operator.outputs.iter().copied().reduce(common) {
            meeting[position] = found;
        }
    }
    // Number of operators on the shortest path up to each operator, and the sum of the WCETs before it.
    let mut shortest = vec![(1u64, 0u64); operators.len()];
    for (position, operator) in operators.iter().enumerate().skip(1) {
        let paths = operator.inputs.iter().map(|&input| {
            let (count, sum) = shortest[input];
            (count + 1, sum.saturating_add(costs[input]))
        });
        shortest[position] = paths.min()?;
    }
    let mut longest = vec![false; operators.len()];
    let mut next = Some(0);
    while let Some(position) = next {
        longest[position] = true;
        let outputs = operators[position].outputs.iter().copied();
        // The first one of the longest paths, in the order of the connections.
        next = outputs.rev().max_by_key(|&output| rest[output]);
    }
    let mut bound = 0;
    for position in 0..operators.len() {
        let delay = match operators[position].outputs.len() {
            0 | 1 => costs[position],
            _ => path(graph, &costs, (position, meeting[position]))?,
        };
        let (count, before) = shortest[position];
        let mut candidate = count.checked_mul(delay)?.checked_add(rest[position])?;
        if !longest[position] {
            candidate = candidate.checked_add(rest[0] - before)?;
        }
        bound = bound.max(candidate);
    }
    Some(Time::from_ns(bound))
}

/// Returns the longest sum of WCETs on a path, without its last operator.
fn path(graph: &OperatorGraph, costs: &[u64], (from, to): (usize, usize)) -> Option<u64> {
    let mut sums = vec![None; to + 1];
    sums[from] = Some(0u64);
    for position in from..to {
        let Some(sum) = sums[position] else { continue };
        let sum = sum.checked_add(costs[position])?;
        for &output in graph.operators()[position]
            .outputs
            .iter()
            .filter(|&&output| output <= to)
        {
            sums[output] = sums[output].max(Some(sum));
        }
    }
    sums[to]
}
