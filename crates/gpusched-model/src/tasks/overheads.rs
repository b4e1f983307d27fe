//! Overheads of the dispatcher of a partition: bounds on them, and the file that a measurement writes.

use std::num::{NonZeroU32, NonZeroU64};

use serde::{Deserialize, Serialize};

use super::task_set::{TaskSet, Times};
use crate::error::Refusal;
use crate::time::Time;

/// Bounds on the overheads of the dispatcher of a partition. Equal bounds apply to all tasks.
///
/// The *occupancy* of a job is the time from the decision of the dispatcher to its next decision. It consists of the choice
/// of a job, the launch, the time on the GPU, and the detection of the end.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Overheads {
    /// o: bound on the occupancy of a job minus its time on the GPU [ns].
    pub occupancy_ns: Time,
    /// w: bound on the time from an arrival in an idle partition to the decision [ns].
    pub wake_ns: Time,
}

impl Overheads {
    /// Returns the overheads that the WCETs of `set` do not include: o is 0 if the WCETs are occupancies.
    pub fn of(self, set: &TaskSet) -> Overheads {
        match set.times() {
            Some(Times::Occupancy) => Overheads {
                occupancy_ns: Time::ZERO,
                ..self
            },
            Some(Times::Gpu) | None => self,
        }
    }
}

impl std::fmt::Display for Overheads {
    /// Writes the two bounds for display.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} per job and {} per wake-up",
            self.occupancy_ns, self.wake_ns
        )
    }
}

/// Where bounds on overheads come from, as a plan states it. No schedulability test uses this statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OverheadsOrigin {
    /// How the bounds were found.
    pub source: OverheadsSource,
    /// GPU of the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Driver of the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
}

/// How bounds on overheads were found.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OverheadsSource {
    /// A measurement on a GPU.
    Measured,
    /// Random numbers in virtual time. The bounds say nothing about a GPU.
    VirtualTime,
    /// The file states no measurement.
    Stated,
}

impl OverheadsOrigin {
    /// Whether a measurement on a GPU shows the bounds.
    pub fn is_of_gpu(&self) -> bool {
        self.source == OverheadsSource::Measured
    }

    /// Refuses overheads of virtual time, for a plan that is for a GPU.
    ///
    /// # Errors
    /// Fails with the field `overheads` if the source is [`OverheadsSource::VirtualTime`].
    pub fn check_gpu(&self) -> Result<(), Refusal> {
        if self.source != OverheadsSource::VirtualTime {
            return Ok(());
        }
        let expected = "overheads of a GPU, because overheads of virtual time say nothing about it";
        Refusal::refuse("overheads", MeasuredOverheads::VIRTUAL, expected)
    }
}

impl std::fmt::Display for OverheadsOrigin {
    /// Writes the origin for display, such as `measured on NVIDIA H100, driver 580.65`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = |text: &String| {
            text.chars()
                .filter(|c| !c.is_control())
                .take(60)
                .collect::<String>()
        };
        match (self.source, self.device.as_ref().map(short)) {
            (OverheadsSource::VirtualTime, _) => {
                return f.write_str("drawn in virtual time, not measured on a GPU");
            }
            (OverheadsSource::Stated, _) => return f.write_str("stated without a measurement"),
            (OverheadsSource::Measured, Some(device)) => write!(f, "measured on {device}")?,
            (OverheadsSource::Measured, None) => f.write_str("measured on an unknown GPU")?,
        }
        match self.driver.as_ref().map(short) {
            Some(driver) => write!(f, ", driver {driver}"),
            None => Ok(()),
        }
    }
}

/// A file with overheads: the bounds, and how they were measured. Measure them while all dispatchers run, because the
/// dispatchers delay each other in the driver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "OverheadsShape", into = "OverheadsShape")]
pub struct MeasuredOverheads(OverheadsShape);

/// A file with overheads, as written in JSON.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Overheads"))]
#[serde(
    deny_unknown_fields,
    expecting = "an object such as {\"occupancy_ns\":\"30us\",\"wake_ns\":\"10us\"}"
)]
pub struct OverheadsShape {
    /// o: bound on the occupancy of a job minus its time on the GPU [ns]. At least `longest` plus `timer_ns`. The value is 0 if the
    /// WCETs include this time.
    pub occupancy_ns: Time,
    /// w: bound on the time from an arrival in an idle partition to the decision of the dispatcher [ns].
    pub wake_ns: Time,
    /// GPU of the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Driver of the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// How the dispatcher waited for the end of jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<String>,
    /// Number of dispatchers that ran during the measurement; at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatchers: Option<NonZeroU32>,
    /// Number of measured jobs; at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<NonZeroU64>,
    /// Longest measured occupancy minus the time on the GPU [ns], without the margin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest: Option<Time>,
    /// Step of the timer of the GPU [ns]. The kernels of the measurement may end this much too early, so the bound on the
    /// occupancy contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timer_ns: Option<Time>,
    /// Percentage that the bounds add to the longest measured overhead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<u32>,
}

/// The bound on the occupancy is below the longest measured overhead plus the step of the timer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("occupancy_ns: found {found}, expected at least {least}, {what}")]
pub struct OverheadsError {
    found: Time,
    least: Time,
    what: &'static str,
}

impl MeasuredOverheads {
    /// The field `device` of overheads that were drawn in virtual time, without a GPU.
    pub const VIRTUAL: &str = "virtual time";

    /// Returns the bounds.
    pub fn bounds(&self) -> Overheads {
        Overheads {
            occupancy_ns: self.0.occupancy_ns,
            wake_ns: self.0.wake_ns,
        }
    }

    /// Returns where the bounds come from. Without a GPU and without a longest measured overhead, no one measured them.
    pub fn origin(&self) -> OverheadsOrigin {
        let device = self.0.device.clone();
        let source = match device.as_deref() {
            Some(MeasuredOverheads::VIRTUAL) => OverheadsSource::VirtualTime,
            None if self.0.longest.is_none() => OverheadsSource::Stated,
            _ => OverheadsSource::Measured,
        };
        OverheadsOrigin {
            source,
            device: device.filter(|_| source == OverheadsSource::Measured),
            driver: self.0.driver.clone(),
        }
    }

    /// Returns all fields.
    pub fn fields(&self) -> &OverheadsShape {
        &self.0
    }
}

impl TryFrom<OverheadsShape> for MeasuredOverheads {
    type Error = OverheadsError;

    fn try_from(shape: OverheadsShape) -> Result<MeasuredOverheads, OverheadsError> {
        let (least, what) = match (shape.longest, shape.timer_ns) {
            (Some(longest), Some(timer)) => {
                let sum = Time::from_ns(longest.ns().saturating_add(timer.ns()));
                (sum, "the sum of `longest` and `timer_ns`")
            }
            (Some(longest), None) => (longest, "the value of `longest`"),
            (None, _) => (Time::ZERO, ""),
        };
        match shape.occupancy_ns < least {
            true => Err(OverheadsError {
                found: shape.occupancy_ns,
                least,
                what,
            }),
            false => Ok(MeasuredOverheads(shape)),
        }
    }
}

impl From<MeasuredOverheads> for OverheadsShape {
    fn from(measured: MeasuredOverheads) -> OverheadsShape {
        measured.0
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for MeasuredOverheads {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        OverheadsShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        OverheadsShape::json_schema(generator)
    }
}
