//! Runs on a stand-in for the CUDA driver. The C compiler of the system builds it, and `GPUSCHED_CUDA_LIBRARY` names it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::Case;
use crate::support::{Answer, answer, gpusched};

/// Builds the stand-in. A computer without a C compiler fails the tests, because they would check nothing.
pub(crate) fn library() -> &'static PathBuf {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let (source, library) = ("tests/command/run/fakecuda.c", folder.join("libfakecuda.so"));
        let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(source);
        compile(&source, &library, &[]);
        library
    })
}

/// Compiles the shared library `library` from the file `source` in C, with the further options `options`.
pub fn compile(source: &Path, library: &Path, options: &[&str]) {
    let mut compiler = Command::new("cc");
    compiler.args([
        "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-O1",
    ]);
    compiler.args(options).arg("-o").arg(library).arg(source);
    let built = compiler.output();
    let built = built.expect("the tests of the CUDA backend need the C compiler `cc`");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
}

/// Runs `line` on the stand-in with the settings `faults`.
fn on_fake(line: &str, faults: &[(&str, &str)]) -> Answer {
    let mut command = gpusched(line.split_whitespace());
    command.env("GPUSCHED_CUDA_LIBRARY", library());
    answer(command.envs(faults.iter().copied()))
}

fn case(policy: &str) -> Case {
    Case::new(&format!(
        "--gpu h100 --granularity green-context --policy {policy}"
    ))
}

#[test]
fn a_run_writes_a_trace_of_all_jobs() {
    for (policy, faults, wait) in [
        ("np-edf", &[][..], "cuStreamWriteValue32"),
        (
            "np-fp",
            &[("FAKE_FAIL", "cuStreamWriteValue32")][..],
            "kernel of one thread",
        ),
    ] {
        let case = case(policy);
        let ran = on_fake(&case.traced("--backend cuda --duration 300ms"), faults);
        // On a busy computer, jobs may be late, but the trace is complete.
        assert!(ran.code <= 1, "{}", ran.stderr);
        let trace = case.read();
        let head = &trace["gpusched"];
        let jobs = head["totals"]["jobs"].as_u64().unwrap();
        assert_eq!(jobs, 15 + 12 + 30 + 6);
        let kernels = trace["traceEvents"].as_array().unwrap();
        assert_eq!(
            kernels.iter().filter(|event| event["cat"] == "kernel").count() as u64,
            jobs
        );
        assert!(
            head["machine"]["wait"].as_str().unwrap().contains(wait),
            "{}",
            head["machine"]
        );
        assert_eq!(head["machine"]["gpu"], "Fake H100");
        let mut all = std::collections::BTreeSet::new();
        for context in head["contexts"].as_array().unwrap() {
            let granted = &context["granted"];
            let ids = granted["sm_ids"].as_array().unwrap();
            assert_eq!(
                (ids.len() as u64, &granted["granted"]),
                (context["sms"].as_u64().unwrap(), &context["sms"])
            );
            assert!(ids.iter().all(|id| all.insert(id.as_u64().unwrap())));
            assert_eq!(
                (&granted["same_at_end"], &context["lost"]),
                (&true.into(), &serde_json::Value::Null)
            );
        }
        // A task set from the trace states the driver, the split and the wait.
        let tasks = crate::support::run(&format!(
            "recording tasks {} --format json -q",
            case.trace.display()
        ));
        let set: serde_json::Value =
            serde_json::from_str(&tasks.stdout).unwrap_or_else(|_| panic!("{}", tasks.stderr));
        let on = &set["tasks"][0]["measured_on"];
        assert_eq!(
            (&on["driver"], &on["wait"]),
            (&"CUDA 13.0".into(), &head["machine"]["wait"]),
            "{set}"
        );
        assert_eq!(on["split"], head["machine"]["split"]);
        let audit = case.audit();
        assert!(
            audit.code <= 1 && audit.stdout.contains("radar"),
            "{}{}",
            audit.stdout,
            audit.stderr
        );
        assert!(!audit.stdout.contains("overlap of"), "{}", audit.stdout);
    }
}

#[test]
fn each_fault_at_the_start_is_one_sentence() {
    let case = case("np-edf");
    let line = case.line("--backend cuda --duration 100ms");
    for (fault, expected) in [
        (
            ("FAKE_VERSION", "12040"),
            "driver: found CUDA 12.4, expected a driver of CUDA 12.5 or newer",
        ),
        (
            ("FAKE_NAME", "NVIDIA A100-SXM4-40GB"),
            "gpu: found NVIDIA A100-SXM4-40GB, expected h100, the GPU of the plan",
        ),
        (
            ("FAKE_GROUPS", "1"),
            "partitions: found 1 group of 8 SMs on 132 SMs, expected ",
        ),
        (("FAKE_SHORT", "2"), "partition 0: found "),
        (
            ("FAKE_SHARED", "1"),
            "partition 1: found the SMs 0, 1, 2, 3, 4, 5, 6, 7",
        ),
        (
            ("FAKE_FAIL", "cuInit"),
            "cuInit: found CUDA_ERROR_NOT_SUPPORTED, expected CUDA_SUCCESS",
        ),
        (
            ("FAKE_FAIL", "cuDeviceGet"),
            "cuDeviceGet: found CUDA_ERROR_NOT_SUPPORTED, expected CUDA_SUCCESS",
        ),
        (
            ("FAKE_FAIL", "cuModuleLoadData"),
            "cuModuleLoadData: found CUDA_ERROR_NOT_SUPPORTED, expected CUDA_SUCCESS",
        ),
        (
            ("FAKE_FAIL", "cuGreenCtxCreate:1:2"),
            "cuGreenCtxCreate: found CUDA_ERROR_OUT_OF_MEMORY, expected CUDA_SUCCESS",
        ),
        (("FAKE_FAIL", "cuLaunchKernel"), "partition 0: found "),
    ] {
        let ran = on_fake(&line, &[fault]);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{fault:?}: {}",
            ran.stderr
        );
        assert!(
            ran.stderr.starts_with(&format!("error: {expected}")),
            "{fault:?}: {}",
            ran.stderr
        );
        let sentence = ran.stderr.split("\n\nhint:").next().unwrap();
        assert_eq!(sentence.trim_end().lines().count(), 1, "{}", ran.stderr);
    }
    let short = on_fake(&line, &[("FAKE_SHORT", "2")]).stderr;
    assert!(short.contains(", the size in the plan"), "{short}");
}

/// From CUDA 13.1, one call splits the SMs into partitions of exactly the planned sizes.
#[test]
fn newer_drivers_split_exactly() {
    let case = case("np-edf");
    let line = case.line("--backend cuda --duration 20ms");
    let since = ("FAKE_VERSION", "13010");
    for (faults, split) in [
        (&[since][..], "cuDevSmResourceSplit, group flags 0"),
        (
            &[since, ("FAKE_CLUSTERS", "1")][..],
            "cuDevSmResourceSplit, group flags 1",
        ),
    ] {
        let ran = on_fake(&line, faults);
        assert!(
            ran.code <= 1 && ran.stdout.contains(split),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
    }
    // The stand-in refuses groups that are not sorted by decreasing size.
    let ascending = r#"{"tasks":[{"period":"50ms","wcet":{"table":[[8,"10ms"]]}},{"period":"10ms","wcet":{"table":[[16,"3ms"]]}}]}"#;
    let other = Case::of(
        ascending,
        "--gpu h100 --granularity green-context --heuristic one-per-partition",
    );
    let mut plan = super::read(&other.plan);
    plan["partitions"].as_array_mut().unwrap().reverse();
    std::fs::write(&other.plan, plan.to_string()).unwrap();
    let ran = on_fake(&other.traced("--backend cuda --duration 20ms"), &[since]);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let head = other.read()["gpusched"].clone();
    let sizes: Vec<_> = (0..2)
        .map(|part| head["contexts"][part]["granted"]["granted"].clone())
        .collect();
    assert_eq!(sizes, [8, 16], "{head}");
    let ran = on_fake(&line, &[since, ("FAKE_FAIL", "cuDevSmResourceSplit:0:915")]);
    let expected = "error: cuDevSmResourceSplit: found CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, expected CUDA_SUCCESS\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, expected));
}

#[test]
fn without_a_driver_the_command_says_so() {
    let case = case("np-edf");
    let mut command = gpusched(case.line("--backend cuda").split_whitespace());
    let ran = answer(command.env("GPUSCHED_CUDA_LIBRARY", "libno-such-driver.so.1"));
    let expected = "error: found no CUDA driver (libno-such-driver.so.1 does not load), expected a driver of CUDA 12.5 or newer\n\nhint: `--backend simulated` runs the plan without a GPU\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (2, expected));
}

#[test]
fn a_failed_launch_concerns_one_job() {
    let case = case("np-edf");
    // Code 2 is out of memory. The warm-up takes fewer than 400 launches, and the run more.
    let ran = on_fake(
        &case.traced("--backend cuda --duration 300ms"),
        &[("FAKE_FAIL", "cuStreamWriteValue32:80:2")],
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let head = &case.read()["gpusched"];
    assert_eq!(head["totals"]["jobs"], 63);
    assert!(head["totals"]["failed"].as_u64().unwrap() > 0, "{head}");
}

#[test]
fn a_sticky_error_ends_all_partitions_and_the_trace_is_complete() {
    let case = case("np-edf");
    let faults = [
        ("FAKE_FAIL", "cuStreamWriteValue32:90:700"),
        ("FAKE_STICKY", "700"),
    ];
    let ran = on_fake(&case.traced("--backend cuda --duration 300ms"), &faults);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let trace = case.read();
    let head = &trace["gpusched"];
    let lost: Vec<String> = head["contexts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|context| context["lost"].to_string())
        .collect();
    assert!(
        lost.iter()
            .any(|lost| lost.contains("CUDA_ERROR_ILLEGAL_ADDRESS")),
        "{lost:?}"
    );
    assert!(lost.iter().all(|lost| lost != "null"), "{lost:?}");
    let kernels = trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["cat"] == "kernel");
    assert_eq!(kernels.count() as u64, head["totals"]["jobs"].as_u64().unwrap());
}

#[test]
fn a_job_without_an_end_is_reported() {
    let case = case("np-edf");
    let ran = on_fake(
        &case.traced("--backend cuda --duration 200ms"),
        &[("FAKE_HANG", "90")],
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let head = case.read()["gpusched"].to_string();
    assert!(
        head.contains("a job has not ended 5s after its decision"),
        "{head}"
    );
}

/// The kernels of the run wait for the timer of the GPU. If it stands still, they end with an error.
#[test]
fn a_timer_at_rest_is_reported() {
    let case = case("np-edf");
    let ran = on_fake(
        &case.traced("--backend cuda --duration 200ms"),
        &[("FAKE_TICK", "0")],
    );
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let expected = "CUDA_ERROR_LAUNCH_FAILED, expected jobs that end";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

/// Under policies with preemption points, each chunk of a job is a kernel. A job without chunks is refused.
#[test]
fn a_job_runs_in_chunks() {
    let chunks = super::SET.replace(",\"wcet\"", ",\"block\":\"1ms\",\"wcet\"");
    let options = "--gpu h100 --granularity green-context --policy lp-edf";
    let case = Case::of(&chunks, options);
    let ran = on_fake(&case.traced("--backend cuda --duration 100ms --shortest 1"), &[]);
    assert!(ran.code <= 1, "{}", ran.stderr);
    let trace = case.read();
    let jobs = trace["gpusched"]["totals"]["jobs"].as_u64().unwrap();
    assert_eq!(jobs, 5 + 4 + 10 + 2);
    let count = |cat: &str| {
        let events = trace["traceEvents"].as_array().unwrap().iter();
        events.filter(|event| event["cat"] == cat).count() as u64
    };
    assert_eq!(count("user_annotation"), jobs);
    // Each job takes 2 ms or more, and a chunk 1 ms.
    assert!(count("kernel") >= 2 * jobs && count("kernel") == count("cuda_runtime"));
    let case = Case::new(options);
    let ran = on_fake(&case.line("--backend cuda"), &[]);
    let expected = "tasks[0].block: found none, expected the longest time between two preemption points, because lp-edf launches one kernel per chunk of a job";
    assert!(ran.code == 2 && ran.stderr.contains(expected), "{}", ran.stderr);
}

/// After an overrun, `abort` ends the run of all partitions, and the trace is complete.
#[test]
fn an_overrun_ends_the_run() {
    let case = case("np-edf");
    let line = case.traced("--backend cuda --duration 300ms --execution radar#3=40ms --overrun abort");
    let ran = on_fake(&line, &[]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let trace = case.read();
    let jobs = trace["gpusched"]["totals"]["jobs"].as_u64().unwrap();
    let lost = trace["gpusched"]["contexts"].to_string();
    assert!(
        jobs < 63 && lost.contains("exceeded its budget, and the run ended"),
        "{jobs} {lost}"
    );
    let kernels = trace["traceEvents"].as_array().unwrap().iter();
    assert_eq!(
        kernels.filter(|event| event["cat"] == "kernel").count() as u64,
        jobs
    );
}

/// A signal stops the dispatchers after their running jobs. After a kill, all complete records are left.
#[cfg(target_os = "linux")]
#[test]
fn a_run_that_ends_early_keeps_its_records() {
    use super::ring::{send, silent, wait_for};
    use crate::support::run;

    let case = case("np-edf");
    let ring = case.plan.with_file_name("ring.bin");
    let start = || {
        let line = format!("--backend cuda --duration 50s --ring {}", ring.display());
        let mut command = silent(&case.traced(&line));
        let child = command.env("GPUSCHED_CUDA_LIBRARY", library()).spawn().unwrap();
        let seen = wait_for(&ring, 5).run.totals().jobs;
        (child, seen)
    };
    let (mut child, seen) = start();
    send("-INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(!ring.exists());
    let stopped = case.read();
    let (mut child, seen_before_kill) = start();
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_file(&case.trace).unwrap();
    let line = format!("recording recover {} -o {}", ring.display(), case.trace.display());
    let recovered = run(&line);
    assert_eq!(recovered.code, 0, "{}", recovered.stderr);
    for (trace, seen) in [(stopped, seen), (case.read(), seen_before_kill)] {
        let head = &trace["gpusched"];
        assert!(head["totals"]["jobs"].as_u64().unwrap() >= seen, "{head}");
        assert!(head["ends_ns"].as_u64().unwrap() < 50_000_000_000, "{head}");
        assert_eq!(head["machine"]["gpu"], "Fake H100");
        assert!(
            !head["contexts"][0]["granted"]["sm_ids"]
                .as_array()
                .unwrap()
                .is_empty()
        );
    }
    let audit = case.audit();
    assert!(
        audit.stdout.contains("the trace ends at "),
        "{}{}",
        audit.stdout,
        audit.stderr
    );
    assert!(!audit.stdout.contains("job-missing"), "{}", audit.stdout);
}
