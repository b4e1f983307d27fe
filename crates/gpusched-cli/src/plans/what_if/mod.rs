//! `gpusched what-if`: what happens to a plan if the GPU, the tasks or the WCETs change.

mod answer;
mod text;

use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};

use answer::{Answer, Changed};

use crate::arguments::notes::{self, Notes};
use crate::arguments::{Gpu, named, offer, refused};
use crate::plans::end_to_end::Input;
use crate::plans::wrong_plan;
use crate::report::{About, Content, Output, OutputPath, json_document};
use crate::{Global, Outcome, Run, complain};
use gpusched_analysis::partitioning::{HeuristicKind, Offer, Problem, extended, partition};
use gpusched_model::assumptions::{Assumption, Basis, Counted, Ports};
use gpusched_model::device::Granularity;
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::plan::Partition;
use gpusched_model::reader::{Plans, TaskSets};
use gpusched_model::{Factor, Plan, TaskSet, TaskShape};
use gpusched_verify::verify;

/// Arguments of `gpusched what-if`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Plan file, written by `partition --format json`
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Task set of the plan
    #[arg(value_name = "SET")]
    set: PathBuf,
    #[command(flatten, next_help_heading = "Changes")]
    gpu: Gpu,
    /// Unit of the partition sizes; requires `--gpu` [default: finest unit with an export]
    #[arg(long, value_name = "NAME", value_parser = named::<Granularity>())]
    granularity: Option<Granularity>,
    /// Multiply all WCETs of SET by FACTOR, e.g., 1.2
    ///
    /// Without this option, WCETs stay as they are, also on another GPU. FACTOR is your statement: gpusched does not know how fast
    /// kernels are on another GPU.
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    scale: Option<Factor>,
    /// Task set with further tasks
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    add: Option<PathBuf>,
    /// Partitions whose tasks may move: numbers such as 0,2, or `all` [default: none]
    ///
    /// Only on the GPU of the plan, with the granularity of the plan. On another GPU, all tasks may move.
    #[arg(long = "move", value_name = "LIST", value_parser = moves)]
    moves: Option<Moves>,
    /// Also write the new plan
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    new_plan: Option<OutputPath>,
    /// Also write the task set of the new plan
    #[arg(long, value_name = "PATH", value_parser = OutputPath::of(Content::Json), value_hint = clap::ValueHint::FilePath, help_heading = "Output")]
    new_set: Option<OutputPath>,
}

const EXAMPLE: &str = "\
`what-if` takes the policy and the models from the plan. It keeps each partition with its tasks, SMs and place, unless `--move` names
the partition. Further tasks get free SMs. If the free SMs are too few, they join kept partitions, if all tasks there still meet
their deadlines. On another GPU, gpusched divides the SMs anew.
The table shows for each task by how much its WCET may grow while the other WCETs stay the same. One nanosecond more fails the test.
`verify` accepts the new plan with the new task set.
Exit code 0: a plan exists after the changes. 1: gpusched found no such plan.

Examples:
  gpusched partition tasksets/tasksets/adas.json --gpu orin -o plan.json && gpusched what-if plan.json tasksets/tasksets/adas.json
  gpusched partition tasksets/tasksets/adas.json --gpu h100 -o plan.json && gpusched what-if plan.json tasksets/tasksets/adas.json --gpu l4 --scale 1.3
  gpusched partition tasksets/tasksets/adas.json --gpu h100 -o plan.json && gpusched what-if plan.json tasksets/tasksets/adas.json \
    --add tasksets/tasksets/orin-measured.json --new-plan new.json --new-set new-set.json";

/// Partitions whose tasks may move.
#[derive(Clone, Debug)]
enum Moves {
    All,
    /// Positions in the plan.
    Some(Vec<usize>),
}

impl Moves {
    fn allow(&self, partition: usize) -> bool {
        match self {
            Moves::All => true,
            Moves::Some(numbers) => numbers.contains(&partition),
        }
    }
}

impl Display for Moves {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Moves::All => f.write_str("all"),
            Moves::Some(numbers) => {
                let listed: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                f.write_str(&listed.join(","))
            }
        }
    }
}

fn moves(text: &str) -> Result<Moves, String> {
    if text == "all" {
        return Ok(Moves::All);
    }
    let numbers: Option<Vec<usize>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    numbers
        .map(Moves::Some)
        .ok_or_else(|| refused(text, "`all`, or numbers of partitions such as 0,2"))
}

fn factor(text: &str) -> Result<Factor, String> {
    let factor = text.parse().ok().filter(|&factor: &Factor| factor > Factor::ZERO);
    factor.ok_or_else(|| {
        refused(
            text,
            "a number above 0 and at most 1000000, with at most nine decimals",
        )
    })
}

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let old = Plans::only(&self.plan, "plan")?;
        let before = self.read_set()?;
        self.check(&old, &before)?;
        let set = self.changed_set(&old, &before)?;
        let wanted = match self.gpu.given_sms()? {
            None => offer(None, self.granularity)?.or(Offer::of_plan(&old)?),
            Some(_) => offer(self.gpu.device(), self.granularity)?,
        };
        let sms = self.gpu.given_sms()?.unwrap_or(old.gpu_sms);
        let target = Plan {
            gpu_sms: sms,
            hardware: { wanted.as_ref() }
                .map(|offer| offer.hardware().clone().with_ports(old.memory.is_some())),
            ..old.clone()
        };
        // On other hardware, no place of the plan exists, so gpusched divides the SMs anew.
        let elsewhere = target.hardware != old.hardware;
        if (elsewhere || sms != old.gpu_sms) && old.memory.is_some() {
            let expected = "a plan without memory traffic, because the memory bandwidth of another GPU differs; use \
                            `partition` instead";
            return Err(Error::parameter("gpu", "another GPU than in the plan", expected));
        }
        if let Some(moves) = self.moves.as_ref().filter(|_| elsewhere) {
            let expected =
                "no `--move`, because all tasks may move on another GPU, and with another granularity";
            return Err(Error::parameter("move", moves, expected));
        }
        self.notes(&set, &target, elsewhere, global);
        let problem = Problem::of_plan(&target, &set, wanted.as_ref())
            .map_err(|error| error.map_refusal(|refusal| self.placed(refusal, before.tasks().len())))?;
        let kept = match elsewhere {
            true => Vec::new(),
            false => self.kept(&old),
        };
        let heuristic = HeuristicKind::Auto.into();
        let mut new = match kept.is_empty() {
            true => partition(&problem, &heuristic),
            false => extended(&problem, &kept, &heuristic),
        };
        new.overheads_origin = old.overheads_origin.clone();
        if let Some(hardware) = new.hardware.as_ref().filter(|_| new.schedulable && !global.quiet) {
            notes::ports(
                &Ports::of_plan(&new),
                hardware.granularity,
                Counted::of_plan(&new),
            );
        }
        if !global.quiet && new.interference.is_some_and(|model| model.counts_conflicts()) {
            notes::conflict(&set, &new);
        }
        let assumptions = Basis::of_plan(&new, &set).assumptions();
        new.assumptions = Some(Assumption::listed(assumptions, true));
        let device = new.hardware.as_ref().map(|hardware| &hardware.device);
        new.identity = Some(global.identity(&set, device, true));
        let changed = Changed {
            old: &old,
            tasks_before: before.tasks().len(),
            set: &set,
            kept: kept.len(),
            elsewhere,
            scale: self.scale,
            quiet: global.quiet,
        };
        let answer = Answer::new(&problem, &changed, &new);
        let mut output = Output::open(global)?;
        let plan_file = output.beside(self.new_plan.as_ref())?;
        let set_file = output.beside(self.new_set.as_ref())?;
        if let Some(file) = plan_file {
            output.complete(file, json_document(&new)?)?;
        }
        if let Some(file) = set_file {
            output.complete(file, json_document(&set)?)?;
        }
        output.last(&About((&problem, &changed, &new), answer))?;
        Ok(new.schedulable.into())
    }
}

impl Args {
    fn read_set(&self) -> Result<TaskSet> {
        match Input::open(&self.set)? {
            Input::Sets(_) => TaskSets::only(&self.set, "task set"),
            Input::Systems(_) => Err(Error::file(
                &self.set,
                "an end-to-end system",
                "a task set, whose tasks have no segments",
            )),
        }
    }

    /// Checks that the plan proves that the tasks of `set` meet their deadlines, and that `--move` names partitions of the plan.
    fn check(&self, plan: &Plan, set: &TaskSet) -> Result<()> {
        if !plan.schedulable {
            let expected = "a schedulable plan";
            return Err(Refusal::new("schedulable", false, expected)
                .at(&self.plan, None)
                .into());
        }
        // No answer depends on statements about all plans.
        let plan = Plan {
            bound: None,
            margin: None,
            sensitivity: None,
            ..plan.clone()
        };
        verify(&plan, set).map_err(|found| wrong_plan(found).at(&self.plan, None))?;
        let partitions = plan.partitions.len();
        match &self.moves {
            Some(Moves::Some(numbers)) if numbers.iter().any(|&number| number >= partitions) => {
                let expected = format!("numbers from 0 to {}, the partitions of the plan", partitions - 1);
                Err(Error::parameter("move", Moves::Some(numbers.clone()), expected))
            }
            _ => Ok(()),
        }
    }

    /// Returns the task set after the changes.
    fn changed_set(&self, old: &Plan, before: &TaskSet) -> Result<TaskSet> {
        let mut set = before.clone();
        if let Some(factor) = self.scale {
            let sms = self.gpu.given_sms()?.unwrap_or(1).max(old.gpu_sms);
            set = before.scaled(factor, sms).ok_or_else(|| {
                Error::parameter(
                    "scale",
                    factor,
                    "a factor with which each WCET is positive and below 2^63 ns",
                )
            })?;
        }
        match &self.add {
            None => Ok(set),
            Some(path) => joined(&set, &TaskSets::only(path, "task set")?, path),
        }
    }

    /// Adds the file of the refused field. SET contains the first `count` tasks, which the plan was checked with, and `--add` the
    /// others.
    fn placed(&self, refusal: Refusal, count: usize) -> Refusal {
        let task = refusal.field().strip_prefix("tasks[").and_then(|rest| {
            let (index, field) = rest.split_once(']')?;
            Some((index.parse::<usize>().ok()?, field.to_owned()))
        });
        match (task, &self.add) {
            (Some((index, field)), Some(path)) if index >= count => {
                let field = format!("tasks[{}]{field}", index - count);
                refusal.of_field(field).at(path, None)
            }
            _ => refusal.at(&self.plan, None),
        }
    }

    /// Returns the partitions that stay as they are.
    fn kept(&self, old: &Plan) -> Vec<Partition> {
        let stays = |partition| !self.moves.as_ref().is_some_and(|moves| moves.allow(partition));
        let kept = old.partitions.iter().enumerate();
        let kept = kept.filter(|&(index, _)| stays(index));
        kept.map(|(_, partition)| partition.clone()).collect()
    }

    /// Writes the notes on the task set and the GPU of the new plan.
    fn notes(&self, set: &TaskSet, target: &Plan, elsewhere: bool, global: &Global) {
        let mut notes = Notes::new(target.memory);
        if let Some(device) = self.gpu.device() {
            notes.gpu(set, device, global.quiet);
        }
        if global.quiet {
            return;
        }
        notes.on(set);
        let dispatchable =
            { target.partitions.iter() }.any(|partition| partition.verdict.policy.is_dispatchable());
        if target.overheads.is_none() && dispatchable {
            notes.overheads(set);
        }
        if elsewhere && self.scale.is_none() {
            complain(
                "note: the WCETs stay as they are on the other GPU; state how they change with `--scale`, or measure them there",
            );
        }
        if elsewhere && target.overheads.is_some() {
            complain("note: the overheads are of the GPU of the plan");
        }
    }
}

/// Returns `set` with the tasks and the other traffic of `more`, which the file at `path` contains.
fn joined(set: &TaskSet, more: &TaskSet, path: &Path) -> Result<TaskSet> {
    if set.times() != more.times() {
        let name = |set: &TaskSet| set.times().map_or("none".to_owned(), |times| times.to_string());
        let expected = format!("{}, as in the task set of the plan", name(set));
        return Err(Refusal::new("times", name(more), expected).at(path, None).into());
    }
    let mut tasks = Vec::new();
    for of in [set, more] {
        for task in of.tasks() {
            // A field of a whole set would be wrong for the tasks of the other set.
            let shape = TaskShape::from(task.clone());
            let shape = match of.measured_on(task) {
                Some(on) => shape.measured_on(on.clone()),
                None => shape,
            };
            let task = shape.build();
            tasks.push(task.map_err(|error| Error::file(path, error, "a valid task"))?);
        }
    }
    let mut other = set.other_traffic().to_vec();
    other.extend_from_slice(more.other_traffic());
    let all = TaskSet::new(set.name().map(str::to_owned), tasks)
        .map_err(|error| Error::file(path, error, "at least one task"))?;
    Ok(all.beside(other).with_times(set.times()))
}
