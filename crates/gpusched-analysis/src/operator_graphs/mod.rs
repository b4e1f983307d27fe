//! Graphs of operators that execute in parallel, with queues of one message between them, such as applications of Holoscan under
//! its multi-thread scheduler. The page `operator-graphs` of the documentation states the model, the equations and their proofs.
//!
//! | bound | period | source |
//! |---|---|---|
//! | [`response_time`] | needs a period that the graph sustains | own work; exact |
//! | [`published`] | holds for every period | Schowitz, Sinha and Gujarati, RTSS 2024 |

mod published;
mod response;

use gpusched_model::Refusal;
use gpusched_model::time::Time;

pub use published::published;
pub use response::{response_time, smallest_period};

/// A graph of operators. Its first operator is the only one without inputs, and each connection leads to a later operator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatorGraph {
    operators: Vec<Operator>,
}

/// An operator with its connections.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Operator {
    /// WCET of one execution.
    pub wcet: Time,
    /// Positions of the operators that send messages to this one, ascending.
    pub inputs: Vec<usize>,
    /// Positions of the operators that receive messages, in the order of the connections.
    pub outputs: Vec<usize>,
}

impl OperatorGraph {
    /// Creates a graph of operators with these WCETs. A connection (a, b) sends the messages of operator a to operator b.
    /// A connection that is stated twice counts once.
    ///
    /// # Errors
    /// Fails without operators, for a connection that does not lead to a later operator, and if an operator other than the first
    /// one has no inputs.
    pub fn new(
        wcets: impl IntoIterator<Item = Time>,
        connections: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<OperatorGraph, Refusal> {
        let mut operators: Vec<Operator> = wcets
            .into_iter()
            .map(|wcet| Operator {
                wcet,
                ..Operator::default()
            })
            .collect();
        if operators.is_empty() {
            return Refusal::refuse("operators", "none", "at least one operator");
        }
        for (from, to) in connections {
            if from >= to || to >= operators.len() {
                let found = format!("a connection from operator {from} to operator {to}");
                return Refusal::refuse("connections", found, "connections to later operators");
            }
            if !operators[from].outputs.contains(&to) {
                operators[from].outputs.push(to);
                operators[to].inputs.push(from);
            }
        }
        if let Some(root) = (1..operators.len()).find(|&operator| operators[operator].inputs.is_empty()) {
            let found = format!("operators 0 and {root} without inputs");
            return Refusal::refuse("connections", found, "one operator without inputs");
        }
        for operator in &mut operators {
            operator.inputs.sort_unstable();
        }
        Ok(OperatorGraph { operators })
    }

    /// The operators. Each connection leads to a later one.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// Returns the WCETs [ns].
    fn costs(&self) -> Vec<u64> {
        self.operators.iter().map(|operator| operator.wcet.ns()).collect()
    }
}
