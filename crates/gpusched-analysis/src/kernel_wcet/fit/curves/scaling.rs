//! All there is to say about a kernel measured on different numbers of SMs: what `gpusched wcet fit` answers.

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

/// The form of the WCET function.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum EnvelopeForm {
    /// The least a/m + b that no measurement exceeds.
    #[default]
    Envelope,
    /// The longest times measured, made monotone.
    Table,
}

/// A WCET function from measurements, and what the measurements look like.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Fit {
    /// The WCET function, as a task set takes it.
    #[schemars(with = "gpusched_model::wcet::Form")]
    pub wcet: WcetFunction,
    /// Its form.
    pub form: EnvelopeForm,
    /// Where its numbers come from, as a task set takes it: estimated if some times are, else fitted or measured by its form.
    pub wcet_source: WcetSource,
    /// Memory- or compute-intensive; absent where that is not clear, which is safe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The reason for this kind, or for leaving it out.
    pub kind_reason: Reason,
    /// U_bw: the share of the nominal memory bandwidth that the kernel draws on all SMs ([Masola23] Eq. 1), if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilization: Option<f64>,
    /// V: the most bytes that one job moves to and from memory, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Bytes>,
    /// m*: from here on, more SMs improve the isolated time by less than epsilon in total.
    pub saturation_sms: u32,
    /// M: the largest number of SMs measured alone.
    pub largest_sms: u32,
    /// ε.
    pub epsilon: Factor,
    /// There if times were estimated: then the function bounds nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimated>,
    /// Alone.
    pub isolated: Curve,
    /// In conflict, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Curve>,
}

/// Measurements under one contention.
#[derive(Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Curve {
    /// The regression a/m + b over all measurements, which is no bound; absent for a single number of SMs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_squares: Option<Line>,
    /// The largest amount by which the WCET function is above a longest measured time [ns].
    pub largest_overshoot_ns: Time,
    /// By number of SMs, ascending.
    pub points: Vec<Point>,
}

/// Measurements on one number of SMs.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, schemars::JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Point {
    /// m.
    pub sms: u32,
    /// How many there are.
    pub measurements: usize,
    /// The longest [ns].
    pub longest_ns: Time,
    /// The longest on as many SMs or more [ns].
    pub monotone_ns: Time,
    /// The WCET function [ns].
    pub wcet_ns: Time,
    /// How many times as fast as on the fewest SMs measured, by `monotone_ns`.
    pub speed_up: f64,
}

impl Fit {
    /// The task with this WCET function and `period`. What is not known is absent, which is the safe reading.
    ///
    /// # Errors
    /// [`TaskError`] for a period that no task has.
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

/// The WCET function of `form` that covers `measured`, and the kind of the kernel; times saturate by the threshold `epsilon`.
///
/// # Errors
/// Those of [`envelope::affine`] and [`envelope::table`].
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
