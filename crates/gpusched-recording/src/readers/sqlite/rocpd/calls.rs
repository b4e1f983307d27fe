//! Host calls of a rocpd database. A launch and its call have the same `stack_id` in their events. A copy or a fill of memory may launch
//! kernels, too.

use std::collections::HashMap;

use gpusched_model::error::Result;

use super::{DISPATCHES, Run, host_call, process};
use crate::model::{Recording, StreamKey};
use crate::readers::Options;
use crate::readers::capture::{Captures, launches};
use crate::readers::sqlite::database::{integer, text};

/// Table of the host calls.
const REGIONS: &str = "rocpd_region";

/// Launches without a measured host call, over all processes of a database.
#[derive(Default)]
pub(super) struct Called {
    /// Number of these launches.
    pub without: u64,
    /// Whether the file contains host calls that launch work, or the host call of a launch.
    pub shown: bool,
}

impl Called {
    /// Counts the launches without a call, if the file contains calls.
    pub fn end(self, recording: &mut Recording) {
        if self.shown {
            recording.missing.uncalled += self.without;
        }
    }
}

impl Run<'_> {
    /// Whether events link launches with host calls.
    pub(super) fn has_events(&self) -> bool {
        let event = ["id", "stack_id", "category_id"].map(|name| self.column("rocpd_event", "e", &[name]));
        let linked = self.column(DISPATCHES, "r", &["event_id"]) != "NULL"
            && self.column(REGIONS, "r", &["event_id"]) != "NULL"
            && self.column(REGIONS, "r", &["name_id"]) != "NULL";
        linked && event.iter().all(|column| column != "NULL") && self.has_strings()
    }

    /// Creates two temporary tables: the stacks of the launches, and the host calls with these stacks or that may launch work. A call
    /// whose event is lost has no stack. Ranges of ROCTx are no calls.
    pub(super) fn index_calls(&self) -> Result<()> {
        let (events, strings) = (self.table("rocpd_event"), self.table("rocpd_string"));
        let timed = self.timed(DISPATCHES);
        let launched = format!(
            "SELECT DISTINCT v.stack_id AS stack, {} AS process FROM {} JOIN {events} v ON v.id = r.event_id WHERE v.stack_id > 0",
            timed.process, timed.from
        );
        self.database.create("launched", &launched, "stack")?;
        let timed = self.timed(REGIONS);
        let named = "n.string LIKE '%Launch%' OR n.string LIKE '%StreamBeginCapture%' OR n.string LIKE '%StreamEndCapture%'";
        let of_launch = "EXISTS (SELECT 1 FROM temp.launched l WHERE l.stack = v.stack_id)";
        let is_range =
            format!("SELECT 1 FROM {strings} g WHERE g.id = v.category_id AND g.string LIKE '%MARKER%'");
        let columns = format!(
            "{} AS start, {} AS thread, {} AS process",
            timed.start, timed.thread, timed.process
        );
        let query = format!(
            "SELECT nullif(max(v.stack_id, 0), 0) AS stack, {columns}, n.string AS name FROM {} \
             LEFT JOIN {events} v ON v.id = r.event_id JOIN {strings} n ON n.id = r.name_id \
             WHERE ({named} OR {of_launch}) AND NOT EXISTS ({is_range})",
            timed.from
        );
        self.database.create("calls", &query, "stack")
    }

    /// Finds host calls that launched work, and for which the file has no kernel. If no call has a kernel, the recording has no kernels
    /// at all, or its events do not link them.
    pub(super) fn unrecorded(
        &self,
        recording: &mut Recording,
        options: Options,
        processes: &HashMap<i64, i64>,
        called: &mut Called,
    ) -> Result<()> {
        if !self.database.has(&self.name(DISPATCHES)) || !self.has_events() {
            return Ok(());
        }
        let (mut captures, mut lost, mut recorded) = (Captures::default(), Vec::new(), false);
        let query = "SELECT c.start, c.thread, c.process, c.name, c.stack, EXISTS (SELECT 1 FROM temp.launched l \
                     WHERE l.stack = c.stack AND coalesce(l.process = c.process, 1)) FROM temp.calls c ORDER BY c.rowid";
        self.database.rows(REGIONS, query, |row| {
            let name = text(row, 3)?.unwrap_or_default();
            let process = integer(row, 2).ok().flatten().map(|id| process(id, processes));
            let number = |index| integer(row, index).ok().flatten();
            let call = host_call(number(0), process, number(1));
            call.into_iter().for_each(|call| captures.add(&name, call));
            let has_kernel = integer(row, 5)? == Some(1);
            recorded |= has_kernel;
            called.shown |= launches(&name);
            // Without a stack, the kernel of the call may be any of the kernels without a call.
            if launches(&name) && !has_kernel && number(4).is_some() {
                lost.push(call);
            }
            Ok(())
        })?;
        captures.sort();
        lost.retain(|call| !call.is_some_and(|call| captures.contain(call)));
        for call in lost.into_iter().filter(|_| recorded) {
            recording.missing.unrecorded += 1;
            if options.calls {
                recording.launch("", StreamKey::default(), (None, None), call);
            }
        }
        Ok(())
    }
}
