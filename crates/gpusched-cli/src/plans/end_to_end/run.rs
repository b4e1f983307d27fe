//! Results of `simulate tasks` for end-to-end systems. The results list each simulated time with its bound.

use serde::Serialize;

use super::only;
use super::verdict::stated;
use crate::report::{About, Cell, Output, Palette, Report, Table, TimelineFiles, clip};
use crate::{Global, Outcome};
use gpusched_analysis::end_to_end::{Budgeted, analyze_draft};
use gpusched_model::end_to_end::{Answer, Environment, System};
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::EndToEndSystems;
use gpusched_model::time::Time;
use gpusched_model::{Observer, counted};
use gpusched_sim::end_to_end::{
    ChainTime, ChainTimes, Chart, Drawn, Event, Extent, Observed, Pattern, Simulator,
};
use gpusched_sim::timeline::Timeline;

/// Maximum number of jobs in a simulation without `--duration`.
const MANY_JOBS: u64 = 100_000_000;

/// Result of `simulate tasks` for an end-to-end system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(rename = "EndToEndSimulation", deny_unknown_fields)
)]
pub struct Simulation {
    /// Number of jobs that missed their deadlines.
    pub misses: u64,
    /// Number of completed jobs.
    pub jobs: u64,
    /// Time after which no job arrives [ns].
    pub duration_ns: Time,
    /// Seed of all random numbers.
    seed: u64,
    /// Results of the tasks, in the order of the system.
    pub tasks: Vec<TaskTimes>,
    /// Results of the chains, in the order of the system.
    pub chains: Vec<ChainResult>,
}

/// Simulated times of one task, with their bounds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(rename = "EndToEndTaskTimes", deny_unknown_fields)
)]
pub struct TaskTimes {
    /// Name of the task.
    pub name: String,
    /// Number of completed jobs.
    pub jobs: u64,
    /// Number of jobs that missed their deadlines.
    pub misses: u64,
    /// Longest time from the arrival of a job to its end [ns].
    pub response_max_ns: Time,
    /// Bound on the response time, from the end-to-end analysis [ns]; null if there is no bound.
    pub bound_ns: Option<Time>,
    /// D: relative deadline [ns].
    pub deadline_ns: Time,
    /// For each segment, the longest time from the arrival of a job to the end of the segment [ns].
    pub ends_max_ns: Vec<Time>,
    /// For each segment of a pipelined task, the maximum number of jobs that execute the segment or wait for it. Absent if the
    /// task is sequential.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues_max: Option<Vec<u64>>,
}

/// Simulated times of one chain, with their bounds. A simulated time is null if the run is too short to observe this
/// time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "schema",
    schemars(rename = "EndToEndChainTimes", deny_unknown_fields)
)]
pub struct ChainResult {
    /// Name of the chain.
    pub name: String,
    /// Longest reaction time [ns].
    pub reaction_max_ns: Option<Time>,
    /// Bound on the reaction time [ns]; null if there is no bound.
    pub reaction_bound_ns: Option<Time>,
    /// Longest reduced data age [ns].
    pub age_max_ns: Option<Time>,
    /// Bound on the reduced data age [ns]; null if there is no bound.
    pub age_bound_ns: Option<Time>,
}

/// Simulates the only system of the stream.
///
/// # Errors
/// Fails on bad input, or if output cannot be written.
pub fn simulate(
    systems: EndToEndSystems,
    environment: Environment,
    (pattern, duration): (Pattern, Option<Time>),
    files: &TimelineFiles,
    global: &Global,
) -> Result<Outcome> {
    let file = systems.file().to_owned();
    let draft = only(systems)?;
    let found = analyze_draft(&draft, environment).map_err(|refusal| refusal.at(&file, None))?;
    let Budgeted { system, answer } = found;
    let mut output = Output::open(global)?;
    let canvas = files.open(&mut output)?;
    let end = end(&system, duration)?;
    files.expect(least_events(&system, end))?;
    let numbers = (global.seed(), 0);
    let mut source = Drawn::new(&system, &pattern.runs(&system, numbers), numbers)?;
    let (mut observed, mut chains) = (Observed::new(&system), ChainTimes::new(&system));
    let mut simulator = Simulator::new(&system, None)?;
    let extent = Extent::before(end);
    let mut run = |observer: &mut dyn Observer<Event>| simulator.run(&mut source, extent, observer);
    if files.wanted() {
        let mut timeline = Timeline::new();
        let mut chart = Chart::new(&mut timeline, &system).map_err(|error| files.refuse(error))?;
        run(&mut (&mut observed, (&mut chains, &mut chart)))?;
        if let Some(error) = chart.refused() {
            return Err(files.refuse(error));
        }
        canvas.draw(
            &timeline,
            system.name().unwrap_or("end-to-end system"),
            &mut output,
        )?;
    } else {
        run(&mut (&mut observed, &mut chains))?;
    }
    let found = simulation(
        (&system, &answer),
        (&observed, chains.times()),
        end,
        global.seed(),
    );
    let misses = found.misses;
    output.last(&About(&system, found))?;
    Ok((misses == 0).into())
}

/// Returns the time after which no job arrives: `duration`, or the hyperperiod.
fn end(system: &System, duration: Option<Time>) -> Result<Time> {
    let Some(end) = duration.or_else(|| system.hyperperiod()) else {
        let found = "no --duration; the hyperperiod is longer than 2^63 ns";
        return Err(Error::parameter("duration", found, "--duration TIME"));
    };
    let jobs = system
        .tasks()
        .iter()
        .map(|task| end.ns().div_ceil(task.period.ns()));
    let jobs = jobs.fold(0, u64::saturating_add);
    match duration.is_none() && jobs > MANY_JOBS {
        true => {
            let found =
                format!("no --duration; {jobs} jobs arrive until the end of the hyperperiod at {end}");
            Err(Error::parameter("duration", found, "--duration TIME"))
        }
        false => Ok(end),
    }
}

/// Returns a number of events that the timeline of the jobs before `end` has at least. Each job has an event for its
/// release, and an event for its deadline.
fn least_events(system: &System, end: Time) -> u64 {
    let jobs = system.tasks().iter().map(|task| {
        let (period, first) = (task.period.ns(), task.phase.map_or(task.period.ns(), Time::ns));
        // Random gaps between two arrivals are at most half a period.
        end.ns().saturating_sub(first) / period.saturating_add(period / 2).max(1)
    });
    jobs.fold(0u64, u64::saturating_add).saturating_mul(2)
}

fn simulation(
    (system, answer): (&System, &Answer),
    (observed, times): (&Observed, Vec<ChainTime>),
    end: Time,
    seed: u64,
) -> Simulation {
    let tasks = system.tasks().iter().zip(&observed.tasks).zip(&answer.tasks);
    let chains = answer.chains.iter().zip(times);
    Simulation {
        misses: observed.misses,
        jobs: observed.tasks.iter().map(|task| task.jobs).sum(),
        duration_ns: end,
        seed,
        tasks: tasks
            .map(|((task, observed), answer)| TaskTimes {
                name: task.name.clone(),
                jobs: observed.jobs,
                misses: observed.misses,
                response_max_ns: observed.response,
                bound_ns: answer.bound_ns,
                deadline_ns: task.deadline,
                ends_max_ns: observed.ends.clone(),
                queues_max: task.is_pipelined().then(|| observed.queues.clone()),
            })
            .collect(),
        chains: chains
            .map(|(bound, time)| ChainResult {
                name: bound.name.clone(),
                reaction_max_ns: time.reaction,
                reaction_bound_ns: bound.reaction_ns,
                age_max_ns: time.age,
                age_bound_ns: bound.age_ns,
            })
            .collect(),
    }
}

/// A segment of a pipelined task, with its simulated queue.
struct Stage<'a> {
    task: &'a str,
    segment: usize,
    on: &'a str,
    jobs: u64,
    /// Slots of the buffer after the segment; `None` without a limit.
    slots: Option<u64>,
    end: Time,
}

/// Returns the segments of all pipelined tasks. Wake-ups of dispatchers are left out.
fn stages<'a>(system: &'a System, found: &'a Simulation) -> Vec<Stage<'a>> {
    let mut stages = Vec::new();
    for (task, times) in system.tasks().iter().zip(&found.tasks) {
        let queues = times.queues_max.iter().flatten();
        let segments = task.segments.iter().zip(&times.ends_max_ns).zip(queues);
        for (position, ((segment, &end), &jobs)) in segments.enumerate() {
            if !system.is_wake_up(segment.on) {
                stages.push(Stage {
                    task: &task.name,
                    segment: stated(system, task, position),
                    on: system.resource_name(segment.on),
                    jobs,
                    slots: task.slots(position),
                    end,
                });
            }
        }
    }
    stages
}

/// A task or a chain.
type Row<'a> = (Option<&'a TaskTimes>, Option<&'a ChainResult>);

impl Report for About<&System, Simulation> {
    fn table(&self) -> Table {
        let About(_, found) = self;
        let tasks = found.tasks.iter().map(|task| (Some(task), None));
        let chains = found.chains.iter().map(|chain| (None, Some(chain)));
        let table = Table::of(tasks.chain(chains))
            .exact(
                "kind",
                |(task, _): &Row<'_>| if task.is_some() { "task" } else { "chain" },
            )
            .exact("name", |(task, chain)| {
                task.map(|task| &task.name).or(chain.map(|chain| &chain.name))
            })
            .exact("jobs", |(task, _)| task.map(|task| task.jobs))
            .exact("misses", |(task, _)| task.map(|task| task.misses))
            .exact("simulated_ns", |(task, chain)| {
                let time = task.map(|task| task.response_max_ns);
                time.or(chain.and_then(|chain| chain.reaction_max_ns))
            })
            .exact("bound_ns", |(task, chain)| {
                let bound = task.and_then(|task| task.bound_ns);
                bound.or(chain.and_then(|chain| chain.reaction_bound_ns))
            })
            .exact("deadline_ns", |(task, _)| task.map(|task| task.deadline_ns))
            .exact("age_ns", |(_, chain)| chain.and_then(|chain| chain.age_max_ns))
            .exact("age_bound_ns", |(_, chain)| {
                chain.and_then(|chain| chain.age_bound_ns)
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About(system, found) = self;
        let mut text = format!(
            "{}: {}, {} until {}\n\n",
            palette.misses(found.misses),
            system.name().map_or("system".to_owned(), |name| clip(name, 40)),
            counted(found.jobs, "job"),
            found.duration_ns
        );
        let time = |time: Option<Time>| Cell::or(time, "none");
        let tasks = Table::of(found.tasks.iter().enumerate())
            .number("#", |(index, _)| *index)
            .text("task", |(_, task)| clip(&task.name, 30))
            .number("jobs", |(_, task)| task.jobs)
            .number("missed", |(_, task)| task.misses)
            .time("longest", |(_, task)| task.response_max_ns)
            .time("bound", |(_, task)| time(task.bound_ns))
            .time("D", |(_, task)| task.deadline_ns);
        text += &tasks.done().render(palette.header);
        let stages = stages(system, found);
        if !stages.is_empty() {
            let stages = Table::of(stages)
                .text("pipelined task", |stage| clip(stage.task, 30))
                .number("segment", |stage| stage.segment)
                .text("on", |stage| clip(stage.on, 30))
                .number("most jobs", |stage| stage.jobs)
                .text("slots", |stage| {
                    stage.slots.map_or("any".to_owned(), |slots| slots.to_string())
                })
                .time("longest end", |stage| stage.end);
            text += &format!("\n{}", stages.done().render(palette.header));
        }
        if !found.chains.is_empty() {
            let chains = Table::of(&found.chains)
                .text("chain", |chain| clip(&chain.name, 40))
                .time("reaction", |chain| time(chain.reaction_max_ns))
                .time("bound", |chain| time(chain.reaction_bound_ns))
                .time("age", |chain| time(chain.age_max_ns))
                .time("bound", |chain| time(chain.age_bound_ns));
            text += &format!("\n{}", chains.done().render(palette.header));
        }
        Ok(text)
    }
}
