//! Results of `test` for end-to-end systems.

use std::io::Write as _;

use crate::report::{About, Column, Form, Output, Palette, Report, Rows, Table, clip, numbered};
use crate::{Global, Outcome};
use gpusched_analysis::end_to_end;
use gpusched_model::counted;
use gpusched_model::end_to_end::{Answer, Environment, Scaling, System, Wait};
use gpusched_model::error::Result;
use gpusched_model::reader::EndToEndSystems;
use gpusched_model::time::Time;

const COLUMNS: &str = "system,kind,name,bound_ns,age_ns,limit_ns,meets,costliest_segment,method";

/// Tests all systems of the stream and writes the results.
///
/// # Errors
/// Fails on bad input, or if output cannot be written.
pub fn test(
    systems: EndToEndSystems,
    environment: Environment,
    (enforce, sensitivity): (bool, bool),
    global: &Global,
) -> Result<Outcome> {
    let form = Form::of(global);
    let file = systems.file().to_owned();
    let mut output = Output::open(global)?;
    let mut positive = true;
    let mut header = form.header(COLUMNS);
    let mut systems = systems.peekable();
    let mut index = 0u64;
    while let Some(draft) = systems.next() {
        let (line, draft) = draft?;
        let alone = index == 0 && systems.peek().is_none();
        let system = System::new(&draft, environment).map_err(|refusal| refusal.at(&file, line))?;
        let mut answer = answer(&system, enforce)
            .map_err(|refusal| refusal.map_refusal(|refusal| refusal.at(&file, line)))?;
        if sensitivity {
            let test = |system: &System| self::answer(system, enforce).ok();
            answer.sensitivity = Some(end_to_end::scaling(&system, test));
        }
        positive &= answer.schedulable;
        output.write(std::mem::take(&mut header))?;
        output.write(&form.render(&About((index, &system, alone && !global.quiet), answer))?)?;
        index += 1;
    }
    output.finish()?;
    Ok(Outcome::of_answers(positive, true))
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

/// The tuple contains the position of a system, the system, and whether to write the assumptions.
impl Report for About<(u64, &System, bool), Answer> {
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        let About((index, system, _), answer) = self;
        for (task, found) in system.tasks().iter().zip(&answer.tasks) {
            let costliest = found
                .costliest_segment
                .and_then(|segment| task.segments.get(segment));
            rows.add((
                index,
                "task",
                &found.name,
                found.bound_ns,
                None::<Time>,
                Some(found.deadline_ns),
                Some(found.meets),
                costliest.map(|segment| system.resource_name(segment.on)),
                None::<String>,
            ))?;
        }
        for chain in &answer.chains {
            rows.add((
                index,
                "chain",
                &chain.name,
                chain.reaction_ns,
                chain.age_ns,
                chain.limit_ns,
                chain.meets,
                None::<&str>,
                Some(chain.method.to_string()),
            ))?;
        }
        Ok(())
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((_, system, assumptions), answer) = self;
        Ok(verdict_text(system, answer, palette, *assumptions))
    }
}

/// Returns the verdict as text: one line for each task and each chain.
pub fn verdict_text(system: &System, answer: &Answer, palette: &Palette, assumptions: bool) -> String {
    let (style, headline) = match answer.schedulable {
        true => (palette.good, "SCHEDULABLE"),
        false => (palette.bad, "NOT PROVEN SCHEDULABLE"),
    };
    let resources = [
        (system.cores().len(), "core"),
        (system.engines().len(), "copy engine"),
        (system.partitions().len(), "partition"),
    ];
    let resources: Vec<String> = resources
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|&(count, what)| counted(count, what))
        .collect();
    let mut text = format!(
        "{style}{headline}{style:#}: {}, {} on {}, {}\n\n",
        system.name().map_or("system".to_owned(), |name| clip(name, 40)),
        counted(system.tasks().len(), "task"),
        resources.join(", "),
        answer.policy
    );
    text += &tasks(system, answer).render(palette.header);
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
    let mut table = Table::new([
        Column::Right("#"),
        Column::Left("task"),
        Column::Left("wait"),
        Column::Right("bound"),
        Column::Right("D"),
        Column::Right("T"),
        Column::Left("largest part of the bound"),
        Column::Left(""),
    ]);
    for (index, (task, found)) in system.tasks().iter().zip(&answer.tasks).enumerate() {
        let costliest = found.costliest_segment.and_then(|position| {
            let segment = task.segments.get(position)?;
            Some(format!(
                "segment {} on {}",
                position,
                clip(system.resource_name(segment.on), 20)
            ))
        });
        table.row([
            index.to_string(),
            clip(&task.name, 30),
            match (task.spins(), task.wait) {
                (true, _) => "busy",
                (false, Wait::Suspend) if task.suspends() => "suspend",
                _ => "-",
            }
            .to_owned(),
            found
                .bound_ns
                .map_or("none".to_owned(), |bound| bound.to_string()),
            found.deadline_ns.to_string(),
            task.period.to_string(),
            costliest.unwrap_or_default(),
            if found.meets { "" } else { "late?" }.to_owned(),
        ]);
    }
    table
}

fn chains(answer: &Answer) -> Table {
    let mut table = Table::new([
        Column::Left("chain"),
        Column::Right("reaction"),
        Column::Right("age"),
        Column::Right("limit"),
        Column::Left("method"),
        Column::Left("largest hop"),
    ]);
    let time = |time: Option<Time>| time.map_or("none".to_owned(), |time| time.to_string());
    for chain in &answer.chains {
        let hop = chain
            .hops
            .iter()
            .max_by_key(|hop| hop.sampling_ns.checked_add(hop.processing_ns));
        let hop = hop.and_then(|hop| {
            let name = &answer.tasks.get(hop.task)?.name;
            Some(format!(
                "{}: T {} + R {}",
                clip(name, 20),
                hop.sampling_ns,
                hop.processing_ns
            ))
        });
        table.row([
            clip(&chain.name, 40),
            time(chain.reaction_ns),
            time(chain.age_ns),
            chain.limit_ns.map_or("-".to_owned(), |limit| match chain.meets {
                Some(false) if chain.reaction_ns.is_none() => format!("{limit} (no bound)"),
                Some(false) => format!("{limit} (exceeded)"),
                _ => limit.to_string(),
            }),
            chain.method.to_string(),
            hop.unwrap_or_default(),
        ]);
    }
    table
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
