//! Real files have the counts of their description.

use serde_json::Value;

use crate::support::run;

fn summary(file: &str) -> Value {
    let answer = run(&format!(
        "recording summary tasksets/recordings/{file} --format json"
    ));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

/// Counts that Python's `json`, `csv` and `sqlite3` modules give for these files: GPU, launches, names, streams, sum of the kernel
/// times, longest kernel, and span [ns].
type Expected = (
    &'static str,
    Option<(&'static str, u64)>,
    [u64; 3],
    Option<[u64; 3]>,
);

const FILES: [Expected; 7] = [
    (
        "bert-h100.json.gz",
        Some(("NVIDIA H100 80GB HBM3", 132)),
        [60, 11, 1],
        Some([307_197, 41_280, 3_907_825]),
    ),
    (
        "decode-mi300x.json.gz",
        Some(("AMD Instinct MI300X", 304)),
        [555, 27, 2],
        Some([9_765_437, 396_832, 473_741_290]),
    ),
    (
        "optimizer-gp100.json.gz",
        Some(("Quadro GP100", 56)),
        [130, 10, 1],
        Some([290_000, 4_000, 7_605_000]),
    ),
    (
        "streams-a100.json.gz",
        Some(("NVIDIA A100-PG509-200", 108)),
        [3, 1, 3],
        Some([369_000, 123_000, 19_473_000]),
    ),
    ("cpu-only.json.gz", None, [0, 0, 0], None),
    (
        "matmul-rtx3080.sqlite",
        Some(("NVIDIA GeForce RTX 3080", 68)),
        [2, 2, 1],
        Some([4_129, 2_689, 18_254_667]),
    ),
    (
        "bfs-mi300-rocprof.csv",
        None,
        [56, 8, 2],
        Some([9_025_354, 3_777_677, 90_020_927]),
    ),
];

#[test]
fn real_files_have_their_counts() {
    for (file, gpu, counts, times) in FILES {
        let answer = summary(file);
        let kernels = answer["kernels"].as_array().unwrap();
        let found = [&answer["launches"], &kernels.len().into(), &answer["streams"]]
            .map(|value| value.as_u64().unwrap());
        assert_eq!(found, counts, "{file}");
        let first = &answer["gpus"][0];
        assert_eq!(first["name"].as_str().zip(first["sms"].as_u64()), gpu, "{file}");
        let sum = kernels
            .iter()
            .map(|kernel| kernel["total_ns"].as_u64().unwrap())
            .sum();
        let longest = kernels
            .iter()
            .map(|kernel| kernel["max_ns"].as_u64().unwrap())
            .max();
        let found = longest
            .zip(answer["span_ns"].as_u64())
            .map(|(longest, span)| [sum, longest, span]);
        assert_eq!(found, times, "{file}");
    }
    let steps = &summary("bert-h100.json.gz")["ranges"];
    assert_eq!(
        (&steps[0]["name"], &steps[0]["side"], &steps[0]["count"]),
        (&"ProfilerStep".into(), &"host".into(), &1.into())
    );
}

#[test]
fn reports_without_launches_have_counts() {
    let clip = summary("clip-cuda_gpu_kern_sum.csv");
    assert_eq!((&clip["launches"], &clip["span_ns"]), (&387.into(), &Value::Null));
    assert_eq!(clip["kernels"][0]["total_ns"], 907_697);
    let nbody = summary("nbody-nvtx_pushpop_trace.csv");
    assert_eq!(
        (
            nbody["launches"].as_u64(),
            nbody["ranges"].as_array().unwrap().len()
        ),
        (Some(0), 11)
    );
    let gemv = summary("gemv-ncu-details.csv");
    assert_eq!(gemv["source"]["tool"], "ncu");
    assert_eq!(
        (gemv["launches"].as_u64(), gemv["streams"].as_u64()),
        (Some(1), Some(1))
    );
    let stats = summary("bfs-mi300-rocprof.stats.csv");
    assert_eq!(
        (
            stats["launches"].as_u64(),
            stats["kernels"].as_array().unwrap().len()
        ),
        (Some(56), 8)
    );
    let vcopy = summary("vcopy-mi200-omniperf.csv");
    assert_eq!(
        (
            vcopy["launches"].as_u64(),
            vcopy["kernels"][0]["total_ns"].as_u64()
        ),
        (Some(3), Some(52_320))
    );
}

#[test]
fn other_files_are_refused() {
    for (file, expected) in [
        ("tasksets/tasksets/adas.json", "JSON without events of a profiler"),
        ("tasksets/README.md", "expected the header of a report"),
        ("tasksets/recordings", "a folder"),
        ("Cargo.lock", "expected the header of a report"),
    ] {
        let answer = run(&format!("recording summary {file}"));
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{file}");
        assert!(answer.stderr.contains(expected), "{file}: {}", answer.stderr);
    }
    let answer = run("recording summary tasksets/recordings/bert-h100.json.gz --from nsys");
    assert!(
        answer.code == 2
            && answer
                .stderr
                .contains("found a file of kineto, expected a file of nsys"),
        "{}",
        answer.stderr
    );
}

/// The text after the last `@` is the size of a partition if it has the form of a size. Otherwise, it belongs to the name of
/// the file.
#[test]
fn sizes_follow_the_last_sign() {
    for (argument, file) in [
        ("a.sqlite", "a.sqlite"),
        ("a@b.csv@42", "a@b.csv"),
        ("a@50%", "a"),
        ("a@3g.20gb", "a"),
        ("user@host.csv", "user@host.csv"),
        ("a@0", "a@0"),
    ] {
        let refused = run(&format!("recording tasks {argument}"));
        assert!(
            refused.stderr.starts_with(&format!("error: {file}: cannot ")),
            "{}",
            refused.stderr
        );
    }
}
