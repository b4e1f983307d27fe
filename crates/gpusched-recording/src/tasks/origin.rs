//! Statement of the GPU and of the tool that measured a task.

use gpusched_model::MeasuredOn;
use gpusched_model::provenance::MeasuredOnShape;

use super::{Options, Run, Sample};

/// Returns where the jobs of `samples` were measured. The statement omits each value that the recordings do not contain.
/// It also omits a value if the recordings have different values.
pub(super) fn of(samples: &[Sample<'_>], options: &Options<'_>) -> Option<MeasuredOn> {
    let jobs = samples.iter().flat_map(|sample| sample.jobs);
    let mut tools: Vec<String> = samples.iter().map(|sample| tool(sample.run)).collect();
    tools.dedup();
    let shape = MeasuredOnShape {
        gpu: common(samples.iter().map(|sample| gpu(sample.run).0)),
        sms: common(samples.iter().map(|sample| gpu(sample.run).1)),
        clocks: None,
        tool: Some(tools.join(", ")),
        date: common(
            samples
                .iter()
                .map(|sample| sample.run.recording.origin.date.clone()),
        ),
        samples: Some(jobs.filter(|job| job.busy_ns > 0).count() as u64),
        margin: Some(options.margin),
        warm_up: Some(options.warm_up).filter(|rule| !rule.is_none()),
    };
    let without_texts = MeasuredOnShape {
        gpu: None,
        tool: Some(
            common(
                samples
                    .iter()
                    .map(|sample| Some(sample.run.recording.origin.tool)),
            )?
            .to_string(),
        ),
        ..shape.clone()
    };
    // A file may contain a text that is too long, or that contains control characters.
    { MeasuredOn::new(shape) }
        .or_else(|_| MeasuredOn::new(without_texts))
        .ok()
}

/// Returns the profiler of `run`, with its version.
fn tool(run: &Run<'_>) -> String {
    let origin = &run.recording.origin;
    match &origin.version {
        Some(version) => format!("{} {version}", origin.tool),
        None => origin.tool.to_string(),
    }
}

/// Returns the name of the GPU of `run` and its number of SMs, if they are known. A recording of several different GPUs
/// does not state which of them a kernel used.
fn gpu(run: &Run<'_>) -> (Option<String>, Option<u32>) {
    let gpus = &run.recording.gpus;
    let name = common(gpus.iter().map(|gpu| Some(gpu.name.trim().to_owned())));
    let name = name.filter(|name| !name.is_empty());
    let sms = common(gpus.iter().map(|gpu| gpu.sms));
    match (name, run.gpu) {
        (None, Some(stated)) => (Some(stated.name().to_owned()), sms.or(Some(stated.sms()))),
        (name, _) => (name, sms),
    }
}

/// Returns the value that all `values` have; `None` without values, or if a value is absent or differs.
fn common<T: PartialEq>(values: impl IntoIterator<Item = Option<T>>) -> Option<T> {
    let mut values = values.into_iter();
    let first = values.next()??;
    values
        .all(|value| value.as_ref() == Some(&first))
        .then_some(first)
}
