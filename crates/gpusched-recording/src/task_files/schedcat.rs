//! Task sets of SchedCAT (brandenburg/schedcat, `schedcat/model/serialize.py`). Times are numbers without a unit.

use std::collections::BTreeSet;

use gpusched_model::time::Time;
use gpusched_model::{Refusal, Task, TaskSet, TaskShape, counted};

use super::element::Element;
use super::plain::{Plain, escaped};
use super::{Meaning, Remarks, Unit};

/// Attributes of tasks that become fields of a task.
const READ: [&str; 4] = ["id", "period", "wcet", "deadline"];

/// Attributes of tasks that SchedCAT writes and that state no demand: an assignment to processors, a size of memory, and a
/// result.
const WITHOUT_EFFECT: [&str; 3] = ["partition", "response_time", "wss"];

/// Reads a task set, a test point with several task sets, or a task.
pub fn read(root: Element<'_>, meaning: Meaning) -> Result<(Vec<TaskSet>, Remarks), Refusal> {
    let (mut ignored, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    let mut remarks = Remarks::default();
    let sets = match root.tag() {
        "taskset" => vec![set(root, meaning, (&mut ignored, &mut unknown))?],
        "testpoint" => {
            let config = root.inside("config").flat_map(Element::attributes);
            let config: Vec<String> = config.map(|(name, value)| format!("{name}={value}")).collect();
            if !config.is_empty() {
                remarks.notes.push(format!(
                    "left out: the parameters of the test point: {}",
                    config.join(", ")
                ));
            }
            let sets = root
                .inside("taskset")
                .map(|element| set(element, meaning, (&mut ignored, &mut unknown)));
            sets.collect::<Result<Vec<TaskSet>, Refusal>>()?
        }
        tag => {
            let expected = "an element \"taskset\" or \"testpoint\", as SchedCAT writes them";
            return Err(root.refuse("", format!("an element {tag:?}"), expected));
        }
    };
    remarks.unknown(&unknown);
    if !ignored.is_empty() {
        let names: Vec<&str> = ignored.into_iter().collect();
        remarks
            .notes
            .push(format!("left out: {} of tasks", names.join(", ")));
    }
    remarks.notes.push(format!(
        "the times are in {}, because the format states no unit",
        meaning.unit
    ));
    Ok((sets, remarks))
}

/// Returns the task set of an element. Adds the names of parts without an effect to `ignored`, and the names of other
/// attributes to `unknown`.
fn set<'a>(
    element: Element<'a>,
    meaning: Meaning,
    (ignored, unknown): (&mut BTreeSet<&'a str>, &mut BTreeSet<&'a str>),
) -> Result<TaskSet, Refusal> {
    let mut tasks = Vec::new();
    for element in element.inside("task") {
        tasks.push(task(element, meaning)?);
        let attributes = element.attributes().map(|(name, _)| name);
        for name in attributes.filter(|name| !READ.contains(name)) {
            let is_known = WITHOUT_EFFECT.contains(&name);
            if is_known { &mut *ignored } else { &mut *unknown }.insert(name);
        }
        ignored.extend(element.inside("affinity").map(Element::tag));
    }
    TaskSet::new(None, tasks).map_err(|_| element.refuse("", "no task", "at least one element \"task\""))
}

/// Returns the task of an element.
fn task(element: Element<'_>, Meaning { sms, unit }: Meaning) -> Result<Task, Refusal> {
    let requirements = element
        .inside("requirement")
        .chain(element.inside("critical_section"));
    let mut used = requirements.filter(|found| {
        let never = |count: &str| found.attribute(count).is_some() && !found.counts(count);
        found.tag() != "requirement" || !never("max_writes") || found.counts("max_reads")
    });
    if let Some(requirement) = used.next() {
        let expected = "tasks without shared resources, because gpusched analyzes no locks";
        return Err(requirement.refuse("", "a resource that a task locks", expected));
    }
    let mut shape = TaskShape::from(element.task("wcet", unit.exponent(), sms)?);
    shape.name = element
        .attribute("id")
        .filter(|id| !id.is_empty())
        .map(str::to_owned);
    shape.build().map_err(|error| element.refuse("", error, "a task"))
}

/// Returns a task set. WCETs are rounded up to whole units, and periods and deadlines are rounded down.
pub fn write(tasks: &[Plain<'_>], unit: Unit, remarks: &mut Remarks) -> Result<String, Refusal> {
    let length = 10u64.pow(unit.exponent());
    let mut rounded = 0;
    let mut lines = String::new();
    for (index, task) in tasks.iter().enumerate() {
        let down = |field: &str, time: Time| match time.ns() / length {
            0 => Refusal::refuse(
                "unit",
                unit,
                format!("a unit of at most the {field} of task {index}, which is {time}"),
            ),
            whole => Ok(whole),
        };
        let (period, deadline) = (down("period", task.period)?, down("deadline", task.deadline)?);
        let wcet = task.wcet.ns().div_ceil(length);
        rounded += usize::from(
            [task.period, task.deadline, task.wcet]
                .iter()
                .any(|time| time.ns() % length > 0),
        );
        // Without a deadline, the deadline is the period.
        let deadline = (task.deadline != task.period).then(|| format!(" deadline=\"{deadline}\""));
        let id = task.name.map_or_else(|| (index + 1).to_string(), escaped);
        lines += &format!(
            "  <task id=\"{id}\" period=\"{period}\" wcet=\"{wcet}\"{}/>\n",
            deadline.unwrap_or_default()
        );
    }
    let count = tasks.len();
    remarks.notes.push(format!(
        "the times are in {unit}; each task has its name or its number as its id"
    ));
    if rounded > 0 {
        let tasks = counted(rounded, "task");
        remarks.notes.push(format!(
            "changed: times of {tasks}, rounded to whole {unit} in the safe direction"
        ));
    }
    Ok(format!(
        "<?xml version=\"1.0\"?>\n<taskset>\n  <properties count=\"{count}\"/>\n{lines}</taskset>\n"
    ))
}
