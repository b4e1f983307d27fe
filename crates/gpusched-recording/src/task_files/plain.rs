//! Tasks with one WCET each, as other tools describe them.

use std::collections::BTreeMap;

use gpusched_analysis::interference::{CoLocated, Conflict, InflatedWcet as _};
use gpusched_model::error::Refusal;
use gpusched_model::time::Time;
use gpusched_model::{TaskSet, TaskShape, counted};

use super::Remarks;

/// A task with one WCET.
pub struct Plain<'a> {
    pub name: Option<&'a str>,
    pub period: Time,
    pub deadline: Time,
    pub wcet: Time,
}

/// Returns the tasks of `set` in one partition of `sms` SMs, with their conflicts.
pub fn tasks(set: &TaskSet, sms: u32) -> Result<Vec<Plain<'_>>, Refusal> {
    let co_located = CoLocated::of(set.tasks());
    let plain = set.tasks().iter().enumerate().map(|(index, task)| {
        let Some(wcet) = Conflict.wcet(task, sms, &co_located) else {
            let found = format!("{sms}, where the WCET of task {:?} is unknown", set.label(index));
            return Refusal::refuse("sms", found, "a number of SMs on which each task has a WCET");
        };
        Ok(Plain {
            name: task.name(),
            period: task.period(),
            deadline: task.deadline(),
            wcet,
        })
    });
    plain.collect()
}

/// Fields of a task that the files of the tools contain.
const KEPT: [&str; 4] = ["name", "period", "deadline", "wcet"];

/// Returns the fields of `set` that the files of the tools cannot contain.
pub fn left_out(set: &TaskSet) -> Result<Remarks, Refusal> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for task in set.tasks() {
        let fields = serde_json::to_value(TaskShape::from(task.clone()));
        let fields = fields.map_err(|error| Refusal::told("", error))?;
        for field in fields.as_object().into_iter().flat_map(serde_json::Map::keys) {
            *counts.entry(field.clone()).or_default() += 1;
        }
    }
    counts.retain(|field, _| !KEPT.contains(&field.as_str()));
    let mut remarks = Remarks::default();
    if set.tasks().iter().all(|task| task.jitter() == Time::ZERO) {
        counts.remove("jitter");
    } else if let Some(count) = counts.remove("jitter") {
        let tasks = counted(count, "task");
        remarks.warnings.push(format!(
            "left out: jitter of {tasks}; results of the tool may be optimistic"
        ));
    }
    let measured = counts
        .remove("measured_on")
        .map(|count| format!("measured_on of {}", counted(count, "task")));
    let times = set.times().map(|_| "times of the set".to_owned());
    let sources: Vec<String> = measured.into_iter().chain(times).collect();
    if !sources.is_empty() {
        remarks.warnings.push(format!(
            "left out: {}; a verdict of gpusched states assumptions on these measurements, and results of the tool do not",
            sources.join(", ")
        ));
    }
    let other = counted(set.other_traffic().len(), "source");
    let mut parts: Vec<String> = counts
        .iter()
        .map(|(field, &count)| format!("{field} of {}", counted(count, "task")))
        .collect();
    let of_set = [
        (
            !set.other_traffic().is_empty(),
            format!("other_traffic with {other}"),
        ),
        (set.name().is_some(), "name of the set".to_owned()),
    ];
    parts.extend(
        of_set
            .into_iter()
            .filter_map(|(is_given, part)| is_given.then_some(part)),
    );
    if !parts.is_empty() {
        remarks.notes.push(format!("left out: {}", parts.join(", ")));
    }
    Ok(remarks)
}

/// Returns `text` as the value of an XML attribute.
pub fn escaped(text: &str) -> String {
    let escape = |character: char| match character {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\t' | '\n' | '\r' => format!("&#{};", u32::from(character)),
        // XML has no form for other control characters.
        character if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
            "\u{fffd}".to_owned()
        }
        character => character.to_string(),
    };
    text.chars().map(escape).collect()
}
