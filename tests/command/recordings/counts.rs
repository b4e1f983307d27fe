//! The counts of generated files in every format are the counts of the run that was written.

use std::path::Path;

use serde_json::Value;

use super::run::{Counts, Kernel, Run, random};
use super::writers;
use crate::support::gpusched;

fn summary(path: &Path) -> Value {
    let output = gpusched(["recording", "summary", path.to_str().unwrap(), "--format", "json"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}: {}",
        path.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("secret"), "{text}");
    serde_json::from_str(&text).unwrap()
}

/// Counts in the result of the command.
pub fn found(answer: &Value) -> Counts {
    let number = |value: &Value| value.as_i64();
    let mut kernels: Vec<_> = answer["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            let statistics =
                ["min_ns", "median_ns", "p99_ns", "max_ns"].map(|field| number(&line[field]).unwrap());
            let launches = line["launches"].as_u64().unwrap() as usize;
            let name = line["name"].as_str().unwrap().to_owned();
            (name, launches, number(&line["total_ns"]).unwrap(), statistics)
        })
        .collect();
    kernels.sort();
    let ranges = answer["ranges"].as_array().unwrap().iter().map(|line| {
        let name = line["name"].as_str().unwrap().to_owned();
        (
            name,
            line["count"].as_u64().unwrap() as usize,
            number(&line["max_ns"]).unwrap(),
        )
    });
    Counts {
        launches: answer["launches"].as_u64().unwrap() as usize,
        streams: answer["streams"].as_u64().unwrap() as usize,
        span: number(&answer["span_ns"]),
        busy: number(&answer["busy_ns"]),
        kernels,
        ranges: ranges.collect(),
    }
}

fn without_ranges(run: &Run) -> Run {
    Run {
        ranges: Vec::new(),
        ..run.clone()
    }
}

fn without_contexts(run: &Run) -> Run {
    let kernels = run.kernels.iter().map(|kernel| Kernel {
        context: 0,
        ..kernel.clone()
    });
    Run {
        kernels: kernels.collect(),
        ..without_ranges(run)
    }
}

#[test]
fn every_format_has_the_counts_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..12 {
        let run = random(seed);
        let (all, bare, flat) = (
            run.counts(),
            without_ranges(&run).counts(),
            without_contexts(&run).counts(),
        );
        for (number, schema) in writers::SCHEMAS.iter().enumerate() {
            let path = folder.path().join(format!("a b%#?{seed}-{number}.sqlite"));
            writers::sqlite(&path, &run, schema);
            let answer = summary(&path);
            let expected = if schema.ranges { &all } else { &bare };
            assert_eq!(
                &found(&answer),
                expected,
                "seed {seed}, schema {}",
                schema.version
            );
            assert_eq!(answer["source"]["schema"], schema.version);
            assert_eq!(answer["gpus"].as_array().unwrap().len(), usize::from(schema.gpus));
        }
        let path = |name: &str| folder.path().join(format!("{seed}-{name}"));
        for (old, packed) in [(false, false), (true, false), (false, true)] {
            let path = path(if packed { "trace.json.gz" } else { "trace.json" });
            writers::kineto(&path, &run, old, packed);
            assert_eq!(
                found(&summary(&path)),
                all,
                "seed {seed}, Kineto, old: {old}, packed: {packed}"
            );
        }
        for unit in ["ns", "nsec", "us"] {
            let path = path("cuda_gpu_trace.csv");
            writers::gpu_trace(&path, &run, unit);
            let answer = summary(&path);
            assert_eq!(found(&answer), bare, "seed {seed}, nsys stats in {unit}");
            assert_eq!(answer["gpus"][0]["name"], "NVIDIA Test");
        }
        for old in [false, true] {
            let csv = path("kernel_trace.csv");
            writers::rocprof(&csv, &run, old);
            assert_eq!(
                found(&summary(&csv)),
                flat,
                "seed {seed}, rocprof CSV, old: {old}"
            );
            let json = path("results.json");
            writers::rocprofv3(&json, &run, old);
            let answer = summary(&json);
            assert_eq!(
                found(&answer),
                flat,
                "seed {seed}, rocprofv3 JSON, names late: {old}"
            );
            assert_eq!(answer["gpus"][0]["sms"], 48);
        }
    }
}

#[test]
fn an_sqlite_file_loses_any_table_or_column() {
    let folder = tempfile::tempdir().unwrap();
    let run = random(3);
    let schema = &writers::SCHEMAS[4];
    let path = folder.path().join("whole.sqlite");
    writers::sqlite(&path, &run, schema);
    let tables = {
        let file = rusqlite::Connection::open(&path).unwrap();
        let mut statement = file
            .prepare("SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c")
            .unwrap();
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        rows.map(Result::unwrap).collect::<Vec<(String, String)>>()
    };
    assert!(tables.len() > 20, "{tables:?}");
    for (number, (table, column)) in tables.iter().enumerate() {
        for sql in [
            format!("ALTER TABLE {table} RENAME COLUMN \"{column}\" TO renamed"),
            format!("UPDATE {table} SET \"{column}\" = NULL WHERE rowid % 3 = 0"),
            format!("DROP TABLE {table}"),
        ] {
            let copy = folder.path().join(format!("{number}.sqlite"));
            std::fs::copy(&path, &copy).unwrap();
            let changed = rusqlite::Connection::open(&copy).unwrap().execute_batch(&sql);
            // StringIds.id and .value may not be NULL.
            if changed.is_err() && sql.starts_with("UPDATE StringIds") {
                continue;
            }
            changed.unwrap();
            let answer = summary(&copy);
            let launches = answer["launches"].as_u64().unwrap() + answer["open_launches"].as_u64().unwrap();
            let lost = table == "CUPTI_ACTIVITY_KIND_KERNEL" && sql.starts_with("DROP");
            assert_eq!(launches, if lost { 0 } else { run.kernels.len() as u64 }, "{sql}");
        }
    }
}
