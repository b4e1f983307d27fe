//! Segments of tasks. The module converts ticks and amounts of data to times.

use gpusched_model::end_to_end::{SegmentDraft, Wait};
use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, Table};
use gpusched_model::{Bytes, Refusal, WcetFunction};

use super::copies::Rate;
use super::steps::Ticks;
use super::threads::{Job, Part};
use crate::amalthea::hardware::{Gpu, Hardware};
use crate::amalthea::model::{Model, owner};
use crate::amalthea::quantity::Frequency;

/// Name of the copy engine.
pub const ENGINE: &str = "ce";

/// Name of the GPU partition.
pub const PARTITION: &str = "gpu";

/// Utilization 1 in the unit of [`utilization`].
pub const FULL: u128 = 1_000_000_000_000;

/// Returns the CPU utilization of `job` in multiples of 10⁻¹². The job executes once per `period` on a core with
/// `frequency`.
pub fn utilization(job: &Job<'_>, frequency: Frequency, period: Time) -> u128 {
    let ticks = job.parts.iter().map(|part| match part {
        Part::Core(ticks) => ticks.most,
        Part::Copy(..) | Part::Kernel(_) => 0,
    });
    let ticks = ticks.fold(0, u128::saturating_add);
    let busy = frequency.duration(ticks).unwrap_or(Time::LIMIT);
    (u128::from(busy.ns()) * FULL).div_ceil(u128::from(period.ns()).max(1))
}

/// Resources that execute the parts of jobs.
pub struct Resources<'w, 'a> {
    pub model: &'w Model<'a>,
    pub hardware: &'w Hardware<'a>,
    pub gpu: Option<&'w Gpu>,
    pub rate: Option<Rate>,
    /// Waiting mode of all tasks. If it is `None`, the file states the waiting modes.
    pub wait: Option<Wait>,
}

impl Resources<'_, '_> {
    /// Returns the segments of `job` of the task `name`. Parts outside the GPU execute on `core`.
    pub fn segments(
        &self,
        name: &str,
        core: Option<&str>,
        job: &Job<'_>,
    ) -> Result<Vec<SegmentDraft>, Refusal> {
        let refuse = |found: String, expected: &str| {
            let refusal = self.model.refuse_all(found, expected);
            refusal.of_field(format!("tasks {name:?}"))
        };
        let mut segments = Vec::new();
        for part in &job.parts {
            segments.extend(match part {
                Part::Core(ticks) => {
                    let core = core.ok_or_else(|| refuse("no core".to_owned(), "a core"))?;
                    let frequency = self.hardware.frequency(self.model, core)?;
                    let wcet = duration(*ticks, frequency).map_err(|found| refuse(found, DURATION))?;
                    let wcet = wcet.map(|wcet| WcetFunction::constant(wcet).map(|function| (wcet, function)));
                    self.segment(core, wcet, frequency.shortest(ticks.least), name)?
                }
                Part::Kernel(ticks) => {
                    let gpu = self.gpu.ok_or_else(|| refuse("no GPU".to_owned(), "a GPU"))?;
                    let wcet = duration(*ticks, gpu.frequency).map_err(|found| refuse(found, DURATION))?;
                    // The times are for all SMs of the GPU. The times on fewer SMs are unknown.
                    let wcet = wcet.map(|wcet| {
                        let isolated = vec![(gpu.sms, wcet)];
                        let table = Form::Table(Table::Isolated { isolated });
                        WcetFunction::new(table).map(|function| (wcet, function))
                    });
                    self.segment(PARTITION, wcet, gpu.frequency.shortest(ticks.least), name)?
                }
                Part::Copy(read, written) => self
                    .copy(*read, *written)
                    .map_err(|found| refuse(found, DURATION))?,
            });
        }
        if segments.is_empty() {
            return Err(refuse(
                "no ticks".to_owned(),
                "an execution time of at least 1 ns",
            ));
        }
        Ok(segments)
    }

    /// Returns a segment, or `None` for a part that takes no time.
    fn segment<E: std::fmt::Display>(
        &self,
        on: &str,
        wcet: Option<Result<(Time, WcetFunction), E>>,
        bcet: Time,
        name: &str,
    ) -> Result<Option<SegmentDraft>, Refusal> {
        let wcet = wcet.transpose();
        let wcet = wcet.map_err(|error| Refusal::told(format!("tasks {name:?}"), error))?;
        Ok(wcet.map(|(wcet, function)| SegmentDraft {
            on: on.to_owned(),
            wcet: Some(function),
            bcet: Some(bcet.min(wcet)),
            bytes: None,
            traffic: None,
            bandwidth: None,
            block: None,
            kind: None,
            e1: None,
            delay_rate: None,
            profile: None,
        }))
    }

    /// Returns the segment of a copy, or `None` for a copy without data. The error states the value that is too large.
    fn copy(&self, read: u128, written: u128) -> Result<Option<SegmentDraft>, String> {
        let bits = read.checked_add(written);
        let many = || format!("a copy that reads {read} bits and writes {written} bits");
        let bits = bits.ok_or_else(many)?;
        let Some(rate) = self.rate.filter(|_| bits > 0) else {
            return Ok(None);
        };
        let time = rate.duration(bits).ok_or_else(many)?;
        let bytes = u64::try_from(read.max(written).div_ceil(8)).ok();
        let bytes = bytes.and_then(Bytes::new).ok_or_else(many)?;
        Ok(Some(SegmentDraft {
            on: ENGINE.to_owned(),
            wcet: Some(WcetFunction::constant(time).map_err(|error| error.to_string())?),
            bcet: Some(time),
            bytes: Some(bytes),
            traffic: None,
            bandwidth: None,
            block: None,
            kind: None,
            e1: None,
            delay_rate: None,
            profile: None,
        }))
    }

    /// Returns the waiting mode of the task `name`, or `None` if the task has no core or never waits.
    pub fn wait(
        &self,
        name: &str,
        job: &Job<'_>,
        segments: &[SegmentDraft],
    ) -> Result<Option<Wait>, Refusal> {
        let outside = |segment: &SegmentDraft| [ENGINE, PARTITION].contains(&segment.on.as_str());
        if !segments.iter().any(outside) || segments.iter().all(outside) {
            return Ok(None);
        }
        let mut found: Option<Wait> = None;
        for (node, wait) in &job.waits {
            let refuse = |found: &str, expected: &str| {
                let refusal = self.model.refuse(*node, owner(*node), found, expected);
                refusal.hint("state what the tasks do while they wait: busy or suspend")
            };
            let Some(wait) = self.wait.or(*wait) else {
                let expected = "waitingBehaviour active or passive";
                return Err(refuse("a wait for the GPU without a waiting mode", expected));
            };
            if found.is_some_and(|found| found != wait) {
                let expected = format!("waits of one kind in the task {name:?}");
                return Err(refuse("active and passive waits", &expected));
            }
            found = Some(wait);
        }
        // A job without a wait ends with work outside the core, so the task leaves its core.
        Ok(Some(found.unwrap_or(Wait::Suspend)))
    }
}

const DURATION: &str = "a time of less than 2^63 ns";

/// Returns the duration of `ticks`, or `None` if there are no ticks. The error states the value that is too large.
fn duration(ticks: Ticks, frequency: Frequency) -> Result<Option<Time>, String> {
    let duration = frequency.duration(ticks.used);
    let duration = duration.ok_or_else(|| format!("{} ticks at {frequency}", ticks.used))?;
    Ok(Some(duration).filter(|&duration| duration > Time::ZERO))
}
