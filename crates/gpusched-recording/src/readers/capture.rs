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

/// Whether the host call `name` launches kernels or a graph. A number of a version may follow the name of a call.
pub fn launches(name: &str) -> bool {
    let (stem, _) = name.split_once("_v").unwrap_or((name, ""));
    let kernel = stem
        .split_once("Launch")
        .is_some_and(|(_, rest)| rest.contains("Kernel"));
    kernel || OTHER_LAUNCHES.contains(&stem) || stem.contains("GraphLaunch")
}

/// Host calls that launch kernels, without the words `Launch` and `Kernel`.
const OTHER_LAUNCHES: [&str; 5] = [
    "cudaLaunch",
    "cuLaunch",
    "cuLaunchGrid",
    "cuLaunchGridAsync",
    "hipLaunchByPtr",
];
