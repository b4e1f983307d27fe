//! Assigns host calls to launches.

use gpusched_model::Refusal;

use super::Events;
use crate::model::{Call, Recording, StreamKey};
use crate::readers::Options;

impl Events {
    /// Assigns the host calls to the launches, and the failed launches to the dispatcher. Finds calls without a launch.
    ///
    /// # Errors
    /// Refuses host calls of several processes with the same number, because a launch states no process.
    pub fn end(mut self, recording: &mut Recording, options: Options) -> Result<(), Refusal> {
        if let Some((id, one, other)) = self.calls.sort().filter(|_| options.calls) {
            let found = format!("host calls of the processes {one} and {other} with the same number {id}");
            let refusal = Refusal::new(
                "correlation",
                found,
                "numbers of one process, because a launch states no process",
            );
            return Err(refusal.hint("read the trace of each process (rank) as a file of its own"));
        }
        match &mut recording.dispatcher {
            Some(dispatcher) => dispatcher.failed = self.failed,
            // In virtual time, jobs may start at time 0.
            None => self.calls.forget(|start, _| start == Some(0)),
        }
        let calls = &self.calls;
        let of_launch = |&id: &Option<i64>| calls.process(calls.get(id?)?);
        let processes: Vec<Option<i64>> = self.correlations.iter().map(of_launch).collect();
        let opened: Vec<Option<i64>> = self.open.iter().map(of_launch).collect();
        // A call without a process may be a call of any of several processes.
        if recording.keep_apart(&processes, &opened) {
            self.calls.forget(|_, process| process.is_none());
        }
        let calls = &self.calls;
        let call = |&id: &Option<i64>| calls.measured(calls.get(id?)?);
        if options.calls && !self.trtexec {
            recording.calls = self.correlations.iter().map(call).collect();
            for (open, id) in recording.open.iter_mut().zip(&self.open) {
                open.call = call(id);
            }
            for &(id, start, end) in &self.copied {
                recording.copy((Some(start), Some(end)), call(&Some(id)));
            }
        }
        let all = self.correlations.len() + self.open.len();
        let numbers = self.correlations.iter().chain(&self.open);
        let uncalled = numbers.filter(|id| call(id).is_none()).count();
        let mut launching = calls.iter().filter(|host| host.may_launch).peekable();
        // Calls without one measured start show that the profiler lost their times.
        let unmeasured = launching.peek().is_some() && launching.all(|host| calls.measured(host).is_none());
        if !self.trtexec && (uncalled < all || unmeasured || self.unnumbered) {
            recording.missing.uncalled = uncalled as u64;
        }
        let recorded = self.correlations.iter().chain(&self.open).flatten();
        let mut recorded: Vec<i64> = recorded.chain(&self.copies).copied().collect();
        recorded.sort_unstable();
        self.captures.sort();
        let lost = calls.iter().filter(|host| {
            let captured = calls
                .measured(host)
                .is_some_and(|call| self.captures.contain(call));
            host.launches && recorded.binary_search(&host.number).is_err() && !captured
        });
        let mut lost: Vec<Option<Call>> = lost.map(|lost| calls.measured(lost)).collect();
        lost.sort_unstable_by_key(|call| call.map(|call| (call.start, call.thread)));
        recording.missing.unrecorded = lost.len() as u64;
        if options.calls {
            for call in lost {
                recording.launch("", StreamKey::default(), (None, None), call);
            }
        }
        Ok(())
    }
}
