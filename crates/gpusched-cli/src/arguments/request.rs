//! Common part of the commands `test` and `partition`. Both commands read task sets, analyze each
//! task set on a GPU, and write the results in the order of the task sets.

use crate::arguments::notes::{self, Notes};
use crate::arguments::{Gpu, Memory, StatedOverheads, named, overheads, policy};
use gpusched_analysis::end_to_end::refuse;
use gpusched_analysis::interference::model_of;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::report::{Output, OutputPath, Progress, clip};
use crate::{Format, Global, Outcome, complain};
use gpusched_analysis::interference::Interference;
use gpusched_analysis::partitioning::{Offer, Problem};
use gpusched_model::end_to_end::Environment;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::reader::TaskSets;
use gpusched_model::{Device, Overheads, OverheadsOrigin, Policy, SharedMemory, TaskSet};

/// Number of task sets in a batch. gpusched reads and checks all task sets of a batch before it analyzes the first of
/// them.
const BATCH: usize = 512;

/// Task sets, their GPU, and the analysis of one partition.
#[derive(Debug, Clone, clap::Args)]
pub struct Request {
    /// One task set (JSON) or many (JSONL, one per line), or an end-to-end system; `-` is standard input
    #[arg(value_name = "SET")]
    sets: PathBuf,
    #[command(flatten)]
    gpu: Gpu,
    /// Policy and its test [default: np-edf]
    ///
    /// Without preemption: `np-edf` (earliest deadline first), `np-fifo` (first in, first out), `np-fp` (deadline-monotonic),
    /// `np-fp-rm` (rate-monotonic), `np-fp-given` (task order), `np-fp-audsley`. Kernels that run together: `concurrent`. With
    /// preemption between thread blocks, sufficient tests: `lp-edf`, `lp-fp`, `lp-fp-rm`, `lp-fp-given`, `lp-fp-audsley`. With free
    /// preemption, as no GPU offers: `edf`, `dm`, `rm`, `fp-given`, `fp-audsley`; sufficient: `density`, `hyperbolic`, `liu-layland`.
    /// Necessary: `work-capacity`, `work-capacity-deadline`.
    #[arg(long, value_parser = policy(), help_heading = "Analysis")]
    policy: Option<Policy>,
    /// Interference model [default: conflict]
    ///
    /// Selects which contention the analysis counts. With `concurrent`, the default is `none`. All other tests assume that at most
    /// one kernel of a partition runs at a time. The page docs/explanation/conflict.md explains which model fits, and what to measure.
    #[arg(long, value_parser = named::<Interference>(), help_heading = "Analysis")]
    interference: Option<Interference>,
    #[command(flatten)]
    memory: Memory,
    /// Overheads of the dispatchers, if WCETs do not include them
    ///
    /// The tests then use C' = C + o and J' = J + w, and a plan stores o and w. Only with `np-` and `lp-` policies, without
    /// memory traffic. In an end-to-end system, o and w apply to kernels, and each partition must have an `np-` policy.
    #[arg(long, value_name = "FILE", value_parser = overheads, help_heading = "Analysis")]
    overheads: Option<StatedOverheads>,
}

/// Returns the interference model if the user states none. The sum of WCETs that `concurrent` counts includes contention.
pub fn default_interference(policy: Policy) -> Interference {
    match policy.runs_together() {
        true => Interference::None,
        false => Interference::default(),
    }
}

/// Returns a text such as ` (#3 is "camera")`, for messages that contain only the number of
/// `task`. The text is empty if the task has no name.
pub fn naming(set: &TaskSet, task: Option<usize>) -> String {
    match task.and_then(|task| Some((task, set.tasks().get(task)?.name()?))) {
        Some((task, name)) => format!(" (#{task} is {:?})", clip(name, 40)),
        None => String::new(),
    }
}

/// If a refusal is about a task, adds the position of the task set to the refusal.
fn in_set(refusal: Refusal, file: &str, line: Option<usize>) -> Refusal {
    match refusal.field().starts_with("tasks[") {
        true => refusal.at(file, line),
        false => refusal,
    }
}

/// One task set of the stream.
pub struct Case<'a> {
    /// Position in the stream, from 0.
    pub index: u64,
    /// Whether the stream contains only this task set.
    pub alone: bool,
    /// Whether to omit the assumptions in text, and the notes on standard error.
    pub quiet: bool,
    /// The task set.
    pub set: &'a TaskSet,
    /// Partitioning problem: the task set, its GPU and its analysis.
    pub problem: Problem<'a>,
}

impl Case<'_> {
    /// Returns the text of [`naming`] for a task of this set.
    pub fn naming(&self, task: Option<usize>) -> String {
        naming(self.set, task)
    }

    /// Whether to write notes on missing conflict WCETs. True only for a single task set, and only if the interference
    /// model uses conflict WCETs.
    pub fn notes_on_conflict(&self, request: &Request) -> bool {
        let model = request.interference();
        self.alone && !self.quiet && model.counts_conflicts()
    }

    /// Returns the name of the set as ` [NAME]`, for the end of a line in a list of results. The
    /// text is empty if the set has no name.
    pub fn in_brackets(&self) -> String {
        let name = self.set.name().map(|name| format!(" [{}]", clip(name, 40)));
        name.unwrap_or_default()
    }
}

/// Result for one task set.
pub struct Answer {
    /// Whether the task set is schedulable.
    pub positive: bool,
    /// Complete lines of output.
    pub text: String,
    /// Content of the additional output file, if the user requested one.
    pub beside: Option<String>,
}

impl Request {
    /// Returns the path of the task sets or systems.
    pub fn path(&self) -> &Path {
        &self.sets
    }

    /// Refuses the options that have no effect on end-to-end systems. The resources of a system state their own sizes
    /// and policies.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for the first such option.
    pub fn refuse_for_systems(&self) -> Result<()> {
        let size = "the partitions of a system state their numbers of SMs";
        refuse("sms", self.gpu.given_sms()?.is_some(), size)?;
        self.refuse_for_plans_of_systems()
    }

    /// Refuses the options that have no effect on plans for end-to-end systems.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] for the first such option.
    pub fn refuse_for_plans_of_systems(&self) -> Result<()> {
        let policy = "each resource of a system states its policy";
        refuse("policy", self.policy.is_some(), policy)?;
        self.refuse_arbitration()
    }

    /// Refuses `--arbitration`, which has no effect on systems.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] if the user states an arbitration.
    pub fn refuse_arbitration(&self) -> Result<()> {
        let arbitration = "the analysis of systems holds for every arbiter";
        refuse("arbitration", self.memory.arbitration.is_some(), arbitration)
    }

    /// Returns the interference model, the shared memory and the overheads for end-to-end systems.
    ///
    /// # Errors
    /// Fails in the same cases as [`Memory::environment`].
    pub fn environment(&self) -> Result<Environment> {
        Ok(Environment {
            overheads: self.overheads.as_ref().map(|stated| stated.bounds),
            ..self.memory.environment(self.interference())?
        })
    }

    /// Returns the policy that the user states.
    pub fn stated_policy(&self) -> Option<Policy> {
        self.policy
    }

    /// Returns the policy inside each partition, with its test.
    pub fn policy(&self) -> Policy {
        self.policy.unwrap_or(Policy::DEFAULT)
    }

    /// Returns the interference model.
    pub fn interference(&self) -> Interference {
        self.interference.unwrap_or(default_interference(self.policy()))
    }

    /// Returns the percentage by which the work of kernels that run together may grow. `None` without `--variation`, and under
    /// all other policies.
    pub fn variation(&self) -> Option<u32> {
        self.memory.variation.filter(|_| self.policy().runs_together())
    }

    /// Returns the name of the policy and its meaning, for the first line of a text result.
    pub fn policy_in_words(&self) -> String {
        format!("{}: {}", self.policy(), self.policy().meaning())
    }

    /// Returns which interference the test counts or neglects, as text after a comma. The text is empty for the default
    /// model.
    pub fn interference_in_words(&self) -> String {
        match self.interference() {
            Interference::None if self.policy().runs_together() => String::new(),
            Interference::None => ", interference neglected".to_owned(),
            Interference::Conflict => String::new(),
            Interference::ConflictBandwidth => ", with the memory traffic of other partitions".to_owned(),
            Interference::ConflictMemoryTime | Interference::MemoryTime => {
                let inside = match self.interference().counts_conflicts() {
                    true => "",
                    false => ", without contention in a partition",
                };
                let form = self.memory.form().described();
                format!(", with the memory time of other partitions ({form}){inside}")
            }
            Interference::Bandwidth => {
                ", with the memory traffic of other partitions, but without contention in a partition"
                    .to_owned()
            }
        }
    }

    /// Returns the overheads of the dispatchers that the WCETs of `set` do not include. `None` without `--overheads`.
    pub fn overheads(&self, set: &TaskSet) -> Option<Overheads> {
        Some(self.overheads.as_ref()?.bounds.of(set))
    }

    /// Returns where the overheads of the dispatchers come from. `None` without `--overheads`.
    pub fn overheads_origin(&self) -> Option<OverheadsOrigin> {
        self.overheads.as_ref().map(|stated| stated.origin.clone())
    }

    /// Returns the overheads as text after a comma. The text is empty without `--overheads`.
    pub fn overheads_in_words(&self, set: &TaskSet) -> String {
        self.overheads(set).map_or(String::new(), |overheads| {
            format!(", with overheads of {overheads}")
        })
    }

    /// Returns the partitioning problem of `set`.
    pub fn problem<'a>(
        &self,
        set: &'a TaskSet,
        (sms, memory): (u32, Option<SharedMemory>),
        offer: Option<&'a Offer>,
    ) -> Result<Problem<'a>> {
        let model = model_of(self.interference());
        let mut problem = Problem::new(set, sms, self.policy(), model)?.varied(self.variation())?;
        if let Some(memory) = memory {
            problem = problem.sharing(memory)?;
        }
        if let Some(offer) = offer {
            problem = problem.offered(offer)?;
        }
        problem.with_overheads(self.overheads(set))
    }

    /// Returns the shared memory; `None` if the interference model does not count memory traffic.
    ///
    /// # Errors
    /// Fails in the same cases as [`Memory::shared`].
    pub fn memory(&self) -> Result<Option<SharedMemory>> {
        let memory = Memory {
            variation: self.memory.variation.filter(|_| !self.policy().runs_together()),
            ..self.memory.clone()
        };
        memory.shared(self.interference())
    }

    /// Returns the number of SMs, M.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`] unless exactly one of `--sms` and `--gpu` is given.
    pub fn sms(&self) -> Result<u32> {
        self.gpu.sms("")
    }

    /// Returns the device; `None` without `--gpu`.
    pub fn device(&self) -> Option<&Device> {
        self.gpu.device()
    }

    /// Writes a result for each task set, in the order of the sets. `ask` stops early if the program that reads the
    /// output closes it. The outcome is positive if all results are positive. Memory use does not grow with the number
    /// of sets.
    ///
    /// `answer` computes the result of one task set. `beside` is the path of an additional output file. `offer` restricts the partition sizes. If a
    /// batch contains an invalid task set, `ask` writes no result of this batch.
    ///
    /// # Errors
    /// Fails if reading, analysis or writing fails. If several task sets are invalid, the error is about the first
    /// invalid task set.
    pub fn ask(
        &self,
        global: &Global,
        mut sets: TaskSets,
        beside: Option<&OutputPath>,
        offer: Option<&Offer>,
        answer: impl Fn(&Case<'_>) -> Result<Answer> + Sync,
    ) -> Result<Outcome> {
        let gpu = (self.sms()?, self.memory()?);
        global.check_answer()?;
        let mut output = Output::open(global)?;
        let mut aside = output.beside(beside)?;
        let pool = global.pool()?;
        let (mut asked, mut positive, mut silent) = (0u64, 0u64, true);
        let mut pace = Pace::new(pool.current_num_threads());
        let mut whole = true;
        let mut progress = Some(Progress::beside_results(global, None, "task sets"));
        let mut notes = Notes::new(gpu.1);
        notes::rates(&self.memory, self.device(), global.quiet);
        while whole {
            let raw = sets.batch(BATCH)?;
            if raw.is_empty() {
                break;
            }
            let file = sets.file();
            let batch: Vec<Result<TaskSet>> =
                pool.install(|| raw.par_iter().map(|raw| raw.parse(file)).collect());
            let batch = batch.into_iter().collect::<Result<Vec<TaskSet>>>()?;
            for set in &batch {
                if let Some(device) = self.device() {
                    notes.gpu(set, device, global.quiet);
                }
                if !global.quiet {
                    notes.on(set);
                    match &self.overheads {
                        Some(stated) => notes.stated_overheads(stated.doubt(set, self.device())),
                        None if self.policy().is_dispatchable() => notes.overheads(set),
                        None => {}
                    }
                }
            }
            let alone = asked == 0 && batch.len() == 1 && sets.at_end();
            // The search of a single task set shows its own progress.
            progress = progress.filter(|_| !alone);
            let mut rest = batch.as_slice();
            let first = asked;
            while whole && !rest.is_empty() {
                let (chunk, later) = rest.split_at(pace.chunk().min(rest.len()));
                let answers: Vec<Result<Answer>> = pool.install(|| {
                    let numbered = chunk.par_iter().enumerate();
                    let cases = numbered.map(|(position, set)| {
                        let index = asked + position as u64;
                        let line = { raw.get((index - first) as usize) }.map(|raw| raw.line);
                        let problem = self.problem(set, gpu, offer);
                        answer(&Case {
                            index,
                            alone,
                            quiet: global.quiet,
                            set,
                            problem: problem
                                .map_err(|error| error.map_refusal(|found| in_set(found, file, line)))?,
                        })
                    });
                    cases.collect()
                });
                for answer in answers {
                    let answer = answer?;
                    if let (Some(text), Some(file)) = (answer.beside, aside.take()) {
                        output.complete(file, text)?;
                        output.sync()?;
                    }
                    output.write(&answer.text)?;
                    silent &= answer.text.is_empty();
                    positive += u64::from(answer.positive);
                    asked += 1;
                    progress.iter().for_each(Progress::step);
                }
                output.flush()?;
                pace.step();
                rest = later;
                whole = output.has_reader() || (rest.is_empty() && sets.at_end());
            }
        }
        if !silent {
            output.finish()?; // otherwise the output file stays unchanged
        }
        if asked > 1 && whole && global.format() == Format::Text && !global.quiet {
            let policy = self.policy_in_words();
            complain(&format!("{positive} of {asked} task sets pass under {policy}"));
        }
        Ok(Outcome::of_answers(positive == asked, whole))
    }
}

/// Number of task sets in a chunk. gpusched adapts this number so that the analysis of a chunk takes a fraction of a
/// second. Therefore results appear soon.
struct Pace {
    chunk: usize,
    threads: usize,
    since: Instant,
}

impl Pace {
    fn new(threads: usize) -> Pace {
        Pace {
            chunk: threads,
            threads,
            since: Instant::now(),
        }
    }

    fn chunk(&self) -> usize {
        self.chunk
    }

    /// Adapts the size of the next chunk to the analysis time of the last chunk.
    fn step(&mut self) {
        let elapsed = self.since.elapsed();
        if elapsed < Duration::from_millis(50) {
            self.chunk = (2 * self.chunk).min(BATCH);
        } else if elapsed > Duration::from_millis(200) {
            self.chunk = (self.chunk / 2).max(self.threads);
        }
        self.since = Instant::now();
    }
}
