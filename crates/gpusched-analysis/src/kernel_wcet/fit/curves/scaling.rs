//! All results for a kernel that was measured on different numbers of SMs: the output of `gpusched wcet fit`.

use serde::Serialize;

use super::classification::{self, Reason};
use super::envelope::{self, EnvelopeError, Measured};
use super::least_squares::{self, Line};
use super::points::Points;
use super::saturation::{saturation, speed_up};
use gpusched_model::time::Time;
use gpusched_model::traffic::Bytes;
use gpusched_model::wcet::WcetSource;
use gpusched_model::{Contention, Estimated, Factor, Kind, Task, TaskError, TaskShape, WcetFunction};

/// Form of the WCET function.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum EnvelopeForm {
    /// The least a/m + b that bounds all measurements.
    #[default]
    Envelope,
    /// The longest measured times, made monotone.
    Table,
}

/// WCET function from measurements, with a description of the measurements.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Fit {
    /// WCET function, as in a task set.
    #[schemars(with = "gpusched_model::wcet::Form")]
    pub wcet: WcetFunction,
    /// Form of the WCET function.
    pub form: EnvelopeForm,
    /// Source of the WCETs, as in a task set: estimated if some times are estimates, otherwise fitted or measured, by the form.
    pub wcet_source: WcetSource,
    /// Kind of the kernel, memory- or compute-intensive; absent if it is not clear, which is safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Reason for this kind, or for a missing kind.
    pub kind_reason: Reason,
    /// U_bw: share of the nominal memory bandwidth that the kernel uses on all SMs ([Masola23] Eq. 1), if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<f64>,
    /// V: the most bytes that one job moves to and from memory, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Bytes>,
    /// m*: number of SMs from which more SMs improve the isolated time by less than epsilon in total.
    pub saturation_sms: u32,
    /// M: largest number of SMs with a measurement in isolation.
    pub largest_sms: u32,
    /// ε: saturation threshold.
    pub epsilon: Factor,
    /// Present if some times are estimates; then the function is not a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimated>,
    /// Curve in isolation.
    pub isolated: Curve,
    /// Curve in conflict, if measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Curve>,
}

/// Measurements in isolation or in conflict.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Curve {
    /// Regression a/m + b over all measurements, which is not a bound; absent for a single number of SMs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_squares: Option<Line>,
    /// Largest difference of the WCET function and a longest measured time [ns].
    pub largest_overshoot_ns: Time,
    /// Points by ascending number of SMs.
    pub points: Vec<Point>,
}

/// Measurements on one number of SMs.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Point {
    /// m: number of SMs.
    pub sms: u32,
    /// Number of measurements.
    pub measurements: usize,
    /// Longest measured time [ns].
    pub longest_ns: Time,
    /// Longest measured time on m or more SMs [ns].
    pub monotone_ns: Time,
    /// Value of the WCET function [ns].
    pub wcet_ns: Time,
    /// Speed-up of `monotone_ns` relative to the fewest measured SMs.
    pub speed_up: f64,
}

impl Fit {
    /// Creates the task with this WCET function and `period`. Unknown values are absent, which is safe.
    ///
    /// # Errors
    /// [`TaskError`] if the period is invalid.
    pub fn task(&self, period: Time) -> Result<Task, TaskError> {
        let task = TaskShape {
            kind: self.kind,
            traffic: self.traffic,
            wcet_source: Some(self.wcet_source),
            ..Task::new(period, self.wcet.clone())
        };
        task.build()
    }
}

/// Computes the WCET function of `form` that bounds `measured`, and the kind of the kernel. `epsilon` is the saturation threshold.
///
/// # Errors
/// [`EnvelopeError`], as [`envelope::affine`] and [`envelope::table`].
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
