//! Gantt chart of a simulated run over the first hyperperiod.

use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Plan, TaskSet, counted};
use gpusched_sim::tasks::{Chart, Pattern, Release, Simulation, Tally, Task, hyperperiod, jobs_before};
use gpusched_sim::timeline::Timeline;
use gpusched_sim::validation::system::{Part, parts};
use gpusched_study::plot::gantt::{Options, svg};
use serde::Serialize;

use super::system::System;
use crate::figure::Figure;
use crate::view::{Cell, Table, Tone};

/// Maximum number of jobs on the chart.
const JOBS: u64 = 300;

/// Maximum number of rows of one chart, so that the chart fits on a printed page. A partition with more tasks has its own chart.
const ROWS: usize = 30;

/// The charts and the numbers of the run, or the reason why there is no run.
#[derive(Serialize)]
pub struct Section {
    figures: Vec<Figure>,
    jobs: Option<Table>,
    note: String,
}

impl Section {
    /// Returns the table of jobs.
    pub fn jobs(&self) -> &Option<Table> {
        &self.jobs
    }
}

/// Simulates `plan` and draws the run.
pub fn section(plan: &Plan, set: &TaskSet, system: Option<&System<'_>>) -> Section {
    let without = |note: &str| Section {
        figures: Vec::new(),
        jobs: None,
        note: note.to_owned(),
    };
    let Some(system) = system else {
        return without("The page shows no run, because there is no verified plan with partitions.");
    };
    match run(plan, set, system) {
        Ok(section) => section,
        Err(error) => without(&format!("gpusched cannot simulate the plan: {error}")),
    }
}

fn run(plan: &Plan, set: &TaskSet, system: &System<'_>) -> Result<Section> {
    let parts = parts(&system.problem, plan, None, Factor::ONE)?;
    let tasks: Vec<Task> = parts.iter().flat_map(|part| part.tasks.iter().copied()).collect();
    let releases = Pattern::default().releases(&tasks, (1, 0));
    let start = releases
        .iter()
        .map(|release| release.earliest)
        .max()
        .unwrap_or_default();
    let whole = hyperperiod(&tasks);
    let last = whole
        .and_then(|whole| whole.checked_add(start))
        .unwrap_or(Time::LIMIT);
    let end = cut(&tasks, &releases, last);
    let mut charts: Vec<Strip> = Vec::new();
    let mut rows = Vec::new();
    let mut rest = &releases[..];
    for (index, part) in parts.iter().enumerate() {
        let (own, others) = rest.split_at(part.tasks.len());
        rest = others;
        // One row of the partition, and one row of each task.
        let height = part.tasks.len() + 1;
        if charts.last().is_none_or(|chart| chart.rows + height > ROWS) {
            charts.push(Strip::new(index));
        }
        let Some(chart) = charts.last_mut() else { continue };
        let tally = simulate(&mut chart.timeline, index, part, own, set, end)?;
        chart.rows += height;
        chart.last = index;
        chart.misses += tally.misses();
        chart.jobs += jobs(&part.tasks, own, end);
        let tallies = tally.tasks.into_iter();
        rows.extend({ part.positions.iter().zip(tallies) }.map(|(&task, tally)| (task, index, tally)));
    }
    let table = Table::of(&rows)
        .text("Task", |(task, ..)| set.label(*task))
        .number("Partition", |(_, partition, _)| *partition)
        .number("Jobs", |(.., tally)| tally.jobs)
        .time("Longest response time", |(.., tally)| {
            Time::from_ns(tally.longest)
        })
        .number("Preemptions", |(.., tally)| tally.preemptions)
        .number("Deadline misses", |(.., tally)| {
            // A run without a miss is no success of a plan that is not schedulable.
            let tone = match (tally.misses, plan.schedulable) {
                (0, true) => Tone::Good,
                (0, false) => Tone::Plain,
                _ => Tone::Bad,
            };
            Cell::toned(tally.misses.to_string(), tone)
        });
    let options = Options {
        to: Some(end),
        ..Options::default()
    };
    let figures: Result<Vec<Figure>> = { charts.iter().enumerate() }
        .map(|(number, chart)| chart.figure(number, charts.len() > 1, &options, end))
        .collect();
    Ok(Section {
        figures: figures?,
        jobs: Some(table.done().on_page("run", "Jobs of the simulated run")),
        note: note(plan, whole, last, end),
    })
}

/// A chart of consecutive partitions.
struct Strip {
    timeline: Timeline,
    first: usize,
    last: usize,
    rows: usize,
    misses: u64,
    jobs: u64,
}

impl Strip {
    fn new(first: usize) -> Strip {
        Strip {
            timeline: Timeline::new(),
            first,
            last: first,
            rows: 0,
            misses: 0,
            jobs: 0,
        }
    }

    /// Draws the chart. `number` is its position on the page.
    fn figure(&self, number: usize, several: bool, options: &Options, end: Time) -> Result<Figure> {
        let partitions = self.last - self.first + 1;
        let alternative = format!(
            "Gantt chart of {} on {} from 0 to {end}, with {}. The table below lists the jobs of each task.",
            counted(self.jobs, "job"),
            counted(partitions, "partition"),
            counted(self.misses, "deadline miss")
        );
        let part = match (several, partitions) {
            (false, _) => String::new(),
            (true, 1) => format!(", partition {}", self.first),
            (true, _) => format!(", partitions {} to {}", self.first, self.last),
        };
        let caption = format!(
            "Simulated run{part}: all tasks arrive together, and each job takes its WCET. Arrows mark releases."
        );
        let id = match number {
            0 => "gantt".to_owned(),
            _ => format!("gantt-{number}"),
        };
        Ok(Figure::new(
            id,
            caption,
            alternative,
            &svg(&self.timeline, options)?,
        ))
    }
}

fn note(plan: &Plan, whole: Option<Time>, last: Time, end: Time) -> String {
    let extent = match whole {
        Some(whole) if end == last => format!("The run covers the first hyperperiod of {whole}."),
        Some(whole) => format!(
            "The run ends at {end}, before the end of the hyperperiod of {whole}: the chart shows at most {JOBS} jobs."
        ),
        None => format!(
            "The run ends at {end}, because the hyperperiod is too long: the chart shows at most {JOBS} jobs."
        ),
    };
    let delay = match plan.memory.filter(|_| !super::memory::is_divided(plan)) {
        Some(_) => " The run neglects the interference delay by other partitions.",
        None => "",
    };
    let more = match plan.sms_used > plan.gpu_sms {
        true => format!(
            "This GPU cannot execute the run: the partitions have {}, and the GPU has {}. ",
            counted(plan.sms_used, "SM"),
            plan.gpu_sms
        ),
        false => String::new(),
    };
    format!("{more}{extent}{delay} One run proves nothing about other runs; the proof is the evidence below.")
}

fn jobs(tasks: &[Task], releases: &[Release], end: Time) -> u64 {
    let jobs = tasks.iter().zip(releases);
    jobs.fold(0, |sum: u64, (task, release)| {
        sum.saturating_add(jobs_before(task, release, end))
    })
}

/// Returns the latest end of the run, up to `last`, for which the run has at most [`JOBS`] jobs. If two jobs per task
/// are more than [`JOBS`], this larger number is the limit.
fn cut(tasks: &[Task], releases: &[Release], last: Time) -> Time {
    let most = JOBS.max(2 * tasks.len() as u64);
    if jobs(tasks, releases, last) <= most {
        return last;
    }
    let (mut fits, mut fails) = (0, last.ns());
    while fails - fits > 1 {
        let middle = fits + (fails - fits) / 2;
        match jobs(tasks, releases, Time::from_ns(middle)) <= most {
            true => fits = middle,
            false => fails = middle,
        }
    }
    Time::from_ns(fits)
}

fn simulate(
    timeline: &mut Timeline,
    index: usize,
    part: &Part,
    releases: &[Release],
    set: &TaskSet,
    end: Time,
) -> Result<Tally> {
    let simulation = Simulation::new(&part.tasks, releases, part.discipline, &part.order, end, (1, 0))?;
    let mut tally = Tally::new(part.tasks.len());
    let name = format!("partition {index}, {}", counted(part.sms, "SM"));
    let names = part.positions.iter().map(|&task| set.label(task)).collect();
    let mut chart = Chart::new(timeline, &name, names)?;
    simulation.run(&mut (&mut tally, &mut chart));
    chart.refused().map_or(Ok(tally), |error| Err(error.into()))
}
