//! Each periodic or sporadic stimulus starts one thread. The thread executes a task and the work that the task
//! triggers.

use std::collections::{BTreeMap, BTreeSet};

use gpusched_model::Refusal;
use gpusched_model::end_to_end::Wait;

use super::copies::Labels;
use super::flow::Flows;
use super::places::Place;
use super::steps::{Step, Ticks, Walk};
use crate::amalthea::hardware::{Hardware, UnitType, missing};
use crate::amalthea::model::{Model, Node, owner};
use crate::amalthea::reference::references;
use crate::amalthea::software::Software;

/// Maximum number of steps of all jobs. Without a limit, a model could lead to exponentially many steps.
const MAX_WORK: u64 = 1_000_000;

/// Maximum length of a chain of triggers.
const MAX_DEPTH: usize = 100;

/// A part of a job on one resource.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// On the core of the thread.
    Core(Ticks),
    /// On the copy engine: amounts of data that the copy reads and writes [bits].
    Copy(u128, u128),
    /// On the GPU.
    Kernel(Ticks),
}

/// The steps of one job of a thread.
#[derive(Debug, Default)]
pub struct Job<'a> {
    /// Parts in the order of execution.
    pub parts: Vec<Part>,
    /// Accesses to labels.
    pub flows: Flows,
    /// Number of label accesses outside copies.
    pub accesses: u64,
    /// For each wait of the job for work outside its core: the element, and the waiting mode if the file states it.
    pub waits: Vec<(Node<'a>, Option<Wait>)>,
    /// The element that started the last work, and the number of parts before this work. `None` if the job has waited
    /// for the end of this work.
    pending: Option<(Node<'a>, usize)>,
    /// Events that the last work has set.
    events: BTreeSet<String>,
}

/// Expands the triggers of tasks.
pub struct Threads<'w, 'a> {
    pub model: &'w Model<'a>,
    pub hardware: &'w Hardware<'a>,
    pub software: &'w Software<'a>,
    pub labels: &'w Labels<'a>,
    pub places: &'w BTreeMap<&'a str, Place>,
    pub gpu_runnables: &'w BTreeSet<&'a str>,
    /// Definition of the GPU.
    pub gpu: Option<String>,
    /// Whether gpusched computes the WCET from the average number of ticks.
    pub average: bool,
    /// Tasks by stimulus.
    by_stimulus: BTreeMap<String, Vec<&'a str>>,
    /// For each processing unit definition, by name: its walk.
    pub walks: BTreeMap<String, Walk<'w, 'a>>,
    work: u64,
}

impl<'w, 'a> Threads<'w, 'a> {
    /// Creates threads without a job.
    pub fn new(
        (model, hardware, software): (&'w Model<'a>, &'w Hardware<'a>, &'w Software<'a>),
        labels: &'w Labels<'a>,
        places: &'w BTreeMap<&'a str, Place>,
        (gpu, gpu_runnables): (Option<String>, &'w BTreeSet<&'a str>),
        average: bool,
    ) -> Threads<'w, 'a> {
        let mut by_stimulus: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for &task in &software.order {
            let node = software.processes.get(task);
            for stimulus in node.iter().flat_map(|node| references(**node, "stimuli")) {
                by_stimulus.entry(stimulus.name).or_default().push(task);
            }
        }
        Threads {
            model,
            hardware,
            software,
            labels,
            places,
            gpu_runnables,
            gpu,
            average,
            by_stimulus,
            walks: BTreeMap::new(),
            work: 0,
        }
    }

    /// Returns `first` and all tasks that it triggers, directly and indirectly. `triggers` contains the stimuli that
    /// each task triggers.
    pub fn tree(&self, first: &'a str, triggers: &BTreeMap<&'a str, Vec<String>>) -> Vec<&'a str> {
        let (mut found, mut position) = (vec![first], 0);
        while let Some(task) = found.get(position).copied() {
            position += 1;
            let started = triggers.get(task).into_iter().flatten();
            for &started in started.flat_map(|stimulus| self.by_stimulus.get(stimulus).into_iter().flatten())
            {
                if !found.contains(&started) {
                    found.push(started);
                }
            }
        }
        found
    }

    /// Returns the job of the thread that starts with `first`. The parts of the job outside the GPU execute on `core`.
    pub fn job(&mut self, first: &'a str, core: Option<&str>) -> Result<Job<'a>, Refusal> {
        let mut job = Job::default();
        self.task(first, core, &mut job, &mut Vec::new())?;
        Ok(job)
    }

    /// Adds the parts of `task` to `job`.
    fn task(
        &mut self,
        task: &'a str,
        core: Option<&str>,
        job: &mut Job<'a>,
        open: &mut Vec<&'a str>,
    ) -> Result<(), Refusal> {
        let node = self.software.processes.get(task).copied();
        let node = node.ok_or_else(|| missing(self.model, "task", task))?;
        if open.contains(&task) || open.len() >= MAX_DEPTH {
            return Err(self.refuse(node, "a cycle of triggers", "triggers without a cycle"));
        }
        open.push(task);
        let on_gpu = matches!(self.places.get(task), Some(Place::Gpu(_)));
        let definition = match (on_gpu, core) {
            (true, _) => self.gpu.clone(),
            (false, Some(core)) => Some(self.hardware.definition(core)),
            (false, None) => None,
        };
        let none = || self.refuse(node, "no processing unit", "an allocation to a processing unit");
        let definition = definition.ok_or_else(none)?;
        for step in self.steps(&definition, node)? {
            self.work += 1;
            if self.work > MAX_WORK {
                let found = "triggers whose total number is too large";
                return Err(self.refuse(node, found, "fewer triggers"));
            }
            self.step(step, core, (job, open), on_gpu)?;
        }
        open.pop();
        Ok(())
    }

    fn step(
        &mut self,
        step: Step<'a>,
        core: Option<&str>,
        (job, open): (&mut Job<'a>, &mut Vec<&'a str>),
        on_gpu: bool,
    ) -> Result<(), Refusal> {
        match step {
            Step::Run { ticks, flows } => {
                job.flows.then(&flows);
                job.accesses = job.accesses.saturating_add(flows.count());
                if let Some(ticks) = ticks.filter(|ticks| *ticks != Ticks::default()) {
                    self.starts(job)?;
                    self.push(job, ticks, on_gpu)?;
                }
            }
            Step::Copy { read, written, flows } => {
                job.flows.then(&flows);
                self.starts(job)?;
                job.parts.push(Part::Copy(read, written));
            }
            Step::Kernel(runnable, item) => {
                self.starts(job)?;
                let node = self.software.runnables.get(runnable).copied();
                let node = node.ok_or_else(|| missing(self.model, "runnable", runnable))?;
                let gpu = self
                    .gpu
                    .clone()
                    .ok_or_else(|| missing(self.model, "GPU of", runnable))?;
                for step in self.steps(&gpu, node)? {
                    self.step(step, core, (job, open), true)?;
                }
                job.waits.push((item, None));
            }
            Step::Trigger(stimulus, item) => {
                self.starts(job)?;
                let before = job.parts.len();
                match self.by_stimulus.get(&stimulus).map(Vec::as_slice) {
                    None | Some([]) => {
                        let found = format!("a trigger of {stimulus:?}, which starts no task");
                        return Err(self.refuse(item, found, "a stimulus of a task"));
                    }
                    Some(&[task]) => self.task(task, core, job, open)?,
                    Some(tasks) => {
                        let found = format!("a trigger that starts several tasks: {}", tasks.join(", "));
                        return Err(self.refuse(item, found, "a trigger that starts one task"));
                    }
                }
                if job.parts.len() > before || !job.events.is_empty() {
                    job.pending = Some((item, before));
                }
            }
            Step::Wait(events, item, active) => {
                let pending = job.pending.take().filter(|_| events.is_subset(&job.events));
                let Some((_, before)) = pending.filter(|_| !events.is_empty()) else {
                    let list: Vec<&str> = events.iter().map(String::as_str).collect();
                    let found = format!("a wait for {}", list.join(", "));
                    let expected = "an event that the previously triggered task sets at its end";
                    return Err(self.refuse(item, found, expected));
                };
                job.events.clear();
                let wait = active.map(|active| if active { Wait::Busy } else { Wait::Suspend });
                // A wait for work on the same core takes no time.
                if job
                    .parts
                    .iter()
                    .skip(before)
                    .any(|part| !matches!(part, Part::Core(_)))
                {
                    job.waits.push((item, wait));
                }
            }
            Step::Set(events) => job.events.extend(events),
        }
        Ok(())
    }

    /// Records that the next work starts. Fails if this work would execute concurrently with earlier work.
    fn starts(&self, job: &mut Job<'a>) -> Result<(), Refusal> {
        job.events.clear();
        match job.pending {
            None => Ok(()),
            Some((trigger, _)) => {
                let found = "work after a trigger, without a wait for the triggered task";
                let expected = "a wait for the triggered task, or no work after the trigger";
                Err(self.refuse(trigger, found, expected))
            }
        }
    }

    /// Adds an execution of `ticks` to `job`.
    fn push(&self, job: &mut Job<'a>, ticks: Ticks, on_gpu: bool) -> Result<(), Refusal> {
        let many = || self.model.refuse_all("more than 2^128 ticks", "fewer ticks");
        match (job.parts.last_mut(), on_gpu) {
            (Some(Part::Core(sum)), false) => *sum = sum.plus(ticks).ok_or_else(many)?,
            (_, false) => job.parts.push(Part::Core(ticks)),
            (_, true) => job.parts.push(Part::Kernel(ticks)),
        }
        Ok(())
    }

    fn steps(&mut self, definition: &str, node: Node<'a>) -> Result<Vec<Step<'a>>, Refusal> {
        let walk = self.walks.entry(definition.to_owned()).or_insert_with(|| Walk {
            model: self.model,
            software: self.software,
            labels: self.labels,
            gpu_runnables: self.gpu_runnables,
            definition: definition.to_owned(),
            is_gpu: self.hardware.definition_type(definition) == UnitType::Gpu,
            average: self.average,
            known: BTreeMap::new(),
            work: 0,
            ticks: Vec::new(),
            skipped: BTreeMap::new(),
        });
        walk.steps(node)
    }

    fn refuse(&self, node: Node<'a>, found: impl ToString, expected: &str) -> Refusal {
        self.model.refuse(node, owner(node), found, expected)
    }
}
