//! Deadlines: the name of a requirement can contradict the task to which it refers.

use serde_json::Value;

use super::{imported, waters};

/// The detection has a period of 200 ms, and the lane detection of 66 ms.
const DETECTION: &str = "PRE_Detection_gpu_POST";
const LANE: &str = "PRE_Lane_detection_gpu_POST";

/// Imports the model with these requirements: name, task, and upper limit [ms]. Returns the deadlines of the detection and the
/// lane detection [ms], and the number of contradictions.
fn decided(rows: &[(&str, &str, u64)]) -> ([u64; 2], usize) {
    let text = waters();
    let (before, rest) = text.split_once("<constraintsModel>").unwrap();
    let (_, after) = rest.split_once("</constraintsModel>").unwrap();
    let rows = rows.iter().map(|(name, task, limit)| {
        format!(
            r#"<requirements xsi:type="am:ProcessRequirement" name="{name}" process="{task}?type=Task"><limit
            xsi:type="am:TimeRequirementLimit" limitType="UpperLimit" metric="ResponseTime"><limitValue value="{limit}"
            unit="ms"/></limit></requirements>"#
        )
    });
    let rows: String = rows.collect();
    let answer = imported(&format!(
        "{before}<constraintsModel>{rows}</constraintsModel>{after}"
    ));
    let system: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr));
    let deadline = |name: &str| {
        let mut tasks = system["tasks"].as_array().unwrap().iter();
        let task = tasks
            .find(|task| name.contains(task["name"].as_str().unwrap()))
            .unwrap();
        task["deadline"].as_u64().unwrap() / 1_000_000
    };
    let contradictions = answer.stderr.matches(", but refers to ").count();
    ([DETECTION, LANE].map(deadline), contradictions)
}

#[test]
fn contradictions_are_decided_by_periods_or_safely() {
    let right = [
        ("Detection", DETECTION, 200),
        ("Lane_Detection", "Lane_detection", 66),
    ];
    assert_eq!(decided(&right), ([200, 66], 0));
    let swapped = [("Detection", LANE, 200), ("Lane_Detection", DETECTION, 66)];
    assert_eq!(decided(&swapped), ([200, 66], 2));
    // The limit is not a period, so the row applies to both tasks.
    assert_eq!(decided(&[("Detection", LANE, 50)]), ([50, 50], 1));
    // The limit equals the period of the stated task, so the row applies to this task.
    assert_eq!(decided(&[("Detection", "Lane_detection", 66)]), ([200, 66], 1));
    // A name without a task, and tasks without GPU work.
    let other = [
        ("D1", LANE, 50),
        ("Lane_Detection", "Lane_detection", 60),
        ("X", "CANbus_polling", 10),
    ];
    assert_eq!(decided(&other), ([200, 50], 0));
}

#[test]
fn names_are_compared_by_their_essential_words() {
    for name in [
        "Deadline_Task_Lane_Detection",
        "PRE_Lane_detection_gpu_POST",
        "Lane_detection",
        "LaneDetection",
        "lane-detection",
    ] {
        assert_eq!(decided(&[(name, DETECTION, 50)]), ([50, 50], 1), "{name}");
    }
    for name in ["Deadline_Task_CAN", "CANbus_poll", "Deadline_10", "Task_Deadline"] {
        assert_eq!(decided(&[(name, DETECTION, 50)]), ([50, 66], 0), "{name}");
    }
}
