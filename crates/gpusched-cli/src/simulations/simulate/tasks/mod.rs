//! `gpusched simulate tasks`: the jobs of tasks on their partitions.

mod case;
mod end;
mod report;
mod rows;
mod utilization;

pub use report::Summary;

use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::arguments::{Gpu, StatedOverheads, check_as_many, named, overheads, policy, refused, whole};
use crate::plans::end_to_end::{self, Input};
use crate::report::TimelineFiles;
use crate::report::{About, Content, Output, OutputPath};
use crate::{Format, Global, Outcome, Run, complain};
use case::Case;
use gpusched_analysis::interference::Interference;
use gpusched_model::end_to_end::Environment;
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::EndToEndSystems;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Plan, Policy, TaskSet};
use gpusched_sim::end_to_end as simulator;
use gpusched_sim::tasks::{Arrivals, Chart, Jitter, Occupancy, Offsets, Pattern, Simulation, Tally, Task};
use gpusched_sim::timeline::Timeline;
use gpusched_sim::validation::system::Part;
use rows::Rows;
use utilization::Utilizations;

/// Arguments of `gpusched simulate tasks`. One kernel runs at a time on each partition, or kernels in time slices.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// One task set (JSON) or many (JSONL, one per line), or an end-to-end system; `-` is standard input
    #[arg(value_name = "SET")]
    sets: PathBuf,
    /// Plan file for the task sets, written by `partition --format json`
    ///
    /// Without a plan, all tasks are in one partition.
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["sms", "gpu"])]
    plan: Option<PathBuf>,
    #[command(flatten)]
    gpu: Gpu,
    /// Scheduling policy [default: as in the plan; without a plan, np-edf]
    #[arg(long, value_parser = policy())]
    policy: Option<Policy>,
    /// Interference model [default: as in the plan; without a plan, conflict]
    #[arg(long, value_parser = named::<Interference>())]
    interference: Option<Interference>,
    /// Bounds on the overheads of the dispatchers [default: as in the plan; without a plan, none]
    ///
    /// A job then occupies its partition for up to C + o, and its release is up to J + w late. `--times` and `--jitter` select the
    /// times up to these bounds.
    #[arg(long, value_name = "FILE", value_parser = overheads)]
    overheads: Option<StatedOverheads>,
    /// Offsets of the first jobs
    #[arg(long, value_parser = named::<Offsets>(), default_value_t)]
    offsets: Offsets,
    /// Release jitter of the jobs
    #[arg(long, value_parser = named::<Jitter>(), default_value_t)]
    jitter: Jitter,
    /// Time between two arrivals of a task
    #[arg(long, value_parser = named::<Arrivals>(), default_value_t)]
    arrivals: Arrivals,
    /// Position of a task that arrives 1 ns before all other tasks (to cause blocking)
    #[arg(long, value_name = "TASK", value_parser = whole::<usize>(0..))]
    blocker: Option<usize>,
    /// Position of a task that executes only while all others are idle
    ///
    /// Only with the policy `concurrent`, whose default is time slices of random lengths.
    #[arg(long, value_name = "TASK", value_parser = whole::<usize>(0..))]
    starve: Option<usize>,
    /// Execution times of the jobs
    #[arg(long, value_parser = named::<Times>(), default_value_t)]
    times: Times,
    /// Shortest execution time as a share of the WCET [default: 0.5]
    ///
    /// Only with `--times short`.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    shortest: Option<Factor>,
    /// Time after which no job arrives [default: hyperperiod plus largest offset]
    #[arg(long, value_name = "TIME")]
    duration: Option<Time>,
    /// Also write the utilization of each partition over time, to a CSV file
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Csv), value_hint = clap::ValueHint::FilePath)]
    utilization: Option<OutputPath>,
    /// Number of equal time intervals for `--utilization` [default: 200]
    ///
    /// Only with `--utilization`.
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    intervals: Option<u32>,
    #[command(flatten)]
    timeline_files: TimelineFiles,
}

/// Execution times of jobs.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Times {
    /// Each job executes for the WCET of its task.
    #[default]
    Wcet,
    /// Each job executes for a random time, from a share of the WCET up to the WCET.
    Short,
}

const EXAMPLE: &str = "\
The result is a summary. With --format csv (or -o NAME.csv), it has one row per job.
Exit code 1: a job misses its deadline, or a plan has no partitions.
A run without deadline misses proves nothing about runs with other releases. For a proof, use `gpusched test` or
`gpusched partition`.

Examples:
  gpusched simulate tasks tasksets/tasksets/adas.json --gpu rtx2060
  gpusched partition tasksets/tasksets/adas.json --gpu orin -o plan.json && gpusched simulate tasks tasksets/tasksets/adas.json --plan plan.json --times short";

fn share(text: &str) -> Result<Factor, String> {
    let value = text.parse().ok().and_then(Factor::from_f64);
    value
        .filter(|&share| share > Factor::ZERO && share.ratio().0 <= share.ratio().1)
        .ok_or_else(|| refused(text, "a number above 0 and at most 1, with at most nine decimals"))
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        self.check()?;
        let sets = match Input::open(&self.sets)? {
            Input::Sets(sets) => sets,
            Input::Systems(systems) => return self.of_system(systems, global),
        };
        if let Some(plan) = &self.plan {
            check_as_many::<Plan, TaskSet>(plan, &self.sets)?;
        }
        let is_csv = global.format() == Format::Csv;
        let mut output = Output::open(global)?;
        let canvas = self.timeline_files.open(&mut output)?;
        let shares = output.beside(self.utilization.as_ref())?;
        let mut utilizations = self
            .utilization
            .as_ref()
            .map(|_| Utilizations::new(self.intervals));
        let (mut columns, mut drawn) = (Some(rows::COLUMNS), None);
        let (mut positive, mut whole) = (true, true);
        self.cases(sets, |case, alone| {
            if !output.has_reader() {
                whole = false;
                return Ok(ControlFlow::Break(()));
            }
            if self.timeline_files.wanted() && !alone {
                let options = "--trace, --gantt";
                return Err(Error::parameter(options, "several task sets", "one task set"));
            }
            let summary = {
                let rows = |output| Rows::new(case.index, output, columns.take());
                let mut rows = is_csv.then_some(&mut output).map(rows);
                let (summary, timeline) = self.simulate(
                    (&case, alone),
                    global.seed(),
                    rows.as_mut(),
                    utilizations.as_mut(),
                )?;
                drawn = timeline; // gpusched draws only a single set
                rows.map_or(Ok(()), Rows::finish)?;
                summary
            };
            positive &= summary.misses == 0 && summary.failure.is_none();
            if let (true, Some(failure)) = (is_csv, &summary.failure) {
                // The CSV result has no rows for a plan without jobs.
                complain(&format!(
                    "warning: task set {} is not simulated: {failure}",
                    case.index
                ));
            }
            output.report(&About((case.index, case.set, alone, global.quiet), summary))?;
            Ok(ControlFlow::Continue(()))
        })?;
        if let (Some(file), Some(utilizations)) = (shares, utilizations) {
            output.complete(file, utilizations.csv())?;
        }
        if let Some((timeline, title)) = drawn {
            canvas.draw(&timeline, &title, &mut output)?;
        }
        output.finish()?;
        Ok(Outcome::of_answers(positive, whole))
    }
}

impl Args {
    /// Simulates an end-to-end system.
    fn of_system(&self, systems: EndToEndSystems, global: &Global) -> Result<Outcome> {
        let reason = "the resources of a system state their sizes and policies";
        let options = [
            ("plan", self.plan.is_some()),
            ("sms", self.gpu.given_sms()?.is_some()),
            ("policy", self.policy.is_some()),
            ("blocker", self.blocker.is_some()),
            ("starve", self.starve.is_some()),
            ("shortest", self.shortest.is_some()),
            ("utilization", self.utilization.is_some()),
        ];
        for (option, given) in options {
            end_to_end::refuse(option, given, reason)?;
        }
        let pattern = simulator::Pattern {
            offsets: self.offsets,
            phases: true,
            jitter: self.jitter,
            arrivals: self.arrivals,
            execution: match self.times {
                Times::Wcet => simulator::Execution::Wcet,
                Times::Short => simulator::Execution::Random,
            },
        };
        let interference = self.interference.unwrap_or_default();
        if interference.counts_memory() {
            let expected = "conflict or none, because the run of a system has no shared memory";
            return Err(Error::parameter("interference", interference, expected));
        }
        let environment = Environment {
            overheads: self.overheads.as_ref().map(|stated| stated.bounds),
            ..interference.into()
        };
        end_to_end::simulate(
            systems,
            environment,
            (pattern, self.duration),
            &self.timeline_files,
            global,
        )
    }

    /// Refuses options without effect.
    fn check(&self) -> Result<()> {
        if self.shortest.is_some() && self.times == Times::Wcet {
            return Err(Error::parameter(
                "shortest",
                "--times wcet",
                "--times short, where the option has an effect",
            ));
        }
        if self.intervals.is_some() && self.utilization.is_none() {
            let found = "no --utilization PATH";
            return Err(Error::parameter("intervals", found, "--utilization PATH"));
        }
        Ok(())
    }

    fn pattern(&self) -> Pattern {
        Pattern {
            offsets: self.offsets,
            jitter: self.jitter,
            arrivals: self.arrivals,
            blocker: self.blocker.map(|task| task as u64),
        }
    }

    /// Simulates `case`. If an output file requires a timeline, the returned data include the timeline and its title.
    fn simulate(
        &self,
        (case, alone): (&Case<'_>, bool),
        seed: u64,
        mut rows: Option<&mut Rows<'_>>,
        mut utilizations: Option<&mut Utilizations>,
    ) -> Result<(Summary, Option<(Timeline, String)>)> {
        if case.failure.is_some() {
            return Ok((report::start(self, (case, alone), Time::ZERO, seed), None));
        }
        let tasks = case.set.tasks().len();
        if let Some(found) = self.blocker.filter(|&blocker| blocker >= tasks) {
            return Err(Error::parameter(
                "blocker",
                format!("task {found}"),
                format!("at most {}, the last task of task set {}", tasks - 1, case.index),
            ));
        }
        if let Some(found) = self.starve {
            let part = case.parts.iter().find(|part| part.positions.contains(&found));
            if !part.is_some_and(|part| part.policy.runs_together()) {
                let expected = "a task in a partition with the policy concurrent";
                return Err(Error::parameter("starve", format!("task {found}"), expected));
            }
        }
        let numbers = (seed, case.index);
        // All partitions have a common start time.
        let together: Vec<Task> = case
            .parts
            .iter()
            .flat_map(|part| part.tasks.iter().copied())
            .collect();
        let mut releases = &self.pattern().releases(&together, numbers)[..];
        let end = end::end(self.duration, &together, releases)?;
        self.timeline_files
            .expect(end::least_events(&together, releases, end))?;
        let mut summary = report::start(self, (case, alone), end, seed);
        let mut occupancies = Vec::new();
        let mut timeline = self.timeline_files.wanted().then(Timeline::new);
        for (index, part) in case.parts.iter().enumerate() {
            let (own, others) = releases.split_at(part.tasks.len());
            releases = others;
            let starving = self.starve.map(|task| part.starving(task as u64));
            let part = starving.as_ref().unwrap_or(part);
            let simulation = Simulation::new(&part.tasks, own, part.discipline, &part.order, end, numbers)?;
            let mut tally = Tally::new(part.tasks.len());
            let mut occupancy = utilizations
                .as_ref()
                .map(|all| Occupancy::new(end, all.intervals()));
            if let Some(rows) = &mut rows {
                rows.begin(index, &part.positions);
            }
            let mut chart = match &mut timeline {
                Some(timeline) => Some(self.chart(timeline, index, part, case.set)?),
                None => None,
            };
            simulation.run(&mut (
                &mut tally,
                (rows.as_deref_mut(), (occupancy.as_mut(), chart.as_mut())),
            ));
            if let Some(error) = chart.and_then(Chart::refused) {
                return Err(self.timeline_files.refuse(error));
            }
            summary.add(part, &tally, case.set);
            occupancies.extend(occupancy);
        }
        if let Some(utilizations) = &mut utilizations {
            let sms: Vec<u32> = case.parts.iter().map(|part| part.sms).collect();
            utilizations.add(case.index, case.gpu_sms, &sms, &occupancies);
        }
        let title = case.set.name().unwrap_or("jobs in partitions");
        Ok((summary, timeline.map(|timeline| (timeline, title.to_owned()))))
    }

    /// Returns the part of the Gantt chart for partition `index` of `set`.
    fn chart<'a>(
        &self,
        timeline: &'a mut Timeline,
        index: usize,
        part: &Part,
        set: &TaskSet,
    ) -> Result<Chart<'a>> {
        let sms = if part.sms == 1 { "SM" } else { "SMs" };
        let name = format!("partition {index}, {} {sms}", part.sms);
        let tasks = part.positions.iter().map(|&task| {
            let name = set.tasks().get(task).and_then(|found| found.name());
            name.map_or_else(|| format!("task {task}"), str::to_owned)
        });
        Chart::new(timeline, &name, tasks.collect()).map_err(|error| self.timeline_files.refuse(error))
    }
}
