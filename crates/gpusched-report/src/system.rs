//! The page of an end-to-end system shows the verdict and the assumptions, then the bounds of tasks and chains, the
//! resources, and the evidence.

use gpusched_model::counted;
use gpusched_model::end_to_end::{
    Answer, ChainBound, Draft, Resource, Scaling, System, SystemPlan, Task, TaskAnswer,
};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_verify::Fault;
use serde::Serialize;

use crate::file::File;
use crate::table::{Cell, Table, Tone, factor};
use crate::verdict::{Check, Listed, Verdict};
use crate::{Page, page};

/// A verdict on an end-to-end system, and the result of the verifier.
#[derive(Debug)]
pub struct Input<'a> {
    /// The system as the user wrote it.
    pub draft: &'a Draft,
    /// The system of the verdict, with the partitions of the plan.
    pub system: &'a System,
    /// The verdict.
    pub answer: &'a Answer,
    /// The plan that contains the verdict; `None` for a verdict without a plan.
    pub plan: Option<&'a SystemPlan>,
    /// The first wrong statement that the verifier found.
    pub fault: Option<&'a Fault>,
    /// The command that checks the files `plan.json` and `system.json`, which the page contains.
    pub command: String,
}

#[derive(Serialize)]
struct Content {
    heading: String,
    verdict: Verdict,
    facts: Vec<(&'static str, String)>,
    assumptions: Vec<Listed>,
    tasks: Table,
    chains: Option<Table>,
    resources: Table,
    segments: Table,
    command: String,
    files: Vec<File>,
}

/// Creates the page of a verdict on a system.
///
/// # Errors
/// Fails with [`Error::Internal`](gpusched_model::error::Error::Internal) if a template does not match the content.
pub fn page(input: &Input<'_>) -> Result<Page> {
    let (system, answer) = (input.system, input.answer);
    let name = system.name().unwrap_or("system");
    let verdict = verdict(input);
    let positive = verdict.positive;
    let assumptions = system.assumptions(answer.evidence.offsets_ns.is_some());
    let result = match input.plan {
        Some(plan) => File::json("file-plan", "plan.json", "The plan with its evidence", plan)?,
        None => File::json("file-plan", "plan.json", "The verdict with its evidence", answer)?,
    };
    let content = Content {
        facts: facts(input),
        assumptions: assumptions.iter().map(Listed::from).collect(),
        tasks: tasks(system, answer),
        chains: chains(system, answer),
        resources: resources(system, growth(answer)),
        segments: segments(system, answer),
        command: input.command.clone(),
        files: vec![
            result,
            File::json("file-system", "system.json", "The system", input.draft)?,
        ],
        heading: name.to_owned(),
        verdict,
    };
    Ok(Page {
        html: page::render("system.html", &format!("End-to-end system: {name}"), &content)?,
        positive,
    })
}

fn verdict(input: &Input<'_>) -> Verdict {
    let answer = input.answer;
    if let Some(fault) = input.fault {
        let sentence = format!(
            "The verifier refuses the verdict at {fault}. The page shows the statements of the verdict, which are not proven."
        );
        let text = format!("At `{}`: {}.", fault.field, fault.message);
        return Verdict {
            tone: Tone::Bad,
            word: "Refused".to_owned(),
            sentence,
            checks: vec![Check::new(Tone::Bad, "refused", text)],
            positive: false,
        };
    }
    let late = answer.tasks.iter().filter(|task| !task.meets);
    let slow = answer.chains.iter().filter(|chain| chain.meets == Some(false));
    let late: Vec<&str> = late.map(|task| task.name.as_str()).collect();
    let slow: Vec<&str> = slow.map(|chain| chain.name.as_str()).collect();
    let failed = [("task", late), ("chain", slow)];
    let (tone, word, sentence) = match answer.schedulable {
        true => (
            Tone::Good,
            "Schedulable",
            "All tasks meet their deadlines and all chains meet their limits, under the assumptions below."
                .to_owned(),
        ),
        false => (
            Tone::Bad,
            "Not proven schedulable",
            "The bounds exceed a deadline or a limit. The test is sufficient, so the system may still be schedulable."
                .to_owned(),
        ),
    };
    let mut checks = Vec::new();
    for (noun, names) in failed.iter().filter(|(_, names)| !names.is_empty()) {
        let text = format!("{}: {}.", counted(names.len(), noun), names.join(", "));
        checks.push(Check::new(Tone::Bad, "not proven", text));
    }
    let text = "Separate code recomputed all bounds and their evidence.".to_owned();
    let strength = if answer.schedulable { "proven" } else { "confirmed" };
    checks.push(Check::new(Tone::Good, strength, text));
    if input.plan.is_some_and(|plan| plan.proven) {
        let text =
            "Fewest SMs: every plan with fewer SMs fails the test, according to the search.".to_owned();
        checks.push(Check::new(Tone::Open, "not checked", text));
    }
    if growth(answer).is_some() {
        let text = "WCET margins, which the proof does not use.".to_owned();
        checks.push(Check::new(Tone::Open, "not checked", text));
    }
    Verdict {
        tone,
        word: word.to_owned(),
        sentence,
        checks,
        positive: answer.schedulable,
    }
}

fn facts(input: &Input<'_>) -> Vec<(&'static str, String)> {
    let (system, answer) = (input.system, input.answer);
    let sms: u64 = { system.partitions().iter() }
        .map(|partition| u64::from(partition.sms))
        .sum();
    let mut facts = vec![
        ("Tasks", system.tasks().len().to_string()),
        ("Chains", system.chains().len().to_string()),
        ("CPU cores", system.cores().len().to_string()),
        ("Copy engines", system.engines().len().to_string()),
        ("Partitions", system.partitions().len().to_string()),
        ("SMs used", sms.to_string()),
        ("Analysis", answer.policy.to_string()),
        ("Interference model", system.interference().to_string()),
    ];
    if let Some(memory) = system.memory() {
        facts.push(("Guaranteed memory bandwidth", memory.to_string()));
    }
    if let Some(permille) = answer
        .sensitivity
        .as_ref()
        .and_then(|scaling| scaling.all_permille)
    {
        facts.push(("WCET margin", factor(permille)));
    }
    facts
}

/// Returns the factors by which WCETs may grow, if the system is schedulable.
fn growth(answer: &Answer) -> Option<&Scaling> {
    answer
        .sensitivity
        .as_ref()
        .filter(|scaling| scaling.all_permille.is_some())
}

/// Cells that compare a bound with its limit: bound, limit, margin and share. A missing bound meets no limit.
fn compared(bound: Option<Time>, limit: Option<Time>) -> [Cell; 4] {
    let tone = if limit.is_some() { Tone::Bad } else { Tone::Open };
    let missing = || Cell {
        value: Some(String::new()),
        ..Cell::toned("no bound", tone)
    };
    let margin = match (bound, limit) {
        (Some(bound), Some(limit)) => Cell::margin(limit, bound),
        (None, Some(_)) => missing(),
        (_, None) => Cell::none(),
    };
    let share = bound.zip(limit);
    let share = share.map(|(bound, limit)| bound.ns() as f64 / limit.ns().max(1) as f64);
    [
        bound.map_or_else(missing, Cell::from),
        Cell::of(limit),
        margin,
        share.map_or_else(Cell::none, Cell::share),
    ]
}

fn margin(permille: Option<&Option<u64>>) -> Cell {
    permille.copied().flatten().map_or_else(Cell::none, |permille| {
        Cell::valued(
            factor(permille),
            format!("{}.{:03}", permille / 1000, permille % 1000),
        )
    })
}

fn tasks(system: &System, answer: &Answer) -> Table {
    let mut table = Table::new("tasks", "Tasks, with the bounds on their response times")
        .text("Task")
        .time("Period T")
        .time("Response time R")
        .time("Deadline D")
        .time("Margin D − R")
        .number("R / D")
        .text("Wait")
        .text("Largest part of R");
    let scaling = growth(answer);
    if scaling.is_some() {
        table = table.number("WCETs may grow");
    }
    for (index, (task, found)) in system.tasks().iter().zip(&answer.tasks).enumerate() {
        let mut row: Vec<Cell> = vec![found.name.as_str().into(), task.period.into()];
        row.extend(compared(found.bound_ns, Some(found.deadline_ns)));
        row.push(waiting(task).into());
        row.push(Cell::of(costliest(system, task, found)));
        if let Some(scaling) = scaling {
            row.push(margin(scaling.tasks_permille.get(index)));
        }
        table.rows.push(row);
    }
    table
}

fn waiting(task: &Task) -> &'static str {
    match (task.spins(), task.suspends()) {
        (true, _) => "busy",
        (false, true) => "suspend",
        (false, false) => "–",
    }
}

fn costliest(system: &System, task: &Task, found: &TaskAnswer) -> Option<String> {
    let position = found.costliest_segment?;
    let resource = system.resource_name(task.segments.get(position)?.on);
    Some(format!("segment {position} on {resource}"))
}

fn chains(system: &System, answer: &Answer) -> Option<Table> {
    let limited = answer.chains.iter().any(|chain| chain.limit_ns.is_some());
    let mut table = Table::new("chains", "Chains, with the bounds on their reaction times")
        .text("Chain")
        .text("Tasks")
        .time("Reaction time");
    if limited {
        table = table.time("Limit").time("Margin").number("Reaction time / limit");
    }
    table = table
        .time("Data age")
        .text("Method")
        .text("Largest part of the reaction time");
    for (chain, found) in system.chains().iter().zip(&answer.chains) {
        let tasks = chain.tasks.iter().filter_map(|&task| system.tasks().get(task));
        let names: Vec<&str> = tasks.map(|task| task.name.as_str()).collect();
        let mut row: Vec<Cell> = vec![found.name.as_str().into(), names.join(" → ").into()];
        let cells = compared(found.reaction_ns, found.limit_ns);
        row.extend(cells.into_iter().take(if limited { 4 } else { 1 }));
        row.push(Cell::of(found.age_ns));
        row.push(found.method.to_string().into());
        row.push(Cell::of(largest_hop(system, found)));
        table.rows.push(row);
    }
    (!table.rows.is_empty()).then_some(table)
}

fn largest_hop(system: &System, chain: &ChainBound) -> Option<String> {
    let hops = chain.hops.iter();
    let hop = hops.max_by_key(|hop| hop.sampling_ns.checked_add(hop.processing_ns))?;
    let name = &system.tasks().get(hop.task)?.name;
    Some(format!("{name}: T {} + R {}", hop.sampling_ns, hop.processing_ns))
}

fn resources(system: &System, scaling: Option<&Scaling>) -> Table {
    let mut table = Table::new("resources", "Partitions, copy engines and cores")
        .text("Resource")
        .text("Type")
        .number("SMs")
        .text("Policy")
        .text("Tasks")
        .number("Utilization");
    if scaling.is_some() {
        table = table.number("WCETs may grow");
    }
    let mut rows = Vec::new();
    for (index, resource) in system.resources().enumerate() {
        let mut names: Vec<&str> = Vec::new();
        let mut utilization = 0.0;
        for (task, segment) in system.on(resource) {
            let Some(task) = system.tasks().get(task) else {
                continue;
            };
            if !names.contains(&task.name.as_str()) {
                names.push(&task.name);
            }
            let wcet = task.segments.get(segment).map_or(0, |segment| segment.wcet.ns());
            utilization += wcet as f64 / task.period.ns().max(1) as f64;
        }
        let (kind, sms, policy) = match resource {
            Resource::Core(at) => (
                "CPU core",
                None,
                system.cores().get(at).map(|core| core.policy.to_string()),
            ),
            Resource::Engine(at) => {
                let policy = system.engines().get(at).map(|engine| engine.policy.to_string());
                ("copy engine", None, policy)
            }
            Resource::Partition(at) => {
                let partition = system.partitions().get(at);
                let policy = partition.map(|partition| partition.policy.to_string());
                ("partition", partition.map(|partition| partition.sms), policy)
            }
        };
        let mut row: Vec<Cell> = vec![
            system.resource_name(resource).into(),
            kind.into(),
            Cell::of(sms),
            Cell::of(policy),
            names.join(", ").into(),
            Cell {
                tone: if utilization > 1.0 { Tone::Bad } else { Tone::Plain },
                ..Cell::share(utilization)
            },
        ];
        if let Some(scaling) = scaling {
            row.push(margin(scaling.resources_permille.get(index)));
        }
        rows.push((std::cmp::Reverse(kind), row));
    }
    // Partitions are the choice of a plan, so they are at the top.
    rows.sort_by_key(|(kind, _)| *kind);
    table.rows = rows.into_iter().map(|(_, row)| row).collect();
    table
}

fn segments(system: &System, answer: &Answer) -> Table {
    let mut table = Table::new(
        "segments",
        "Segments of the tasks, with the bounds in the evidence",
    )
    .text("Task")
    .number("Segment")
    .text("Resource")
    .time("WCET")
    .time("End, from the arrival of the job");
    for (index, task) in system.tasks().iter().enumerate() {
        for (position, segment) in task.segments.iter().enumerate() {
            table.rows.push(vec![
                task.name.as_str().into(),
                position.into(),
                system.resource_name(segment.on).into(),
                segment.wcet.into(),
                Cell::of(answer.evidence.bounds.end(index, position)),
            ]);
        }
    }
    table
}
