//! Assigns host calls to launches.

use std::collections::HashSet;

use gpusched_model::Refusal;

use super::Events;
use crate::model::{Call, Recording, StreamKey};
use crate::readers::Options;

#[derive(Copy, Clone)]
pub(super) struct HostCall {
    /// `None` if the profiler has not measured the call, which only the [end](Events::end) of the file may show. The process of such a
    /// call still tells launches apart.
    pub(super) call: Option<Call>,
    pub(super) process: Option<i64>,
    pub(super) launches: bool,
    /// Whether the call may launch work.
    pub(super) may_launch: bool,
}

impl Events {
    /// Adds a host call. A second call with the same number replaces the first one, because the driver may be called by
    /// the runtime.
    pub(super) fn call(&mut self, id: i64, call: HostCall) {
        let Some(before) = self.calls.insert(id, call) else {
            return;
        };
        match (before.process, call.process) {
            (Some(one), Some(other)) if one != other => {
                self.double.get_or_insert((id, one, other));
            }
            (one, other) if one != other => {
                let unknown = HostCall {
                    call: None,
                    process: None,
                    ..call
                };
                self.calls.insert(id, unknown);
            }
            _ => {}
        }
    }

    /// Assigns the host calls to the launches, and the failed launches to the dispatcher. Finds calls without a launch.
    ///
    /// # Errors
    /// Refuses host calls of several processes with the same number, because a launch states no process.
    pub fn end(mut self, recording: &mut Recording, options: Options) -> Result<(), Refusal> {
        if let Some((id, one, other)) = self.double.filter(|_| options.calls) {
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
            None => {
                let measured = |call: Call| Call::measured(Some(call.start), Some(call.thread));
                let calls = self.calls.values_mut();
                calls.for_each(|host| host.call = host.call.and_then(measured));
            }
        }
        let of_launch = |id: &Option<i64>| self.calls.get(id.as_ref()?)?.process;
        let processes: Vec<Option<i64>> = self.correlations.iter().map(of_launch).collect();
        let opened: Vec<Option<i64>> = self.open.iter().map(of_launch).collect();
        // A call without a process may be a call of any of several processes.
        if recording.keep_apart(&processes, &opened) {
            let unclear = self.calls.values_mut().filter(|host| host.process.is_none());
            unclear.for_each(|host| host.call = None);
        }
        let call = |id: &Option<i64>| self.calls.get(id.as_ref()?)?.call;
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
        let mut launching = self.calls.values().filter(|host| host.may_launch).peekable();
        // Calls without one measured start show that the profiler lost their times.
        let unmeasured = launching.peek().is_some() && launching.all(|host| host.call.is_none());
        if !self.trtexec && (uncalled < all || unmeasured || self.unnumbered) {
            recording.missing.uncalled = uncalled as u64;
        }
        let recorded = self.correlations.iter().chain(&self.open).flatten();
        let recorded: HashSet<i64> = recorded.copied().chain(self.copies.iter().copied()).collect();
        self.captures.sort();
        let lost = self.calls.iter().filter(|(id, host)| {
            let captured = host.call.is_some_and(|call| self.captures.contain(call));
            host.launches && !recorded.contains(id) && !captured
        });
        let mut lost: Vec<Option<Call>> = lost.map(|(_, lost)| lost.call).collect();
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

