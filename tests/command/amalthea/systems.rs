//! The tasks of a model become an end-to-end system.

use std::collections::{BTreeMap, BTreeSet};

use gpusched::model::Interference;
use gpusched::model::end_to_end::{Draft, Resource, System};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{SMALL, WATERS, changed, waters};
use crate::support::transcript::Transcript;
use crate::support::{Answer, root, run, run_with};

/// Names of the tasks in the file, and in the systems of `tasksets/end_to_end`.
const NAMES: [(&str, &str); 10] = [
    ("DASM", "DASM"),
    ("CANbus_polling", "CAN"),
    ("Planner", "Planner"),
    ("EKF", "EKF"),
    ("Lidar_Grabber", "Lidar"),
    ("PRE_SFM_gpu_POST", "SFM"),
    ("PRE_Lane_detection_gpu_POST", "Lane_Detection"),
    ("OS_Overhead", "OS"),
    ("PRE_Detection_gpu_POST", "Detection"),
    ("PRE_Localization_gpu_POST", "Localization"),
];

/// The division of the tasks in the systems `iii`.
const MOVES: &str = "--move Lane_detection=Core2 --move Localization=Core1 --move PRE_SFM_gpu_POST=Core5 \
                     --move Lidar_Grabber=Core4";

/// Systems of `tasksets/end_to_end` with the options that lead to them. `M` stands for [`MOVES`].
const SYSTEMS: [(&str, &str); 10] = [
    ("i-file-fifo", ""),
    ("i-file-np-fp", "--gpu-policy np-fp"),
    ("ii-file-fp", "--gpu-policy fp"),
    ("ii-file-fp-avg", "--gpu-policy fp --ticks average"),
    ("iii-alt-fp", "--gpu-policy fp M"),
    ("iii-alt-fp-avg", "--gpu-policy fp --ticks average M"),
    ("iii-alt-fp-busy", "--gpu-policy fp --wait busy M"),
    ("iii-alt-fp-suspend", "--gpu-policy fp --wait suspend M"),
    ("iii-alt-fifo", "M"),
    ("iii-alt-np-fp", "--gpu-policy np-fp M"),
];

/// Reads a system that was made without gpusched.
fn golden(name: &str) -> Draft {
    let path = root().join(format!("tasksets/end_to_end/waters2019-{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Tasks of the chains in `system`.
fn chains(system: &Value) -> BTreeSet<Vec<String>> {
    let chains = system["chains"].as_array().unwrap().iter();
    let tasks = chains.map(|chain| serde_json::from_value(chain["tasks"].clone()).unwrap());
    tasks.collect()
}

/// The systems differ from the systems made without gpusched only in their names, in the number of SMs for which the times of kernels are
/// known, and in one chain.
#[test]
fn waters_2019_becomes_the_systems_made_by_hand() {
    for (name, options) in SYSTEMS {
        let options = options.replace('M', MOVES);
        let answer = run(&format!("import amalthea {WATERS} --quiet {options}"));
        assert_eq!(answer.code, 0, "{name}: {}", answer.stderr);
        let mut text = answer.stdout.clone();
        for (old, new) in NAMES {
            text = text.replace(&format!("\"{old}\""), &format!("\"{new}\""));
        }
        let mut found: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(found["name"], "waters-challenge-2019");
        for task in found["tasks"].as_array_mut().unwrap() {
            for segment in task["segments"].as_array_mut().unwrap() {
                if segment["on"] == "gpu" {
                    let table = segment["wcet"]["table"]["isolated"].as_array().unwrap();
                    assert!(table.len() == 1 && table[0][0] == 2, "{table:?}");
                    segment["wcet"] = table[0][1].clone();
                }
            }
        }
        let mut expected = serde_json::to_value(golden(name)).unwrap();
        let mut all = chains(&expected);
        let selected = all.len();
        all.insert(["CAN", "Planner", "DASM"].map(str::to_owned).to_vec());
        assert_eq!((chains(&found), selected), (all, 7), "{name}");
        for system in [&mut found, &mut expected] {
            let system = system.as_object_mut().unwrap();
            system.remove("name");
            system.remove("chains");
        }
        assert_eq!(found, expected, "{name}");
    }
}

/// The systems `iv` are `iii-alt-np-fp` with two partitions and longer kernels.
#[test]
fn the_systems_with_a_split_gpu_have_longer_kernels() {
    let system = |name: &str| System::new(&golden(name), Interference::Conflict).unwrap();
    let whole = system("iii-alt-np-fp");
    for (name, factor) in [("iv-split-2x", 4), ("iv-split-1.5x", 3)] {
        for (one, other) in whole.tasks().iter().zip(system(name).tasks()) {
            for (one, other) in one.segments.iter().zip(&other.segments) {
                let factor = match one.on {
                    Resource::Partition(_) => factor,
                    Resource::Core(_) | Resource::Engine(_) => 2,
                };
                assert_eq!(other.wcet.ns() * 2, one.wcet.ns() * factor, "{name}");
            }
        }
    }
}

#[test]
fn assumptions_and_ignored_parts_are_stated() {
    let mut told = Transcript::default();
    for options in [
        "",
        "--ticks average --gpu-policy fp --wait suspend --move Lane_detection=Core2",
    ] {
        let answer = run(&format!("import amalthea {WATERS} {options}"));
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        told.case(options, answer.stderr);
    }
    assert_snapshot!(told);
}

fn system(text: &str, options: &str) -> Answer {
    run_with(&format!("import amalthea - --quiet {options}"), text)
}

/// The segments of the only task, as pairs of a resource and the WCET.
fn segments(answer: &Answer) -> Vec<(String, u64)> {
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let system: Value = serde_json::from_str(&answer.stdout).unwrap();
    let segments = system["tasks"][0]["segments"].as_array().unwrap().iter();
    let segments = segments.map(|segment| {
        let wcet = &segment["wcet"];
        let wcet = wcet.as_u64();
        let wcet = wcet.or(segment["wcet"]["table"]["isolated"][0][1].as_u64());
        (segment["on"].as_str().unwrap().to_owned(), wcet.unwrap())
    });
    segments.collect()
}

#[test]
fn a_small_model_becomes_a_system() {
    let answer = system(SMALL, "");
    let found: Value = serde_json::from_str(&answer.stdout).unwrap();
    let expected = json!({
        "cores": [], "copy_engines": [],
        "partitions": [{"name": "gpu", "sms": 8, "policy": "np-fifo"}],
        "tasks": [{
            "name": "host", "period": 10_000, "deadline": 9_000, "arrivals": "periodic", "priority": 0,
            "segments": [{"on": "gpu", "wcet": {"table": {"isolated": [[8, 1001]]}}, "bcet": 1001}],
        }],
    });
    assert_eq!(found, expected, "{}", answer.stderr);
}

const CALL: &str = "<items xsi:type=\"am:RunnableCall\" runnable=\"offload\"/>";
const TRIGGER: &str =
    "<items xsi:type=\"am:InterProcessTrigger\" stimulus=\"go?type=InterProcessStimulus\"/>";
const WAIT: &str =
    "<items xsi:type=\"am:WaitEvent\" waitingBehaviour=\"active\"><eventMask events=\"e\"/></items>";
const SET: &str = "<items xsi:type=\"am:SetEvent\"><eventMask events=\"e\"/></items>";
const KERNEL: &str = "<items xsi:type=\"am:RunnableCall\" runnable=\"kernel?type=Runnable\"/>";
const COPY: &str = "<items xsi:type=\"am:RunnableCall\" runnable=\"copy\"/>";

/// A model whose task computes on the CPU, waits for a copy and a kernel, and computes again.
fn waiting() -> String {
    let text = SMALL.replacen(TRIGGER, &format!("{CALL}{TRIGGER}{WAIT}{CALL}"), 1);
    let text = text.replacen(KERNEL, &format!("{COPY}{KERNEL}{SET}"), 1);
    let access = |mode: &str| format!("<items xsi:type=\"am:LabelAccess\" data=\"x\" access=\"{mode}\"/>");
    let copy = format!(
        "<runnables name=\"copy\"><callGraph>{}{}</callGraph></runnables><labels name=\"x\"><size value=\"3\" unit=\"kB\"/></labels>",
        access("read"),
        access("write")
    );
    let text = text.replacen("</swModel>", &format!("{copy}</swModel>"), 1);
    let unit = "definition=\"g?type=ProcessingUnitDefinition\" frequencyDomain=\"f?type=FrequencyDomain\"/>";
    let rate = "><accessElements><dataRate value=\"2\" unit=\"GBPerSecond\"/></accessElements></modules>";
    text.replacen(unit, &unit.replacen("/>", rate, 1), 1)
}

/// Replaces the first `old` in `text` by `new`.
fn replaced(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old}");
    text.replacen(old, new, 1)
}

#[test]
fn parts_of_a_job_become_segments() {
    let on = |segments: &[(&str, u64)]| -> Vec<(String, u64)> {
        segments.iter().map(|&(on, wcet)| (on.to_owned(), wcet)).collect()
    };
    let text = waiting();
    let usual = on(&[("CPU", 7), ("ce", 3000), ("gpu", 1001), ("CPU", 7)]);
    let answer = system(&text, "");
    assert_eq!(segments(&answer), usual);
    assert!(answer.stdout.contains("\"wait\":\"busy\"") || answer.stdout.contains("\"wait\": \"busy\""));
    assert_eq!(segments(&system(&text, "--wait suspend")), usual);
    // On the core, the kernel executes without a wait and without a copy.
    assert_eq!(segments(&system(&text, "--move host=CPU")), usual);
    let one_word = text.replace("gpu task", "kernels").replace("gpu+task", "kernels");
    assert_eq!(
        segments(&system(&one_word, "--move kernels=CPU")),
        on(&[("CPU", 1015)])
    );
    let passive = replaced(&text, "\"active\"", "\"passive\"");
    assert!(system(&passive, "").stdout.contains("suspend"));
    let twice = replaced(&text, KERNEL, &format!("{KERNEL}{KERNEL}"));
    assert_eq!(segments(&system(&twice, ""))[2].1, 2002);
    let unused = replaced(&text, COPY, "");
    assert_eq!(
        segments(&system(&unused, "")),
        on(&[("CPU", 7), ("gpu", 1001), ("CPU", 7)])
    );
    // A call of a GPU runnable is a kernel. The file does not state what the caller does.
    let offload =
        changed("<mappingModel> →<mappingModel><runnableAllocation scheduler=\"part\" entity=\"offload\"/>");
    let offload = replaced(
        &offload,
        TRIGGER,
        &format!("<items xsi:type=\"am:RunnableCall\" runnable=\"other\"/>{CALL}"),
    );
    let other = "<runnables name=\"other\"><callGraph><items xsi:type=\"am:Ticks\"><default xsi:type=\"am:DiscreteValueConstant\" \
                 value=\"5\"/></items></callGraph></runnables></swModel>";
    let offload = replaced(&offload, "</swModel>", other);
    let offload = replaced(
        &offload,
        "stimuli=\"go?type=InterProcessStimulus\"",
        "stimuli=\"timer\"",
    );
    assert_eq!(system(&offload, "").code, 2);
    assert_eq!(
        segments(&system(&offload, "--wait busy")),
        on(&[("CPU", 5), ("gpu", 7)])
    );
    // Sporadic releases.
    let sporadic = replaced(
        &text,
        "am:PeriodicStimulus\" name=\"timer\"><recurrence value=\"10\" unit=\"us\"/>",
        "am:RelativePeriodicStimulus\" name=\"timer\"><nextOccurrence xsi:type=\"am:TimeBoundaries\"><lowerBound value=\"10\" unit=\"us\"/>\
         <upperBound value=\"12\" unit=\"us\"/></nextOccurrence>",
    );
    let sporadic: Value = serde_json::from_str(&system(&sporadic, "").stdout).unwrap();
    assert_eq!(sporadic["tasks"][0]["max_interarrival"], 12_000);
    assert_eq!(sporadic["tasks"][0]["arrivals"], "sporadic");
}

/// The task reads the label and writes it, so a copy moves twice its size.
#[test]
fn copies_are_rounded_up() {
    let text = replaced(&waiting(), "<dataRate value=\"2\"", "<dataRate value=\"20\"");
    let with_size = |size: &str| {
        let size = format!("<size {size}/>");
        system(&replaced(&text, "<size value=\"3\" unit=\"kB\"/>", &size), "")
    };
    for (bytes, ns) in [(1, 1), (20, 2), (21, 3), (2_000_256, 200_026)] {
        let copy = &segments(&with_size(&format!("value=\"{bytes}\" unit=\"B\"")))[1];
        assert_eq!(copy, &("ce".to_owned(), ns), "{bytes}");
    }
    assert_eq!(with_size("value=\"9223372036854775807\" unit=\"TB\"").code, 2);
}

/// The BCET is the minimum, also of branches. The average counts only on request.
#[test]
fn ticks_have_a_minimum_an_average_and_a_maximum() {
    let ticks = "<default xsi:type=\"am:DiscreteValueConstant\" value=\"7\"/>";
    let range = "<default xsi:type=\"am:DiscreteValueStatistics\" lowerBound=\"3\" upperBound=\"9\" average=\"5.5\"/>";
    let branches = format!(
        "<items xsi:type=\"am:Switch\"><entries>{CALL}{CALL}</entries><defaultEntry>{CALL}</defaultEntry></items>"
    );
    let times = |text: &str, options: &str| {
        let answer = system(text, options);
        let found: Value =
            serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
        let segment = &found["tasks"][0]["segments"][0];
        (
            segment["bcet"].as_u64().unwrap(),
            segment["wcet"].as_u64().unwrap(),
        )
    };
    let text = replaced(&waiting(), ticks, range);
    assert_eq!(times(&text, ""), (3, 9));
    assert_eq!(times(&text, "--ticks average"), (3, 6));
    assert_eq!(times(&replaced(&text, "lowerBound=\"3\" ", ""), ""), (0, 9));
    assert_eq!(times(&replaced(&text, CALL, &branches), ""), (3, 18));
    let optional =
        branches
            .replacen("<defaultEntry>", "<entries>", 1)
            .replacen("</defaultEntry>", "</entries>", 1);
    assert_eq!(times(&replaced(&text, CALL, &optional), ""), (0, 18));
}

#[test]
fn models_without_a_safe_system_are_refused() {
    let mut told = Transcript::default();
    for options in [
        "--move Detection=Core5",
        "--move Detektion=Core5",
        "--move SFM=GP10B",
        "--move SFM=Core2 --move SFM=Core3",
        "--move SFM=Core2 --move PRE_SFM_gpu_POST=Core3",
        "--move SFM",
        "--gpu-policy edf",
    ] {
        told.refusal(options, &run(&format!("import amalthea {WATERS} {options}")));
    }
    let text = waters();
    for (old, new) in [
        ("waitingBehaviour=\"active\"", ""),
        ("<dataRate value=\"20\" unit=\"GBPerSecond\" />", ""),
        ("<size value=\"2\" unit=\"MB\" />", ""),
        (
            "<size value=\"2\" unit=\"MB\" />",
            "<size value=\"2\" unit=\"cups\" />",
        ),
        ("preemption=\"preemptive\"", "preemption=\"cooperative\""),
        ("am:FixedPriorityPreemptive", "am:PfairPD2"),
        (
            "<limitValue value=\"33\" unit=\"ms\" />\r\n      </limit>\r\n    </requirements>\r\n    <requirements xsi:type=\"am:ProcessRequirement\" name=\"Deadline_Task_Detection\"",
            "<limitValue value=\"34\" unit=\"ms\" />\r\n      </limit>\r\n    </requirements>\r\n    <requirements xsi:type=\"am:ProcessRequirement\" name=\"Deadline_Task_Detection\"",
        ),
        ("<taskAllocation task=\"EKF?", "<taskAllocation task=\"EKF2?"),
        ("average=\"1.0E8\"", "average=\"1.0E9\""),
    ] {
        let old = if text.contains(old) {
            old.to_owned()
        } else {
            old.replace("\r\n", "\n")
        };
        let options = if old.contains("average") {
            "--ticks average"
        } else {
            ""
        };
        told.refusal(
            format!("{old} → {new}"),
            &system(&replaced(&text, &old, new), options),
        );
    }
    let text = waiting();
    for (old, new) in [
        (WAIT, String::new()),
        (WAIT, WAIT.replace("\"e\"", "\"f\"")),
        (TRIGGER, String::new()),
        (SET, String::new()),
        (SET, format!("{SET}{KERNEL}")),
        (CALL, "<items xsi:type=\"am:SemaphoreAccess\"/>".to_owned()),
        (
            CALL,
            format!("<items xsi:type=\"am:Switch\"><entries>{TRIGGER}</entries></items>"),
        ),
        (
            "stimuli=\"timer?type=PeriodicStimulus\"",
            "stimuli=\"timer timer\"".to_owned(),
        ),
        ("name=\"CPU\" definition", "name=\"gpu\" definition".to_owned()),
        (COPY, COPY.replace("copy", "copies")),
        ("data=\"x\"", "data=\"y\"".to_owned()),
    ] {
        let mut changed = replaced(&text, old, &new);
        if new.contains("\"gpu\"") {
            changed = changed.replace("affinity=\"CPU?", "affinity=\"gpu?");
        }
        told.refusal(format!("{old} → {new}"), &system(&changed, ""));
    }
    assert_snapshot!(told);
}

/// Tasks with several possible cores execute on the first core with room.
#[test]
fn tasks_are_placed_on_the_first_core_with_room() {
    let answer = run(&format!("import amalthea {WATERS} --quiet"));
    let system: Draft = serde_json::from_str(&answer.stdout).unwrap();
    let cores: BTreeMap<&str, &str> = { system.tasks.iter() }
        .map(|task| (task.name.as_str(), task.segments[0].on.as_str()))
        .collect();
    // Core0 has a utilization of 0.82. The CPU parts of SFM need 0.20, and the CPU parts of Localization need 0.04.
    assert_eq!(cores["PRE_SFM_gpu_POST"], "Core1");
    assert_eq!(cores["PRE_Localization_gpu_POST"], "Core0");
}
