//! rocpd databases of rocprofv3 (ROCm 7), schema version 3.
//!
//! The name of each table ends with the number of the recorded process, and a merged database has such tables for each process. Times
//! are either columns of the records, or rows of a table of timestamps. Both layouts have version 3. A launch and its host call
//! have the same process, and the same `stack_id` in their events.

mod calls;

use std::collections::HashMap;

use gpusched_model::error::Result;
use gpusched_model::time::decimal::Rounding;

use super::database::{Database, identity, integer, quoted, sms_in, text, time};
use crate::model::{Call, Gpu, Lane, Origin, Recording, Side, StreamKey, Tool};
use crate::readers::Options;
use calls::Called;

const DISPATCHES: &str = "rocpd_kernel_dispatch";

/// Whether `database` has tables of rocpd.
pub fn is_rocpd(database: &Database) -> bool {
    ["rocpd_metadata", DISPATCHES, "rocpd_info_agent"]
        .iter()
        .any(|table| !database.suffixes(table).is_empty())
}

/// Reads the rocpd database `database`.
///
/// # Errors
/// Refuses a damaged database.
pub fn read(database: &Database, options: Options) -> Result<Recording> {
    let mut recording = Recording {
        origin: Origin {
            tool: Tool::Rocprof,
            version: None,
            date: None,
            schema: None,
            report: "rocpd",
        },
        ..Recording::default()
    };
    let mut suffixes = database.suffixes(DISPATCHES);
    suffixes.extend(database.suffixes("rocpd_metadata"));
    suffixes.sort_unstable();
    suffixes.dedup();
    let mut called = Called::default();
    for suffix in &suffixes {
        let run = Run { database, suffix };
        run.schema(&mut recording)?;
        run.gpus(&mut recording)?;
        let processes = run.processes()?;
        run.launches(&mut recording, options, &processes, &mut called)?;
        run.unrecorded(&mut recording, options, &processes, &mut called)?;
        run.ranges(&mut recording, &processes)?;
        run.copies(&mut recording)?;
    }
    called.end(&mut recording);
    Ok(recording)
}

/// The tables of one recorded process.
struct Run<'d> {
    database: &'d Database,
    suffix: &'d str,
}

/// Columns of a record with times: in the record itself, or in tables of tracks and timestamps.
struct Timed {
    /// Text after `FROM`, with the record as `r`.
    from: String,
    start: String,
    end: String,
    process: String,
    thread: String,
    agent: String,
    queue: String,
    stream: String,
}

impl Run<'_> {
    /// Returns the quoted name of the table `start` of this process.
    fn table(&self, start: &str) -> String {
        quoted(&self.name(start), '"')
    }

    fn name(&self, start: &str) -> String {
        format!("{start}{}", self.suffix)
    }

    fn has(&self, start: &str) -> bool {
        self.database.has(&self.name(start))
    }

    /// Returns `alias.column` if the table `start` has `column`, or `NULL`.
    fn column(&self, start: &str, alias: &str, columns: &[&str]) -> String {
        match self.database.column(&self.name(start), columns).as_str() {
            "NULL" => "NULL".to_owned(),
            column => format!("{alias}.{column}"),
        }
    }

    /// Returns the columns of the records in the table `start`.
    fn timed(&self, start: &str) -> Timed {
        let of = |columns: &[&str]| self.column(start, "r", columns);
        let table = self.table(start);
        let by_reference = of(&["start"]) == "NULL" && self.has("rocpd_timestamp") && self.has("rocpd_track");
        if !by_reference {
            return Timed {
                from: format!("{table} r"),
                start: of(&["start"]),
                end: of(&["end"]),
                process: of(&["pid"]),
                thread: of(&["tid"]),
                agent: of(&["agent_id"]),
                queue: of(&["queue_id"]),
                stream: of(&["stream_id"]),
            };
        }
        let track = |columns: &[&str]| self.column("rocpd_track", "t", columns);
        let (stamps, tracks) = (self.table("rocpd_timestamp"), self.table("rocpd_track"));
        let id = |start: &str, alias: &str| self.column(start, alias, &["id"]);
        let [b, e] = ["b", "e"].map(|alias| id("rocpd_timestamp", alias));
        let t = id("rocpd_track", "t");
        let [begin, end, on] = [of(&["start_id"]), of(&["end_id"]), of(&["track_id"])];
        Timed {
            from: format!(
                "{table} r LEFT JOIN {stamps} b ON {b} = {begin} LEFT JOIN {stamps} e ON {e} = {end} \
                 LEFT JOIN {tracks} t ON {t} = {on}"
            ),
            start: self.column("rocpd_timestamp", "b", &["value"]),
            end: self.column("rocpd_timestamp", "e", &["value"]),
            process: track(&["pid"]),
            thread: track(&["tid"]),
            agent: track(&["agent_id"]),
            queue: track(&["queue_id"]),
            stream: track(&["stream_id"]),
        }
    }

    fn schema(&self, recording: &mut Recording) -> Result<()> {
        let [tag, value] = ["tag", "value"].map(|name| self.column("rocpd_metadata", "r", &[name]));
        if !self.has("rocpd_metadata") {
            return Ok(());
        }
        let table = self.table("rocpd_metadata");
        let query = format!("SELECT {value} FROM {table} r WHERE {tag} = 'schema_version'");
        self.database.rows("rocpd_metadata", &query, |row| {
            recording.origin.schema = text(row, 0)?;
            Ok(())
        })
    }

    fn gpus(&self, recording: &mut Recording) -> Result<()> {
        let table = "rocpd_info_agent";
        if !self.has(table) {
            return Ok(());
        }
        let of = |columns: &[&str]| self.column(table, "r", columns);
        let names = ["product_name", "model_name", "name"].map(|name| match of(&[name]).as_str() {
            "NULL" => "NULL".to_owned(),
            column => format!("nullif({column}, '')"),
        });
        let units = match of(&["extdata"]).as_str() {
            "NULL" => "NULL".to_owned(),
            data => format!("CASE WHEN json_valid({data}) THEN json_extract({data}, '$.cu_count') END"),
        };
        let query = format!(
            "SELECT coalesce({}), {units}, {} FROM {} r WHERE {} = 'GPU' ORDER BY r.rowid",
            names.join(", "),
            of(&["id"]),
            self.table(table),
            of(&["type"])
        );
        let mut gpus = Vec::new();
        self.database.rows(table, &query, |row| {
            gpus.push(Gpu {
                name: text(row, 0)?.unwrap_or_default(),
                sms: sms_in(row, 1, &mut recording.missing),
                device: identity(row, 2, &mut recording.missing),
                uuid: None,
            });
            Ok(())
        })?;
        // A merged database lists the GPUs once per process.
        if gpus.len() > recording.gpus.len() {
            recording.gpus = gpus;
        }
        Ok(())
    }

    /// Returns the numbers of the processes in the operating system, by their numbers in the database.
    fn processes(&self) -> Result<HashMap<i64, i64>> {
        let mut processes = HashMap::new();
        let table = "rocpd_info_process";
        if !self.has(table) {
            return Ok(processes);
        }
        let [id, pid] = ["id", "pid"].map(|name| self.column(table, "r", &[name]));
        let query = format!("SELECT {id}, {pid} FROM {} r", self.table(table));
        self.database.rows(table, &query, |row| {
            let number = |index| integer(row, index).ok().flatten();
            if let (Some(id), Some(pid)) = (number(0), number(1)) {
                processes.insert(id, pid);
            }
            Ok(())
        })?;
        Ok(processes)
    }

    /// Whether the table of texts is usable.
    fn has_strings(&self) -> bool {
        ["id", "string"]
            .iter()
            .all(|name| self.column("rocpd_string", "n", &[name]) != "NULL")
    }

    /// Reads the kernels, with their host calls if the events link them.
    fn launches(
        &self,
        recording: &mut Recording,
        options: Options,
        processes: &HashMap<i64, i64>,
        called: &mut Called,
    ) -> Result<()> {
        if !self.has(DISPATCHES) {
            return Ok(());
        }
        let timed = self.timed(DISPATCHES);
        let joins = self.has_events();
        if joins {
            self.index_calls()?;
        }
        let symbols = "rocpd_info_kernel_symbol";
        let kernel = self.column(DISPATCHES, "r", &["kernel_id"]);
        let name = match self.has(symbols) && kernel != "NULL" {
            false => "NULL".to_owned(),
            true => {
                let names = [["display_name"], ["kernel_name"]].map(|name| self.column(symbols, "s", &name));
                let (table, id) = (self.table(symbols), self.column(symbols, "s", &["id"]));
                format!(
                    "(SELECT coalesce({}) FROM {table} s WHERE {id} = {kernel})",
                    names.join(", ")
                )
            }
        };
        let call = |column: &str| match joins {
            false => "NULL".to_owned(),
            true => format!(
                "(SELECT c.{column} FROM temp.calls c WHERE c.stack = (SELECT v.stack_id FROM {} v \
                 WHERE v.id = r.event_id) AND coalesce(c.process = {}, 1) ORDER BY c.rowid LIMIT 1)",
                self.table("rocpd_event"),
                timed.process
            ),
        };
        let query = format!(
            "SELECT {}, {}, {}, {}, coalesce({}, {}), {name}, {kernel}, {}, {} FROM {} ORDER BY r.rowid",
            timed.start,
            timed.end,
            timed.process,
            timed.agent,
            timed.stream,
            timed.queue,
            call("start"),
            call("thread"),
            timed.from
        );
        self.database.rows(DISPATCHES, &query, |row| {
            let missing = &mut recording.missing;
            let mut number = |index| identity(row, index, missing);
            let process = number(2).map(|id| process(id, processes));
            let key = StreamKey {
                process,
                device: number(3),
                stream: number(4),
                ..StreamKey::default()
            };
            let call = host_call(number(7), process, number(8));
            match call {
                Some(_) => called.shown = true,
                None => called.without += 1,
            }
            let call = call.filter(|_| options.calls);
            let name = match (text(row, 5)?, number(6)) {
                (Some(name), _) => name,
                (None, id) => format!("kernel {}", id.unwrap_or_default()),
            };
            let start = time(row, 0, Rounding::Down, missing);
            let end = time(row, 1, Rounding::Up, missing);
            recording.launch(&name, key, (start, end), call);
            Ok(())
        })
    }

    /// Reads the ranges of ROCTx. Their events have a category with `MARKER`, and the message is the name.
    fn ranges(&self, recording: &mut Recording, processes: &HashMap<i64, i64>) -> Result<()> {
        let table = "rocpd_region";
        let event = ["id", "category_id"].map(|name| self.column("rocpd_event", "v", &[name]));
        let region = ["event_id", "name_id"].map(|name| self.column(table, "r", &[name]));
        if event.iter().chain(&region).any(|column| column == "NULL") || !self.has_strings() {
            return Ok(());
        }
        let timed = self.timed(table);
        let (events, strings) = (self.table("rocpd_event"), self.table("rocpd_string"));
        let message = match self.column("rocpd_event", "v", &["extdata"]).as_str() {
            "NULL" => "NULL".to_owned(),
            data => format!("CASE WHEN json_valid({data}) THEN json_extract({data}, '$.message') END"),
        };
        let query = format!(
            "SELECT {}, {}, {}, {}, coalesce({message}, n.string) FROM {} JOIN {events} v ON v.id = r.event_id \
             JOIN {strings} g ON g.id = v.category_id LEFT JOIN {strings} n ON n.id = r.name_id \
             WHERE g.string LIKE '%MARKER%' ORDER BY r.rowid",
            timed.start, timed.end, timed.process, timed.thread, timed.from
        );
        self.database.rows(table, &query, |row| {
            let missing = &mut recording.missing;
            let process = identity(row, 2, missing).map(|id| process(id, processes));
            let lane = identity(row, 3, missing).map(|thread| Lane::Thread { process, thread });
            let name = text(row, 4)?.unwrap_or_default();
            let start = time(row, 0, Rounding::Down, missing);
            let end = time(row, 1, Rounding::Up, missing);
            recording.range(&name, Side::Host, (start, end), lane);
            Ok(())
        })
    }

    fn copies(&self, recording: &mut Recording) -> Result<()> {
        let table = "rocpd_memory_copy";
        if !self.has(table) {
            return Ok(());
        }
        let query = format!("SELECT count(*) FROM {}", self.table(table));
        self.database.rows(table, &query, |row| {
            let count = integer(row, 0)?.and_then(|count| u64::try_from(count).ok());
            recording.other.copies += count.unwrap_or_default();
            Ok(())
        })
    }
}

/// Returns a host call, if the profiler has measured it.
fn host_call(start: Option<i64>, process: Option<i64>, thread: Option<i64>) -> Option<Call> {
    Call::measured(start, thread.map(|thread| Lane::Thread { process, thread }))
}

/// Returns the number of the process `id` in the operating system. A process without an entry keeps its number.
fn process(id: i64, processes: &HashMap<i64, i64>) -> i64 {
    processes.get(&id).copied().unwrap_or(id)
}
