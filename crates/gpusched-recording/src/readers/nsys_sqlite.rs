//! SQLite exports of Nsight Systems (`nsys export --type sqlite`), schema versions 2.9 to 3.25.
//!
//! Tables and columns depend on the version and on the options of the profiler. So every table and column is optional
//! for the reader. The reader opens the file without changing it, and reads only the tables that [`Recording`] needs.

use std::collections::HashMap;
use std::path::Path;

use gpusched_model::Refusal;
use gpusched_model::error::{Error, Result, excerpt};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, Row, types::ValueRef};

use super::capture::{Captures, LAUNCHES};
use super::input::Input;
use super::{Options, date};
use crate::model::{Call, Context, Gpu, Lane, Origin, Recording, Side, StreamKey, Tool};

/// NVTX event types with a start and an end: ranges of a thread, and ranges of a process.
const RANGE_TYPES: [i64; 2] = [59, 60];

/// Longest text in the file [bytes].
const LONGEST_TEXT: i32 = 1 << 24;

/// Reads the database at `path`.
///
/// # Errors
/// Refuses a damaged database, and a database without tables of Nsight Systems.
pub fn read(path: &Path, options: Options, input: Input<'_>) -> Result<Recording> {
    if path == Path::new("-") {
        let refusal = Refusal::new("", "SQLite on standard input", "a file");
        return Err(refusal.at(path, None).hint("store the export in a file").into());
    }
    drop(input);
    let bytes = std::fs::metadata(path)
        .map_err(|cause| Error::io(path, "read", cause))?
        .len();
    let export = Export::open(path, bytes)?;
    let mut recording = Recording::default();
    export.origin(&mut recording)?;
    export.gpus(&mut recording)?;
    export.contexts(&mut recording)?;
    let mut names = Names::default();
    export.launches(&mut recording, options, &mut names)?;
    export.unrecorded(&mut recording, options)?;
    export.dropped(&mut recording)?;
    export.copies(&mut recording)?;
    export.ranges(&mut recording, &mut names)?;
    Ok(recording)
}

/// Texts by number, from the table `StringIds`.
#[derive(Default)]
struct Names(HashMap<i64, Option<String>>);

struct Export {
    connection: Connection,
    path: std::path::PathBuf,
    /// Tables with the names of their columns.
    tables: HashMap<String, Vec<String>>,
    /// Maximum number of rows of a query: the size of the file in bytes. A damaged database can contain an endless
    /// chain of pages, but no valid file has more rows than bytes.
    most_rows: u64,
}

impl Export {
    fn open(path: &Path, bytes: u64) -> Result<Export> {
        let refuse = |error| refuse(path, error);
        let flags =
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        // The reader opens the database as immutable, so that SQLite creates no files next to it.
        let connection = Connection::open_with_flags(uri(path), flags).map_err(refuse)?;
        connection
            .set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_TEXT)
            .map_err(refuse)?;
        connection
            .execute_batch(
                "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA cache_size = -16000;",
            )
            .map_err(refuse)?;
        let mut export = Export {
            connection,
            path: path.to_owned(),
            tables: HashMap::new(),
            most_rows: bytes,
        };
        let mut tables = Vec::new();
        let query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
        export.rows("sqlite_master", query, |row| {
            tables.push(text(row, 0)?.unwrap_or_default());
            Ok(())
        })?;
        for table in tables {
            let mut columns = Vec::new();
            let query = format!("SELECT name FROM pragma_table_info({})", quoted(&table, '\''));
            export.rows(&table, &query, |row| {
                columns.push(text(row, 0)?.unwrap_or_default());
                Ok(())
            })?;
            export.tables.insert(table, columns);
        }
        let known = [
            "StringIds",
            "TARGET_INFO_GPU",
            "META_DATA_EXPORT",
            "EXPORT_META_DATA",
            KERNELS,
            GRAPHS,
            NVTX,
        ];
        match known.iter().any(|table| export.has(table)) {
            true => Ok(export),
            false => Err(Error::file(
                path,
                "a database without tables of nsys",
                "an SQLite export of nsys",
            )),
        }
    }

    fn has(&self, table: &str) -> bool {
        self.tables.contains_key(table)
    }

    /// Returns the first of `columns` that `table` has, for use in a query, or `NULL`.
    fn column(&self, table: &str, columns: &[&str]) -> String {
        let present = self.tables.get(table);
        let found = columns.iter().find(|column| {
            let mut present = present.into_iter().flatten();
            present.any(|name| name.eq_ignore_ascii_case(column))
        });
        found.map_or_else(|| "NULL".to_owned(), |column| quoted(column, '"'))
    }

    /// Runs `query` about `table`, and calls `take` with each row.
    fn rows(
        &self,
        table: &str,
        query: &str,
        mut take: impl FnMut(&Row<'_>) -> Result<(), Refusal>,
    ) -> Result<()> {
        let refuse = |error| refuse(&self.path, error);
        let mut statement = self.connection.prepare(query).map_err(refuse)?;
        let mut rows = statement.query([]).map_err(refuse)?;
        let mut count = 0u64;
        while let Some(row) = rows.next().map_err(refuse)? {
            take(row).map_err(|refusal| {
                let place = format!("{table}[{count}]");
                Error::from(refusal.within(&place).at(&self.path, None))
            })?;
            count += 1;
            if count > self.most_rows {
                let found = format!("more rows in {table} than bytes in the file");
                return Err(Error::file(&self.path, found, "an undamaged database"));
            }
        }
        Ok(())
    }

    fn origin(&self, recording: &mut Recording) -> Result<()> {
        recording.origin = Origin {
            tool: Tool::Nsys,
            version: None,
            date: None,
            schema: None,
            report: "sqlite",
        };
        let origin = &mut recording.origin;
        for table in ["META_DATA_EXPORT", "EXPORT_META_DATA"] {
            if !self.has(table) {
                continue;
            }
            let [name, value] = [self.column(table, &["name"]), self.column(table, &["value"])];
            let query = format!(
                "SELECT {name}, {value} FROM {table} WHERE {name} IN ('EXPORT_PRODUCT_VERSION', 'EXPORT_SCHEMA_VERSION')"
            );
            self.rows(table, &query, |row| {
                let value = text(row, 1)?;
                match text(row, 0)?.as_deref() {
                    Some("EXPORT_PRODUCT_VERSION") => origin.version = value,
                    _ => origin.schema = value,
                }
                Ok(())
            })?;
        }
        let table = "TARGET_INFO_SESSION_START_TIME";
        if self.has(table) {
            let start = self.column(table, &["utcEpochNs"]);
            self.rows(table, &format!("SELECT {start} FROM {table}"), |row| {
                origin.date = integer(row, 0)?.and_then(date::of_epoch_ns);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn gpus(&self, recording: &mut Recording) -> Result<()> {
        let mut gpus: Vec<(Option<i64>, Gpu)> = Vec::new();
        let table = "TARGET_INFO_GPU";
        if self.has(table) {
            let [id, name, sms] = [
                self.column(table, &["id"]),
                self.column(table, &["name"]),
                self.column(table, &["smCount"]),
            ];
            self.rows(
                table,
                &format!("SELECT {id}, {name}, {sms} FROM {table} ORDER BY rowid"),
                |row| {
                    let name = text(row, 1)?.unwrap_or_default();
                    let sms = sms_in(row, 2)?;
                    gpus.push((integer(row, 0)?, Gpu { name, sms }));
                    Ok(())
                },
            )?;
        }
        let table = "TARGET_INFO_CUDA_DEVICE";
        if self.has(table) {
            let [gpu, sms] = [
                self.column(table, &["gpuId"]),
                self.column(table, &["numMultiprocessors"]),
            ];
            self.rows(
                table,
                &format!("SELECT {gpu}, {sms} FROM {table} ORDER BY rowid"),
                |row| {
                    let (id, sms) = (integer(row, 0)?, sms_in(row, 1)?);
                    match gpus.iter_mut().find(|(other, _)| *other == id) {
                        Some((_, gpu)) => gpu.sms = gpu.sms.or(sms),
                        None if sms.is_some() => gpus.push((
                            id,
                            Gpu {
                                name: String::new(),
                                sms,
                            },
                        )),
                        None => {}
                    }
                    Ok(())
                },
            )?;
        }
        recording.gpus = gpus.into_iter().map(|(_, gpu)| gpu).collect();
        Ok(())
    }

    fn contexts(&self, recording: &mut Recording) -> Result<()> {
        let table = "TARGET_INFO_CUDA_CONTEXT_INFO";
        if !self.has(table) {
            return Ok(());
        }
        let columns = [
            "deviceId",
            "contextId",
            "parentContextId",
            "isGreenContext",
            "numMultiprocessors",
            "processId",
        ];
        let columns = columns.map(|column| self.column(table, &[column]));
        let query = format!("SELECT {} FROM {table} ORDER BY rowid", columns.join(", "));
        self.rows(table, &query, |row| {
            let green = integer(row, 3)?.is_some_and(|green| green != 0);
            recording.contexts.push(Context {
                process: integer(row, 5)?,
                device: integer(row, 0)?.unwrap_or_default(),
                id: integer(row, 1)?.unwrap_or_default(),
                parent: integer(row, 2)?,
                green,
                sms: sms_in(row, 4)?.filter(|_| green),
            });
            Ok(())
        })
    }

    /// Reads the launches of kernels, and of whole CUDA graphs. The file does not contain the kernels of a graph. So a
    /// graph is one launch, from the start to the end of the graph.
    fn launches(&self, recording: &mut Recording, options: Options, names: &mut Names) -> Result<()> {
        let tables: Vec<&str> = [KERNELS, GRAPHS]
            .into_iter()
            .filter(|table| self.has(table))
            .collect();
        let calls = options.calls
            && [["correlationId"], ["globalTid"], ["start"]]
                .iter()
                .all(|column| self.column(CALLS, column) != "NULL");
        // The number of a launch links it with its call.
        let mut linked = tables.clone();
        linked.retain(|table| calls && self.column(table, &["correlationId"]) != "NULL");
        if !linked.is_empty() {
            // The reader creates the index in a temporary table, because the export has no index on the number of the
            // launch.
            let numbers = linked
                .iter()
                .map(|table| format!("SELECT correlationId FROM {table}"));
            let made = self.connection.execute_batch(&format!(
                "PRAGMA temp_store = FILE; \
                 CREATE TEMP TABLE calls AS SELECT correlationId AS id, globalTid, start FROM {CALLS} \
                 WHERE correlationId IN ({}); \
                 CREATE INDEX temp.by_id ON calls (id);",
                numbers.collect::<Vec<String>>().join(" UNION ALL ")
            ));
            made.map_err(|error| refuse(&self.path, error))?;
        }
        for table in tables {
            self.launches_of(table, linked.contains(&table), recording, names)?;
        }
        Ok(())
    }

    /// Reads the launches in `table`, with their host calls if `joins` is true.
    fn launches_of(
        &self,
        table: &str,
        joins: bool,
        recording: &mut Recording,
        names: &mut Names,
    ) -> Result<()> {
        let column = |columns: &[&str]| match self.column(table, columns) {
            null if null == "NULL" => null,
            column => format!("k.{column}"),
        };
        let graphs = table == GRAPHS;
        let name: &[&str] = match graphs {
            true => &["graphId"],
            false => &["demangledName", "shortName", "mangledName"],
        };
        let columns = [
            column(&["start"]),
            column(&["end"]),
            column(&["deviceId"]),
            column(&["contextId"]),
            column(&["streamId"]),
            column(&["greenContextId"]),
            column(name),
            column(&["globalPid"]),
        ];
        // A host call and its launch have the same number in the same process.
        let query = match joins {
            false => format!(
                "SELECT {}, NULL, NULL FROM {table} k ORDER BY k.rowid",
                columns.join(", ")
            ),
            true => {
                let process = match column(&["globalPid"]).as_str() {
                    "NULL" => String::new(),
                    pid => format!(" AND (c.globalTid >> 24) = ({pid} >> 24)"),
                };
                format!(
                    "SELECT {}, (SELECT c.start FROM calls c WHERE c.id = k.correlationId{process} LIMIT 1), \
                     (SELECT c.globalTid FROM calls c WHERE c.id = k.correlationId{process} LIMIT 1) \
                     FROM {table} k ORDER BY k.rowid",
                    columns.join(", ")
                )
            }
        };
        self.rows(table, &query, |row| {
            let key = StreamKey {
                process: integer(row, 7)?.map(process),
                device: integer(row, 2)?,
                context: integer(row, 3)?,
                stream: integer(row, 4)?,
                green: integer(row, 5)?.filter(|&green| green > 0),
            };
            let call = call(integer(row, 8)?, integer(row, 9)?);
            let times = (integer(row, 0)?, integer(row, 1)?);
            let name = match graphs {
                true => {
                    text(row, 6)?.map_or_else(|| "CUDA graph".to_owned(), |id| format!("CUDA graph {id}"))
                }
                false => self.name(row, 6, names)?,
            };
            if graphs {
                recording.other.graphs += 1;
            }
            recording.launch(&name, key, times, call);
            Ok(())
        })
    }

    /// Finds host calls that launched a kernel or a graph, and for which the file has no work on the GPU: the profiler
    /// lost a record, or recording ended before the launch. Each call is an open launch.
    fn unrecorded(&self, recording: &mut Recording, options: Options) -> Result<()> {
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
        let made = self.connection.execute_batch(&format!(
            "PRAGMA temp_store = FILE; CREATE TEMP TABLE recorded AS {recorded}; \
             CREATE INDEX temp.recorded_by_id ON recorded (id);"
        ));
        made.map_err(|error| refuse(&self.path, error))?;
        let names = LAUNCHES
            .map(|name| format!("s.{value} LIKE '{name}%'"))
            .join(" OR ");
        // A call that returned an error has launched nothing.
        let succeeded = match self.column(CALLS, &["returnValue"]).as_str() {
            "NULL" => String::new(),
            value => format!(" AND coalesce(c.{value}, 0) = 0"),
        };
        let record = "SELECT 1 FROM temp.recorded r WHERE r.id = c.correlationId \
                      AND (r.process IS NULL OR r.process = (c.globalTid >> 24))";
        let query = format!(
            "SELECT c.start, c.globalTid FROM {CALLS} c JOIN StringIds s ON s.id = c.nameId \
             WHERE ({names}){succeeded} AND NOT EXISTS ({record}) ORDER BY c.rowid"
        );
        let captures = self.captures(&value)?;
        self.rows(CALLS, &query, |row| {
            let call = call(integer(row, 0)?, integer(row, 1)?);
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

    /// Returns the host calls that begin or end the capture of a graph. `value` is the column of the names.
    fn captures(&self, value: &str) -> Result<Captures> {
        let mut captures = Captures::default();
        let query = format!(
            "SELECT c.start, c.globalTid, s.{value} FROM {CALLS} c JOIN StringIds s ON s.id = c.nameId \
             WHERE s.{value} LIKE '%StreamBeginCapture%' OR s.{value} LIKE '%StreamEndCapture%'"
        );
        self.rows(CALLS, &query, |row| {
            if let Some(call) = call(integer(row, 0)?, integer(row, 1)?) {
                captures.add(&text(row, 2)?.unwrap_or_default(), call);
            }
            Ok(())
        })?;
        captures.sort();
        Ok(captures)
    }

    /// Reads the messages of nsys about events that it has not collected.
    fn dropped(&self, recording: &mut Recording) -> Result<()> {
        let table = "DIAGNOSTIC_EVENT";
        let message = self.column(table, &["text"]);
        if message == "NULL" {
            return Ok(());
        }
        let lost = ["dropped", "lost", "not all"].map(|word| format!("{message} LIKE '%{word}%'"));
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

    fn copies(&self, recording: &mut Recording) -> Result<()> {
        for table in COPIES.into_iter().filter(|table| self.has(table)) {
            self.rows(table, &format!("SELECT count(*) FROM {table}"), |row| {
                let count = integer(row, 0)?.and_then(|count| u64::try_from(count).ok());
                recording.other.copies += count.unwrap_or_default();
                Ok(())
            })?;
        }
        Ok(())
    }

    fn ranges(&self, recording: &mut Recording, names: &mut Names) -> Result<()> {
        if !self.has(NVTX) {
            return Ok(());
        }
        let columns = [
            ["start"],
            ["end"],
            ["textId"],
            ["text"],
            ["globalTid"],
            ["eventType"],
        ];
        let columns = columns.map(|column| self.column(NVTX, &column));
        let query = format!("SELECT {} FROM {NVTX} ORDER BY rowid", columns.join(", "));
        self.rows(NVTX, &query, |row| {
            let (start, end) = (integer(row, 0)?, integer(row, 1)?);
            let is_range = integer(row, 5)?.is_none_or(|kind| RANGE_TYPES.contains(&kind));
            if !is_range {
                return Ok(());
            }
            let name = match self.name(row, 2, names)? {
                name if name.is_empty() => text(row, 3)?.unwrap_or_default(),
                name => name,
            };
            recording.range(&name, Side::Host, (start, end), integer(row, 4)?.map(thread));
            Ok(())
        })
    }

    /// Returns the text that column `index` of `row` refers to. The column may contain the text itself instead of a
    /// reference.
    fn name(&self, row: &Row<'_>, index: usize, names: &mut Names) -> Result<String, Refusal> {
        let id = match row.get_ref(index) {
            Ok(ValueRef::Integer(id)) => id,
            _ => return Ok(text(row, index)?.unwrap_or_default()),
        };
        if let Some(name) = names.0.get(&id) {
            return Ok(name.clone().unwrap_or_else(|| format!("string {id}")));
        }
        let found = match self.column("StringIds", &["value"]).as_str() {
            "NULL" => None,
            value => {
                let query = format!("SELECT {value} FROM StringIds WHERE id = ?1");
                let statement = self.connection.prepare_cached(&query);
                let found = statement.and_then(|mut statement| {
                    statement.query_row([id], |row| Ok(text(row, 0).ok().flatten()))
                });
                found.unwrap_or_default()
            }
        };
        names.0.insert(id, found.clone());
        Ok(found.unwrap_or_else(|| format!("string {id}")))
    }
}

const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
const COPIES: [&str; 2] = ["CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"];
const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
const NVTX: &str = "NVTX_EVENTS";

/// Returns the number of the process in `global`, a number of a process or thread on the whole machine.
fn process(global: i64) -> i64 {
    (global >> 24) & 0xff_ffff
}

fn thread(global: i64) -> Lane {
    Lane::Thread {
        process: Some(process(global)),
        thread: global,
    }
}

fn call(start: Option<i64>, global: Option<i64>) -> Option<Call> {
    let (start, thread) = (start?, thread(global?));
    Some(Call { start, thread })
}

fn integer(row: &Row<'_>, index: usize) -> Result<Option<i64>, Refusal> {
    match row.get_ref(index) {
        Ok(ValueRef::Integer(value)) => Ok(Some(value)),
        Ok(ValueRef::Null) => Ok(None),
        _ => Err(Refusal::new(
            name_of(row, index),
            "a value of another type",
            "an integer",
        )),
    }
}

fn text(row: &Row<'_>, index: usize) -> Result<Option<String>, Refusal> {
    match row.get_ref(index) {
        Ok(ValueRef::Text(bytes)) => Ok(Some(String::from_utf8_lossy(bytes).into_owned())),
        Ok(ValueRef::Null) => Ok(None),
        Ok(ValueRef::Integer(value)) => Ok(Some(value.to_string())),
        _ => Err(Refusal::new(
            name_of(row, index),
            "a value of another type",
            "a text",
        )),
    }
}

/// Returns a positive number of SMs. The value 0 means that the number is unknown.
fn sms_in(row: &Row<'_>, index: usize) -> Result<Option<u32>, Refusal> {
    let sms = integer(row, index)?.and_then(|sms| u32::try_from(sms).ok());
    Ok(sms.filter(|&sms| sms > 0))
}

fn name_of(row: &Row<'_>, index: usize) -> String {
    row.as_ref().column_name(index).unwrap_or("value").to_owned()
}

/// Encloses `name` in `quotes`, and doubles each quote inside the name.
fn quoted(name: &str, quote: char) -> String {
    let doubled = name.replace(quote, &format!("{quote}{quote}"));
    format!("{quote}{doubled}{quote}")
}

/// Returns the URI that opens the database as immutable. The function escapes bytes that have a special meaning.
fn uri(path: &Path) -> String {
    let escaped = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(|&byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02x}"),
        });
    format!("file:{}?immutable=1", escaped.collect::<String>())
}

fn refuse(path: &Path, error: rusqlite::Error) -> Error {
    let message = format!("found a damaged database: {error}");
    Refusal::told("", message).at(path, None).into()
}
