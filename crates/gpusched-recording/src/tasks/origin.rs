//! Statement of the GPU and of the tool that measured a task.

use std::collections::BTreeSet;
use std::num::NonZeroU64;

use gpusched_model::MeasuredOn;
use gpusched_model::error::Refusal;
use gpusched_model::provenance::{MeasuredOnShape, SizeSign};
use gpusched_model::time::Time;

use super::{Copies, CopyRule, Gaps, Options, Run, Sample, Size};
use crate::activity::{Job, devices, signs};
use crate::model::{Dispatcher, Gpu, Missing};

/// Longest text of a dispatcher, and longest identity of a GPU, that the statement contains [characters].
const LONGEST: usize = 100;

/// Returns where the jobs of `samples`, which are jobs of the activity `activity`, were measured. The statement omits each value that
/// the recordings do not contain. It also omits a number of SMs or a date if the recordings have different values.
///
/// # Errors
/// Fails if the jobs ran on GPUs with different names, because their times do not belong to one WCET.
pub(super) fn of(
    activity: &str,
    samples: &[Sample<'_>],
    options: &Options<'_>,
) -> Result<Option<MeasuredOn>, Refusal> {
    let mut names: Vec<String> = samples.iter().flat_map(names).collect();
    names.sort();
    names.dedup();
    if let [first, second, ..] = names.as_slice() {
        let found = format!("recordings of `{first}` and of `{second}`");
        return Err(Refusal::new("gpu", found, "recordings of one GPU"));
    }
    let jobs = samples.iter().flat_map(|sample| sample.jobs);
    let mut tools: Vec<String> = samples.iter().map(|sample| tool(sample.run)).collect();
    tools.sort();
    tools.dedup();
    // Only traces of a dispatcher state these texts.
    let dispatched = |of: &dyn Fn(&Dispatcher) -> &Option<String>| {
        let texts = samples.iter().map(|sample| {
            let dispatcher = sample.run.recording.dispatcher.as_ref();
            of(dispatcher?).clone()
        });
        common(texts).filter(|text| is_printable(text))
    };
    let shape = MeasuredOnShape {
        gpu: common(samples.iter().map(|sample| gpu(sample).0)),
        sms: common(samples.iter().map(|sample| gpu(sample).1)),
        uuid: common(samples.iter().map(uuid)).filter(|uuid| is_printable(uuid)),
        driver: dispatched(&|of| &of.driver),
        split: dispatched(&|of| &of.split),
        wait: dispatched(&|of| &of.wait),
        tool: Some(tools.join(", ")),
        date: common(
            samples
                .iter()
                .map(|sample| sample.run.recording.origin.date.clone()),
        ),
        samples: Some(jobs.filter(|job| job.busy_ns > 0 && job.open == 0).count() as u64),
        margin: Some(options.margin),
        warm_up: Some(options.warm_up.of(activity)).filter(|rule| !rule.is_none()),
        kernels: kernels(samples),
        left_out_gaps: left_out_gaps(samples, options.gaps),
        left_out_copies: copies(samples, |copies| copies.longest_ns)
            .filter(|_| options.copies == CopyRule::LeaveOut),
        counted_copies: copies(samples, Copies::around_ns).filter(|_| options.copies == CopyRule::Count),
        incomplete: samples.iter().any(is_incomplete),
        size_stated: samples.iter().any(|sample| sample.size == Size::Stated),
        size_signs: { samples.iter() }
            .flat_map(|sample| sample.signs.iter().map(|of| of.sign))
            .collect::<BTreeSet<SizeSign>>()
            .into_iter()
            .collect(),
        // No profiler records the clocks and the state of the GPU during a run.
        ..MeasuredOnShape::default()
    };
    // A file may contain a text that is too long, or that contains control characters. The GPU is the last to go.
    let mut kinds: Vec<String> = { samples.iter() }
        .map(|sample| sample.run.recording.origin.tool.to_string())
        .collect();
    kinds.sort();
    kinds.dedup();
    let tool = Some(kinds.join(", "));
    let without_versions = MeasuredOnShape {
        tool,
        ..shape.clone()
    };
    let without_gpu = MeasuredOnShape {
        gpu: None,
        ..without_versions.clone()
    };
    let stated = { MeasuredOn::new(shape) }
        .or_else(|_| MeasuredOn::new(without_versions))
        .or_else(|_| MeasuredOn::new(without_gpu));
    Ok(stated.ok())
}

/// Returns the largest number of kernels of a job. The number of kernels inside a CUDA graph is unknown, but probably above 1.
fn kernels(samples: &[Sample<'_>]) -> Option<NonZeroU64> {
    let jobs = samples.iter().flat_map(|sample| sample.jobs);
    let most = jobs.map(|job| job.launches.len() + job.open).max()?;
    let graphs = samples.iter().any(|sample| sample.run.recording.other.graphs > 0);
    NonZeroU64::new((most as u64).max(if graphs { 2 } else { 1 }))
}

/// Returns the largest sum of the gaps of a job, if the execution times do not contain them.
fn left_out_gaps(samples: &[Sample<'_>], gaps: Gaps) -> Option<Time> {
    let jobs = samples.iter().flat_map(|sample| sample.jobs);
    let longest = jobs.map(Job::gaps_ns).max()?;
    (gaps == Gaps::Separate && longest > 0).then(|| Time::from_ns(longest))
}

/// Returns the time `of` copies before the first or after the last kernel of a job, if there are such copies.
fn copies(samples: &[Sample<'_>], of: impl Fn(Copies) -> u64) -> Option<Time> {
    let time = of(Copies::of(samples));
    (time > 0).then(|| Time::from_ns(time))
}

/// Whether the recording lacks records that can belong to jobs of `sample`, or does not show which launches belong to them.
fn is_incomplete(sample: &Sample<'_>) -> bool {
    let recording = sample.run.recording;
    let lost = !recording.open.is_empty() || recording.missing != Missing::default();
    let signs = signs::idle(sample.jobs) > 0 || !sample.holes.is_empty();
    lost || signs || sample.possible > 0 || sample.jobs.iter().any(|job| job.open > 0)
}

/// Returns the profiler of `run`, with its version.
fn tool(run: &Run<'_>) -> String {
    let origin = &run.recording.origin;
    match &origin.version {
        Some(version) => format!("{} {version}", origin.tool),
        None => origin.tool.to_string(),
    }
}

/// Returns the GPUs on which the jobs of `sample` may have run.
fn gpus<'a>(sample: &Sample<'a>) -> Vec<&'a Gpu> {
    let recording = sample.run.recording;
    recording.gpus_of(&devices(recording, sample.jobs))
}

/// Returns the name that all `gpus` have.
fn name(gpus: &[&Gpu]) -> Option<String> {
    let name = common(gpus.iter().map(|gpu| Some(gpu.name.trim().to_owned())));
    name.filter(|name| !name.is_empty())
}

/// Returns the name of each GPU on which jobs of `sample` ran, if it is known. A recording of several different GPUs may not
/// state which of them a kernel used.
fn names(sample: &Sample<'_>) -> Vec<String> {
    let recording = sample.run.recording;
    let used = devices(recording, sample.jobs);
    let each: Vec<String> = { used.iter() }
        .filter_map(|&device| name(&recording.gpus_of(&[device])))
        .collect();
    match each.is_empty() {
        true => gpu(sample).0.into_iter().collect(),
        false => each,
    }
}

/// Returns the name of the GPU of `sample` and its number of SMs, if they are known.
fn gpu(sample: &Sample<'_>) -> (Option<String>, Option<u32>) {
    let gpus = gpus(sample);
    let sms = common(gpus.iter().map(|gpu| gpu.sms));
    match (name(&gpus), sample.run.gpu) {
        (None, Some(stated)) => (Some(stated.name().to_owned()), sms.or(Some(stated.sms()))),
        (name, _) => (name, sms),
    }
}

/// Returns the identity of the only GPU of `sample`, if it is known.
fn uuid(sample: &Sample<'_>) -> Option<String> {
    common(gpus(sample).iter().map(|gpu| gpu.uuid.clone()))
}

/// Returns whether a statement may contain `text`.
fn is_printable(text: &str) -> bool {
    let is_plain = !text.trim().is_empty() && !text.chars().any(char::is_control);
    is_plain && text.chars().count() <= LONGEST
}

/// Returns the value that all `values` have; `None` without values, or if a value is absent or differs.
fn common<T: PartialEq>(values: impl IntoIterator<Item = Option<T>>) -> Option<T> {
    let mut values = values.into_iter();
    let first = values.next()??;
    values
        .all(|value| value.as_ref() == Some(&first))
        .then_some(first)
}
