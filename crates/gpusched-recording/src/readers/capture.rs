//! Captures of CUDA graphs. A host call inside a capture adds a node to a graph, and launches nothing.

use crate::model::Call;

/// Host calls that begin or end a capture.
#[derive(Default)]
pub struct Captures {
    /// The calls, each with whether it begins a capture.
    calls: Vec<(Call, bool)>,
}

impl Captures {
    /// Adds the call of the function `name`, if it begins or ends a capture.
    pub fn add(&mut self, name: &str, call: Call) {
        let begins = name.contains("StreamBeginCapture");
        if begins || name.contains("StreamEndCapture") {
            self.calls.push((call, begins));
        }
    }

    /// Sorts the calls, so that [`contain`](Captures::contain) finds them.
    pub fn sort(&mut self) {
        self.calls.sort_by_key(|(call, _)| (call.thread, call.start));
    }

    /// Whether `call` is inside a capture of its thread.
    pub fn contain(&self, call: Call) -> bool {
        let place = (call.thread, call.start);
        let before = self
            .calls
            .partition_point(|(other, _)| (other.thread, other.start) <= place);
        let last = before.checked_sub(1).and_then(|last| self.calls.get(last));
        last.is_some_and(|&(other, begins)| begins && other.thread == call.thread)
    }
}

/// First letters of the host calls that launch kernels and graphs.
pub const LAUNCHES: [&str; 9] = [
    "cudaLaunchKernel",
    "cudaLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuLaunchCooperativeKernel",
    "cudaGraphLaunch",
    "cuGraphLaunch",
    "hipLaunchKernel",
    "hipModuleLaunchKernel",
    "hipGraphLaunch",
];
