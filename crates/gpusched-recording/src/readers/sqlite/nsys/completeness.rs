//! Records that the profiler lost.

use gpusched_model::error::{Result, excerpt};

use super::{CALLS, COPIES, GRAPHS, KERNELS, call};
use crate::model::{Missing, Recording, StreamKey};
use crate::readers::Options;
use crate::readers::capture::{Captures, launches};
use crate::readers::sqlite::database::{Database, identity, integer, text};

impl Database {
    /// Finds host calls that launched a kernel or a graph, and for which the file has no work on the GPU: the profiler
    /// lost a record, or recording ended before the launch. Each call is an open launch.
    pub(super) fn unrecorded(&self, recording: &mut Recording, options: Options) -> Result<()> {
        let columns = ["correlationId", "nameId", "start", "globalTid"];
        let linked = columns
            .iter()
            .all(|column| self.column(CALLS, &[column]) != "NULL");
        let value = self.column("StringIds", &["value"]);
        if !linked || value == "NULL" || self.column("StringIds", &["id"]) == "NULL" {
            return Ok(());
        }
        let work = [KERNELS, GRAPHS].into_iter().chain(COPIES);
        let work = work.filter(|table| self.column(table, &["correlationId"]) != "NULL");
        let recorded = work.map(|table| {
            let process = match self.column(table, &["globalPid"]).as_str() {
                "NULL" => "NULL".to_owned(),
                pid => format!("({pid} >> 24)"),
            };
            format!("SELECT correlationId AS id, {process} AS process FROM {table}")
        });
        let mut recorded = recorded.collect::<Vec<String>>().join(" UNION ALL ");
        if recorded.is_empty() {
            recorded = "SELECT NULL AS id, NULL AS process".to_owned();
        }
        self.create("recorded", &recorded, "id")?;
        self.uncalled(recording)?;
        // A call that returned an error has launched nothing.
        let succeeded = match self.column(CALLS, &["returnValue"]).as_str() {
            "NULL" => String::new(),
            value => format!(" AND coalesce(c.{value}, 0) = 0"),
        };
        let record = "SELECT 1 FROM temp.recorded r WHERE r.id = c.correlationId \
                      AND (r.process IS NULL OR r.process = (c.globalTid >> 24))";
        let query = format!(
            "SELECT c.start, c.globalTid, s.{value} FROM {CALLS} c JOIN StringIds s ON s.id = c.nameId \
             WHERE s.{value} LIKE '%Launch%'{succeeded} AND NOT EXISTS ({record}) ORDER BY c.rowid"
        );
        let captures = self.captures(&value)?;
        self.rows(CALLS, &query, |row| {
            if !text(row, 2)?.is_some_and(|name| launches(&name)) {
                return Ok(());
            }
            let missing = &mut recording.missing;
            let call = call(identity(row, 0, missing), identity(row, 1, missing));
            if call.is_some_and(|call| captures.contain(call)) {
                return Ok(());
            }
            recording.missing.unrecorded += 1;
            if options.calls {
                recording.launch("", StreamKey::default(), (None, None), call);
            }
            Ok(())
        })
    }

    /// Counts the launches without a host call, if other launches have one, or if no call of the file is measured. A start of 0, or
    /// one that is no number, means that the profiler has not measured the call.
    fn uncalled(&self, recording: &mut Recording) -> Result<()> {
        let measured = "typeof(start) IN ('integer', 'real') AND start != 0";
        let called =
            format!("SELECT correlationId AS id, (globalTid >> 24) AS process FROM {CALLS} WHERE {measured}");
        self.create("called", &called, "id")?;
        let (mut without, mut with) = (0, false);
        let query = format!("SELECT count(*), sum({measured}) FROM {CALLS}");
        self.rows(CALLS, &query, |row| {
            with = integer(row, 0)?.is_some_and(|all| all > 0) && integer(row, 1)? == Some(0);
            Ok(())
        })?;
        for table in [KERNELS, GRAPHS] {
            if !self.has(table) || self.column(table, &["correlationId"]) == "NULL" {
                continue;
            }
            let process = match self.column(table, &["globalPid"]).as_str() {
                "NULL" => String::new(),
                pid => format!(" AND c.process = (k.{pid} >> 24)"),
            };
            let query = format!(
                "SELECT count(*), sum(EXISTS (SELECT 1 FROM temp.called c WHERE c.id = k.correlationId{process})) FROM {table} k"
            );
            self.rows(table, &query, |row| {
                let count = |index| {
                    integer(row, index).map(|count| count.and_then(|count| u64::try_from(count).ok()))
                };
                let (all, called) = (count(0)?.unwrap_or_default(), count(1)?.unwrap_or_default());
                without += all.saturating_sub(called);
                with |= called > 0;
                Ok(())
            })?;
        }
        recording.missing.uncalled = if with { without } else { 0 };
        Ok(())
    }

    /// Returns the host calls that begin or end the capture of a graph. `value` is the column of the names.
    pub(super) fn captures(&self, value: &str) -> Result<Captures> {
        let mut captures = Captures::default();
        let query = format!(
            "SELECT c.start, c.globalTid, s.{value} FROM {CALLS} c JOIN StringIds s ON s.id = c.nameId \
             WHERE s.{value} LIKE '%StreamBeginCapture%' OR s.{value} LIKE '%StreamEndCapture%'"
        );
        self.rows(CALLS, &query, |row| {
            let mut ignored = Missing::default();
            let mut number = |index| identity(row, index, &mut ignored);
            if let Some(call) = call(number(0), number(1)) {
                captures.add(&text(row, 2)?.unwrap_or_default(), call);
            }
            Ok(())
        })?;
        captures.sort();
        Ok(captures)
    }

    /// Reads the messages of nsys about events that it has not collected.
    pub(super) fn dropped(&self, recording: &mut Recording) -> Result<()> {
        let table = "DIAGNOSTIC_EVENT";
        let message = self.column(table, &["text"]);
        if message == "NULL" {
            return Ok(());
        }
        let lost = [
            "dropped", "lost", "not all", "discard", "truncat", "overflow", "missed",
        ]
        .map(|word| format!("{message} LIKE '%{word}%'"));
        let query = format!(
            "SELECT {message} FROM {table} WHERE {} ORDER BY rowid",
            lost.join(" OR ")
        );
        self.rows(table, &query, |row| {
            if recording.missing.dropped == 0 {
                let text = text(row, 0)?.unwrap_or_default();
                recording.notes.push(format!("nsys states: {}", excerpt(&text)));
            }
            recording.missing.dropped = u64::MAX;
            Ok(())
        })
    }
}
