//! Host calls, by the number that links them with launches. Most of the memory of a reader is for them, so an entry is small.

use std::collections::HashMap;

use crate::model::{Call, Lane};

/// Numbers of a process and of a thread.
type Thread = (Option<i64>, Option<i64>);

#[derive(Copy, Clone)]
pub struct HostCall {
    pub number: i64,
    /// Start [ns]. `None` if the profiler has not measured the call, which only the end of the file may show. The process of such a
    /// call still tells launches apart.
    start: Option<i64>,
    /// Position of the thread in [`Calls::threads`].
    thread: u32,
    pub launches: bool,
    /// Whether the call may launch work.
    pub may_launch: bool,
}

#[derive(Default)]
pub struct Calls {
    list: Vec<HostCall>,
    threads: Vec<Thread>,
    positions: HashMap<Thread, u32>,
}

impl Calls {
    /// Adds a host call. `launches` states whether it launches work, and whether it may launch work.
    pub fn add(&mut self, number: i64, start: Option<i64>, thread: Thread, launches: (bool, bool)) {
        let thread = self.position(thread);
        self.list.push(HostCall {
            number,
            start,
            thread,
            launches: launches.0,
            may_launch: launches.1,
        });
    }

    fn position(&mut self, thread: Thread) -> u32 {
        // Most calls are of the thread of the call before.
        let last = self.list.last().map(|call| call.thread);
        if let Some(last) = last.filter(|&last| self.threads.get(last as usize) == Some(&thread)) {
            return last;
        }
        // More threads than 2^32 would need more memory than any machine has.
        let next = u32::try_from(self.threads.len()).unwrap_or(u32::MAX);
        let position = *self.positions.entry(thread).or_insert(next);
        if position == next {
            self.threads.push(thread);
        }
        position
    }

    /// Sorts the calls. A later call with the same number replaces an earlier one, because the driver may be called by the runtime. Also
    /// returns the smallest number that two processes use, and these processes.
    pub fn sort(&mut self) -> Option<(i64, i64, i64)> {
        self.list.sort_by_key(|call| call.number);
        let unknown = self.list.iter().any(|call| self.process(call).is_none());
        let unknown = unknown.then(|| self.position((None, None)));
        let (mut double, threads) = (None, &self.threads);
        let process = |call: &HostCall| threads.get(call.thread as usize).and_then(|thread| thread.0);
        self.list.dedup_by(|call, before| {
            if call.number != before.number {
                return false;
            }
            let processes = (process(before), process(call));
            *before = *call;
            match (processes, unknown) {
                ((Some(one), Some(other)), _) if one != other => {
                    double.get_or_insert((call.number, one, other));
                }
                ((one, other), Some(unknown)) if one != other => {
                    (before.start, before.thread) = (None, unknown);
                }
                _ => {}
            }
            true
        });
        double
    }

    /// Forgets the start of the calls for which `is_unmeasured` is true, from their start and their process.
    pub fn forget(&mut self, is_unmeasured: impl Fn(Option<i64>, Option<i64>) -> bool) {
        for call in &mut self.list {
            let process = self.threads.get(call.thread as usize).and_then(|thread| thread.0);
            call.start = call.start.filter(|_| !is_unmeasured(call.start, process));
        }
    }

    /// Returns the call with the number `number`. The calls must be sorted.
    pub fn get(&self, number: i64) -> Option<&HostCall> {
        let found = self.list.binary_search_by_key(&number, |call| call.number);
        self.list.get(found.ok()?)
    }

    pub fn iter(&self) -> impl Iterator<Item = &HostCall> {
        self.list.iter()
    }

    /// Returns the process of `call`, if the file states it.
    pub fn process(&self, call: &HostCall) -> Option<i64> {
        self.threads.get(call.thread as usize)?.0
    }

    /// Returns start and thread of `call`, if the file states both.
    pub fn measured(&self, call: &HostCall) -> Option<Call> {
        let &(process, thread) = self.threads.get(call.thread as usize)?;
        let thread = Lane::Thread {
            process,
            thread: thread?,
        };
        Some(Call {
            start: call.start?,
            thread,
        })
    }
}
