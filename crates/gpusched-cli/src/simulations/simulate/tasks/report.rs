//! JSON and text forms of the result of `simulate tasks`.

use serde::Serialize;

use super::case::Case;
use super::{Args, Times};
use crate::arguments::naming;
use crate::report::{About, Cell, Palette, Report, Table, clip, numbered};
use gpusched_model::assumptions::Assumption;
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::plan::Failure;
use gpusched_model::time::Time;
use gpusched_model::{Policy, TaskSet};
use gpusched_sim::tasks::{Arrivals, Jitter, Offsets, Tally};
use gpusched_sim::validation::system::Part;

/// Result of `simulate tasks`.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TaskSimulation", deny_unknown_fields))]
pub struct Summary {
    /// Number of jobs that missed their deadlines.
    pub misses: u64,
    /// Number of jobs.
    pub jobs: u64,
    /// Number of preemptions.
    pub preemptions: u64,
    /// Time after which no job arrives [ns].
    pub duration_ns: Time,
    /// Offsets of the first jobs.
    offsets: Offsets,
    /// Release jitter: delay from arrival to release.
    jitter: Jitter,
    /// Times between arrivals.
    arrivals: Arrivals,
    /// Position of the task that arrived 1 ns before all other tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocker: Option<usize>,
    /// Position of the task that executed only while all other tasks of its partition were idle.
    #[serde(skip_serializing_if = "Option::is_none")]
    starve: Option<usize>,
    /// Execution times of the jobs.
    times: Times,
    /// Seed of all random numbers.
    seed: u64,
    /// Reason why the plan has no partitions. gpusched does not simulate such a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Results of the partitions, in the order of the plan.
    pub partitions: Vec<PartSummary>,
    /// Assumptions of the result that gpusched does not check.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumptions: Option<Vec<Assumption>>,
}

/// Results of one partition.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PartSummary {
    /// Number of SMs.
    sms: u32,
    /// Scheduling policy.
    policy: Policy,
    /// Total time when a kernel of the partition was running [ns].
    busy_ns: Time,
    /// Completion time of the last job of the partition [ns].
    end_ns: Time,
    /// Results of the tasks, in the order of the plan.
    tasks: Vec<TaskSummary>,
}

/// Results of one task.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TaskSummary {
    /// Position of the task in the task set.
    task: usize,
    /// Name of the task, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Number of jobs.
    jobs: u64,
    /// Number of jobs that missed their deadlines.
    misses: u64,
    /// Number of preemptions of the jobs of the task.
    preemptions: u64,
    /// WCET C(m) of the task on the m SMs of its partition [ns].
    wcet_ns: Time,
    /// Relative deadline D [ns].
    deadline_ns: Time,
    /// Longest time from arrival to completion of a job [ns].
    response_max_ns: Time,
    /// Mean time from arrival to completion of a job [ns].
    response_mean_ns: f64,
}

/// Returns the summary of `case` at the start of its simulation, without results.
pub(super) fn start(args: &Args, (case, alone): (&Case<'_>, bool), end: Time, seed: u64) -> Summary {
    Summary {
        misses: 0,
        jobs: 0,
        preemptions: 0,
        duration_ns: end,
        offsets: args.offsets,
        jitter: args.jitter,
        arrivals: args.arrivals,
        blocker: args.blocker,
        starve: args.starve,
        times: args.times,
        seed,
        failure: case.failure.clone(),
        partitions: Vec::with_capacity(case.parts.len()),
        assumptions: case.assumptions().map(|list| Assumption::listed(list, alone)),
    }
}

impl Summary {
    /// Adds the results of `part`.
    pub(super) fn add(&mut self, part: &Part, tally: &Tally, set: &TaskSet) {
        self.misses += tally.misses();
        self.jobs += tally.jobs();
        self.preemptions += tally.preemptions();
        let rows = part.positions.iter().zip(&part.tasks).zip(&tally.tasks);
        self.partitions.push(PartSummary {
            sms: part.sms,
            policy: part.policy,
            busy_ns: Time::from_ns(tally.busy()),
            end_ns: tally.end,
            tasks: rows
                .map(|((&task, simulated), tally)| TaskSummary {
                    task,
                    name: set
                        .tasks()
                        .get(task)
                        .and_then(|task| task.name())
                        .map(str::to_owned),
                    jobs: tally.jobs,
                    misses: tally.misses,
                    preemptions: tally.preemptions,
                    wcet_ns: simulated.wcet,
                    deadline_ns: simulated.deadline,
                    response_max_ns: Time::from_ns(tally.longest),
                    response_mean_ns: tally.mean(),
                })
                .collect(),
        });
    }
}

/// If gpusched did not simulate the plan, returns a line with the reason. Otherwise, returns `None`.
fn not_simulated(summary: &Summary, set: &TaskSet, palette: &Palette) -> Option<String> {
    let failure = summary.failure.as_ref()?;
    let (headline, task) = (
        palette.verdict(false, "NOT SIMULATED"),
        naming(set, failure.task()),
    );
    Some(format!("{headline}: the plan has no partitions: {failure}{task}"))
}

/// The tuple contains the position of a task set, the task set, whether it is the only task set,
/// and whether to omit the assumptions.
impl Report for About<(u64, &TaskSet, bool, bool), Summary> {
    fn text(&self, palette: &Palette) -> Result<String> {
        let About((index, set, alone, quiet), summary) = self;
        Ok(match alone {
            true => {
                let list = summary.assumptions.as_deref().filter(|_| !quiet);
                let list = list.map(|list| format!("\n{}", numbered(list)));
                text(summary, set, palette) + &list.unwrap_or_default()
            }
            false => line(summary, *index, set, palette),
        })
    }
}

/// Returns one line for a list of task sets.
fn line(summary: &Summary, index: u64, set: &TaskSet, palette: &Palette) -> String {
    let name = set.name().map(|name| format!(" [{}]", clip(name, 40)));
    if let Some(why) = not_simulated(summary, set, palette) {
        return format!("{index}: {why}{}\n", name.unwrap_or_default());
    }
    format!(
        "{index}: {} in {} until {}{}\n",
        palette.misses(summary.misses),
        counted(summary.jobs, "job"),
        summary.duration_ns,
        name.unwrap_or_default()
    )
}

/// Returns the full text for one task set.
fn text(summary: &Summary, set: &TaskSet, palette: &Palette) -> String {
    if let Some(why) = not_simulated(summary, set, palette) {
        return format!("{why}\n");
    }
    let mut text = format!(
        "{}: {}, {} until {}, {}\n\n",
        palette.misses(summary.misses),
        set.name().map_or("task set".to_owned(), |name| clip(name, 40)),
        counted(summary.jobs, "job"),
        summary.duration_ns,
        counted(summary.preemptions, "preemption")
    );
    let table = Table::of(summary.partitions.iter().enumerate())
        .number("partition", |(index, _)| *index)
        .number("SMs", |(_, part)| part.sms)
        .text("policy", |(_, part)| part.policy.to_string())
        .number("tasks", |(_, part)| part.tasks.len())
        .number("busy", |(_, part)| {
            let until = part.end_ns.max(summary.duration_ns).ns().max(1);
            format!("{:.1} %", part.busy_ns.ns() as f64 / until as f64 * 100.0)
        });
    text += &table.done().render(palette.header);
    text.push('\n');
    text += &tasks(summary).render(palette.header);
    text
}

/// Returns a table with one row per task, in the order of the task set.
fn tasks(summary: &Summary) -> Table {
    let mut rows: Vec<(usize, &TaskSummary)> = Vec::new();
    for (index, part) in summary.partitions.iter().enumerate() {
        rows.extend(part.tasks.iter().map(|task| (index, task)));
    }
    rows.sort_by_key(|(_, task)| task.task);
    let table = Table::of(rows)
        .number("#", |(_, task)| task.task)
        .text("task", |(_, task)| {
            Cell::or(task.name.as_ref().map(|name| clip(name, 40)), "-")
        })
        .number("partition", |(partition, _)| *partition)
        .number("jobs", |(_, task)| task.jobs)
        .number("missed", |(_, task)| task.misses)
        .number("preempted", |(_, task)| task.preemptions)
        .number("response, mean", |(_, task)| {
            format!("{:.3}ms", task.response_mean_ns / 1e6)
        })
        .time("longest", |(_, task)| task.response_max_ns)
        .time("D", |(_, task)| task.deadline_ns);
    table.done()
}
