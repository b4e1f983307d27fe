//! A recording with its task set, its plan and its audit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::chart;
use crate::Global;
use crate::recording::source::{Reading, Source, of_recording};
use gpusched_model::error::{Error, Refusal, Result, excerpt};
use gpusched_model::reader::{Document, Documents};
use gpusched_model::{Plan, TaskSet, WarmUp, counted};
use gpusched_recording::activity::{WarmUps, devices};
use gpusched_recording::audit::{Audit, FindingKind, Run, Visible, audit, is_set_of_run};
use gpusched_recording::block_trace::Residency;
use gpusched_sim::timeline::{Timeline, TimelineError};
use gpusched_verify::verify;

/// Files and options of an audit.
pub struct Request<'a> {
    /// Recording, which may state the number of SMs of the run.
    pub file: &'a Path,
    /// Task set of the run.
    pub set: &'a Path,
    /// Plan of the run.
    pub plan: Option<&'a Path>,
    /// Pairs of a task and its activity.
    pub names: &'a [(String, String)],
    /// Pairs of a task and a file with records of its thread blocks.
    pub blocks: &'a [(String, PathBuf)],
    /// Options for reading the recording.
    pub reading: &'a Reading,
}

/// A recording and its audit.
pub struct Audited<'a> {
    /// The recording.
    pub source: Source,
    /// Notes about the recording.
    pub notes: Vec<String>,
    /// The audit.
    pub found: Audit,
    set: TaskSet,
    plan: Option<Plan>,
    names: &'a [(String, String)],
    blocks: Vec<(String, Residency)>,
    warm_up: WarmUps,
}

impl<'a> Request<'a> {
    /// Reads the files and audits the recording.
    ///
    /// # Errors
    /// Fails for bad files, and for a plan of another task set.
    pub fn audited(&self, global: &Global) -> Result<Audited<'a>> {
        let set: TaskSet = one(self.set)?;
        let plan: Option<Plan> = self.plan.map(one).transpose()?;
        let source = self.reading.source(global, self.file, false)?;
        let warm_up = self.reading.warm_ups();
        let blocks = { self.blocks.iter() }.map(|(task, file)| Ok((task.clone(), Residency::read(file)?)));
        let blocks: Vec<(String, Residency)> = blocks.collect::<Result<_>>()?;
        let found = audit(&run(&source, &blocks, &warm_up), &set, plan.as_ref(), self.names)?;
        if let (Some(plan), Some(file)) = (&plan, self.plan) {
            of_set(plan, &set, file)?;
        }
        let mut notes = notes(&source, plan.as_ref());
        if plan.is_none() && is_set_of_run(&source.recording, &set) == Some(false) {
            notes.push("the run executed another task set, so its jobs may have other limits".to_owned());
        }
        let dispatcher = source.recording.dispatcher.as_ref();
        if found.verdict == Visible::NotVisible && dispatcher.is_some_and(|of| of.kept == Some(false)) {
            notes.push("the dispatcher states that the run broke a bound".to_owned());
        }
        if found.verdict == Visible::Broken && warm_up.is_none() && starts_with_violations(&found) {
            let (rules, stated) = stated(&set);
            let later = audit(&run(&source, &blocks, &rules), &set, plan.as_ref(), self.names)?;
            if later.verdict != Visible::Broken {
                notes.push(hint(&rules, stated));
            }
        }
        if found
            .findings
            .iter()
            .any(|finding| finding.kind == FindingKind::EarlyRelease)
        {
            notes.push(
                "an early release breaks the stated period and jitter: start ranges when the data arrive, or increase `jitter` in the task set \
                 by this time, and compute the plan again"
                    .to_owned(),
            );
        }
        Ok(Audited {
            notes,
            found,
            source,
            set,
            plan,
            names: self.names,
            blocks,
            warm_up,
        })
    }
}

impl Audited<'_> {
    /// Returns a timeline of the planned windows and the recorded kernels.
    ///
    /// # Errors
    /// Fails with [`TimelineError`] if the recording has too many events.
    pub fn timeline(&self) -> Result<Timeline, TimelineError> {
        let run = run(&self.source, &self.blocks, &self.warm_up);
        chart::timeline(&run, &self.set, self.plan.as_ref(), self.names, &self.found)
    }
}

fn run<'a>(source: &'a Source, blocks: &'a [(String, Residency)], warm_up: &WarmUps) -> Run<'a> {
    Run {
        recording: &source.recording,
        activities: &source.activities.list,
        by: source.by,
        unassigned: source.activities.unassigned,
        open: source.activities.open,
        outside: &source.activities.outside,
        // The partitions of a dispatcher are smaller than its GPU.
        sms: source
            .sms
            .or_else(|| whole_gpu(source).filter(|_| source.recording.dispatcher.is_none())),
        warm_up: warm_up.clone(),
        blocks,
    }
}

/// Whether each job with a violation is one of the first jobs of its task, so that no job that keeps its guarantees is before it.
fn starts_with_violations(audit: &Audit) -> bool {
    let mut broken: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for finding in &audit.findings {
        broken.entry(&finding.task).or_default().extend(finding.job);
    }
    let first = |jobs: &BTreeSet<usize>| jobs.last().is_none_or(|&last| last < jobs.len());
    broken.values().all(first)
}

/// Returns the warm-up of the task set, and whether the set states one. Otherwise, the warm-up is the first job of each task.
fn stated(set: &TaskSet) -> (WarmUps, bool) {
    let rule = |index: usize| {
        let task = set.tasks().get(index)?;
        Some((set.label(index), set.measured_on(task)?.fields().warm_up?))
    };
    let of: BTreeMap<String, WarmUp> = (0..set.tasks().len()).filter_map(rule).collect();
    let mut rules = of.values();
    let first = rules.next().copied();
    match first.filter(|first| rules.all(|other| other == first) && of.len() == set.tasks().len()) {
        Some(all) => (all.into(), true),
        None if of.is_empty() => (WarmUp::Jobs(1).into(), false),
        None => {
            let all = WarmUp::default();
            (WarmUps { all, of }, true)
        }
    }
}

/// Returns a note for a run that breaks guarantees only in the jobs that `rules` drop. `stated` is whether the task set states them.
fn hint(rules: &WarmUps, stated: bool) -> String {
    let jobs = match (rules.of.is_empty(), rules.all) {
        (true, WarmUp::Jobs(1)) => "the first job of each task".to_owned(),
        (true, WarmUp::Jobs(count)) => format!("the first {count} jobs of each task"),
        (true, WarmUp::Time(time)) => format!("the jobs of the first {time}"),
        (false, _) => "the first jobs of some tasks".to_owned(),
    };
    let named = rules
        .of
        .iter()
        .map(|(name, rule)| format!("--warm-up {name}={rule}"));
    let options: Vec<String> = match rules.of.is_empty() {
        true => vec![format!("--warm-up {}", rules.all)],
        false => named.collect(),
    };
    let options = options.join(" ");
    let origin = match stated {
        true => "the task set leaves out this warm-up, so ",
        false => "",
    };
    format!(
        "without {jobs}, the run breaks no guarantee; {origin}only if these jobs need not meet deadlines, ignore them with `{options}`"
    )
}

/// Checks that the partitions of `plan` pass their tests with `set`. A plan of another set makes each check against it useless.
///
/// # Errors
/// Refuses a plan that does not prove `set` schedulable.
fn of_set(plan: &Plan, set: &TaskSet, file: &Path) -> Result<()> {
    if !plan.schedulable || plan.interference.is_none() {
        return Ok(());
    }
    // Only the partitions matter. Texts of assumptions depend on the version of gpusched, and lower bounds take long.
    let partitions = Plan {
        assumptions: None,
        bound: None,
        margin: None,
        sensitivity: None,
        ..plan.clone()
    };
    verify(&partitions, set).map(|_| ()).map_err(|fault| {
        let place = excerpt(&fault.field);
        let reason = match fault.field.starts_with("identity") {
            true => fault.message,
            false => "its proof does not hold for this set".to_owned(),
        };
        let found = format!("a plan of another task set, at {place}: {reason}");
        let refusal = Refusal::new("", found, "the plan of this task set").at(file, None);
        refusal
            .hint("state the task set of the plan, or compute the plan again with `gpusched partition`")
            .into()
    })
}

/// Returns the different sizes of the partitions of `plan`, as text.
fn sizes(plan: &Plan) -> String {
    let mut sizes: Vec<u32> = plan.partitions.iter().map(|partition| partition.sms).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
    sizes.join(", ")
}

/// Returns the number of SMs of the GPU on which the jobs ran, if the file states it.
fn whole_gpu(source: &Source) -> Option<u32> {
    let jobs = source.activities.list.iter().flat_map(|activity| &activity.jobs);
    source.recording.sms_of(&devices(&source.recording, jobs))
}

/// Returns notes about the recording.
fn notes(source: &Source, plan: Option<&Plan>) -> Vec<String> {
    let mut notes = of_recording(&source.recording, "job");
    match (source.sms, plan, whole_gpu(source)) {
        (None, None, _) if source.recording.dispatcher.is_some() => notes.push(
            "state the plan of the run with --plan: the trace is a run with partitions, and no check of C(m) is possible without it"
                .to_owned(),
        ),
        (None, None, Some(sms)) => notes.push(format!(
            "no size (FILE@SMS): gpusched assumes the whole GPU, {}",
            counted(sms, "SM")
        )),
        (Some(sms), Some(plan), _) => {
            notes.push(format!(
                "the size {sms} after `@` has no effect, because the plan states the sizes of the partitions: {} SMs",
                sizes(plan)
            ));
            if plan.partitions.iter().all(|partition| partition.sms != sms) {
                notes.push(format!(
                    "no partition of the plan has {sms} SMs; if the run did not use the partitions of the plan, its result says nothing \
                     about the plan"
                ));
            }
        }
        _ => {}
    }
    notes
}

/// Reads a file that contains exactly one document.
fn one<T: Document>(path: &Path) -> Result<T> {
    let mut documents = Documents::<T>::open(path)?;
    let first = documents.next().transpose()?;
    let (_, first) = first.ok_or_else(|| Error::file(path, "no document", "one"))?;
    match documents.next().transpose()? {
        None => Ok(first),
        Some(_) => Err(Error::file(path, "several documents", "one")),
    }
}
