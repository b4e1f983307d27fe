//! Guarantee: `gpusched measure` on a GPU keeps every job, states the GPU and its state, and refuses each fault with one sentence. The
//! tests run on the stand-in for the CUDA driver.
#![cfg(all(feature = "cli", target_os = "linux"))]

mod calibration;
mod timer;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::run::on_gpu::{compile, library};
use crate::support::{Answer, answer, gpusched, root, run};

/// Time of a job of the plugin on 8 SMs [ns].
const TIME: u64 = 400_000;

/// A folder with two plugins.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Case {
        let case = Case {
            folder: tempfile::tempdir().unwrap(),
        };
        for (name, time, kind) in [
            ("libjobs.so", TIME, "-DRUN"),
            ("libother.so", TIME / 2, "-DRUN"),
            ("libgraph.so", TIME, "-DGRAPH"),
            ("libqueue.so", 0, "-DQUEUED"),
            ("libendless.so", 0, "-DQUEUED -DENDLESS"),
        ] {
            let source = root().join("tests/command/measure/plugin.c");
            let time = format!("-DNANOSECONDS={time}ull");
            let kind = kind.split_whitespace();
            let options: Vec<&str> = std::iter::once(time.as_str()).chain(kind).collect();
            compile(&source, &case.path(name), &options);
        }
        case
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Measures the plugin with `options`.
    fn measure(&self, options: &str, faults: &[(&str, &str)]) -> Answer {
        on_fake(
            &format!(
                "measure kernel --plugin {} {options}",
                self.path("libjobs.so").display()
            ),
            faults,
        )
    }

    /// Measures the plugin, and returns the JSON result.
    fn document(&self, options: &str, faults: &[(&str, &str)]) -> Value {
        let answer = self.measure(&format!("{options} --format json"), faults);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        serde_json::from_str(&answer.stdout).unwrap()
    }
}

fn on_fake(line: &str, faults: &[(&str, &str)]) -> Answer {
    let mut command = gpusched(line.split_whitespace());
    command.env("GPUSCHED_CUDA_LIBRARY", library());
    command.env("GPUSCHED_NVML_LIBRARY", "libnvml-none.so");
    answer(command.envs(faults.iter().copied()))
}

fn numbers(list: &Value) -> Vec<u64> {
    { list.as_array().unwrap().iter() }
        .map(|value| value.as_u64().unwrap())
        .collect()
}

#[test]
fn a_measurement_keeps_all_jobs_and_the_fit_reads_them() {
    let case = Case::new();
    let csv = case.path("measured.csv");
    let options = format!("--sms 132,8,16 --samples 12 --cold -o {}", csv.display());
    let measured = case.measure(&options, &[]);
    assert_eq!(measured.code, 0, "{}", measured.stderr);
    assert!(
        measured
            .stderr
            .contains("does not know whether the clocks are locked"),
        "{}",
        measured.stderr
    );
    let text = std::fs::read_to_string(&csv).unwrap();
    let mut rows = text.lines().skip(1);
    for sms in [8, 16, 132] {
        for cache in ["warm", "cold"] {
            for sample in 0..12 {
                let row: Vec<&str> = rows.next().unwrap().split(',').collect();
                let [
                    m,
                    time,
                    contention,
                    gpu,
                    content,
                    other,
                    number,
                    times,
                    kernel,
                    name,
                    all,
                    ..,
                ] = row.as_slice()
                else {
                    panic!("{row:?}");
                };
                assert_eq!(
                    [*m, *content, *number],
                    [&sms.to_string(), cache, &sample.to_string()]
                );
                assert_eq!(
                    [*contention, *other, *times, *kernel, *name, *all],
                    ["isolated", "", "occupancy", "jobs", "Fake H100", "132"]
                );
                let (time, gpu): (u64, u64) = (time.parse().unwrap(), gpu.parse().unwrap());
                // The occupancy contains the time between the events, which contains the job. Events count in halves of a microsecond.
                assert!(time + 1000 > gpu && gpu + 1000 > TIME * 8 / sms, "{row:?}");
            }
        }
    }
    assert_eq!(rows.next(), None);
    let fitted = run(&format!("wcet fit {} --period 1s -q", csv.display()));
    let set: Value = serde_json::from_str(&fitted.stdout).unwrap_or_else(|_| panic!("{}", fitted.stderr));
    assert_eq!(set["times"], "occupancy");
    let on = &set["tasks"][0]["measured_on"];
    assert_eq!(
        (&on["gpu"], &on["sms"], &on["samples"]),
        (&"Fake H100".into(), &132.into(), &72.into())
    );
}

#[test]
fn the_state_of_the_gpu_is_stated() {
    let case = Case::new();
    let unknown = case.document("--sms 8 --samples 2", &[]);
    let conditions = &unknown["conditions"];
    assert_eq!(conditions["uuid"], "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f");
    assert_eq!(
        (&conditions["driver"], &conditions["locked"]),
        (&"CUDA 13.0".into(), &"unknown".into())
    );
    for absent in ["core_khz", "dram_khz", "celsius", "throttling"] {
        assert_eq!(conditions[absent], Value::Null, "{absent}");
    }
    assert_eq!(unknown["measured_on"]["clocks"], Value::Null);
    let settings = conditions["settings"].as_array().unwrap();
    for name in ["split", "wait", "virtual machine", "CUDA_MODULE_LOADING"] {
        assert!(
            settings.iter().any(|setting| setting[0] == name),
            "{name}: {settings:?}"
        );
    }

    let nvml = ("GPUSCHED_NVML_LIBRARY", library().to_str().unwrap());
    let known = case.document("--sms 8 --samples 2 --clocks-locked", &[nvml]);
    let conditions = &known["conditions"];
    assert_eq!(
        (&conditions["driver"], &conditions["locked"]),
        (&"999.9, CUDA 13.0".into(), &"yes".into())
    );
    assert_eq!(numbers(&conditions["core_khz"]), [1_980_000, 1_980_000]);
    assert_eq!(numbers(&conditions["celsius"]), [41, 41]);
    // An idle GPU (reason 1) is not a reduced clock.
    assert_eq!(conditions["throttling"], Value::Array(Vec::new()));
    assert_eq!(known["measured_on"]["clocks"]["dram_khz"], 2_619_000);
    assert!(!known["notes"].to_string().contains("clock"), "{known}");

    let changed = case.document(
        "--sms 8 --samples 2",
        &[nvml, ("FAKE_DRIFT", "50"), ("FAKE_REASONS", "36")],
    );
    let notes = changed["notes"].to_string();
    assert!(
        notes.contains("clock of the SMs changed from 1880000 to 1980000 kHz"),
        "{notes}"
    );
    assert!(
        notes.contains("reduced the clocks: software power cap, software thermal slowdown"),
        "{notes}"
    );
    assert_eq!(
        changed["measured_on"]["clocks"]["core_khz"],
        Value::Null,
        "{changed}"
    );
    // `wcet fit` states the whole state in the task set.
    let csv = case.path("state.csv");
    let options = format!("--sms 8,132 --samples 2 --date 2026-11-28 -o {}", csv.display());
    let drift = [nvml, ("FAKE_DRIFT", "1"), ("FAKE_REASONS", "36")];
    assert_eq!(case.measure(&options, &drift).code, 0);
    let fit = |file: &Path| run(&format!("wcet fit {} --period 1s -q", file.display()));
    let on = |file: &Path| {
        let fitted = fit(file);
        let set: Value = serde_json::from_str(&fitted.stdout).unwrap_or_else(|_| panic!("{}", fitted.stderr));
        set["tasks"][0]["measured_on"].clone()
    };
    let found = on(&csv);
    for (field, wanted) in [
        ("gpu", "Fake H100"),
        ("uuid", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"),
        ("driver", "999.9, CUDA 13.0"),
        ("split", "cuDevSmResourceSplitByCount, flags 0; whole GPU"),
        ("wait", "flag in host memory, written by cuStreamWriteValue32"),
        ("date", "2026-11-28"),
        ("locked", "unknown"),
    ] {
        assert_eq!(found[field], wanted, "{found}");
    }
    assert_eq!(
        found["throttling"],
        serde_json::json!(["software power cap", "software thermal slowdown"])
    );
    assert_eq!(numbers(&found["celsius"]), [41, 41]);
    // NVML states two clocks four times, each 1 MHz lower. The change is below 2 %.
    assert_eq!(
        numbers(&found["clocks"]["core_range_khz"]),
        [1_974_000, 1_980_000]
    );
    assert_eq!(found["clocks"]["core_khz"], 1_980_000);
    // Rows of two measurements: the state covers both, and an unknown state stays unknown.
    let text = std::fs::read_to_string(&csv).unwrap();
    let both = |from: &str, to: &str, name: &str| {
        let file = case.path(name);
        let other: String = text
            .lines()
            .skip(1)
            .map(|line| line.replace(from, to) + "\n")
            .collect();
        std::fs::write(&file, format!("{text}{other}")).unwrap();
        file
    };
    let warmer = on(&both(",41,41", ",35,57", "warmer.csv"));
    assert_eq!(numbers(&warmer["celsius"]), [35, 57]);
    assert_eq!(warmer["uuid"], found["uuid"]);
    let unknown = on(&both(
        ",software power cap; software thermal slowdown,",
        ",,",
        "unknown.csv",
    ));
    assert_eq!(
        (&unknown["throttling"], &unknown["locked"]),
        (&Value::Null, &"unknown".into())
    );
    assert_eq!(on(&both(",unknown,", ",yes,", "locked.csv"))["locked"], "unknown");
    assert_eq!(
        on(&both("2026-11-28", "2026-11-29", "date.csv"))["date"],
        Value::Null
    );
    for (from, to, expected) in [
        ("GPU-0001", "GPU-0002", "uuid: found \"GPU-0002"),
        (
            ",41,41",
            ",41,hot",
            "celsius_most: found \"hot\", expected a whole number",
        ),
        (
            ",unknown,",
            ",maybe,",
            "locked: found \"maybe\", expected yes or unknown",
        ),
    ] {
        fit(&both(from, to, "wrong.csv")).assert_refused(from, expected);
    }
    let refused = case.measure("--sms 8 --date tomorrow", &[]);
    refused.assert_refused(
        "date",
        "--date: found tomorrow, expected a date such as 2026-11-27",
    );
    // Without the GPU in NVML, its state is unknown.
    let failed = case.document("--sms 8 --samples 2", &[nvml, ("FAKE_FAIL", "nvmlInit_v2")]);
    assert_eq!(failed["conditions"]["driver"], "CUDA 13.0");
}

#[test]
fn all_sizes_are_the_sizes_that_the_split_grants() {
    let case = Case::new();
    let by_eight: Vec<u64> = (8..=128).step_by(8).chain([132]).collect();
    for (faults, expected) in [
        (&[][..], by_eight.clone()),
        (&[("FAKE_VERSION", "13010")], by_eight),
        (&[("FAKE_GROUPS", "2")], vec![8, 16, 132]),
    ] {
        let document = case.document("--samples 1", faults);
        let sizes: Vec<u64> = { document["series"].as_array().unwrap().iter() }
            .map(|series| series["sms"].as_u64().unwrap())
            .collect();
        assert_eq!(sizes, expected);
    }
    // Smaller groups need a flag, so they are no default.
    let fine = case.document("--sms 2..6:2 --samples 1", &[]);
    assert_eq!(fine["series"].as_array().unwrap().len(), 3);
}

#[test]
fn other_kernels_share_the_partition() {
    let case = Case::new();
    let other = case.path("libother.so");
    let options = format!("--sms 8 --samples 6 --other {}", other.display());
    for contention in ["alternate", "concurrent"] {
        let document = case.document(&format!("{options} --contention {contention}"), &[]);
        let series = &document["series"][1];
        assert_eq!(
            (&series["contention"], &series["other"]),
            (&contention.into(), &"other".into())
        );
        let longer = if contention == "concurrent" { TIME / 2 } else { 0 };
        // On the stand-in, concurrent kernels run one after the other.
        let times = numbers(&series["time_ns"]);
        assert!(
            times.len() == 6 && times.iter().all(|time| *time >= TIME + longer),
            "{times:?}"
        );
        let median = series["median_ns"].as_u64().unwrap();
        assert!(median < TIME + longer + 300_000, "{median}");
    }
}

/// A plugin captures a graph on each new stream. Each time contains the whole graph, and each failed call is an error.
#[test]
fn a_plugin_may_launch_graphs() {
    let case = Case::new();
    let graph = case.path("libgraph.so");
    let line = format!(
        "measure kernel --plugin {} --sms 8,16 --samples 4 --cold",
        graph.display()
    );
    let told = ("PLUGIN_TELL", "1");
    let answer = on_fake(&format!("{line} --format json"), &[told]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    // One graph per series, because each series has a context of its own.
    assert!(answer.stderr.contains("captured 4"), "{}", answer.stderr);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(document["kernel"], "graph");
    for series in document["series"].as_array().unwrap() {
        let whole = TIME * 8 / series["sms"].as_u64().unwrap();
        let times = numbers(&series["time_ns"]);
        assert!(
            times.len() == 4 && times.iter().all(|time| *time >= whole),
            "{series}"
        );
        // Events count in halves of a microsecond.
        let gpu = numbers(&series["gpu_ns"]);
        assert!(
            gpu.iter()
                .zip(times)
                .all(|(gpu, time)| gpu + 1000 > whole && *gpu < time + 1000),
            "{series}"
        );
    }
    for (fault, expected) in [
        (
            "cuGraphInstantiateWithFlags:0:2",
            "plugin: found the result 2 of job 0, expected 0",
        ),
        (
            "cuGraphLaunch:5:700",
            "plugin: found the result 700 of job 5, expected 0",
        ),
    ] {
        let answer = on_fake(&line, &[("FAKE_FAIL", fault)]);
        assert!(
            answer.code == 2 && answer.stderr.contains(expected),
            "{fault}: {}",
            answer.stderr
        );
    }
}

#[test]
fn streams_without_events_give_occupancies_alone() {
    let case = Case::new();
    for call in ["cuEventCreate", "cuEventRecord"] {
        let document = case.document("--sms 8 --samples 3", &[("FAKE_FAIL", call)]);
        let series = &document["series"][0];
        assert_eq!(series["gpu_ns"], Value::from(vec![Value::Null; 3]));
        assert_eq!(numbers(&series["time_ns"]).len(), 3);
        assert!(
            document["conditions"]["settings"]
                .to_string()
                .contains("refuse events")
        );
    }
}

#[test]
fn each_fault_is_one_sentence() {
    let case = Case::new();
    let none = case.path("none.so");
    std::fs::write(case.path("text.so"), "text").unwrap();
    let plugin = |path: &Path| format!("measure kernel --sms 8 --plugin {}", path.display());
    for (line, faults, expected) in [
        (plugin(&none), &[][..], "none.so"),
        (plugin(&case.path("text.so")), &[], "plugin: found "),
        (
            plugin(library()),
            &[],
            "without this function, expected a shared library with `int gs_measure_job(void *stream)`",
        ),
        (
            "measure kernel --sms 8".to_owned(),
            &[],
            "--plugin: found none, expected a shared library",
        ),
        (plugin(&case.path("libjobs.so")) + " --sms 7", &[], "--sms"),
        (
            plugin(&case.path("libjobs.so")),
            &[("PLUGIN_FAIL", "5")],
            "plugin: found the result 7 of job 5, expected 0 from `gs_measure_job`",
        ),
        (
            plugin(&case.path("libjobs.so")),
            &[("PLUGIN_FAIL", "0")],
            "plugin: found the result 7 of job 0",
        ),
        (
            plugin(&case.path("libjobs.so")),
            &[("FAKE_VERSION", "12040")],
            "driver: found CUDA 12.4, expected a driver of CUDA 12.5 or newer",
        ),
        (
            plugin(&case.path("libjobs.so")),
            &[("FAKE_SHORT", "2")],
            "partition 0: found 6 SMs",
        ),
        (
            plugin(&case.path("libjobs.so")),
            &[("FAKE_WANDER", "2")],
            "partition 0: found kernels on the SMs 8, 9, 10, 11, 12, 13, 14, 15 after the jobs, expected the SMs before the jobs: 0, 1",
        ),
        (
            plugin(&case.path("libjobs.so")),
            &[("FAKE_FAIL", "cuGreenCtxCreate")],
            "cuGreenCtxCreate: found CUDA_ERROR_NOT_SUPPORTED",
        ),
        (
            plugin(&case.path("libjobs.so")),
            &[
                ("FAKE_FAIL", "cuStreamWriteValue32:60:700"),
                ("FAKE_STICKY", "700"),
            ],
            "CUDA_ERROR_ILLEGAL_ADDRESS",
        ),
        (
            plugin(&case.path("libjobs.so")) + " --cold",
            &[("FAKE_FAIL", "cuMemsetD32:6:700")],
            "cuMemsetD32: found CUDA_ERROR_ILLEGAL_ADDRESS",
        ),
        (
            plugin(&case.path("libjobs.so")) + " --cold",
            &[("FAKE_FAIL", "cuStreamQuery:3:700")],
            "cuStreamQuery: found CUDA_ERROR_ILLEGAL_ADDRESS",
        ),
        (
            format!(
                "{} --contention concurrent --other {}",
                plugin(&case.path("libjobs.so")),
                case.path("libqueue.so").display()
            ),
            &[("FAKE_FAIL", "cuStreamQuery:3:700")],
            "cuStreamQuery: found CUDA_ERROR_ILLEGAL_ADDRESS",
        ),
    ] {
        let line = line.replace(
            "--sms 8 --plugin",
            if line.ends_with("--sms 7") {
                "--plugin"
            } else {
                "--sms 8 --plugin"
            },
        );
        let answer = on_fake(&line, faults);
        assert!(
            answer.code == 2 && answer.stdout.is_empty(),
            "{line} {faults:?}: {}",
            answer.stderr
        );
        assert!(
            answer.stderr.contains(expected),
            "{line} {faults:?}: {}",
            answer.stderr
        );
    }
}

/// The clock of the stand-in is fast, so that the limit of a minute is short.
#[test]
fn kernels_without_an_end_end_the_measurement() {
    let case = Case::new();
    let settings = [
        ("LD_PRELOAD", library().to_str().unwrap()),
        ("FAKE_SPEED", "60"),
        ("FAKE_LEFT", "1"),
        ("FAKE_RELEASE", "1"),
    ];
    let (jobs, endless) = (case.path("libjobs.so"), case.path("libendless.so"));
    let (jobs, endless) = (jobs.display(), endless.display());
    let other = "plugin: found a job of the other kernel without an end after 60s, expected jobs that end";
    for (line, left) in [
        (
            format!("kernel --plugin {jobs} --other {endless} --contention concurrent"),
            1,
        ),
        (format!("interference --plugin {jobs} --beside {endless}"), 2),
    ] {
        let begin = std::time::Instant::now();
        let answer = on_fake(&format!("measure {line} --sms 8 --samples 20 -q"), &settings);
        assert!(begin.elapsed().as_secs() < 50, "{line}: {:?}", begin.elapsed());
        assert!(
            answer.code == 2 && answer.stderr.contains(other),
            "{line}: {}",
            answer.stderr
        );
        // The context of the endless job stays, because its end would wait for the job.
        assert!(
            answer.stderr.contains(&format!("contexts left: {left}")),
            "{line}: {}",
            answer.stderr
        );
        assert!(!answer.stderr.contains("released"), "{line}: {}", answer.stderr);
    }
    let ended = on_fake(
        &format!("measure kernel --plugin {jobs} --sms 8 --samples 2"),
        &settings,
    );
    assert!(
        ended.stderr.contains("released") && ended.stderr.contains("contexts left: 0"),
        "{}",
        ended.stderr
    );
}

#[test]
fn overheads_are_those_of_all_dispatchers() {
    let case = Case::new();
    let file = case.path("overheads.json");
    let line = format!(
        "measure overhead --sms 8,16 --duration 400ms --margin 50 -o {}",
        file.display()
    );
    let measured = on_fake(&line, &[("FAKE_TICK", "1024")]);
    assert_eq!(measured.code, 0, "{}", measured.stderr);
    assert!(
        measured.stderr.contains("no proven bounds"),
        "{}",
        measured.stderr
    );
    let bounds: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let of = |field: &str| bounds[field].as_u64().unwrap();
    // A kernel may end one step of the timer too early, so its overhead is up to one step longer.
    assert_eq!(of("timer_ns"), 1024);
    assert_eq!(of("occupancy_ns"), ((of("longest") + 1024) * 3).div_ceil(2));
    let still = on_fake("measure overhead --sms 8", &[("FAKE_TICK", "0")]);
    still.assert_refused(
        "timer",
        "timer: found no step within 500 ms, expected a timer of the GPU that counts",
    );
    assert!(of("longest") > 0 && of("wake_ns") > 0, "{bounds}");
    assert_eq!(
        (&bounds["device"], &bounds["driver"], of("dispatchers")),
        (&"Fake H100".into(), &"CUDA 13.0".into(), 2)
    );
    // The jobs of four tasks in each partition, with periods of 1, 1.3, 1.7 and 3 ms.
    assert_eq!(of("samples"), 2 * (400 + 308 + 236 + 134));
    let refused = on_fake(&line, &[("FAKE_GROUPS", "1")]);
    assert!(
        refused.code == 2 && refused.stderr.contains("partitions: found 1 group"),
        "{}",
        refused.stderr
    );
    let refused = on_fake("measure overhead --sms 8,7", &[]);
    assert!(
        refused.code == 2 && refused.stderr.contains("a multiple of 2"),
        "{}",
        refused.stderr
    );
}

#[test]
fn kernels_in_other_partitions_run_until_the_jobs_end() {
    let case = Case::new();
    let interference = |options: &str, faults: &[(&str, &str)]| {
        let (measured, beside) = (case.path("libjobs.so"), case.path("libother.so"));
        let line = format!(
            "measure interference --plugin {} --beside {}",
            measured.display(),
            beside.display()
        );
        on_fake(&format!("{line} {options}"), faults)
    };
    let answer = interference("--sms 8,64 --samples 8 --format json", &[]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let document: Value = serde_json::from_str(&answer.stdout).unwrap();
    let factors = document["factors"].as_array().unwrap();
    assert_eq!(factors.len(), 2);
    for (factor, sms) in factors.iter().zip([8, 64]) {
        assert_eq!(
            (&factor["aggressor"], &factor["sms"], &factor["aggressor_sms"]),
            (&"other".into(), &sms.into(), &(132 - sms).into())
        );
        assert!(
            factor["beside_ns"].as_u64().unwrap() >= TIME * 8 / sms,
            "{factor}"
        );
    }
    // The kernel has jobs in its stream at all times, from its first job to the end.
    let queue = case.path("libqueue.so");
    for (faults, rest, gapless) in [
        (&[][..], 124, true),
        (&[("FAKE_VERSION", "13010")], 124, true),
        (&[("FAKE_REST", "1")], 120, true),
        (&[("FAKE_FAIL", "cuEventRecord")], 124, false),
    ] {
        let line = format!(
            "measure interference --plugin {} --beside {} --sms 8 --samples 300 --format json",
            case.path("libjobs.so").display(),
            queue.display()
        );
        let answer = on_fake(&line, &[&[("PLUGIN_TELL", "1")], faults].concat());
        assert_eq!(answer.code, 0, "{faults:?}: {}", answer.stderr);
        let document: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(document["factors"][0]["aggressor_sms"], rest, "{faults:?}");
        let stated = document["conditions"]["settings"]
            .to_string()
            .contains("pauses between groups");
        assert_eq!(stated, !gapless, "{faults:?}: {document}");
        let told = answer
            .stderr
            .lines()
            .find_map(|line| line.strip_prefix("queued "));
        let (queued, pauses) = told.unwrap().split_once(", pauses ").unwrap();
        let (queued, pauses): (u64, u64) = (queued.parse().unwrap(), pauses.parse().unwrap());
        // Two groups of 8 jobs start at once. Later groups wait for the end of earlier groups.
        assert!(
            queued > 16 && (pauses == 0) == gapless,
            "{faults:?}: {queued}, {pauses}"
        );
    }
    // Two threads would share the variables of one library.
    let (jobs, link) = (case.path("libjobs.so"), case.path("link.so"));
    std::os::unix::fs::symlink(&jobs, &link).unwrap();
    for same in [&jobs, &link] {
        let line = format!(
            "measure interference --plugin {} --beside {} --sms 8",
            jobs.display(),
            same.display()
        );
        let answer = on_fake(&line, &[]);
        assert!(
            answer.code == 2
                && answer.stderr.contains("expected another file than `--plugin`")
                && answer.stderr.contains("hint: copy the file"),
            "{}",
            answer.stderr
        );
    }
    for (options, faults, expected) in [
        (
            "--sms 128",
            &[("FAKE_REST", "1")][..],
            "--sms: found 128, expected fewer SMs",
        ),
        ("--sms 132", &[], "--sms: found 132, expected fewer SMs"),
        (
            "--sms 8",
            &[("FAKE_SHARED", "1")],
            "partition 1: found the SMs 0, 1, 2",
        ),
        (
            "--sms 8 --samples 50",
            &[("PLUGIN_FAIL", "70")],
            "plugin: found the result 7 of the other kernel",
        ),
    ] {
        let answer = interference(options, faults);
        assert!(
            answer.code == 2 && answer.stderr.contains(expected),
            "{options}: {}",
            answer.stderr
        );
    }
}

#[test]
fn a_device_file_states_the_partitions_that_the_driver_grants() {
    let case = Case::new();
    let file = case.path("device.json");
    let line = format!("measure device -o {}", file.display());
    for (faults, total) in [
        (&[][..], 128),
        (&[("FAKE_MOST", "15")], 120),
        (&[("FAKE_VERSION", "13010")], 128),
    ] {
        let answer = on_fake(&line, faults);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        let device: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(
            (&device["name"], &device["sms"]),
            (&"fake-h100".into(), &132.into())
        );
        assert_eq!(device["compute_capability"], "9.0");
        assert_eq!(
            device["green_context"],
            serde_json::json!({"min": 8, "step": 8, "total": total})
        );
        assert!(
            device["source"].as_str().unwrap().contains("GPU-00010203-0405"),
            "{device}"
        );
        let listed = run(&format!("gpus {}", file.display()));
        assert_eq!(listed.code, 0, "{}", listed.stderr);
    }
    let planned = run(&format!(
        "partition {} --gpu {} --granularity green-context -q",
        root().join("tasksets/tasksets/adas.json").display(),
        file.display()
    ));
    assert!(planned.code <= 1, "{}", planned.stderr);
    for (line, faults, expected) in [
        (
            "measure device",
            &[("FAKE_SHARED", "1")][..],
            "partition 1: found the SMs 0, 1",
        ),
        (
            "measure device",
            &[("FAKE_MOST", "0")],
            "cuGreenCtxCreate: found CUDA_ERROR_OUT_OF_MEMORY",
        ),
        (
            "measure device",
            &[("FAKE_FAIL", "cuLaunchKernelEx:3:700")],
            "cuLaunchKernelEx: found CUDA_ERROR_ILLEGAL_ADDRESS",
        ),
        ("measure device --name a/b", &[], "name: found \"a/b\""),
        (
            "measure device --format csv",
            &[],
            "--format: found a format other than json",
        ),
    ] {
        let answer = on_fake(line, faults);
        answer.assert_refused(line, expected);
    }
}

#[test]
fn a_platform_file_states_the_limits_of_the_driver() {
    let answer = on_fake("measure platform", &[]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let platform: Value = serde_json::from_str(&answer.stdout).unwrap();
    let built_in = root().join("tasksets/platforms/h100.json");
    let known: Value = serde_json::from_str(&std::fs::read_to_string(built_in).unwrap()).unwrap();
    for field in [
        "sms",
        "cores_per_sm",
        "threads_per_sm",
        "blocks_per_sm",
        "registers_per_sm",
        "shared_memory_per_sm_kib",
        "registers_per_block",
        "shared_memory_per_block_kib",
    ] {
        assert_eq!(platform[field], known[field], "{field}");
    }
    assert_eq!(
        (&platform["l2_cache_kib"], &platform["name"]),
        (&1024.into(), &"fake-h100".into())
    );
    let source = platform["source"].as_str().unwrap();
    assert!(
        source.contains("GPU-00010203-0405") && source.contains("CUDA 13.0"),
        "{source}"
    );
    let future = [("FAKE_MAJOR", "99")];
    let unknown = on_fake("measure platform", &future);
    assert!(
        unknown.code == 2
            && unknown
                .stderr
                .contains("--cores-per-sm: found none, for the compute capability 99.0"),
        "{}",
        unknown.stderr
    );
    assert_eq!(on_fake("measure platform --cores-per-sm 256", &future).code, 0);
}

#[test]
fn a_virtual_machine_gives_no_bound() {
    let is_virtual = std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" hypervisor"));
    let case = Case::new();
    let answers = [
        on_fake("measure device", &[]),
        on_fake("measure platform", &[]),
        on_fake("measure overhead --sms 8 --duration 300ms --format json", &[]),
        case.measure("--sms 8 --samples 1 --format json", &[]),
    ];
    for answer in answers {
        let said = answer.stderr.contains("virtual machine") && answer.stderr.contains("bound");
        assert_eq!(said, is_virtual, "{}", answer.stderr);
    }
}
