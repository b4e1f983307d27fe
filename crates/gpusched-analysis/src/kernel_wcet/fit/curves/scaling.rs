//! All results for a kernel that was measured on several numbers of SMs. `gpusched wcet fit`
//! prints these results.

use serde::Serialize;

use super::classification::{self, Reason};
use super::envelope::{self, EnvelopeError, Measured};
use super::least_squares::{self, Line};
use super::points::Points;
use super::saturation::{saturation, speed_up};
use gpusched_model::Sectors;
use gpusched_model::time::Time;
use gpusched_model::traffic::Bytes;
use gpusched_model::wcet::WcetSource;
use gpusched_model::{
    Contention, Estimated, Factor, Kind, MeasuredOn, Task, TaskError, TaskShape, WcetFunction,
};

/// Form of the WCET function.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum EnvelopeForm {
    /// Function a/m + b that bounds all measurements with the least overshoot.
    #[default]
    Envelope,
    /// Table of the longest measured times, which do not increase with the number of SMs.
    Table,
}

/// WCET function that bounds all measurements, and a description of the measurements.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Fit {
    /// WCET function, as in a task set.
    #[cfg_attr(feature = "schema", schemars(with = "gpusched_model::wcet::Form"))]
    pub wcet: WcetFunction,
    /// Form of the WCET function.
    pub form: EnvelopeForm,
    /// Source of the WCETs, as in a task set. If some times are estimates, the source is `estimated`. If all times were
    /// measured, the source is `fitted` for a function, and `measured` for a table.
    pub wcet_source: WcetSource,
    /// Kind of the kernel: memory- or compute-intensive. A missing kind means that the kind is
    /// not clear, which is safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Reason why gpusched assigns this kind, or no kind.
    pub kind_reason: Reason,
    /// U_bw: fraction of the nominal memory bandwidth that the kernel uses on all SMs ([Masola23] Eq. 1). Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<f64>,
    /// V: largest memory traffic of one job, in bytes. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Bytes>,
    /// R and W: largest numbers of L2 sectors of one job, and the rates of the kernel in isolation. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sectors: Option<Sectors>,
    /// Longest thread block over all measurements [ns]. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<Time>,
    /// Where the times were measured, as in a task set. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_on: Option<MeasuredOn>,
    /// m*: saturation point. All SMs beyond this number together reduce the isolated time by less than the fraction
    /// `epsilon`.
    pub saturation_sms: u32,
    /// M: largest number of SMs with a measurement in isolation.
    pub largest_sms: u32,
    /// ε: saturation threshold.
    pub epsilon: Factor,
    /// Description of the estimate, if some times are estimates. With such an estimate, the WCET function is not a
    /// bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimated>,
    /// Measurements of the kernel in isolation.
    pub isolated: Curve,
    /// Measurements in conflict. Absent if the kernel was not measured in conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Curve>,
}

/// Measurements in isolation or in conflict.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Curve {
    /// Regression line a/m + b through all measurements, which is not a bound. Absent if all
    /// measurements have one number of SMs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_squares: Option<Line>,
    /// Largest overshoot: largest difference between the WCET function and the longest time on a
    /// number of SMs [ns].
    pub largest_overshoot_ns: Time,
    /// Points, sorted by number of SMs.
    pub points: Vec<Point>,
}

/// Measurements on one number of SMs.
#[derive(Copy, Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct Point {
    /// m: number of SMs.
    pub sms: u32,
    /// Number of measurements on this number of SMs.
    pub measurements: usize,
    /// Longest time that was measured on this number of SMs [ns].
    pub longest_ns: Time,
    /// Longest time that was measured on m or more SMs [ns].
    pub monotone_ns: Time,
    /// Value of the WCET function at m [ns].
    pub wcet_ns: Time,
    /// Speed-up of `monotone_ns`, relative to the time on the smallest measured number of SMs.
    pub speed_up: f64,
}

impl Fit {
    /// Creates a task called `name` with this WCET function and the period `period`. The task omits unknown
    /// values, which is safe.
    ///
    /// # Errors
    /// Returns a [`TaskError`] if the period is invalid.
    pub fn task(&self, name: Option<String>, period: Time) -> Result<Task, TaskError> {
        let task = TaskShape {
            name,
            kind: self.kind,
            traffic: self.traffic,
            sectors: self.sectors,
            block: self.block,
            measured_on: self.measured_on.clone().map(Box::new),
            wcet_source: Some(self.wcet_source),
            ..Task::new(period, self.wcet.clone())
        };
        task.build()
    }
}

/// Computes the WCET function of form `form` that bounds `measured`, and the kind of the kernel.
/// `epsilon` is the saturation threshold ε.
///
/// # Errors
/// Returns the errors of [`envelope::affine`] and [`envelope::table`].
pub fn fit(measured: &Measured, form: EnvelopeForm, epsilon: Factor) -> Result<Fit, EnvelopeError> {
    let wcet = match form {
        EnvelopeForm::Envelope => envelope::affine(measured)?,
        EnvelopeForm::Table => envelope::table(measured)?,
    };
    let isolated = curve(&measured.isolated, &wcet, Contention::Isolated);
    let conflict = measured.conflict.as_ref();
    let conflict = conflict.map(|points| curve(points, &wcet, Contention::Conflict));
    let saturation = saturation(&envelope::monotone(&measured.isolated), epsilon);
    let by_times = saturation.filter(|found| found.can_show).map(|found| found.kind);
    let (kind, kind_reason) = classification::kind(measured.utilization, by_times);
    Ok(Fit {
        wcet,
        form,
        wcet_source: match (measured.estimate, form) {
            (Some(_), _) => WcetSource::Estimated,
            (None, EnvelopeForm::Envelope) => WcetSource::Fitted,
            (None, EnvelopeForm::Table) => WcetSource::Measured,
        },
        kind,
        kind_reason,
        utilization: measured.utilization.ok(),
        traffic: measured.traffic,
        sectors: measured.sectors,
        block: measured.block,
        measured_on: measured.measured_on.clone().map(|on| match form {
            EnvelopeForm::Envelope => on,
            EnvelopeForm::Table => on.with_margin(Factor::ONE),
        }),
        saturation_sms: saturation.map_or(0, |found| found.sms),
        largest_sms: saturation.map_or(0, |found| found.largest_sms),
        epsilon,
        estimate: measured.estimate,
        isolated,
        conflict,
    })
}

fn curve(points: &Points, wcet: &WcetFunction, contention: Contention) -> Curve {
    let monotone = envelope::monotone(points);
    let speed_up = speed_up(&monotone);
    let longest = points.longest();
    let rows = points.counts().zip(&longest).zip(monotone.iter().zip(&speed_up));
    let points_of = rows.map(
        |(((sms, measurements), &(_, longest_ns)), (&(_, monotone_ns), &(_, speed_up)))| Point {
            sms,
            measurements,
            longest_ns,
            monotone_ns,
            wcet_ns: wcet.at(sms, contention).unwrap_or(Time::LIMIT),
            speed_up,
        },
    );
    let points_of: Vec<Point> = points_of.collect();
    let over = points_of
        .iter()
        .filter_map(|point| point.wcet_ns.checked_sub(point.longest_ns));
    Curve {
        least_squares: least_squares::line(points),
        largest_overshoot_ns: over.max().unwrap_or_default(),
        points: points_of,
    }
}
