//! Results of `test` for end-to-end systems.

use std::collections::BTreeSet;
use std::io::Write as _;

use super::budgets;
use crate::report::{About, Cell, Output, Palette, Report, Table, clip, numbered};
use crate::{Global, Outcome};
use gpusched_analysis::end_to_end::{self, Budgeted, analyze_draft};
use gpusched_model::counted;
use gpusched_model::end_to_end::{
    Answer, ChainBound, Draft, Environment, Resource, Scaling, System, Task, TaskAnswer, Wait,
};
use gpusched_model::error::Result;
use gpusched_model::time::Time;

/// Tests all systems of the stream and writes the results. `file` is the name of the stream.
///
/// # Errors
/// Fails on bad input, or if output cannot be written.
pub fn test(
    file: &str,
    systems: impl Iterator<Item = Result<(usize, Draft)>>,
    environment: Environment,
    (enforce, sensitivity): (bool, bool),
    mut output: Output,
    global: &Global,
) -> Result<Outcome> {
    let mut positive = true;
    let mut systems = systems.peekable();
    let mut index = 0u64;
    while let Some(draft) = systems.next() {
        let (line, draft) = draft?;
        let alone = index == 0 && systems.peek().is_none();
        let regulated = draft.budgets.is_some();
        budgets::refuse("enforce", enforce && regulated)?;
        budgets::refuse("sensitivity", sensitivity && regulated)?;
        let Budgeted { system, mut answer } = analyzed(&draft, environment, enforce)
            .map_err(|refusal| refusal.map_refusal(|refusal| refusal.at(file, line)))?;
        if sensitivity {
            let test = |system: &System| self::answer(system, enforce).ok();
            answer.sensitivity = Some(end_to_end::scaling(&system, test));
        }
        answer.identity = Some(global.identity(&draft, None, alone));
        positive &= answer.schedulable;
        output.report(&About((index, &system, alone && !global.quiet), answer))?;
        index += 1;
    }
    output.finish()?;
    Ok(positive.into())
}

/// Analyzes the system in `draft` and adds the assumptions to the result.
fn analyzed(draft: &Draft, environment: Environment, enforce: bool) -> Result<Budgeted> {
    if !enforce {
        return Ok(analyze_draft(draft, environment)?.with_assumptions(draft));
    }
    let system = System::new(draft, environment)?;
    let answer = answer(&system, enforce)?;
    Ok(Budgeted { system, answer })
}

/// Analyzes `system` and adds the assumptions to the result.
fn answer(system: &System, enforce: bool) -> Result<Answer> {
    let mut answer = match enforce {
        true => end_to_end::analyze_enforced(system)?,
        false => end_to_end::analyze(system),
    };
    answer.assumptions = system.assumptions(enforce);
    Ok(answer)
}

/// A task or a chain, with its bounds.
type Row<'a> = (Option<(&'a Task, &'a TaskAnswer)>, Option<&'a ChainBound>);

/// The tuple contains the position of a system, the system, and whether to write the assumptions.
impl Report for About<(u64, &System, bool), Answer> {
    fn table(&self) -> Table {
        let About((index, system, _), answer) = self;
        let tasks = system.tasks().iter().zip(&answer.tasks);
        let tasks = tasks.map(|found| (Some(found), None));
        let chains = answer.chains.iter().map(|chain| (None, Some(chain)));
        let table = Table::of(tasks.chain(chains))
            .exact("system", |_| *index)
            .exact(
                "kind",
                |(task, _): &Row<'_>| if task.is_some() { "task" } else { "chain" },
            )
            .exact("name", |(task, chain)| {
                task.map(|(_, found)| &found.name)
                    .or(chain.map(|chain| &chain.name))
            })
            .exact("bound_ns", |(task, chain)| {
                let bound = task.and_then(|(_, found)| found.bound_ns);
                bound.or(chain.and_then(|chain| chain.reaction_ns))
            })
            .exact("age_ns", |(_, chain)| chain.and_then(|chain| chain.age_ns))
            .exact("limit_ns", |(task, chain)| {
                let deadline = task.map(|(_, found)| found.deadline_ns);
                deadline.or(chain.and_then(|chain| chain.limit_ns))
            })
            .exact("meets", |(task, chain)| {
                let meets = task.map(|(_, found)| found.meets);
                meets.or(chain.and_then(|chain| chain.meets))
            })
            .exact("costliest_segment", |(task, _)| {
                let costliest = task.and_then(|(task, found)| task.segments.get(found.costliest_segment?));
                costliest.map(|segment| system.resource_name(segment.on))
            })
            .exact("method", |(_, chain)| chain.map(|chain| chain.method.to_string()));
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((_, system, assumptions), answer) = self;
        Ok(verdict_text(system, answer, palette, *assumptions))
    }
}

/// Returns the verdict as text: one line for each task and each chain.
pub fn verdict_text(system: &System, answer: &Answer, palette: &Palette, assumptions: bool) -> String {
    let headline = match answer.schedulable {
        true => "SCHEDULABLE",
        false => "NOT PROVEN SCHEDULABLE",
    };
    let resources = [
        (system.cores().len(), "core"),
        (system.copy_engines(), "copy engine"),
        (system.own_partitions(), "partition"),
        (system.time_slices().len(), "time-sliced partition"),
    ];
    let resources: Vec<String> = resources
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|&(count, what)| counted(count, what))
        .collect();
    let mut text = format!(
        "{}: {}, {} on {}, {}{}\n\n",
        palette.verdict(answer.schedulable, headline),
        system.name().map_or("system".to_owned(), |name| clip(name, 40)),
        counted(system.tasks().len(), "task"),
        resources.join(", "),
        answer.policy,
        system.overheads().map_or(String::new(), |overheads| format!(
            ", with overheads of {overheads}"
        ))
    );
    text += &tasks(system, answer).render(palette.header);
    if system.tasks().iter().any(Task::is_pipelined) {
        text += &format!("\n{}", stages(system, answer).render(palette.header));
    }
    if let Some(found) = &answer.budgets {
        text += &format!("\n{}", budgets::segments(system, found).render(palette.header));
    }
    if !answer.chains.is_empty() {
        text.push('\n');
        text += &chains(answer).render(palette.header);
    }
    if let Some(scaling) = &answer.sensitivity {
        text += &format!("\n{}", factors(system, scaling));
    }
    let late: Vec<&str> = answer
        .tasks
        .iter()
        .filter(|task| !task.meets)
        .map(|task| task.name.as_str())
        .collect();
    if !late.is_empty() {
        text += &format!(
            "\nNo proof that these tasks meet their deadlines: {}.\n",
            late.join(", ")
        );
        text += &reason(system, answer);
    }
    if assumptions {
        text += &format!("\n{}", numbered(&answer.assumptions));
    }
    text
}

fn tasks(system: &System, answer: &Answer) -> Table {
    let tasks = system.tasks().iter().zip(&answer.tasks).enumerate();
    let table = Table::of(tasks.map(|(index, (task, found))| (index, task, found)))
        .number("#", |(index, ..)| *index)
        .text("task", |(_, task, _)| clip(&task.name, 30))
        .text("wait", |(_, task, _)| match (task.spins(), task.wait) {
            _ if task.is_pipelined() => "pipelined",
            (true, _) => "busy",
            (false, Wait::Suspend) if task.suspends() => "suspend",
            _ => "-",
        })
        .when(!system.time_slices().is_empty(), |table| {
            table
                .text("slices", |(_, task, _)| slices(system, task))
                .time("C", |(_, task, _)| {
                    let wcets = task.segments.iter().map(|segment| segment.wcet.ns());
                    Time::from_ns(wcets.fold(0, u64::saturating_add))
                })
        })
        .when(shares_contexts(system), |table| {
            table.text("context", |(_, task, _)| contexts(system, task))
        })
        .time("bound", |(.., found)| Cell::or(found.bound_ns, "none"))
        .time("D", |(.., found)| found.deadline_ns)
        .time("T", |(_, task, _)| task.period)
        .text("largest part of the bound", |(_, task, found)| {
            let position = found.costliest_segment;
            let segment = position.and_then(|position| Some((position, task.segments.get(position)?)));
            segment.map(|(position, segment)| {
                if system.is_wake_up(segment.on) {
                    return "wake-up of a dispatcher".to_owned();
                }
                format!(
                    "segment {} on {}",
                    stated(system, task, position),
                    clip(system.resource_name(segment.on), 20)
                )
            })
        })
        .text("", |(.., found)| if found.meets { "" } else { "late?" });
    table.done()
}

/// Returns the position of a segment in the file. Wake-ups of dispatchers do not count.
pub(super) fn stated(system: &System, task: &Task, position: usize) -> usize {
    let before = task.segments.iter().take(position);
    before.filter(|segment| !system.is_wake_up(segment.on)).count()
}

/// Whether a context serves several tasks.
fn shares_contexts(system: &System) -> bool {
    let serves = |resource: Resource| {
        let tasks: BTreeSet<usize> = system.on(resource).map(|(task, _)| task).collect();
        tasks.len() > 1 && system.context(resource).is_some()
    };
    system.resources().any(serves)
}

/// Returns the names of the contexts of `task`.
fn contexts(system: &System, task: &Task) -> String {
    let contexts = { task.segments.iter() }.filter(|segment| system.context(segment.on).is_some());
    let mut names: Vec<String> = contexts
        .map(|segment| clip(system.resource_name(segment.on), 20))
        .collect();
    names.dedup();
    names.join(", ")
}

/// Returns the segments of all pipelined tasks, with the bounds on their ends and queues. Wake-ups of dispatchers are left out.
fn stages(system: &System, answer: &Answer) -> Table {
    let tasks = system.tasks().iter().zip(&answer.tasks).enumerate();
    let stages = tasks.flat_map(|(index, (task, found))| {
        let stages = task.segments.iter().zip(&found.stages).enumerate();
        let stages = stages.filter(|(_, (segment, _))| !system.is_wake_up(segment.on));
        stages.map(move |(position, stage)| (index, position, (task, found), stage))
    });
    let number = |task: &Task, position: usize| stated(system, task, position);
    let table = Table::of(stages)
        .text("pipelined task", |(_, position, (task, _), _)| {
            match number(task, *position) {
                0 => clip(&task.name, 30),
                _ => String::new(),
            }
        })
        .number("in flight", |(_, position, (task, found), _)| {
            found.jobs_max.filter(|_| number(task, *position) == 0)
        })
        .number("segment", |(_, position, (task, _), _)| number(task, *position))
        .text("on", |(.., (segment, _))| {
            clip(system.resource_name(segment.on), 30)
        })
        .time("end", |(index, position, ..)| {
            Cell::or(answer.evidence.bounds.end(*index, *position), "none")
        })
        .number("queue", |(.., (_, stage))| stage.jobs_max)
        .text("load", |(.., (_, stage))| {
            let load = stage.load_permille;
            load.map(|load| format!("{}.{} %", load / 10, load % 10))
        });
    table.done()
}

/// Returns the slices of the contexts of `task`, with the number of turns per round if it is above 1.
fn slices(system: &System, task: &Task) -> String {
    let mut slices: Vec<String> = Vec::new();
    for segment in &task.segments {
        let Some((gpu, position)) = system.context(segment.on) else {
            continue;
        };
        let turns = gpu.runlist.iter().filter(|&&turn| turn == position).count();
        let slice = gpu
            .contexts
            .get(position)
            .map_or(Time::ZERO, |context| context.slice);
        let text = match turns {
            1 => slice.to_string(),
            turns => format!("{turns} × {slice}"),
        };
        if !slices.contains(&text) {
            slices.push(text);
        }
    }
    slices.join(", ")
}

fn chains(answer: &Answer) -> Table {
    let table = Table::of(&answer.chains)
        .text("chain", |chain| clip(&chain.name, 40))
        .time("reaction", |chain| Cell::or(chain.reaction_ns, "none"))
        .time("age", |chain| Cell::or(chain.age_ns, "none"))
        .time("limit", |chain| {
            let limit = |limit| match chain.meets {
                Some(false) if chain.reaction_ns.is_none() => format!("{limit} (no bound)"),
                Some(false) => format!("{limit} (exceeded)"),
                _ => format!("{limit}"),
            };
            Cell::or(chain.limit_ns.map(limit), "-")
        })
        .text("method", |chain| chain.method.to_string())
        .text("largest hop", |chain| {
            let hops = chain.hops.iter();
            let hop = hops.max_by_key(|hop| hop.sampling_ns.checked_add(hop.processing_ns));
            let hop = hop.and_then(|hop| Some((hop, answer.tasks.get(hop.task)?)));
            hop.map(|(hop, task)| {
                format!(
                    "{}: T {} + R {}",
                    clip(&task.name, 20),
                    hop.sampling_ns,
                    hop.processing_ns
                )
            })
        });
    table.done()
}

/// Returns the factors by which WCETs may grow.
fn factors(system: &System, scaling: &Scaling) -> String {
    let factor = |permille: Option<u64>| {
        permille.map_or("none".to_owned(), |permille| {
            format!("{:.3}", permille as f64 / 1000.0)
        })
    };
    let resources = system.resources().zip(&scaling.resources_permille);
    let resources = resources
        .filter(|(resource, _)| !system.is_wake_up(*resource))
        .map(|(resource, &permille)| format!("{} {}", system.resource_name(resource), factor(permille)));
    let tasks = system.tasks().iter().zip(&scaling.tasks_permille);
    let tasks = tasks.map(|(task, &permille)| format!("{} {}", clip(&task.name, 30), factor(permille)));
    format!(
        "Largest factors on WCETs: all together {}; by resource: {}; by task: {}\n",
        factor(scaling.all_permille),
        resources.collect::<Vec<String>>().join(", "),
        tasks.collect::<Vec<String>>().join(", ")
    )
}

/// Returns a line for each overloaded resource if a task has no bound. No bound exists on an overloaded resource.
fn reason(system: &System, answer: &Answer) -> String {
    let mut text = Vec::new();
    if answer.tasks.iter().any(|task| task.bound_ns.is_none()) {
        for resource in system.resources() {
            let load: f64 = system
                .on(resource)
                .filter_map(|(task, segment)| {
                    let task = system.tasks().get(task)?;
                    Some(task.segments.get(segment)?.wcet.ns() as f64 / task.period.ns() as f64)
                })
                .sum();
            if load > 1.0 {
                let _ = writeln!(
                    text,
                    "{} has a utilization of {load:.3}, so no policy gives all of its tasks a bound.",
                    system.resource_name(resource)
                );
            }
        }
    }
    String::from_utf8(text).unwrap_or_default()
}
