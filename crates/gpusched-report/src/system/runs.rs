//! Simulated runs of a system with budgets: accesses of best-effort cores over time, and the memory time that budget policies gain.

use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_analysis::end_to_end::Budgeted;
use gpusched_model::end_to_end::{Answer, Draft, System};
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_sim::end_to_end::{
    Attack, Drawn, Execution, Exposed, Extent, Observed, Pattern, Regulation, Simulator, Slack, isolated,
};
use serde::Serialize;

use crate::figure::Figure;
use crate::lines::Lines;
use crate::view::{Cell, Table, Tone};

/// Number of intervals of the chart, each of one or more whole regulation periods.
const INTERVALS: u64 = 40;

/// Largest number of regulation periods and segments in a run.
const MOST: u64 = 50_000;

/// The chart and the numbers of the runs.
#[derive(Serialize)]
pub(super) struct Section {
    figure: Figure,
    policies: Table,
    note: String,
}

impl Section {
    /// Returns the table of budget policies.
    pub(super) fn policies(&self) -> &Table {
        &self.policies
    }
}

/// Runs of a system under one policy.
struct Runs {
    name: String,
    /// Memory time up to the end of each interval, if jobs take random times.
    over_time: Vec<Time>,
    /// Memory time if jobs take random times, and if they take their WCETs in isolation.
    memory: [Time; 2],
    misses: u64,
    late: u64,
}

/// Simulates the system of `draft`, which states budgets. Returns `None` with overheads of dispatchers, which the simulated system does
/// not have.
pub(super) fn section(draft: &Draft, system: &System, answer: &Answer) -> Result<Option<Section>> {
    let Some(budgets) = draft.budgets.as_ref().filter(|_| system.overheads().is_none()) else {
        return Ok(None);
    };
    let budgeted = Budgeted {
        system: system.clone(),
        answer: answer.clone(),
    };
    let (alone, exposed) = isolated(draft, &budgeted)?;
    let period = budgets.regulation_period;
    let longest = alone
        .tasks()
        .iter()
        .map(|task| task.period.ns())
        .max()
        .unwrap_or(1);
    // Two periods of each task, or more. `MOST` limits the regulation periods and segments, and so the length of the runs.
    let shortest = alone.tasks().iter().map(|task| task.period.ns()).min();
    let shortest = shortest.map_or(period.ns(), |shortest| shortest.min(period.ns()));
    let segments = alone.tasks().iter().map(|task| task.segments.len() as u64);
    let most = (MOST / (1 + segments.sum::<u64>())).saturating_mul(shortest);
    let step = (2 * longest).min(most).div_ceil(period.ns() * INTERVALS).max(1) * period.ns();
    let ends: Vec<Time> = (1..=INTERVALS)
        .map(|number| Time::from_ns(number * step))
        .collect();
    let mut all = Vec::new();
    let locked = exposed.iter().map(|task| {
        let segments = task.iter().map(|segment| Exposed { burst: 0, ..*segment });
        segments.collect()
    });
    all.push(runs(
        "none (Q = 0)",
        &alone,
        (period, locked.collect()),
        None,
        &ends,
    )?);
    for policy in BudgetPolicy::ALL {
        let slack = Slack::new(policy, draft, &budgeted);
        let regulated = (period, exposed.clone());
        all.push(runs(&policy.to_string(), &alone, regulated, Some(slack), &ends)?);
    }
    let end = ends.last().copied().unwrap_or_default();
    Ok(Some(Section {
        figure: figure(&all, &ends)?,
        policies: policies(&all, end, answer.schedulable),
        note: format!(
            "Each policy has two runs of {end}. All tasks arrive together and periodically, and best-effort cores access memory whenever \
             their budgets permit. Budgets limit them only while a segment is in progress, so they also access memory with Q = 0. \
             Each segment keeps its nominal schedule under every policy. {} Runs prove nothing about other runs.",
            match &budgets.process {
                Some(name) => format!("The task {name} takes the time to choose budgets."),
                None => "The runs do not count the time to choose budgets, because the system states no `process`.".to_owned(),
            }
        ),
    }))
}

/// Simulates `system` until each of `ends`.
fn runs(
    name: &str,
    system: &System,
    (period, segments): (Time, Vec<Vec<Exposed>>),
    slack: Option<Slack>,
    ends: &[Time],
) -> Result<Runs> {
    let mut simulator = Simulator::new(system, None)?;
    let regulation = Regulation {
        period,
        phase: Time::ZERO,
        segments,
        attack: Attack::Always,
        slack,
    };
    simulator.regulate(system, regulation)?;
    let mut observed = Observed::new(system);
    let mut late = 0;
    let mut run = |execution: Execution, end: Time| -> Result<Time> {
        let pattern = Pattern {
            execution,
            ..Pattern::default()
        };
        let mut source = Drawn::new(system, &pattern.runs(system, (1, 0)), (1, 0))?;
        simulator.run(&mut source, Extent::until(end), &mut observed)?;
        late += simulator.late_segments();
        Ok(simulator.memory_time(end))
    };
    let over_time = ends.iter().map(|&end| run(Execution::Random, end));
    let over_time: Vec<Time> = over_time.collect::<Result<_>>()?;
    let end = ends.last().copied().unwrap_or_default();
    let memory = [
        over_time.last().copied().unwrap_or_default(),
        run(Execution::Wcet, end)?,
    ];
    Ok(Runs {
        name: name.to_owned(),
        over_time,
        memory,
        misses: observed.misses,
        late,
    })
}

fn figure(all: &[Runs], ends: &[Time]) -> Result<Figure> {
    let lines = Lines {
        id: "budgets-over-time",
        caption: "Accesses of best-effort cores over time, if jobs take random times",
        alternative: "Share of time with accesses of best-effort cores under each policy. The table below contains the sums.".to_owned(),
        titles: ("Time [ms]", "Share of time with accesses"),
        reference: None,
        range: None,
    };
    // Policies with equal runs share a line.
    let mut series: Vec<(String, &Runs)> = Vec::new();
    for runs in all {
        match { series.iter_mut() }.find(|(_, other)| other.over_time == runs.over_time) {
            Some((name, _)) => *name += &format!(", {}", runs.name),
            None => series.push((runs.name.clone(), runs)),
        }
    }
    let mut points = Vec::new();
    for (name, runs) in &series {
        let (mut before, mut start) = (0, 0);
        for (&memory, end) in runs.over_time.iter().zip(ends) {
            let share = memory.ns().saturating_sub(before) as f64 / (end.ns() - start).max(1) as f64;
            points.push((name.as_str(), end.ns() as f64 / 1e6, share));
            (before, start) = (memory.ns(), end.ns());
        }
    }
    lines.draw(points)
}

fn policies(all: &[Runs], end: Time, schedulable: bool) -> Table {
    let nominal = all
        .iter()
        .find(|runs| runs.name == BudgetPolicy::Nominal.to_string());
    let gain = |runs: &Runs, times: usize| {
        let base = nominal.map_or(0, |nominal| nominal.memory[times].ns());
        let gain = (base > 0).then(|| runs.memory[times].ns() as f64 / base as f64 - 1.0);
        Cell::of(gain.map(|gain| Cell::valued(format!("{:+.1} %", 100.0 * gain), format!("{gain:.6}"))))
    };
    let share =
        |runs: &Runs, times: usize| Cell::share(runs.memory[times].ns() as f64 / end.ns().max(1) as f64);
    let count = |number: u64| {
        let tone = match (number, schedulable) {
            (0, true) => Tone::Good,
            (0, false) => Tone::Plain,
            _ => Tone::Bad,
        };
        Cell::toned(number.to_string(), tone)
    };
    Table::of(all)
        .text("Budget policy", |runs| runs.name.as_str())
        .number("Accesses, random times", |runs| share(runs, 0))
        .number("Gain over nominal", |runs| gain(runs, 0))
        .number("Accesses, WCETs in isolation", |runs| share(runs, 1))
        .number("Gain over nominal", |runs| gain(runs, 1))
        .number("Deadline misses", |runs| count(runs.misses))
        .number("Segments beyond nominal schedule", |runs| count(runs.late))
        .done()
        .on_page("policies", "Share of time with accesses of best-effort cores")
}
