//! Programs in C and C++ run a plan through the C interface. The compilers of the system build them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::{Case, on_gpu};
use crate::support::{Answer, root, run};

/// How a program is linked to the library.
#[derive(Copy, Clone, Debug)]
pub(super) enum Linked {
    Dynamic,
    Static,
    /// A header in C++ with the dynamic library and another library.
    Header(&'static str),
}

/// Folder with the libraries that cargo builds for the tests.
fn libraries() -> PathBuf {
    let command = Path::new(env!("CARGO_BIN_EXE_gpusched"));
    command.parent().unwrap().join("deps")
}

/// Builds `source` as `program`. Returns `None` without the compiler `c++`. A computer without `cc` fails the tests.
pub(super) fn build(source: &Path, program: &str, linked: Linked, options: &[&str]) -> Option<PathBuf> {
    let is_c = source.extension().is_some_and(|ending| ending == "c") && !options.contains(&"-std=c++17");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(program);
    let mut compiler = Command::new(if is_c { "cc" } else { "c++" });
    compiler.args(options);
    compiler.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-o"]);
    compiler.arg(&out).arg("-I");
    compiler.arg(root().join("crates/gpusched-runtime-c/include"));
    if matches!(linked, Linked::Header(_)) {
        compiler.args(["-x", "c++"]);
    }
    compiler.arg(source);
    let libraries = libraries();
    match linked {
        Linked::Dynamic | Linked::Header(_) => {
            if let Linked::Header(other) = linked {
                compiler.args(["-x", "none", other]);
            }
            compiler.arg("-L").arg(&libraries).arg("-lgpusched_runtime_c");
            // Before `LD_LIBRARY_PATH`, where cargo puts the folder with libraries that the user built, maybe long ago.
            compiler.arg(format!("-Wl,--disable-new-dtags,-rpath,{}", libraries.display()));
        }
        Linked::Static => {
            compiler.args(["-x", "none"]);
            compiler.arg(libraries.join("libgpusched_runtime_c.a"));
        }
    }
    compiler.args(["-lpthread", "-ldl", "-lm"]);
    let built = match compiler.output() {
        Ok(built) => built,
        Err(error) if !is_c => {
            eprintln!("skipped: no C++ compiler `c++`: {error}");
            return None;
        }
        Err(error) => panic!("the tests of the C interface need the C compiler `cc`: {error}"),
    };
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    Some(out)
}

/// The test program in C with the dynamic library.
fn in_c() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let source = root().join("tests/command/run/program.c");
        build(&source, "program-c", Linked::Dynamic, &["-std=c11"]).unwrap()
    })
}

/// Runs `program` in `mode`, on the stand-in for the driver if `settings` are given.
fn ran(program: &Path, mode: &str, case: &Case, backend: &str, settings: Option<&[(&str, &str)]>) -> Answer {
    let mut command = Command::new(program);
    command.arg(mode);
    command
        .args([&case.plan, &case.set])
        .arg(backend)
        .arg(&case.trace);
    command.env_remove("GPUSCHED_CUDA_LIBRARY");
    if let Some(settings) = settings {
        command.env("GPUSCHED_CUDA_LIBRARY", on_gpu::library());
        command.envs(settings.iter().copied());
    }
    command.output().unwrap().into()
}

fn case() -> Case {
    Case::new("--gpu h100 --granularity green-context --policy np-edf")
}

#[test]
fn c_and_cpp_programs_run_a_plan() {
    let source = root().join("tests/command/run/program.c");
    let cpp = build(
        &source,
        "program-cpp",
        Linked::Static,
        &["-std=c++17", "-x", "c++", "-Wno-missing-field-initializers"],
    );
    let case = case();
    for program in [Some(in_c().to_owned()), cpp].into_iter().flatten() {
        let ran = ran(&program, "run", &case, "simulated", None);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let lines: Vec<&str> = ran.stdout.lines().collect();
        for expected in [
            "stream 0",
            "lidar 0 4 15000000 0",
            "map 2",
            "late -9",
            "called 1 completed 1",
        ] {
            assert!(lines.contains(&expected), "{expected}: {}", ran.stdout);
        }
        let audit = lines.iter().find(|line| line.starts_with("audit ")).unwrap();
        assert!(audit.starts_with("audit 0 KEPT: "), "{audit}");
        assert!(
            audit.ends_with(", no deadline miss, no overrun, no late wake-up, no failed job"),
            "{audit}"
        );
        assert!(
            lines.contains(&"cut KEPT") && lines.contains(&"over -8 -8"),
            "{}",
            ran.stdout
        );
        // The trace of the program passes the audit of the command.
        let audit = case.audit();
        assert_eq!(audit.code, 0, "{}{}", audit.stdout, audit.stderr);
        let head = &case.read()["gpusched"];
        assert_eq!(
            (&head["backend"], &head["kept"]),
            (&"simulated".into(), &true.into())
        );
    }
}

/// The audit replays each decision of a program without sporadic tasks, if the trace has all its jobs.
#[test]
fn the_audit_replays_the_decisions_of_a_program() {
    for (policy, records) in [("np-edf", None), ("np-fp", None), ("np-edf", Some("2"))] {
        let case = Case::new(&format!(
            "--gpu h100 --granularity green-context --policy {policy}"
        ));
        let mut command = Command::new(in_c());
        command
            .arg("periodic")
            .args([&case.plan, &case.set])
            .arg("simulated")
            .arg(&case.trace);
        command.envs(records.map(|records| ("RECORDS", records)));
        let ran: Answer = command.output().unwrap().into();
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        let trace = case.read();
        let events = trace["traceEvents"].as_array().unwrap();
        let kernels = events.iter().filter(|event| event["cat"] == "kernel").count();
        let audit = case.audit();
        assert!(
            audit.code == 0 && audit.stdout.starts_with("KEPT: "),
            "{}{}",
            audit.stdout,
            audit.stderr
        );
        let head = &trace["gpusched"];
        let (replayed, omitted) = match records {
            None => (format!("replayed {kernels} decisions of 2 partitions"), false),
            Some(_) => ("replayed 0 decisions of 2 partitions".to_owned(), true),
        };
        assert!(audit.stdout.contains(&replayed), "{policy}: {}", audit.stdout);
        let reason = "the trace does not contain all jobs of the partition";
        assert_eq!(audit.stdout.contains(reason), omitted, "{}", audit.stdout);
        assert_eq!(head["contexts"][0]["omitted"].is_u64(), omitted);
        assert_eq!((&head["version"], head.get("seed")), (&2.into(), None));
        // The end of the run is the stop of the program.
        assert!(head["duration_ns"].as_u64().unwrap() < 60_000_000_000 && head["ends_ns"].is_u64());
    }
}

#[test]
fn a_program_runs_a_plan_on_the_gpu() {
    let case = case();
    let ran = ran(in_c(), "run", &case, "cuda", Some(&[("FAKE_LEFT", "1")]));
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, "contexts left: 0\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("stream 1\n") && ran.stdout.contains("called 1 completed 1\n"),
        "{}",
        ran.stdout
    );
    let trace = case.read();
    let head = &trace["gpusched"];
    assert_eq!(head["machine"]["gpu"], "Fake H100");
    let events = trace["traceEvents"].as_array().unwrap();
    let kernels = events.iter().filter(|event| event["cat"] == "kernel").count() as u64;
    assert_eq!(Some(kernels), head["totals"]["jobs"].as_u64());
    let audit = case.audit();
    // On a busy computer, jobs may miss their deadlines.
    assert!(
        audit.code <= 1 && !audit.stdout.contains("overlap of"),
        "{}{}",
        audit.stdout,
        audit.stderr
    );
}

#[test]
fn a_failed_function_is_a_failed_job() {
    for backend in ["simulated", "cuda"] {
        let case = case();
        let mut command = Command::new(in_c());
        command
            .arg("run")
            .args([&case.plan, &case.set])
            .arg(backend)
            .arg(&case.trace);
        command.env("FAIL_JOB", "1").env_remove("GPUSCHED_CUDA_LIBRARY");
        if backend == "cuda" {
            command.env("GPUSCHED_CUDA_LIBRARY", on_gpu::library());
        }
        let ran: Answer = command.output().unwrap().into();
        assert!(
            ran.stdout.contains("audit 1 BROKEN") && ran.stdout.contains("2 failed jobs"),
            "{}",
            ran.stdout
        );
        assert_eq!(case.read()["gpusched"]["totals"]["failed"], 2);
    }
}

/// Every error has a status and one sentence, and the process never ends.
#[test]
fn each_fault_is_one_sentence() {
    let case = case();
    let refused = |settings: &[(&str, &str)], expected: &str| {
        let counted = [settings, &[("FAKE_LEFT", "1")]].concat();
        let ran = ran(in_c(), "run", &case, "cuda", Some(&counted));
        assert!(
            !ran.stderr.contains("contexts left: ") || ran.stderr == "contexts left: 0\n",
            "{settings:?}: {}",
            ran.stderr
        );
        assert_eq!(ran.code, 1, "{settings:?}: {}{}", ran.stdout, ran.stderr);
        let last = ran
            .stdout
            .split("\n\nhint:")
            .next()
            .unwrap()
            .trim_end()
            .lines()
            .last()
            .unwrap()
            .to_owned();
        assert!(last.starts_with(expected), "{settings:?}: {last}");
    };
    refused(
        &[("FAKE_VERSION", "12040")],
        "gs_open -1: driver: found CUDA 12.4, expected a driver of CUDA 12.5 or newer",
    );
    refused(
        &[("FAKE_FAIL", "cuInit:0:100")],
        "gs_open -2: cuInit: found CUDA_ERROR_NO_DEVICE, expected CUDA_SUCCESS",
    );
    refused(
        &[("FAKE_GROUPS", "1")],
        "gs_open -5: partitions: found 1 group of 8 SMs on 132 SMs, expected ",
    );
    refused(
        &[("FAKE_SHORT", "2")],
        "gs_open -5: partition 0: found 6 SMs, expected 8, the size in the plan",
    );
    refused(
        &[("FAKE_FAIL", "cuGreenCtxCreate:1:2")],
        "gs_open -6: cuGreenCtxCreate: found CUDA_ERROR_OUT_OF_MEMORY, expected CUDA_SUCCESS",
    );
    // The SMs are observed after the warm-up of the program.
    refused(
        &[("FAKE_SHARED", "1")],
        "gs_start(rt, 0) -5: partition 1: found the SMs 0, 1, 2, 3, 4, 5, 6, 7",
    );
    refused(
        &[("GPUSCHED_CUDA_LIBRARY", "libno-such-driver.so.1")],
        "gs_open -1: found no CUDA driver (libno-such-driver.so.1 does not load), expected a driver of CUDA 12.5 or newer",
    );
    // A sticky error reaches the program as the loss of all partitions.
    let sticky = [("FAKE_FAIL", "cuGraphLaunch:2:700"), ("FAKE_STICKY", "700")];
    let ran = ran(in_c(), "run", &case, "cuda", Some(&sticky));
    let expected = "cuGraphLaunch: CUDA_ERROR_ILLEGAL_ADDRESS";
    assert!(
        ran.code == 1 && ran.stdout.contains(" -7: partition "),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains(expected) || ran.stdout.contains("another partition met a fault"),
        "{}",
        ran.stdout
    );
}

#[test]
fn wrong_calls_are_refused() {
    let case = case();
    let ran = ran(in_c(), "misuse", &case, "simulated", None);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let time = regex_lite::Regex::new("present time [1-9][0-9]*").unwrap();
    insta::assert_snapshot!(time.replace(&ran.stdout, "present time NOW"));
}

#[test]
fn plans_that_are_not_proven_are_refused() {
    let policy = Case::new("--gpu h100 --granularity green-context --policy edf");
    let of = |case: &Case| ran(in_c(), "run", case, "simulated", None).stdout;
    let expected = ": at policy: found edf, expected np-edf, np-fifo, np-fp…, lp-edf or lp-fp…, because a GPU cannot preempt at any point";
    assert!(
        of(&policy).starts_with("gs_open -3: ") && of(&policy).contains(expected),
        "{}",
        of(&policy)
    );
    let other = super::SET.replace("[[8,\"3ms\"],[16,\"2ms\"]]", "[[8,\"9ms\"],[16,\"9ms\"]]");
    let other = Case::of(&other, "--gpu h100 --granularity green-context --policy np-edf");
    let wrong = Case {
        set: other.set.clone(),
        ..case()
    };
    assert!(of(&wrong).starts_with("gs_open -3: "), "{}", of(&wrong));
    let missing = Case {
        set: PathBuf::from("no-such-set.json"),
        ..case()
    };
    assert!(
        of(&missing).contains("gs_open -3: no-such-set.json: cannot "),
        "{}",
        of(&missing)
    );
    let heavy = super::SET
        .replace("\"10ms\"],[16", "\"60ms\"],[16")
        .replace("[16,\"8ms\"]", "[16,\"60ms\"]");
    let folder = case();
    std::fs::write(&folder.set, heavy).unwrap();
    let line = format!(
        "partition {} --sms 1 --policy np-edf --heuristic sms --format json",
        folder.set.display()
    );
    std::fs::write(&folder.plan, run(&line).stdout).unwrap();
    assert!(
        of(&folder).starts_with("gs_open -4: ") && of(&folder).contains("the plan is not schedulable"),
        "{}",
        of(&folder)
    );
}

/// Programs that were compiled with an older or a later header run.
#[test]
fn other_sizes_of_the_options_work() {
    let case = case();
    let ran = ran(
        in_c(),
        "sizes",
        &case,
        "simulated",
        Some(&[("FAKE_VERSION", "12040")]),
    );
    let code = |size: u32, value: u32| -> i32 {
        let start = format!("size {size} {value} ");
        let line = ran
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix(&start))
            .unwrap();
        line.parse().unwrap()
    };
    for value in [0, 1] {
        assert_eq!(
            (code(0, value), code(3, value), code(5000, value)),
            (-8, -8, -8),
            "{}",
            ran.stdout
        );
        // A size that ends before the backend, or inside of it, means the default backend, whose driver is too old here.
        assert_eq!((code(4, value), code(12, value)), (-1, -1), "{}", ran.stdout);
        assert_eq!((code(16, value), code(64, value)), (0, 0), "{}", ran.stdout);
        // The file of records cannot be created, but a size that ends inside of its path means no file.
        assert_eq!((code(71, value), code(72, value)), (0, -8), "{}", ran.stdout);
    }
    assert_eq!((code(80, 0), code(80, 1)), (0, -8), "{}", ran.stdout);
}

#[test]
fn a_thread_of_the_program_enqueues_jobs() {
    let case = case();
    let ran = ran(in_c(), "grants", &case, "simulated", None);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let expected = "release -8: map: found a release of a task without work, expected a task with a function or a graph, or a thread that begins the job\n\
                    grant 0 0\ngrant 1 0\ngrant 2 0\n\
                    again -8: job: found job 2, expected a job that its dispatcher chose at most 1s ago, and that has not ended\n\
                    dead 8\n";
    assert_eq!(ran.stdout, expected);
}

/// Runs `program` as [`ran`], for at most 60 s. A program that hangs has exit code 124.
fn in_time(mode: &str, case: &Case, backend: &str, settings: &[(&str, &str)]) -> Answer {
    let mut command = Command::new("timeout");
    command.arg("60").arg(in_c()).arg(mode);
    command
        .args([&case.plan, &case.set])
        .arg(backend)
        .arg(&case.trace);
    command.env_remove("GPUSCHED_CUDA_LIBRARY");
    if backend == "cuda" {
        command.env("GPUSCHED_CUDA_LIBRARY", on_gpu::library());
    }
    command.envs(settings.iter().copied());
    command.output().unwrap().into()
}

/// A thread that enqueues a job uses the stream during a stop. After the time-out of the job, it may use the stream after the stop.
#[test]
fn streams_exist_until_the_session_closes() {
    let case = case();
    for (mode, end, failed) in [("held", 0, 0), ("held-late", -8, 1)] {
        let ran = in_time(mode, &case, "cuda", &[("FAKE_LEFT", "1")]);
        let expected = format!(
            "contexts 2 end {end}\nstop 0 contexts 2 failed {failed}\nstream 0\n\
             stream -8: session: found a stopped run, expected running dispatchers\nclosed 0\n"
        );
        assert_eq!((ran.code, ran.stdout), (0, expected), "{mode}: {}", ran.stderr);
    }
}

/// A job whose record found no room in the queue never gets one, so a wait for it ends.
#[test]
fn a_wait_for_a_job_without_a_record_ends() {
    let set = r#"{"tasks":[
      {"name":"fast","period":"100us","wcet":{"table":[[8,"10us"]]}},
      {"name":"rare","period":"10ms","wcet":{"table":[[8,"10us"]]}}]}"#;
    let case = Case::of(set, "--gpu h100 --granularity green-context --policy np-edf");
    let ran = in_time("full", &case, "simulated", &[]);
    let expected = "rare -8: number: found 0, expected a job with a record: functions of the program took too long, so records found no room\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{}", ran.stderr);
}

/// If the system creates no thread, each call fails or succeeds, but none waits forever.
#[test]
fn a_refused_thread_is_an_error() {
    let case = case();
    let library = on_gpu::library().to_str().unwrap();
    let refused = "threads: found Resource temporarily unavailable (os error 11), expected a thread per partition, and two more\n";
    for (backend, contexts) in [("cuda", 2), ("simulated", 0)] {
        for (threads, call) in [
            ("0", "gs_open"),
            ("1", "gs_start(rt, 0)"),
            ("2", "gs_start(rt, 0)"),
            ("3", "gs_start(rt, 0)"),
        ] {
            let settings = [("LD_PRELOAD", library), ("FAKE_THREADS", threads)];
            let ran = in_time("run", &case, backend, &settings);
            assert_eq!(ran.code, 1, "{backend} {threads}: {}{}", ran.stdout, ran.stderr);
            // After the error of a start, the streams exist until the session closes.
            let exist = match call {
                "gs_open" => String::new(),
                _ => format!("contexts {contexts}\n"),
            };
            let expected = format!("{call} -8: {refused}{exist}");
            assert!(
                ran.stdout.ends_with(&expected),
                "{backend} {threads}: {}",
                ran.stdout
            );
        }
    }
}

/// If a dispatcher fails before the first job, the start is an error.
#[test]
fn a_dispatcher_that_fails_before_the_start_is_an_error() {
    let case = case();
    // The first call opens the GPU. The next ones are in the threads of the partitions.
    for calls in [1, 2] {
        let fails = format!("cuCtxSetCurrent:{calls}:201");
        let ran = in_time("run", &case, "cuda", &[("FAKE_FAIL", &fails)]);
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        let error = ran.stdout.lines().last().unwrap();
        assert!(
            error.starts_with("gs_start(rt, 0) -") && error.contains("cuCtxSetCurrent"),
            "{}",
            ran.stdout
        );
    }
}

/// The time to enqueue a job is a part of its overhead.
#[test]
fn an_overhead_above_its_bound_is_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overheads.json");
    std::fs::write(&path, r#"{"occupancy_ns":"200us","wake_ns":"100us"}"#).unwrap();
    let options = "--gpu h100 --granularity green-context --policy np-edf --overheads";
    let case = Case::new(&format!("{options} {}", path.display()));
    let ran = in_time("overhead", &case, "cuda", &[]);
    let expected = "overhead 16\naudit 1 1\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (0, expected), "{}", ran.stderr);
}

/// The first arrivals are after the warm-up, which takes 0.6 ms or longer here.
#[test]
fn a_first_arrival_that_passes_during_the_warm_up_is_refused() {
    let case = case();
    let ran = in_time("late-start", &case, "cuda", &[("FAKE_LEFT", "1")]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "contexts left: 0\n"));
    assert!(
        ran.stdout.starts_with("start -8: first_arrival: found "),
        "{}",
        ran.stdout
    );
}

/// A killed program loses no complete record.
#[test]
fn a_killed_program_keeps_its_records() {
    for backend in ["simulated", "cuda"] {
        let case = case();
        let ring = case.plan.with_file_name("ring.bin");
        let ran = in_time("killed", &case, backend, &[("RING", ring.to_str().unwrap())]);
        // `timeout` ends itself in the same way, so there is no exit code.
        assert_eq!(ran.code, -1, "{}{}", ran.stdout, ran.stderr);
        let recovered = run(&format!(
            "recording recover {} -o {}",
            ring.display(),
            case.trace.display()
        ));
        assert_eq!(recovered.code, 0, "{}", recovered.stderr);
        assert!(!recovered.stderr.contains("lost"), "{}", recovered.stderr);
        let trace = case.read();
        let origin = trace["gpusched"]["origin_ns"].as_i64().unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let ns = |value: &serde_json::Value| (value.as_f64().unwrap() * 1000.0).round() as i64;
        let seen: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(seen.len(), 3);
        for line in seen {
            let words: Vec<&str> = line.split(' ').collect();
            let name = format!("{}#{}", words[0], words[1]);
            let job = events
                .iter()
                .find(|event| event["name"] == name.as_str())
                .unwrap();
            let arrival: i64 = words[2].parse().unwrap();
            let completion: i64 = words[3].parse().unwrap();
            assert_eq!(
                (ns(&job["ts"]), ns(&job["dur"])),
                (arrival - origin, completion - arrival),
                "{name}"
            );
        }
        let head = &trace["gpusched"];
        assert_eq!((&head["backend"], head.get("seed")), (&backend.into(), None));
        let audit = case.audit();
        let expected = if backend == "simulated" { 0 } else { 1 };
        assert!(audit.code <= expected, "{}{}", audit.stdout, audit.stderr);
        assert!(audit.stdout.contains("the trace ends at "), "{}", audit.stdout);
        assert!(!audit.stdout.contains("job-missing"), "{}", audit.stdout);
    }
}

/// The file of records exists until the trace, or until the end of a session that never started.
#[test]
fn a_trace_replaces_the_file_of_records() {
    let case = case();
    let ring = case.plan.with_file_name("ring.bin");
    let settings = [("RING", ring.to_str().unwrap()), ("RECORDS", "3")];
    let ran = in_time("ringed", &case, "simulated", &settings);
    let expected = format!(
        "closed 0\nstopped 1\nsecond -8: {}: found the file of a run that has not ended, expected no file\nclosed 0\n",
        ring.display()
    );
    assert_eq!((ran.code, ran.stdout), (0, expected), "{}", ran.stderr);
    assert!(case.trace.exists());
}
