//! A kernel of a system: when it is released, and what best-effort cores may have meanwhile.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::time::Time;
use crate::{Factor, Kernel};

/// A kernel, when it is released, and what best-effort cores may have meanwhile.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(into = "KernelTaskShape", try_from = "KernelTaskShape")]
pub struct KernelTask {
    shape: KernelTaskShape,
}

/// A kernel task in the shape of the file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a kernel task: an object with \"kernel\"")]
#[schemars(rename = "KernelTask")]
pub struct KernelTaskShape {
    /// The kernel itself, as `wcet bound` reads it.
    pub kernel: Kernel,
    /// The time between two releases [ns]; absent: released once.
    #[serde(
        default,
        deserialize_with = "crate::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub period: Option<Time>,
    /// The first release [ns]; less than the period; 0 if absent.
    #[serde(
        default,
        deserialize_with = "crate::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub offset: Option<Time>,
    /// When a job must have ended, after its release [ns]; the period if absent, and without one: whenever.
    #[serde(
        default,
        deserialize_with = "crate::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// Q̄: the nominal budget, from 0 to 1; not beside `slowdown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<Factor>,
    /// The accepted slowdown, (G(Q̄) − G(0))/G(0): Q̄ is the largest budget within it; not beside `q`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<Factor>,
}

impl schemars::JsonSchema for KernelTask {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        KernelTaskShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        KernelTaskShape::json_schema(generator)
    }
}

impl KernelTask {
    /// Checks `shape` and makes it a kernel task.
    ///
    /// # Errors
    /// [`Refusal`] for times that are 0 or above [`Time::LIMIT`], an offset of a period or more, a budget above 1, or a
    /// budget beside a slowdown.
    pub fn new(shape: KernelTaskShape) -> Result<KernelTask, Refusal> {
        for (field, time) in [("period", shape.period), ("deadline", shape.deadline)] {
            if let Some(time) = time.filter(|time| !(Time::from_ns(1)..=Time::LIMIT).contains(time)) {
                Refusal::refuse(field, time, "more than 0 ns and less than 2^63 ns")?;
            }
        }
        let offset = shape.offset.unwrap_or_default();
        match shape.period {
            Some(period) if offset >= period => {
                Refusal::refuse("offset", offset, format!("less than the period, {period}"))?
            }
            _ if offset > Time::LIMIT => Refusal::refuse("offset", offset, "less than 2^63 ns")?,
            _ => {}
        }
        if let Some(q) = shape.q {
            if q > Factor::ONE {
                Refusal::refuse("q", q, "a number from 0 to 1")?;
            }
            if let Some(slowdown) = shape.slowdown {
                Refusal::refuse(
                    "q",
                    format!("{q} beside a slowdown of {slowdown}"),
                    "one of the two",
                )?;
            }
        }
        Ok(KernelTask { shape })
    }

    /// The kernel itself.
    pub fn kernel(&self) -> &Kernel {
        &self.shape.kernel
    }

    /// The time between two releases [ns]; `None` if it is released once.
    pub fn period(&self) -> Option<Time> {
        self.shape.period
    }

    /// The first release [ns].
    pub fn offset(&self) -> Time {
        self.shape.offset.unwrap_or_default()
    }

    /// When a job must have ended, after its release [ns], if ever.
    pub fn deadline(&self) -> Option<Time> {
        self.shape.deadline.or(self.shape.period)
    }

    /// Q̄, if it is stated.
    pub fn q(&self) -> Option<Factor> {
        self.shape.q
    }

    /// The accepted slowdown, if it is stated.
    pub fn slowdown(&self) -> Option<Factor> {
        self.shape.slowdown
    }
}

impl From<KernelTask> for KernelTaskShape {
    fn from(task: KernelTask) -> KernelTaskShape {
        task.shape
    }
}

impl TryFrom<KernelTaskShape> for KernelTask {
    type Error = Refusal;

    fn try_from(shape: KernelTaskShape) -> Result<KernelTask, Refusal> {
        KernelTask::new(shape)
    }
}
