//! Reads files with gpusched, and with the standard library of Python.

use std::fmt::Write as _;

use gpusched::model::TaskSet;
use gpusched::model::reader::Documents;
use gpusched::recording::readers::{Options, read};

use crate::peer::Peer;

/// Number of kernels in a recording.
const KERNELS: u32 = 20_000;

/// Rows of task sets, a trace of Kineto, and an SQLite export of nsys.
pub fn rows(peer: &Peer<'_>, sets: &[TaskSet]) {
    let lines: Vec<String> = { sets.iter() }
        .map(|set| serde_json::to_string(set).unwrap() + "\n")
        .collect();
    std::fs::write(peer.input(), lines.concat()).unwrap();
    let case = |what: &str| {
        let bytes = std::fs::metadata(peer.input()).unwrap().len();
        format!("read {what}, {:.1} MB", bytes as f64 / 1e6)
    };
    peer.compare_on(&case("task sets"), &["sets".to_owned()], || {
        let (mut tasks, mut periods) = (0, 0);
        for document in Documents::<TaskSet>::open(peer.input()).unwrap() {
            let (_, set) = document.unwrap();
            tasks += set.tasks().len() as i64;
            periods += set
                .tasks()
                .iter()
                .map(|task| task.period().ns() as i64)
                .sum::<i64>();
        }
        vec![tasks, periods]
    });
    for (what, write) in [("kineto", kineto as fn(&Peer<'_>)), ("nsys", nsys)] {
        write(peer);
        peer.compare_on(&case(what), &[what.to_owned()], || {
            let recording = read(peer.input(), Options::default(), &mut |_| {}).unwrap();
            let durations = recording.launches.iter().map(|launch| launch.duration() as i64);
            vec![recording.launches.len() as i64, durations.sum()]
        });
    }
}

/// Each kernel has a host call and three operations, as in traces of PyTorch.
fn kineto(peer: &Peer<'_>) {
    let mut text = "{\"schemaVersion\": 1, \"traceEvents\": [\n".to_owned();
    for id in 0..KERNELS {
        let (at, name) = (1_000 * id, id % 50);
        let comma = if id == 0 { "" } else { ",\n" };
        write!(
            text,
            r#"{comma}{{"ph": "X", "cat": "kernel", "name": "void cutlass::Kernel<{name}>(Params)", "pid": 0, "tid": 7, "ts": {at}.125, "dur": 0.75,
    "args": {{"External id": {id}, "device": 0, "context": 1, "stream": 7, "correlation": {id}, "grid": [564, 1, 1], "block": [128, 1, 1]}}}},
  {{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": {at}, "dur": 3.25,
    "args": {{"External id": {id}, "cbid": 211, "correlation": {id}}}}}"#
        )
        .unwrap();
        for input in 0..3 {
            write!(
                text,
                r#",
  {{"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 1, "tid": 1, "ts": {at}.5, "dur": 3.25,
    "args": {{"External id": {id}, "Ev Idx": {input}, "Input Dims": [[1, 564, 512], [512, 512], []], "Input type": ["c10::Half", ""]}}}}"#
            )
            .unwrap();
        }
    }
    std::fs::write(peer.input(), text + "]}").unwrap();
}

fn nsys(peer: &Peer<'_>) {
    std::fs::remove_file(peer.input()).unwrap();
    let database = rusqlite::Connection::open(peer.input()).unwrap();
    let script = format!(
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
         CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\", deviceId, contextId, streamId, correlationId, globalPid, demangledName);
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 50)
           INSERT INTO StringIds SELECT i, 'void cutlass::Kernel<' || i || '>(Params)' FROM n;
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT {KERNELS})
           INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000 * i + 1, 1000 * i + 751, 0, 1, 7, i, 100 << 24, i % 50 FROM n;"
    );
    database.execute_batch(&script).unwrap();
}
