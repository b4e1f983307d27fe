//! Writers of recordings in the formats of profilers, for tests only.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use rusqlite::{Connection, params};

use super::run::Run;

/// Variant of an SQLite export of Nsight Systems.
#[derive(Clone, Debug)]
pub struct Schema {
    pub version: &'static str,
    /// Name of the table with metadata.
    pub metadata: &'static str,
    /// Whether the export has tables and columns of green contexts.
    pub green: bool,
    /// Whether NVTX texts are in the table of strings.
    pub text_ids: bool,
    /// Whether the export has `demangledName`. Otherwise it has `shortName` only.
    pub demangled: bool,
    pub gpus: bool,
    pub ranges: bool,
    pub calls: bool,
}

/// Schemas from 2.9 to 3.25, with tables and columns that come and go.
pub const SCHEMAS: [Schema; 5] = [
    Schema {
        version: "2.9.1",
        metadata: "EXPORT_META_DATA",
        green: false,
        text_ids: false,
        demangled: true,
        gpus: true,
        ranges: true,
        calls: true,
    },
    Schema {
        version: "2.20.0",
        metadata: "META_DATA_EXPORT",
        green: false,
        text_ids: true,
        demangled: true,
        gpus: false,
        ranges: true,
        calls: true,
    },
    Schema {
        version: "3.13.2",
        metadata: "META_DATA_EXPORT",
        green: false,
        text_ids: true,
        demangled: false,
        gpus: true,
        ranges: true,
        calls: false,
    },
    Schema {
        version: "3.20.3",
        metadata: "META_DATA_EXPORT",
        green: true,
        text_ids: true,
        demangled: true,
        gpus: true,
        ranges: false,
        calls: true,
    },
    Schema {
        version: "3.25.0",
        metadata: "META_DATA_EXPORT",
        green: true,
        text_ids: true,
        demangled: true,
        gpus: true,
        ranges: true,
        calls: true,
    },
];

/// Writes an SQLite export.
pub fn sqlite(path: &Path, run: &Run, schema: &Schema) {
    let mut database = Connection::open(path).unwrap();
    let file = database.transaction().unwrap();
    let run_sql = |sql: &str| file.execute_batch(sql).unwrap();
    run_sql("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
    let mut strings: Vec<String> = Vec::new();
    let mut string = |text: &str| {
        let known = strings.iter().position(|other| other == text);
        known.unwrap_or_else(|| {
            strings.push(text.to_owned());
            strings.len() - 1
        }) as i64
            + 10
    };
    run_sql(&format!(
        "CREATE TABLE {} (name TEXT, value TEXT)",
        schema.metadata
    ));
    file.execute(
        &format!(
            "INSERT INTO {} VALUES ('EXPORT_SCHEMA_VERSION', ?1), ('HOST', 'secret-host')",
            schema.metadata
        ),
        [schema.version],
    )
    .unwrap();
    if schema.gpus {
        run_sql("CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER)");
        let (name, sms) = run.gpu.unwrap_or(("NVIDIA Test", 48));
        file.execute(
            "INSERT INTO TARGET_INFO_GPU VALUES (0, ?1, ?2)",
            params![name, sms],
        )
        .unwrap();
    }
    if schema.green {
        run_sql(
            "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId INTEGER, deviceId INTEGER, contextId INTEGER, \
             parentContextId INTEGER, isGreenContext INTEGER, numMultiprocessors INTEGER)",
        );
        run_sql("INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (7, 0, 1, 0, 0, 0)");
        for (id, sms) in &run.green {
            file.execute(
                "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (7, 0, ?1, 1, 1, ?2)",
                params![id, sms],
            )
            .unwrap();
        }
    }
    let name = if schema.demangled {
        "demangledName"
    } else {
        "shortName"
    };
    let green = if schema.green {
        ", greenContextId INTEGER"
    } else {
        ""
    };
    run_sql(&format!(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (\"start\" INTEGER, \"end\" INTEGER, deviceId INTEGER, contextId INTEGER, \
         streamId INTEGER, correlationId INTEGER, globalPid INTEGER, {name} INTEGER{green})"
    ));
    if schema.calls {
        run_sql(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (\"start\" INTEGER, \"end\" INTEGER, globalTid INTEGER, \
             correlationId INTEGER, nameId INTEGER)",
        );
    }
    let process = 7i64 << 24;
    for (id, kernel) in run.kernels.iter().enumerate() {
        let marks = if schema.green {
            "?1,?2,?3,?4,?5,?6,?7,?8,?9"
        } else {
            "?1,?2,?3,?4,?5,?6,?7,?8"
        };
        let sql = format!("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({marks})");
        let text = string(&kernel.name);
        let mut statement = file.prepare_cached(&sql).unwrap();
        let (id, k) = (id as i64, kernel);
        match schema.green {
            true => statement.execute(params![
                k.start, k.end, k.device, k.context, k.stream, id, process, text, k.green
            ]),
            false => statement.execute(params![
                k.start, k.end, k.device, k.context, k.stream, id, process, text
            ]),
        }
        .unwrap();
        if schema.calls {
            let mut statement = file
                .prepare_cached("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, ?3, ?4, ?5)")
                .unwrap();
            let (start, thread) = kernel.call;
            statement
                .execute(params![
                    start,
                    start + 10,
                    process | thread,
                    id,
                    string("cudaLaunchKernel_v7000")
                ])
                .unwrap();
            // Another process uses the same number.
            let other = 8i64 << 24 | 100;
            statement
                .execute(params![
                    start - 1_000_000,
                    start,
                    other,
                    id,
                    string("cudaMalloc_v3020")
                ])
                .unwrap();
        }
    }
    if schema.ranges {
        let text = if schema.text_ids {
            "text TEXT, textId INTEGER"
        } else {
            "text TEXT"
        };
        run_sql(&format!(
            "CREATE TABLE NVTX_EVENTS (\"start\" INTEGER, \"end\" INTEGER, eventType INTEGER, globalTid INTEGER, {text})"
        ));
        for range in &run.ranges {
            let thread = process | range.thread;
            match schema.text_ids {
                true => file.execute(
                    "INSERT INTO NVTX_EVENTS VALUES (?1, ?2, 59, ?3, NULL, ?4)",
                    params![range.start, range.end, thread, string(&range.name)],
                ),
                false => file.execute(
                    "INSERT INTO NVTX_EVENTS VALUES (?1, ?2, 59, ?3, ?4)",
                    params![range.start, range.end, thread, range.name],
                ),
            }
            .unwrap();
        }
        // A mark is not a range.
        let marks = if schema.text_ids {
            "0, NULL, 34, 1, 'mark', NULL"
        } else {
            "0, NULL, 34, 1, 'mark'"
        };
        run_sql(&format!("INSERT INTO NVTX_EVENTS VALUES ({marks})"));
    }
    for (index, text) in strings.iter().enumerate() {
        file.execute(
            "INSERT INTO StringIds VALUES (?1, ?2)",
            params![index as i64 + 10, text],
        )
        .unwrap();
    }
    file.commit().unwrap();
}

fn micro(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", ns.abs() / 1000, ns.abs() % 1000)
}

/// Writes a trace of Kineto. Old versions write capital categories, and whole microseconds if times allow this.
pub fn kineto(path: &Path, run: &Run, old: bool, packed: bool) {
    let mut text = String::from("{\"schemaVersion\": 1, \"hostname\": \"secret-host\",\n");
    if !old {
        text += "\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA Test\", \"numSms\": 48, \"memory\": NaN}],\n";
    }
    text += "\"traceEvents\": [\n";
    text += "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"python\"}}";
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    for (id, kernel) in run.kernels.iter().enumerate() {
        let (category, call) = if old {
            ("Kernel", "Runtime")
        } else {
            ("kernel", "cuda_runtime")
        };
        let (start, thread) = kernel.call;
        let _ = write!(
            text,
            ",\n{{\"ph\": \"X\", \"cat\": \"{category}\", \"name\": {}, \"pid\": {}, \"tid\": {}, \"ts\": {}, \"dur\": {}, \
             \"args\": {{\"device\": {}, \"context\": {}, \"stream\": {}, \"correlation\": {id}, \"warps per SM\": Infinity}}}}",
            quoted(&kernel.name),
            kernel.device,
            kernel.stream,
            micro(kernel.start),
            micro(kernel.end - kernel.start),
            kernel.device,
            kernel.context,
            kernel.stream,
        );
        let _ = write!(
            text,
            ",\n{{\"ph\": \"X\", \"cat\": \"{call}\", \"name\": \"cudaLaunchKernel\", \"pid\": 1, \"tid\": {thread}, \"ts\": {}, \
             \"dur\": 0.01, \"args\": {{\"correlation\": {id}}}}}",
            micro(start)
        );
    }
    for range in run.ranges.iter() {
        let duration = range
            .end
            .map(|end| format!(", \"dur\": {}", micro(end - range.start)));
        let _ = write!(
            text,
            ",\n{{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": {}, \"pid\": 1, \"tid\": {}, \"ts\": {}{}}}",
            quoted(&range.name),
            range.thread,
            micro(range.start),
            duration.unwrap_or_default()
        );
    }
    text += "\n], \"traceName\": \"/home/secret/trace.json\"}\n";
    let mut file = std::fs::File::create(path).unwrap();
    match packed {
        false => file.write_all(text.as_bytes()).unwrap(),
        true => {
            let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
            packer.write_all(text.as_bytes()).unwrap();
            packer.finish().unwrap();
        }
    }
}

fn cell(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Writes the report `cuda_gpu_trace` of `nsys stats`, with lines of the tool before it and times in `unit`.
pub fn gpu_trace(path: &Path, run: &Run, unit: &str) {
    let mut text = format!(
        "Processing [/home/secret/a.sqlite] with [cuda_gpu_trace.py]... \n\n ** CUDA GPU Trace (cuda_gpu_trace):\n\n\
         Start ({unit}),Duration ({unit}),CorrId,GrdX,Device,Ctx,Strm,Name\n"
    );
    let time = |ns: i64| if unit == "us" { micro(ns) } else { ns.to_string() };
    for (id, k) in run.kernels.iter().enumerate() {
        let _ = writeln!(
            text,
            "{},{},{id},1,NVIDIA Test ({}),{},{},{}",
            time(k.start),
            time(k.end - k.start),
            k.device,
            k.context,
            k.stream,
            cell(&k.name)
        );
    }
    let _ = writeln!(
        text,
        "{},{},99,,NVIDIA Test (0),1,7,[CUDA memcpy HtoD]",
        time(5),
        time(5)
    );
    std::fs::write(path, text).unwrap();
}

/// Writes a kernel trace of rocprofv3, or a file of rocprof v1. Both state no context.
pub fn rocprof(path: &Path, run: &Run, old: bool) {
    let mut text = match old {
        true => {
            "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"pid\",\"BeginNs\",\"EndNs\",\"DurationNs\"\n"
                .to_owned()
        }
        false => {
            "\"Kind\",\"Agent_Id\",\"Stream_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n"
                .to_owned()
        }
    };
    for (id, k) in run.kernels.iter().enumerate() {
        let (name, length) = (cell(&k.name), k.end - k.start);
        let _ = match old {
            true => writeln!(
                text,
                "{id},{name},{},{},1,{},{},{length}",
                k.device, k.stream, k.start, k.end
            ),
            false => writeln!(
                text,
                "\"KERNEL_DISPATCH\",\"Agent {}\",{},{name},{},{}",
                k.device, k.stream, k.start, k.end
            ),
        };
    }
    std::fs::write(path, text).unwrap();
}

/// Writes a JSON file of rocprofv3. The names come after the records if `late`.
pub fn rocprofv3(path: &Path, run: &Run, late: bool) {
    let mut names: Vec<&String> = run.kernels.iter().map(|kernel| &kernel.name).collect();
    names.sort();
    names.dedup();
    let symbols: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(id, name)| serde_json::json!({"size": 1, "kernel_id": id, "formatted_kernel_name": name}))
        .collect();
    let records: Vec<_> = run
        .kernels
        .iter()
        .map(|k| {
            let id = names.iter().position(|name| **name == k.name);
            serde_json::json!({
                "start_timestamp": k.start, "end_timestamp": k.end, "stream_id": {"handle": k.stream},
                "dispatch_info": {"agent_id": {"handle": k.device}, "queue_id": {"handle": 1}, "kernel_id": id}
            })
        })
        .collect();
    let symbols = format!("\"kernel_symbols\": {}", serde_json::Value::from(symbols));
    let agents = "\"agents\": [{\"type\": 1, \"name\": \"cpu\"}, {\"type\": 2, \"cu_count\": 48, \"product_name\": \"NVIDIA Test\"}]";
    let records = format!(
        "\"buffer_records\": {{\"kernel_dispatch\": {}}}",
        serde_json::Value::from(records)
    );
    let parts = if late {
        [agents, &records, &symbols]
    } else {
        [agents, &symbols, &records]
    };
    let text = format!("{{\"rocprofiler-sdk-tool\": [{{{}}}]}}", parts.join(", "));
    std::fs::write(path, text).unwrap();
}
