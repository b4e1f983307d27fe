//! SQLite exports of Nsight Systems (`nsys export --type sqlite`), schema versions 2.9 to 3.25.
//!
//! * this file: the GPUs, the contexts and the ranges;
//! * `launches`: the launches, each joined with its host call;
//! * `completeness`: what the profiler lost.

mod completeness;
mod launches;

use std::collections::HashMap;

use gpusched_model::Refusal;
use gpusched_model::error::Result;
use gpusched_model::time::decimal::Rounding;
use rusqlite::{Row, types::ValueRef};

use super::database::{Database, identity, integer, sms_in, text, time};
use crate::model::{Call, Context, Gpu, Lane, Missing, Origin, Recording, Side, Tool};
use crate::readers::{Options, date};

/// NVTX event types with a start and an end: ranges of a thread, and ranges of a process.
const RANGE_TYPES: [i64; 2] = [59, 60];

const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
const COPIES: [&str; 2] = ["CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"];
const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
const NVTX: &str = "NVTX_EVENTS";

/// Whether `database` has tables of Nsight Systems.
pub fn is_export(database: &Database) -> bool {
    let known = [
        "StringIds",
        "TARGET_INFO_GPU",
        "META_DATA_EXPORT",
        "EXPORT_META_DATA",
        KERNELS,
        GRAPHS,
        NVTX,
    ];
    known.iter().any(|table| database.has(table))
}

/// Reads the export `database`.
///
/// # Errors
/// Refuses a damaged database.
pub fn read(database: &Database, options: Options) -> Result<Recording> {
    let mut recording = Recording::default();
    let mut names = Names::default();
    database.origin(&mut recording)?;
    database.gpus(&mut recording)?;
    database.contexts(&mut recording)?;
    database.launches(&mut recording, options, &mut names)?;
    database.unrecorded(&mut recording, options)?;
    database.dropped(&mut recording)?;
    database.copies(&mut recording, options)?;
    database.ranges(&mut recording, &mut names)?;
    Ok(recording)
}

/// Texts by number, from the table `StringIds`.
#[derive(Default)]
struct Names(HashMap<i64, Option<String>>);

impl Database {
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
                origin.date = integer(row, 0).ok().flatten().and_then(date::of_epoch_ns);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn gpus(&self, recording: &mut Recording) -> Result<()> {
        let (gpus, missing) = (&mut recording.gpus, &mut recording.missing);
        let table = "TARGET_INFO_GPU";
        if self.has(table) {
            let columns = ["id", "name", "smCount", "uuid"].map(|column| self.column(table, &[column]));
            let query = format!("SELECT {} FROM {table} ORDER BY rowid", columns.join(", "));
            self.rows(table, &query, |row| {
                gpus.push(Gpu {
                    name: text(row, 1)?.unwrap_or_default(),
                    sms: sms_in(row, 2, missing),
                    device: identity(row, 0, missing),
                    uuid: uuid(row, 3),
                });
                Ok(())
            })?;
        }
        let table = "TARGET_INFO_CUDA_DEVICE";
        if self.has(table) {
            let columns = ["gpuId", "numMultiprocessors", "uuid"];
            let columns = columns.map(|column| self.column(table, &[column]));
            let query = format!("SELECT {} FROM {table} ORDER BY rowid", columns.join(", "));
            self.rows(table, &query, |row| {
                let (device, sms) = (identity(row, 0, missing), sms_in(row, 1, missing));
                let uuid = uuid(row, 2);
                match gpus.iter_mut().find(|gpu| gpu.device == device) {
                    Some(gpu) => {
                        gpu.sms = gpu.sms.or(sms);
                        // Older versions state the identity only here.
                        gpu.uuid = gpu.uuid.take().or(uuid);
                    }
                    None if sms.is_some() => gpus.push(Gpu {
                        name: String::new(),
                        sms,
                        device,
                        uuid,
                    }),
                    None => {}
                }
                Ok(())
            })?;
        }
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
            let missing = &mut recording.missing;
            let mut number = |index| identity(row, index, missing);
            let green = number(3).is_some_and(|green| green != 0);
            recording.contexts.push(Context {
                process: number(5),
                device: number(0).unwrap_or_default(),
                id: number(1).unwrap_or_default(),
                parent: number(2),
                green,
                sms: sms_in(row, 4, &mut recording.missing).filter(|_| green),
            });
            Ok(())
        })
    }

    fn copies(&self, recording: &mut Recording, options: Options) -> Result<()> {
        let tables: Vec<&str> = COPIES.into_iter().filter(|table| self.has(table)).collect();
        let calls = options.calls
            && [["correlationId"], ["globalTid"], ["start"]]
                .iter()
                .all(|column| self.column(CALLS, column) != "NULL");
        let linked = |table: &str| calls && self.column(table, &["correlationId"]) != "NULL";
        let numbers = tables.iter().filter(|table| linked(table));
        let numbers: Vec<String> = numbers
            .map(|table| format!("SELECT correlationId FROM {table}"))
            .collect();
        if !numbers.is_empty() {
            let query = format!(
                "SELECT correlationId AS id, globalTid, start FROM {CALLS} WHERE correlationId IN ({})",
                numbers.join(" UNION ALL ")
            );
            self.create("copying", &query, "id")?;
        }
        for table in tables {
            let of_call = |column: &str| match (linked(table), self.column(table, &["globalPid"]).as_str()) {
                (false, _) => "NULL".to_owned(),
                (true, "NULL") => {
                    format!("(SELECT c.{column} FROM copying c WHERE c.id = k.correlationId LIMIT 1)")
                }
                (true, pid) => format!(
                    "(SELECT c.{column} FROM copying c WHERE c.id = k.correlationId AND (c.globalTid >> 24) = (k.{pid} >> 24) LIMIT 1)"
                ),
            };
            let query = format!(
                "SELECT {}, {}, {}, {} FROM {table} k ORDER BY k.rowid",
                self.column(table, &["start"]),
                self.column(table, &["end"]),
                of_call("start"),
                of_call("globalTid")
            );
            // A copy without times is no launch without times.
            let mut ignored = Missing::default();
            self.rows(table, &query, |row| {
                recording.other.copies += 1;
                let times = (
                    time(row, 0, Rounding::Down, &mut ignored),
                    time(row, 1, Rounding::Up, &mut ignored),
                );
                let call = call(identity(row, 2, &mut ignored), identity(row, 3, &mut ignored));
                recording.copy(times, call);
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
            let missing = &mut recording.missing;
            let is_range = identity(row, 5, missing).is_none_or(|kind| RANGE_TYPES.contains(&kind));
            if !is_range {
                return Ok(());
            }
            let start = time(row, 0, Rounding::Down, &mut recording.missing);
            let end = time(row, 1, Rounding::Up, &mut recording.missing);
            let name = match self.name(row, 2, names)? {
                name if name.is_empty() => text(row, 3)?.unwrap_or_default(),
                name => name,
            };
            let lane = identity(row, 4, &mut recording.missing).map(thread);
            recording.range(&name, Side::Host, (start, end), lane);
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

/// Returns the identity of a GPU in column `index` of `row`. An empty text, or a value of another type, means that the identity is
/// unknown: no time depends on it.
fn uuid(row: &Row<'_>, index: usize) -> Option<String> {
    let ValueRef::Text(bytes) = row.get_ref(index).ok()? else {
        return None;
    };
    let uuid = String::from_utf8_lossy(bytes).into_owned();
    Some(uuid).filter(|uuid| !uuid.trim().is_empty())
}

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

/// Returns a host call, if the profiler has measured it.
fn call(start: Option<i64>, global: Option<i64>) -> Option<Call> {
    Call::measured(start, global.map(thread))
}
