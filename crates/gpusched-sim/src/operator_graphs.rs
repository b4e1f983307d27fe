//! Simulates graphs of operators with queues of one message, as the multi-thread scheduler of Holoscan executes them with a worker for
//! each operator.

use gpusched_analysis::operator_graphs::OperatorGraph;
use gpusched_model::time::Time;

/// What a run shows.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Observed {
    /// Longest time from the arrival of a message in the queue of the first operator to the end of all operators.
    pub response: Time,
    /// Number of arrivals at which the queue of the first operator was full.
    pub lost: u64,
}

/// Simulates `messages` messages that enter the queue of the first operator. A message arrives every `period`, but it is lost while
/// the queue is full. `execution` states the execution time of an operator for a message.
///
/// An operator starts as soon as all its inputs have a message, all queues at its outputs are empty, and its execution for the message
/// before has ended. Its start empties the queues of its inputs. Times saturate.
pub fn simulate(
    graph: &OperatorGraph,
    period: Time,
    messages: u64,
    mut execution: impl FnMut(usize, u64) -> Time,
) -> Observed {
    let operators = graph.operators();
    let period = period.ns().max(1);
    // Starts and ends for the message before.
    let mut before: Vec<(u64, u64)> = vec![(0, 0); operators.len()];
    let mut observed = Observed::default();
    let mut earliest = 0u64;
    for message in 0..messages {
        // The queue of the first operator is free from the start for the message before.
        let free = before[0].0.div_ceil(period).saturating_mul(period);
        let arrival = earliest.max(free);
        observed.lost += (arrival - earliest) / period;
        earliest = arrival.saturating_add(period);
        let mut now: Vec<(u64, u64)> = Vec::with_capacity(operators.len());
        for (position, operator) in operators.iter().enumerate() {
            let inputs = operator.inputs.iter().map(|&input| now[input].1);
            let full = operator.outputs.iter().map(|&output| before[output].0);
            let start = inputs.chain(full).chain([before[position].1]).max();
            let start = start.unwrap_or(0).max(arrival);
            let time = execution(position, message).ns();
            now.push((start, start.saturating_add(time)));
        }
        let end = now.iter().map(|&(_, end)| end).max().unwrap_or(arrival);
        observed.response = observed.response.max(Time::from_ns(end - arrival));
        before = now;
    }
    observed
}
