//! Configurations of SimSo (MaximeCheramy/simso, `simso/configuration/parser.py` and `GenerateConfiguration.py`). Times
//! are numbers of milliseconds.

use std::collections::BTreeSet;

use gpusched_model::time::Time;
use gpusched_model::time::decimal::{Rounding, nanoseconds};
use gpusched_model::{Refusal, Task, TaskSet, counted};

use super::Remarks;
use super::element::Element;
use super::plain::Plain;

/// Exponent of milliseconds [ns].
const MS: u32 = 6;

/// Attributes of tasks without an effect on a bound of their response times. They are in each file that SimSo writes.
const WITHOUT_EFFECT: [&str; 16] = [
    "ACET",
    "WCET",
    "abort_on_miss",
    "base_cpi",
    "deadline",
    "et_stddev",
    "id",
    "instructions",
    "list_activation_dates",
    "mix",
    "name",
    "period",
    "periodic",
    "preemption_cost",
    "stack",
    "task_type",
];

/// Attribute with the first arrival of a task.
const OFFSET: &str = "activationDate";

/// Attributes with times that SimSo adds to the execution times, by element.
const OVERHEADS: [(&str, &[&str]); 4] = [
    ("sched", &["overhead", "overhead_activate", "overhead_terminate"]),
    ("processors", &["migration_overhead"]),
    ("processor", &["cl_overhead", "cs_overhead"]),
    ("task", &["preemption_cost"]),
];

/// Reads a configuration. The WCETs hold on `sms` SMs.
pub fn read(root: Element<'_>, sms: u32) -> Result<(Vec<TaskSet>, Remarks), Refusal> {
    if root.tag() != "simulation" {
        let found = format!("an element {:?}", root.tag());
        return Err(root.refuse("", found, "an element \"simulation\", as SimSo writes it"));
    }
    let by_caches = match root.attribute("etm") {
        Some(model) => model == "cache",
        None => matches!(root.attribute("use_wcet"), Some(used) if used != "true" && used != "yes"),
    };
    if by_caches {
        let expected = "wcet, because the model of caches states no WCET";
        return Err(root.refuse("etm", root.attribute("etm").unwrap_or("use_wcet"), expected));
    }
    let mut tasks = Vec::new();
    let mut unknown = BTreeSet::new();
    let mut has_offsets = false;
    for element in root.inside("task") {
        tasks.push(task(element, sms)?);
        has_offsets |= element.counts(OFFSET);
        let names = element.attributes().map(|(name, _)| name);
        unknown.extend(names.filter(|name| *name != OFFSET && !WITHOUT_EFFECT.contains(name)));
    }
    let mut remarks = Remarks::default();
    let overheads = overheads(root);
    if !overheads.is_empty() {
        let list: Vec<&str> = overheads.iter().map(String::as_str).collect();
        let names = list.join(", ");
        remarks.warnings.push(format!(
            "left out: {names}; add these times to the WCETs, or a verdict may be unsafe"
        ));
    }
    let speed = |element: &Element<'_>| element.attribute("speed").is_some_and(|speed| !is_one(speed));
    if root.inside("processor").any(|element| speed(&element)) {
        let warning = "left out: processor.speed; the WCETs hold for speed 1, so a verdict for slower processors may be unsafe";
        remarks.warnings.push(warning.to_owned());
    }
    let scheduler = root
        .inside("sched")
        .find_map(|element| element.attribute("class").or(element.attribute("className")));
    let processors = counted(root.inside("processor").count(), "processor");
    let scheduler = scheduler
        .map(|name| format!(" with the scheduler {name:?}"))
        .unwrap_or_default();
    remarks.notes.push(format!("left out: {processors}{scheduler}"));
    remarks.unknown(&unknown);
    if has_offsets {
        // Bounds of sporadic tasks hold for every first arrival.
        remarks
            .notes
            .push(format!("left out, which is safe: task.{OFFSET}"));
    }
    let set = TaskSet::new(None, tasks);
    let set = set.map_err(|_| root.refuse("tasks", "no task", "at least one element \"task\""))?;
    Ok((vec![set], remarks))
}

/// Whether `speed` is the number 1.
fn is_one(speed: &str) -> bool {
    speed
        .trim()
        .parse::<f64>()
        .is_ok_and(|speed| (speed - 1.0).abs() < f64::EPSILON)
}

/// Returns the names of overheads other than 0.
fn overheads(root: Element<'_>) -> BTreeSet<String> {
    let of_elements = OVERHEADS.iter().flat_map(|&(tag, names)| {
        let counts = move |&name: &&'static str| root.inside(tag).any(|element| element.counts(name));
        names
            .iter()
            .copied()
            .filter(counts)
            .map(move |name| format!("{tag}.{name}"))
    });
    let penalties = ["penalty_preemption", "penalty_migration"].into_iter();
    let penalties = penalties.filter(|_| root.attribute("etm") == Some("fixedpenalty"));
    let penalties = penalties.map(|name| format!("simulation.{name}"));
    of_elements.chain(penalties).collect()
}

/// Returns the task of an element.
fn task(element: Element<'_>, sms: u32) -> Result<Task, Refusal> {
    // SimSo takes an unknown type as `Periodic`.
    let kind = match (element.attribute("task_type"), element.attribute("periodic")) {
        (Some(kind @ ("APeriodic" | "Sporadic")), _) => kind,
        (None, Some("no")) => "APeriodic",
        _ => "Periodic",
    };
    if kind == "APeriodic" {
        return Err(element.refuse(
            "task_type",
            kind,
            "Periodic or Sporadic, with a minimum time between two arrivals",
        ));
    }
    if let Some(task) = element.attribute("followed_by") {
        let found = format!("{task}, so that task {task} starts at the end of this task");
        return Err(element.refuse("followed_by", found, "independent tasks"));
    }
    let read = element.task("WCET", MS, sms)?;
    if kind == "Sporadic" {
        check_dates(element, read.period())?;
    }
    let name = element.attribute("name").map(str::to_owned);
    let mut shape = gpusched_model::TaskShape::from(read);
    shape.name = name.filter(|name| !name.is_empty());
    shape.build().map_err(|error| element.refuse("", error, "a task"))
}

/// Checks that the arrivals of a sporadic task are at least `period` apart. SimSo simulates only the stated arrivals.
fn check_dates(element: Element<'_>, period: Time) -> Result<(), Refusal> {
    let list = element.attribute("list_activation_dates").unwrap_or_default();
    let dates = list.split(',').map(str::trim).filter(|date| !date.is_empty());
    let mut exact = Vec::new();
    for date in dates {
        let Some(ns) = nanoseconds(date.as_bytes(), MS, Rounding::Down) else {
            return Err(element.refuse("list_activation_dates", date, "a number of milliseconds from 0"));
        };
        exact.push(ns);
    }
    exact.sort_unstable();
    match exact.windows(2).map(|pair| pair[1] - pair[0]).min() {
        Some(least) if least < period.ns() => {
            let least = Time::from_ns(least);
            let expected = format!("at least the period of {period} between two dates");
            Err(element.refuse(
                "list_activation_dates",
                format!("two dates {least} apart"),
                expected,
            ))
        }
        _ => Ok(()),
    }
}

/// Returns a configuration with `tasks` on one processor, under preemptive EDF.
pub fn write(tasks: &[Plain<'_>], remarks: &mut Remarks) -> String {
    // A start with all tasks at once, and ten jobs of the slowest task.
    let longest = tasks
        .iter()
        .map(|task| task.period.ns())
        .max()
        .unwrap_or_default();
    let mut text = format!(
        "<?xml version=\"1.0\" ?>\n<simulation duration=\"{}\" cycles_per_ms=\"1000000\" etm=\"wcet\">\n\
         \t<sched overhead=\"0\" overhead_activate=\"0\" overhead_terminate=\"0\" class=\"simso.schedulers.EDF\"/>\n\
         \t<caches memory_access_time=\"100\"/>\n\t<processors>\n\
         \t\t<processor name=\"CPU 1\" id=\"1\" cl_overhead=\"0\" cs_overhead=\"0\" speed=\"1.0\"/>\n\
         \t</processors>\n\t<tasks>\n",
        longest.saturating_mul(10)
    );
    let mut renamed = 0;
    for (number, task) in (1..).zip(tasks) {
        let kept = task.name.filter(|name| is_name(name));
        renamed += usize::from(task.name.is_some() && kept.is_none());
        text += &format!(
            "\t\t<task name=\"{}\" id=\"{number}\" task_type=\"Periodic\" abort_on_miss=\"no\" period=\"{}\" \
             activationDate=\"0\" list_activation_dates=\"\" deadline=\"{}\" base_cpi=\"1.0\" instructions=\"0\" \
             mix=\"0.5\" WCET=\"{}\" ACET=\"0\" preemption_cost=\"0\" et_stddev=\"0\"/>\n",
            kept.map_or_else(|| format!("TASK {number}"), str::to_owned),
            milliseconds(task.period),
            milliseconds(task.deadline),
            milliseconds(task.wcet),
        );
    }
    remarks.notes.push(
        "the file has one processor with preemptive EDF; a partition counts as one processor".to_owned(),
    );
    if renamed > 0 {
        remarks.notes.push(format!(
            "changed: names of {}, because SimSo accepts only letters, digits, spaces, `_` and `-`",
            counted(renamed, "task")
        ));
    }
    text + "\t</tasks>\n</simulation>\n"
}

/// Whether SimSo accepts `name` (`check_tasks` in `Configuration.py`).
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || " _-".contains(character))
}

/// Returns `time` in milliseconds, exactly.
fn milliseconds(time: Time) -> String {
    let (whole, rest) = (time.ns() / 1_000_000, time.ns() % 1_000_000);
    match rest {
        0 => whole.to_string(),
        rest => format!("{whole}.{}", format!("{rest:06}").trim_end_matches('0')),
    }
}
