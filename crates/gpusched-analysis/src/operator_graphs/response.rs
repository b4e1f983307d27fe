//! The longest time from the arrival of a message to the end of the last operator, for periodic or sporadic messages.

use gpusched_model::time::Time;

use super::OperatorGraph;

/// Returns the longest time from the arrival of a message at the first operator to the end of all operators. Messages arrive at
/// least `period` apart. The bound is exact: periodic messages with WCETs attain it.
///
/// Returns `None` if the graph does not sustain the period: with WCETs and periodic messages, the queues become full, and the first
/// operator loses messages. A time that is not representable counts as no bound.
pub fn response_time(graph: &OperatorGraph, period: Time) -> Option<Time> {
    let (starts, costs) = (starts(graph, period)?, graph.costs());
    let ends = starts
        .iter()
        .zip(&costs)
        .map(|(start, cost)| start.checked_add(*cost));
    ends.collect::<Option<Vec<u64>>>()?
        .into_iter()
        .max()
        .map(Time::from_ns)
}

/// Returns the smallest period that the graph sustains.
pub fn smallest_period(graph: &OperatorGraph) -> Option<Time> {
    let costs = graph.costs();
    let mut high = costs.iter().try_fold(0u64, |sum, &cost| sum.checked_add(cost))?;
    let mut low = costs.into_iter().max()?;
    while low < high {
        let middle = low + (high - low) / 2;
        match starts(graph, Time::from_ns(middle)) {
            Some(_) => high = middle,
            None => low = middle + 1,
        }
    }
    Some(Time::from_ns(low))
}

/// Returns the least solution of (1): for each operator, the longest time from the arrival of a message to the start of its execution
/// [ns]. `None` means that there is no solution.
fn starts(graph: &OperatorGraph, period: Time) -> Option<Vec<u64>> {
    let (period, costs) = (period.ns(), graph.costs());
    if costs.iter().any(|&cost| cost > period) {
        return None;
    }
    let operators = graph.operators();
    let mut starts = vec![0u64; costs.len()];
    // A value grows along paths of connections, forwards and backwards, that pass each operator once, if there is a solution.
    for _ in 0..=costs.len() {
        let mut changed = false;
        for (operator, found) in operators.iter().enumerate() {
            let end = starts[operator].checked_add(costs[operator])?;
            for &output in &found.outputs {
                changed |= end > starts[output];
                starts[output] = starts[output].max(end);
            }
        }
        for (operator, found) in operators.iter().enumerate().rev() {
            for &output in &found.outputs {
                let free = starts[output].saturating_sub(period);
                changed |= free > starts[operator];
                starts[operator] = starts[operator].max(free);
            }
        }
        if !changed {
            return Some(starts);
        }
    }
    None
}
