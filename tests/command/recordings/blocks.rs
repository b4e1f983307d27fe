//! Records of thread blocks beside a recording show whether blocks stayed on the SMs of their partition.

use std::path::Path;

use serde_json::{Value, json};

use super::audits::{Simulated, simulate, simulated};
use crate::support::neutrino::{Launch, Layout};
use crate::support::{ADAS, Answer, is_one_complaint, run};

/// SMs of the partitions of the plan of [`simulated`], each with the tasks of the partition.
const PARTITIONS: [(&[u32], &[&str]); 5] = [
    (&[0, 1], &["lane-detection", "lidar-clustering"]),
    (&[2, 3], &["object-detection"]),
    (&[4], &["traffic-signs", "sensor-fusion"]),
    (&[6], &["stereo-depth"]),
    (&[7], &["path-planning", "driver-monitoring"]),
];

/// Returns a launch of six blocks with two warps on the SMs in `sms`, in turn.
fn launch(sms: &[u32]) -> Launch {
    let warps = (0..12).map(|warp| (100 + 50 * warp, 40, sms[warp as usize / 2 % sms.len()]));
    Launch {
        threads: 64,
        warps: warps.collect(),
    }
}

/// Writes a file of each task, and returns the options. `change` changes the launch of a task.
fn files(folder: &Path, change: &dyn Fn(&str, &mut Launch)) -> String {
    let mut options = String::new();
    for (sms, tasks) in PARTITIONS {
        for task in tasks {
            let mut launch = launch(sms);
            change(task, &mut launch);
            let path = folder.join(format!("{task}.bin"));
            std::fs::write(&path, launch.file(Layout::Current, None, None)).unwrap();
            options += &format!(" --blocks {task}={}", path.display());
        }
    }
    options
}

/// Returns the exit code, the verdict, and the tasks with the result of the check of blocks and its detail.
fn checked(answer: &Answer) -> (i32, String, Vec<[String; 3]>) {
    let audit: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |field: &str| audit[field].as_array().unwrap().clone();
    let blocks = list("checks")
        .into_iter()
        .filter(|check| check["subject"] == "blocks");
    let of = |check: Value| {
        let mut findings = list("findings").into_iter();
        let finding =
            findings.find(|finding| finding["check"] == "blocks" && finding["task"] == check["task"]);
        let detail = finding
            .map(|finding| text(&finding["detail"]))
            .unwrap_or_default();
        [text(&check["task"]), text(&check["verdict"]), detail]
    };
    (answer.code, text(&audit["verdict"]), blocks.map(of).collect())
}

fn audit(simulated: &Simulated, options: &str) -> Answer {
    let [sqlite, _] = simulated.files(&simulated.run);
    simulated.audit(&sqlite, options)
}

#[test]
fn blocks_on_the_planned_sms_are_kept() {
    let simulated = simulated();
    let options = files(simulated.folder.path(), &|_, _| ());
    let (code, verdict, checks) = checked(&audit(&simulated, &(options.clone() + " --format json")));
    assert_eq!((code, verdict.as_str(), checks.len()), (0, "kept", 8));
    assert!(
        checks.iter().all(|[_, verdict, _]| verdict == "kept"),
        "{checks:?}"
    );
    let text = audit(&simulated, &options).stdout;
    assert!(text.contains("SMs of blocks"), "{text}");
    // Without records, there is no such check.
    let (code, _, checks) = checked(&audit(&simulated, "--format json"));
    assert_eq!((code, checks.len()), (0, 0));
    // All other tasks have no records.
    let one = options.split(" --blocks ").nth(3).unwrap();
    let (code, verdict, checks) = checked(&audit(&simulated, &format!("--blocks {one} --format json")));
    assert_eq!((code, verdict.as_str()), (0, "kept"));
    let unknown = checks
        .iter()
        .filter(|[_, _, detail]| detail == "no records of its blocks");
    assert_eq!(unknown.count(), 7);
}

#[test]
fn a_block_on_another_sm_breaks_the_plan() {
    let simulated = simulated();
    let folder = simulated.folder.path();
    // The fifth block of one task runs on an SM of another partition, or on an SM of no partition.
    for sm in [6, 5, 65535] {
        let options = files(folder, &|task, launch| {
            if task == "object-detection" {
                launch.warps[8].2 = sm;
                launch.warps[9].2 = sm;
            }
        });
        let (code, verdict, checks) = checked(&audit(&simulated, &(options.clone() + " --format json")));
        assert_eq!((code, verdict.as_str()), (1, "broken"));
        for [task, verdict, detail] in checks {
            let wrong = task == "object-detection";
            assert_eq!(verdict, if wrong { "broken" } else { "kept" }, "{task}");
            let file = folder.join("object-detection.bin");
            let expected = format!(
                "1 of 6 blocks in {} ran on other SMs than 2-3 of the partition; the first is block 4 of run 0, on SM {sm}",
                file.display()
            );
            assert_eq!(detail, if wrong { expected } else { String::new() });
        }
        let text = audit(&simulated, &options).stdout;
        assert!(
            text.contains("\nwrong-sms of object-detection: 1 of 6 blocks"),
            "{text}"
        );
    }
}

#[test]
fn blocks_without_records_are_not_visible() {
    let simulated = simulated();
    let change = |task: &str, launch: &mut Launch| {
        if task == "stereo-depth" {
            launch.warps[..4].fill((0, 0, 0));
        }
    };
    let options = files(simulated.folder.path(), &change) + " --format json";
    let (code, verdict, checks) = checked(&audit(&simulated, &options));
    assert_eq!((code, verdict.as_str()), (1, "not-visible"));
    let [_, verdict, detail] = checks.iter().find(|[task, ..]| task == "stereo-depth").unwrap();
    assert_eq!(verdict, "not-visible");
    assert_eq!(detail, "the SM of 2 of 6 blocks is not in the file");
    // One warp is enough to show the SM of a block.
    let change = |task: &str, launch: &mut Launch| {
        if task == "stereo-depth" {
            launch.warps[0] = (0, 0, 0);
        }
    };
    let options = files(simulated.folder.path(), &change) + " --format json";
    assert_eq!(checked(&audit(&simulated, &options)).0, 0);
}

#[test]
fn a_plan_without_places_shows_too_many_and_shared_sms() {
    let simulated = simulate(ADAS, "--sms 8 --policy edf", "--duration 600ms");
    let folder = simulated.folder.path();
    let plan: Value = serde_json::from_str(&std::fs::read_to_string(&simulated.plan).unwrap()).unwrap();
    assert!(
        plan["partitions"]
            .as_array()
            .unwrap()
            .iter()
            .all(|part| part["place"].is_null())
    );
    let with = |change: &dyn Fn(&str, &mut Launch)| {
        checked(&audit(&simulated, &(files(folder, change) + " --format json")))
    };
    let (code, verdict, checks) = with(&|_, _| ());
    assert_eq!((code, verdict.as_str()), (0, "kept"));
    for [task, verdict, detail] in checks {
        assert_eq!(verdict, "not-visible", "{task}");
        assert_eq!(
            detail,
            "neither the plan nor the trace states the SMs of the partition"
        );
    }
    // The two tasks of a partition of one SM use two SMs.
    let (code, _, checks) = with(&|task, launch| {
        if task == "sensor-fusion" {
            launch.warps.iter_mut().for_each(|warp| warp.2 = 5);
        }
    });
    let broken: Vec<&str> = { checks.iter() }
        .filter(|[_, verdict, _]| verdict == "broken")
        .map(|[task, ..]| task.as_str())
        .collect();
    assert_eq!((code, broken), (1, vec!["traffic-signs", "sensor-fusion"]));
    assert!(
        checks[2][2].contains("ran on 2 SMs, but the partition has 1"),
        "{checks:?}"
    );
    // Two partitions share an SM.
    let (code, _, checks) = with(&|task, launch| {
        if task == "stereo-depth" {
            launch.warps.iter_mut().for_each(|warp| warp.2 = 3);
        }
    });
    let broken = checks.iter().filter(|[_, verdict, _]| verdict == "broken");
    assert_eq!((code, broken.count()), (1, 2));
    assert!(checks[3][2].ends_with("ran on SM 3"), "{checks:?}");
}

#[test]
fn the_sms_that_a_context_observed_are_the_sms_of_its_partition() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [plan, trace, overheads] = ["plan.json", "trace.json", "overheads.json"].map(path);
    std::fs::write(&overheads, r#"{"occupancy_ns": "1us", "wake_ns": "1us"}"#).unwrap();
    let made = run(&format!("partition {ADAS} --sms 8 --policy np-edf -q -o {plan}"));
    assert_eq!(made.code, 0, "{made:?}");
    let line = format!(
        "run {plan} {ADAS} --backend simulated --overheads {overheads} --duration 300ms -q -o {trace}"
    );
    let ran = run(&line);
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut head: Value = serde_json::from_str(&std::fs::read_to_string(&trace).unwrap()).unwrap();
    let mut next = 0;
    let mut blocks = Vec::new();
    for partition in head["gpusched"]["contexts"].as_array_mut().unwrap() {
        let sms: Vec<u32> = (0..partition["sms"].as_u64().unwrap() as u32)
            .map(|sm| 40 + next + sm)
            .collect();
        next += sms.len() as u32;
        partition["granted"] = json!({"granted": sms.len(), "sm_ids": sms, "same_at_end": true});
        let task = partition["tasks"][0]["task"].as_str().unwrap().to_owned();
        blocks.push((task, sms));
    }
    std::fs::write(&trace, head.to_string()).unwrap();
    let audit = |blocks: &[(String, Vec<u32>)]| {
        let mut options = String::new();
        for (task, sms) in blocks {
            let file = path(&format!("{task}.bin"));
            std::fs::write(&file, launch(sms).file(Layout::Early, None, None)).unwrap();
            options += &format!(" --blocks {task}={file}");
        }
        run(&format!(
            "recording audit {trace} --set {ADAS} --plan {plan} --format json{options}"
        ))
    };
    let (code, _, checks) = checked(&audit(&blocks));
    let kept = checks.iter().filter(|[_, verdict, _]| verdict == "kept").count();
    assert_eq!((code, kept), (0, blocks.len()), "{checks:?}");
    blocks[0].1[0] = 39;
    let (code, verdict, _) = checked(&audit(&blocks));
    assert_eq!((code, verdict.as_str()), (1, "broken"));
}

#[test]
fn a_file_of_blocks_is_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("blocks.bin");
    for layout in [Layout::Early, Layout::Current] {
        std::fs::write(&file, launch(&[0]).file(layout, None, Some(8))).unwrap();
        let answer = run(&format!("recording summary {}", file.display()));
        answer.assert_refused(
            "blocks",
            "found records of the thread blocks of one launch (Neutrino)",
        );
    }
    std::fs::write(&file, [7; 64].map(|byte: u8| byte % 2)).unwrap();
    let answer = run(&format!("recording summary {}", file.display()));
    assert!(
        answer.code == 2 && !answer.stderr.contains("Neutrino"),
        "{answer:?}"
    );
    std::fs::write(&file, [0; 64]).unwrap();
    run(&format!("recording summary {}", file.display())).assert_refused("zeros", "binary data");
}

#[test]
fn records_of_unknown_tasks_and_bad_files_are_refused() {
    let simulated = simulated();
    let file = simulated.folder.path().join("blocks.bin");
    let line = |task: &str| format!("--blocks {task}={}", file.display());
    std::fs::write(&file, launch(&[0]).file(Layout::Current, None, None)).unwrap();
    let answer = audit(&simulated, &line("camera"));
    answer.assert_refused("camera", "expected the name of a task of the set");
    std::fs::write(&file, "run,block,duration_ns,sm\n0,0,5,2\n0,1,5,65536\n").unwrap();
    let answer = audit(&simulated, &line("stereo-depth"));
    answer.assert_refused(
        "SM",
        "blocks.bin:3: at sm: found 65536, expected an SM number below 65536",
    );
    std::fs::write(&file, [7, 0, 0, 0]).unwrap();
    let answer = audit(&simulated, &line("stereo-depth"));
    answer.assert_refused("header", "expected a header of 32 bytes");
    assert!(is_one_complaint(&answer.stderr), "{}", answer.stderr);
    let answer = audit(&simulated, "--blocks stereo-depth=missing.bin");
    answer.assert_refused("missing", "missing.bin");
    let line = format!(
        "recording audit {} --set {ADAS} {}",
        file.display(),
        line("stereo-depth")
    );
    run(&line).assert_refused(&line, "--plan");
}
