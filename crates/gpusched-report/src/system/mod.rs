//! The page of an end-to-end system shows the verdict and the assumptions, then the bounds of tasks and chains, the
//! resources, the memory bandwidth budgets, and the evidence.

mod budgets;
mod curves;
mod dossier;
mod runs;

use gpusched_model::assumptions::Assumption;
use gpusched_model::counted;
use gpusched_model::end_to_end::{
    Answer, ChainBound, ChosenBudgets, Draft, Resource, Scaling, System, SystemPlan, Task, TaskAnswer,
};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_verify::Fault;
use serde::Serialize;

use crate::assumptions::{Assumptions, Claim};
use crate::definitions::{self, Definitions};
use crate::dossier::Dossier;
use crate::file::File;
use crate::verdict::{Check, Verdict};
use crate::view::cell::factor;
use crate::view::{Cell, Table, Tone};
use crate::{Page, page};

/// A verdict on an end-to-end system, and the result of the verifier.
#[derive(Debug)]
pub struct Input<'a> {
    /// Name of a system without a name.
    pub file: &'a str,
    /// The system as the user wrote it.
    pub draft: &'a Draft,
    /// The system of the verdict, with the partitions of the plan or with the WCETs under the chosen budgets.
    pub system: &'a System,
    /// The assumptions of the verdict.
    pub assumptions: &'a [Assumption],
    /// The verdict.
    pub answer: &'a Answer,
    /// The plan that contains the verdict; `None` for a verdict without a plan.
    pub plan: Option<&'a SystemPlan>,
    /// The chosen budgets that contain the verdict; `None` for a verdict without a search for budgets.
    pub chosen: Option<&'a ChosenBudgets>,
    /// The first wrong statement that the verifier found.
    pub fault: Option<&'a Fault>,
    /// The command that checks the files `plan.json` and `system.json` of the page.
    pub command: &'a str,
}

#[derive(Serialize)]
struct Content<'a> {
    heading: String,
    verdict: Verdict,
    facts: Vec<(&'static str, String)>,
    assumptions: Assumptions,
    tasks: Table,
    chains: Option<Table>,
    resources: Table,
    groups: Option<Table>,
    budgets: Option<Table>,
    curves: Option<curves::Section>,
    runs: Option<runs::Section>,
    segments: Table,
    command: &'a str,
    files: Vec<File>,
    definitions: Definitions,
    dossier: Dossier,
}

/// Creates the page of a verdict on a system.
///
/// # Errors
/// Fails with [`Error::Internal`](gpusched_model::error::Error::Internal) if a template does not match the content.
pub fn page(input: &Input<'_>) -> Result<Page> {
    let (system, answer) = (input.system, input.answer);
    let name = system.name().unwrap_or(input.file);
    let verdict = verdict(input);
    let positive = verdict.positive;
    let planned = input.plan.and_then(|plan| plan.system.as_ref());
    let stated = input
        .chosen
        .map(|chosen| &chosen.system)
        .or(planned)
        .unwrap_or(input.draft);
    let (place, name_of) = ("file-plan", "plan.json");
    let result = match (input.plan, input.chosen) {
        (Some(plan), _) => File::json(place, name_of, "The plan with its evidence", plan)?,
        (None, Some(chosen)) => File::json(place, name_of, "The chosen budgets with their evidence", chosen)?,
        (None, None) => File::json(place, name_of, "The verdict with its evidence", answer)?,
    };
    let dossier = dossier::of(input).in_file(&result);
    let states_budgets = input
        .draft
        .budgets
        .as_ref()
        .is_some_and(|budgets| !matches!(budgets.grouping(), Ok(None)));
    let about = match input.chosen.is_some() && states_budgets {
        true => "The system as given. Its budgets have no effect on the chosen budgets",
        false => "The system",
    };
    let mut content = Content {
        facts: facts(input),
        assumptions: Assumptions::new(
            input.assumptions,
            match verdict.positive {
                true => Claim::Deadlines { bound: false },
                false => Claim::Nothing { bound: false },
            },
        ),
        tasks: tasks(system, answer),
        chains: chains(system, answer),
        resources: resources(system, growth(answer)),
        groups: input.chosen.map(|chosen| budgets::groups(chosen, answer)),
        budgets: answer
            .budgets
            .as_ref()
            .map(|budgets| budgets::segments(system, budgets)),
        curves: match input.fault {
            None => curves::section(stated, system)?,
            Some(_) => None,
        },
        runs: match input.fault {
            None => runs::section(stated, system, answer)?,
            Some(_) => None,
        },
        segments: segments(system, answer),
        command: input.command,
        dossier,
        files: vec![
            result,
            File::json("file-system", "system.json", about, input.draft)?,
        ],
        heading: name.to_owned(),
        verdict,
        definitions: Definitions::default(),
    };
    let optional = [&content.chains, &content.groups, &content.budgets];
    let optional = optional.into_iter().flatten();
    let runs = content.runs.as_ref().map(runs::Section::policies);
    let tables = [&content.tasks, &content.resources, &content.segments];
    content.definitions = definitions::of(tables.into_iter().chain(optional).chain(runs));
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
    let limits = answer.chains.iter().filter(|chain| chain.limit_ns.is_some());
    let chains = match (limits.count(), answer.chains.len()) {
        (0, 0) => "",
        (0, _) => {
            " The bounds of chains are verified, but no chain has a limit, so the verdict compares them with nothing."
        }
        (some, all) if some == all => " All chains meet their limits.",
        _ => {
            " All chains with a limit meet it. The bounds of other chains are verified, and compared with nothing."
        }
    };
    let used = match input.chosen {
        Some(_) => {
            " The budgets are the largest that this sufficient test accepts, found by the search, so some margins are almost 0."
        }
        None => "",
    };
    let (tone, word, sentence) = match answer.schedulable {
        true => (
            Tone::Good,
            "Schedulable",
            format!("Under the assumptions below, all tasks meet their deadlines.{chains}{used}"),
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
    if answer.schedulable && input.system.overheads().is_none() {
        let text = "Times from releases to launches and to the first blocks, unless the WCETs include them. Small margins do not cover these times.";
        checks.push(Check::new(Tone::Open, "not included", text.to_owned()));
    }
    if input.plan.is_some_and(|plan| plan.proven) {
        let text =
            "Fewest SMs: every plan with fewer SMs fails the test, according to the search.".to_owned();
        checks.push(Check::new(Tone::Open, "not checked", text));
    }
    if let Some(chosen) = input.chosen.filter(|_| answer.schedulable) {
        let text =
            "No budget can grow alone: with 1 ns more memory time per regulation period, the test fails."
                .to_owned();
        checks.push(Check::new(Tone::Good, "confirmed", text));
        let replaced =
            "The result replaces the budgets that the file of the system states by the chosen ones.";
        checks.push(Check::new(Tone::Plain, "note", replaced.to_owned()));
        let text = match chosen.optimal {
            true => {
                "Best budgets: according to the search, all better combinations of budgets fail the test."
            }
            false => "The search ended before it had examined all budgets, so better budgets may exist.",
        };
        checks.push(Check::new(Tone::Open, "not checked", text.to_owned()));
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
    let mut facts = vec![
        ("Tasks", system.tasks().len().to_string()),
        ("Chains", system.chains().len().to_string()),
        ("CPU cores", system.cores().len().to_string()),
        ("Copy engines", system.copy_engines().to_string()),
        ("Partitions", system.own_partitions().to_string()),
        ("SMs used", system.sms().to_string()),
        ("Analysis", format!("{}, {}", answer.policy, answer.strength)),
        ("Interference model", system.interference().to_string()),
    ];
    for gpu in system.time_slices() {
        facts.push(("Contexts", format!("{} on {}", gpu.contexts.len(), gpu.name)));
    }
    if let Some(overheads) = system.overheads() {
        facts.push(("Overheads of dispatchers", overheads.to_string()));
    }
    if let Some(memory) = system.memory() {
        facts.push(("Guaranteed memory bandwidth", memory.to_string()));
    }
    if let Some(budgets) = &answer.budgets {
        facts.push((
            "Regulation period of memory accesses",
            budgets.regulation_period_ns.to_string(),
        ));
    }
    // The table below lists the budgets of many groups.
    if let Some(chosen) = input.chosen.filter(|chosen| chosen.groups.len() <= 4) {
        let budgets = chosen
            .groups
            .iter()
            .map(|group| format!("{}: {}", group.name, group.q));
        facts.push((
            "Largest budgets Q that the search found",
            budgets.collect::<Vec<_>>().join(", "),
        ));
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

/// Cells that compare a bound with its limit.
struct Compared {
    bound: Cell,
    limit: Cell,
    margin: Cell,
    share: Cell,
}

/// Compares a bound with its limit. A missing bound meets no limit.
fn compared(bound: Option<Time>, limit: Option<Time>) -> Compared {
    let tone = if limit.is_some() { Tone::Bad } else { Tone::Open };
    let missing = || Cell {
        value: Some(String::new()),
        ..Cell::toned("no bound", tone)
    };
    let share = bound.zip(limit);
    let share = share.map(|(bound, limit)| bound.ns() as f64 / limit.ns().max(1) as f64);
    Compared {
        bound: bound.map_or_else(missing, Cell::from),
        limit: Cell::of(limit),
        margin: match (bound, limit) {
            (Some(bound), Some(limit)) => Cell::margin(limit, bound),
            (None, Some(_)) => missing(),
            (_, None) => Cell::none(),
        },
        share: Cell::of(share.map(Cell::share)),
    }
}

/// Returns the cell of the factor at `index`.
fn growing(permille: &[Option<u64>], index: usize) -> Cell {
    Cell::of(permille.get(index).copied().flatten().map(Cell::factor))
}

fn tasks(system: &System, answer: &Answer) -> Table {
    let scaling = growth(answer);
    let tasks = system.tasks().iter().zip(&answer.tasks).enumerate();
    let table = Table::of(tasks.map(|(index, (task, found))| {
        let compared = compared(found.bound_ns, Some(found.deadline_ns));
        (index, task, found, compared)
    }));
    let table = table
        .text("Task", |(_, _, found, _)| found.name.as_str())
        .time("Period T", |(_, task, ..)| task.period)
        .time("Response time R", |(.., compared)| compared.bound.clone())
        .time("Deadline D", |(.., compared)| compared.limit.clone())
        .time("Margin D − R", |(.., compared)| compared.margin.clone())
        .number("R / D", |(.., compared)| compared.share.clone())
        .text("Priority", |(_, task, ..)| priority(task))
        .text("Wait", |(_, task, ..)| waiting(task))
        .text("Largest part of R", |(_, task, found, _)| {
            Cell::of(costliest(system, task, found))
        })
        .each(scaling, |table, scaling| {
            table.number("WCETs may grow", |(index, ..)| {
                growing(&scaling.tasks_permille, *index)
            })
        });
    table
        .done()
        .on_page("tasks", "Tasks, with the bounds on their response times")
}

/// Returns the priority on the core, and the priority on the other resources if it differs.
fn priority(task: &Task) -> String {
    match task.gpu_priority == task.priority {
        true => task.priority.to_string(),
        false => format!("{}, on the GPU {}", task.priority, task.gpu_priority),
    }
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
    let chains = system.chains().iter().zip(&answer.chains);
    let table = Table::of(chains.map(|(chain, found)| {
        let tasks = chain.tasks.iter().filter_map(|&task| system.tasks().get(task));
        let names: Vec<&str> = tasks.map(|task| task.name.as_str()).collect();
        (
            names.join(" → "),
            found,
            compared(found.reaction_ns, found.limit_ns),
        )
    }));
    let table = table
        .text("Chain", |(_, found, _)| found.name.as_str())
        .text("Tasks", |(names, ..)| names.clone())
        .time("Reaction time", |(.., compared)| compared.bound.clone())
        .when(limited, |table| {
            table
                .time("Limit", |(.., compared)| compared.limit.clone())
                .time("Margin", |(.., compared)| compared.margin.clone())
                .number("Reaction time / limit", |(.., compared)| compared.share.clone())
        })
        .time("Data age", |(_, found, _)| Cell::of(found.age_ns))
        .text("Method", |(_, found, _)| found.method.to_string())
        .text("Largest part of the reaction time", |(_, found, _)| {
            Cell::of(largest_hop(system, found))
        });
    let table = table
        .done()
        .on_page("chains", "Chains, with the bounds on their reaction times");
    (!table.is_empty()).then_some(table)
}

fn largest_hop(system: &System, chain: &ChainBound) -> Option<String> {
    let hops = chain.hops.iter();
    let hop = hops.max_by_key(|hop| hop.sampling_ns.checked_add(hop.processing_ns))?;
    let name = &system.tasks().get(hop.task)?.name;
    Some(format!("{name}: T {} + R {}", hop.sampling_ns, hop.processing_ns))
}

/// A resource with its tasks.
struct Use<'a> {
    index: usize,
    name: &'a str,
    kind: &'static str,
    sms: Option<u32>,
    policy: Option<String>,
    tasks: Vec<&'a str>,
    utilization: f64,
}

impl<'a> Use<'a> {
    fn of(index: usize, resource: Resource, system: &'a System) -> Use<'a> {
        let mut tasks: Vec<&str> = Vec::new();
        let mut utilization = 0.0;
        for (task, segment) in system.on(resource) {
            let Some(task) = system.tasks().get(task) else {
                continue;
            };
            if !tasks.contains(&task.name.as_str()) {
                tasks.push(&task.name);
            }
            let wcet = task.segments.get(segment).map_or(0, |segment| segment.wcet.ns());
            utilization += wcet as f64 / task.period.ns().max(1) as f64;
        }
        let (kind, sms, policy) = match resource {
            Resource::Core(at) => {
                let policy = system.cores().get(at).map(|core| core.policy.to_string());
                ("CPU core", None, policy)
            }
            Resource::Engine(at) => {
                let policy = system.engines().get(at).map(|engine| engine.policy.to_string());
                match system.is_wake_up(resource) {
                    true => ("wake-up of a dispatcher", None, None),
                    false => ("copy engine", None, policy),
                }
            }
            Resource::Partition(at) => {
                let partition = system.partitions().get(at);
                let policy = partition.map(|partition| partition.policy.to_string());
                let kind = match system.context(resource) {
                    Some(_) => "context",
                    None => "partition",
                };
                (kind, partition.map(|partition| partition.sms), policy)
            }
        };
        Use {
            index,
            name: system.resource_name(resource),
            kind,
            sms,
            policy,
            tasks,
            utilization,
        }
    }
}

fn resources(system: &System, scaling: Option<&Scaling>) -> Table {
    let all = system.resources().enumerate();
    let mut all: Vec<Use<'_>> = all
        .map(|(index, resource)| Use::of(index, resource, system))
        .collect();
    // Partitions are the choice of a plan, so they are at the top.
    all.sort_by_key(|of| std::cmp::Reverse(of.kind));
    let table = Table::of(&all)
        .text("Resource", |of| of.name)
        .text("Type", |of| of.kind)
        .number("SMs", |of| Cell::of(of.sms))
        .text("Policy", |of| Cell::of(of.policy.clone()))
        .text("Tasks", |of| of.tasks.join(", "))
        .number("Utilization", |of| Cell {
            tone: if of.utilization > 1.0 {
                Tone::Bad
            } else {
                Tone::Plain
            },
            ..Cell::share(of.utilization)
        })
        .each(scaling, |table, scaling| {
            table.number("WCETs may grow", |of| {
                growing(&scaling.resources_permille, of.index)
            })
        });
    table
        .done()
        .on_page("resources", "Partitions, copy engines and cores")
}

fn segments(system: &System, answer: &Answer) -> Table {
    let tasks = system.tasks().iter().enumerate();
    let table = Table::of(tasks.flat_map(|(index, task)| {
        let segments = task.segments.iter().enumerate();
        segments.map(move |(position, segment)| (index, task, position, segment))
    }));
    let table = table
        .text("Task", |(_, task, ..)| task.name.as_str())
        .number("Segment", |(_, _, position, _)| *position)
        .text("Resource", |(.., segment)| system.resource_name(segment.on))
        .time("WCET", |(.., segment)| segment.wcet)
        .time("End, from the arrival of the job", |(index, _, position, _)| {
            Cell::of(answer.evidence.bounds.end(*index, *position))
        })
        .time("Delay S, from the release", |(index, _, position, _)| {
            Cell::of(answer.evidence.bounds.delay(*index, *position))
        });
    table.done().on_page(
        "segments",
        "Segments of the tasks, with the bounds in the evidence",
    )
}
