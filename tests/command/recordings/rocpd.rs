//! rocpd databases of rocprofv3: each layout has the counts of the run that was written, launches are linked with ranges by
//! their host calls, and no missing table or column is an error.

use std::path::Path;

use gpusched::recording::readers::{Options, read};
use rusqlite::{Connection, params};
use serde_json::Value;

use super::run::{Kernel, Run, random};
use crate::support::{gpusched, run};

/// Number of the process in the names of the tables.
const SUFFIX: &str = "_00001e1b_b9d2_7f5b";

/// Writes `run` as the only process of a rocpd database. With `by_reference`, times are rows of a table of timestamps.
pub fn write(path: &Path, run: &Run, by_reference: bool) {
    let database = Connection::open(path).unwrap();
    let sql = |text: &str| database.execute_batch(&text.replace("{}", SUFFIX)).unwrap();
    sql("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
        CREATE TABLE `rocpd_metadata{}` (id INTEGER PRIMARY KEY, tag TEXT, value TEXT);
        INSERT INTO `rocpd_metadata{}` (tag, value) VALUES ('schema_version', '3'), ('guid', 'secret');
        CREATE TABLE `rocpd_string{}` (id INTEGER PRIMARY KEY, string TEXT UNIQUE);
        INSERT INTO `rocpd_string{}` VALUES (1, 'KERNEL_DISPATCH'), (2, 'HIP_RUNTIME_API_EXT'), (3, 'MARKER_CORE_RANGE_API'),
            (4, 'hipLaunchKernel'), (5, 'roctxThreadRangeA'), (6, 'hipMalloc');
        CREATE TABLE `rocpd_info_process{}` (id INTEGER PRIMARY KEY, pid INTEGER, command TEXT, environment JSONB);
        INSERT INTO `rocpd_info_process{}` VALUES (1, 4711, 'secret', '{\"A\": \"secret\"}');
        CREATE TABLE `rocpd_info_agent{}` (id INTEGER PRIMARY KEY, type TEXT, name TEXT, product_name TEXT, extdata JSONB);
        INSERT INTO `rocpd_info_agent{}` VALUES (1, 'CPU', 'cpu', 'CPU', '{}'),
            (2, 'GPU', 'gfx942', 'AMD Test', '{\"cu_count\": 48}');
        CREATE TABLE `rocpd_info_kernel_symbol{}` (id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT);
        CREATE TABLE `rocpd_event{}` (id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER, extdata JSONB);
        CREATE TABLE `rocpd_memory_copy{}` (id INTEGER PRIMARY KEY, size INTEGER);");
    let times = match by_reference {
        false => {
            "pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, \"end\" BIGINT"
        }
        true => "track_id INTEGER, start_id INTEGER, end_id INTEGER",
    };
    sql(&format!(
        "CREATE TABLE `rocpd_kernel_dispatch{{}}` (id INTEGER PRIMARY KEY, kernel_id INTEGER, event_id INTEGER, {times});
         CREATE TABLE `rocpd_region{{}}` (id INTEGER PRIMARY KEY, name_id INTEGER, event_id INTEGER, {times});"
    ));
    if by_reference {
        sql("CREATE TABLE `rocpd_track{}` (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id INTEGER, queue_id INTEGER,
                stream_id INTEGER);
            CREATE TABLE `rocpd_timestamp{}` (id INTEGER PRIMARY KEY, value BIGINT);");
    }
    let mut events = 0;
    let mut event = |category: i64, stack: i64, data: &str| {
        events += 1;
        let query = format!("INSERT INTO `rocpd_event{SUFFIX}` VALUES (?1, ?2, ?3, ?4)");
        database
            .execute(&query, params![events, category, stack, data])
            .unwrap();
        events
    };
    let record = |table: &str, id: i64, event: i64, on: [i64; 4], (start, end): (i64, Option<i64>)| {
        let [thread, agent, queue, stream] = on;
        if !by_reference {
            let query =
                format!("INSERT INTO `{table}{SUFFIX}` VALUES (NULL, ?1, ?2, 1, ?3, ?4, ?5, ?6, ?7, ?8)");
            database
                .execute(
                    &query,
                    params![id, event, thread, agent, queue, stream, start, end],
                )
                .unwrap();
            return;
        }
        let query = format!("INSERT INTO `rocpd_track{SUFFIX}` VALUES (NULL, 1, ?1, ?2, ?3, ?4)");
        database
            .execute(&query, params![thread, agent, queue, stream])
            .unwrap();
        let track = database.last_insert_rowid();
        let stamp = |value: Option<i64>| {
            let query = format!("INSERT INTO `rocpd_timestamp{SUFFIX}` VALUES (NULL, ?1)");
            database.execute(&query, [value]).unwrap();
            database.last_insert_rowid()
        };
        let times = (stamp(Some(start)), stamp(end));
        let query = format!("INSERT INTO `{table}{SUFFIX}` VALUES (NULL, ?1, ?2, ?3, ?4, ?5)");
        database
            .execute(&query, params![id, event, track, times.0, times.1])
            .unwrap();
    };
    let mut names: Vec<&String> = run.kernels.iter().map(|kernel| &kernel.name).collect();
    names.sort();
    names.dedup();
    for name in &names {
        let query = format!("INSERT INTO `rocpd_info_kernel_symbol{SUFFIX}` VALUES (NULL, ?1, ?1)");
        database.execute(&query, [name]).unwrap();
    }
    for (number, kernel) in (1..).zip(&run.kernels) {
        let (call, thread) = kernel.call;
        let id = event(2, number, "{}");
        record("rocpd_region", 4, id, [thread, 0, 0, 0], (call, Some(call + 10)));
        let id = event(1, number, "{}");
        let name = 1 + names.iter().position(|name| **name == kernel.name).unwrap() as i64;
        record(
            "rocpd_kernel_dispatch",
            name,
            id,
            [thread, kernel.device, 1, kernel.stream],
            (kernel.start, Some(kernel.end)),
        );
    }
    for range in &run.ranges {
        let data = serde_json::json!({"message": range.name}).to_string();
        let id = event(3, 0, &data);
        record(
            "rocpd_region",
            5,
            id,
            [range.thread, 0, 0, 0],
            (range.start, range.end),
        );
    }
}

fn summary(path: &Path) -> Value {
    let output = gpusched(["recording", "summary", path.to_str().unwrap(), "--format", "json"])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {error}", path.display());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("secret"), "{text}");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn each_layout_has_the_counts_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..12 {
        let written = random(seed);
        let flat = written.kernels.iter().map(|kernel| Kernel {
            context: 0,
            ..kernel.clone()
        });
        let expected = Run {
            kernels: flat.collect(),
            ..written.clone()
        }
        .counts();
        for by_reference in [false, true] {
            let path = folder.path().join(format!("{seed}-{by_reference}.db"));
            write(&path, &written, by_reference);
            let answer = summary(&path);
            let what = format!("seed {seed}, by reference: {by_reference}");
            assert_eq!(super::counts::found(&answer), expected, "{what}");
            assert_eq!(answer["source"]["tool"], "rocprof", "{what}");
            assert_eq!(answer["source"]["report"], "rocpd", "{what}");
            assert_eq!(answer["gpus"][0]["name"], "AMD Test", "{what}");
            assert_eq!(answer["gpus"][0]["sms"], 48, "{what}");
            assert_eq!(answer["processes"], 1, "{what}");
            let open = written.ranges.iter().filter(|range| range.end.is_none()).count();
            assert_eq!(answer["open_ranges"], open, "{what}");
        }
    }
}

/// Jobs of ranges contain the launches that their thread called, and a lost kernel leaves its job incomplete.
#[test]
fn launches_belong_to_the_ranges_of_their_calls() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Run::default();
    for job in 0..6i64 {
        let release = job * 1_000_000;
        written.ranges.push(super::run::Range {
            name: format!("camera#{job}"),
            start: release,
            end: Some(release + 900),
            thread: 100,
        });
        written.kernels.push(Kernel {
            name: "k".to_owned(),
            start: release + 2_000,
            end: release + 52_000,
            device: 2,
            context: 0,
            green: 0,
            stream: 7,
            call: (release + 100, 100),
        });
    }
    for by_reference in [false, true] {
        let path = folder.path().join(format!("jobs-{by_reference}.db"));
        write(&path, &written, by_reference);
        let answer = run(&format!("recording tasks {}@16 --margin 1", path.display()));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let set: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(set["tasks"][0]["name"], "camera");
        assert_eq!(set["tasks"][0]["period"], 1_000_000);
        assert_eq!(set["tasks"][0]["wcet"]["table"][0][1], 50_000);
        assert_eq!(set["times"], "gpu");
        let database = Connection::open(&path).unwrap();
        let query = format!("DELETE FROM `rocpd_kernel_dispatch{SUFFIX}` WHERE rowid = 3");
        database.execute_batch(&query).unwrap();
        drop(database);
        let answer = summary(&path);
        assert_eq!(answer["missing"]["unrecorded"], 1, "{answer}");
        assert_eq!(answer["complete"], false);
        let answer = run(&format!("recording tasks {}@16", path.display()));
        assert!(answer.stderr.contains("without a record"), "{}", answer.stderr);
    }
}

/// A launch whose host call is lost, unmeasured or not linked has no known call. The work of each call that launches is expected.
#[test]
fn launches_and_calls_without_each_other_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut written = Run::default();
    for job in 0..6i64 {
        let release = 1_000_000 * (job + 1);
        written.kernels.push(Kernel {
            name: "k".to_owned(),
            start: release + 2_000,
            end: release + 52_000,
            device: 2,
            context: 0,
            green: 0,
            stream: 7,
            call: (release + 100, 100),
        });
    }
    // Regions and dispatches have the numbers 1 to 6, and the events of region n and dispatch n the numbers 2n - 1 and 2n.
    for (change, uncalled, unrecorded) in [
        ("", 0, 0),
        ("DELETE FROM `rocpd_region{}`", 0, 0),
        ("DELETE FROM `rocpd_region{}` WHERE id = 3", 1, 0),
        ("UPDATE `rocpd_region{}` SET start = 0 WHERE id = 3", 1, 0),
        ("UPDATE `rocpd_region{}` SET start = 0", 6, 0),
        ("UPDATE `rocpd_region{}` SET start = 'x'", 6, 0),
        ("UPDATE `rocpd_region{}` SET tid = NULL WHERE id = 3", 1, 0),
        ("UPDATE `rocpd_region{}` SET event_id = NULL WHERE id = 3", 1, 0),
        ("UPDATE `rocpd_region{}` SET event_id = NULL", 6, 0),
        ("UPDATE `rocpd_kernel_dispatch{}` SET event_id = NULL WHERE id = 3", 1, 1),
        ("UPDATE `rocpd_kernel_dispatch{}` SET event_id = NULL", 6, 0),
        ("DELETE FROM `rocpd_event{}`", 6, 0),
        ("UPDATE `rocpd_event{}` SET stack_id = 0", 6, 0),
        ("UPDATE `rocpd_event{}` SET stack_id = NULL WHERE id = 5", 1, 0),
        ("DELETE FROM `rocpd_kernel_dispatch{}` WHERE id = 3", 0, 1),
        // Other calls that launch, a call that only copies, and a range with the name of a call.
        ("UPDATE `rocpd_string{}` SET string = 'hipGraphLaunch' WHERE id = 4; DELETE FROM `rocpd_kernel_dispatch{}` WHERE id = 3", 0, 1),
        ("UPDATE `rocpd_string{}` SET string = 'hipMemcpyAsync' WHERE id = 4", 0, 0),
        ("UPDATE `rocpd_string{}` SET string = 'hipMemcpyAsync' WHERE id = 4; DELETE FROM `rocpd_kernel_dispatch{}` WHERE id = 3", 0, 0),
        ("UPDATE `rocpd_event{}` SET category_id = 3 WHERE id % 2 = 1", 0, 0),
        // A call inside a capture launches nothing.
        ("INSERT INTO `rocpd_string{}` VALUES (8, 'hipStreamBeginCapture'), (9, 'hipStreamEndCapture');
          INSERT INTO `rocpd_region{}` (name_id, event_id, pid, tid, start) VALUES (8, NULL, 1, 100, 3000000), (9, NULL, 1, 100, 3500000);
          DELETE FROM `rocpd_kernel_dispatch{}` WHERE id = 3", 0, 0),
    ] {
        let path = folder.path().join("calls.db");
        let _ = std::fs::remove_file(&path);
        write(&path, &written, false);
        let database = Connection::open(&path).unwrap();
        database.execute_batch(&change.replace("{}", SUFFIX)).unwrap();
        drop(database);
        for calls in [false, true] {
            let options = Options { calls, ..Options::default() };
            let missing = read(&path, options, &mut |_| {}).unwrap().missing;
            assert_eq!((missing.uncalled, missing.unrecorded), (uncalled, unrecorded), "{change}");
        }
    }
}

/// In a damaged file, all rows can have one number, so a join of three tables has 8 billion rows.
#[test]
fn numbers_that_occur_many_times_are_an_error_and_take_little_time() {
    let folder = tempfile::tempdir().unwrap();
    for (index, name) in ["hipLaunchKernel", "MARKER"].into_iter().enumerate() {
        let path = folder.path().join(format!("{index}.db"));
        write(&path, &Run::default(), false);
        let database = Connection::open(&path).unwrap();
        let sql = |text: &str| database.execute_batch(&text.replace("{}", SUFFIX)).unwrap();
        sql("DROP TABLE `rocpd_event{}`; DROP TABLE `rocpd_string{}`;
            CREATE TABLE `rocpd_event{}` (id INTEGER, category_id INTEGER, stack_id INTEGER, extdata JSONB);
            CREATE TABLE `rocpd_string{}` (id INTEGER, string TEXT);
            CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT i FROM n;
            INSERT INTO `rocpd_event{}` SELECT 1, 1, 1, NULL FROM n;
            INSERT INTO `rocpd_region{}` (name_id, event_id, start) SELECT 1, 1, i FROM n;
            INSERT INTO `rocpd_kernel_dispatch{}` (event_id, start, \"end\") SELECT 1, i, i + 1 FROM n;");
        sql(&format!(
            "INSERT INTO `rocpd_string{{}}` SELECT 1, '{name}' FROM temp.n"
        ));
        drop(database);
        let begin = std::time::Instant::now();
        let error = read(&path, Options::default(), &mut |_| {}).err();
        let error = error.map_or(String::new(), |error| error.to_string());
        assert!(
            error.contains("more rows in") || error.contains("need more work"),
            "{name}: {error}"
        );
        assert!(begin.elapsed().as_secs() < 60, "{name}: {:?}", begin.elapsed());
    }
}

#[test]
fn a_database_loses_any_table_or_column() {
    let folder = tempfile::tempdir().unwrap();
    let written = random(3);
    for by_reference in [false, true] {
        let path = folder.path().join(format!("whole-{by_reference}.db"));
        write(&path, &written, by_reference);
        let tables = {
            let file = Connection::open(&path).unwrap();
            let mut statement =
                file.prepare("SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'").unwrap();
            let rows = statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
                .unwrap();
            rows.map(Result::unwrap).collect::<Vec<(String, String)>>()
        };
        assert!(tables.len() > 20, "{tables:?}");
        for (table, column) in &tables {
            for sql in [
                format!("ALTER TABLE `{table}` RENAME COLUMN \"{column}\" TO renamed"),
                format!("UPDATE `{table}` SET \"{column}\" = NULL WHERE rowid % 3 = 0"),
                format!("DROP TABLE `{table}`"),
            ] {
                let copy = folder.path().join("changed.db");
                std::fs::copy(&path, &copy).unwrap();
                let changed = Connection::open(&copy).unwrap().execute_batch(&sql);
                // A number that identifies a row cannot be NULL.
                if changed.is_err() && column == "id" {
                    continue;
                }
                changed.unwrap();
                let found = read(&copy, Options::default(), &mut |_| {}).unwrap();
                let launches = (found.launches.len() + found.open.len()) as u64;
                let lost = table.starts_with("rocpd_kernel_dispatch") && sql.starts_with("DROP");
                assert_eq!(
                    launches,
                    if lost { 0 } else { written.kernels.len() as u64 },
                    "{sql}"
                );
            }
        }
    }
}
