//! A kernel of a system, with its releases and with the memory bandwidth budget of best-effort CPU cores.

use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::time::Time;
use crate::{Factor, Kernel};

/// A kernel with its releases, and the memory bandwidth budget of best-effort CPU cores while the kernel runs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(into = "KernelTaskShape", try_from = "KernelTaskShape")]
pub struct KernelTask {
    shape: KernelTaskShape,
}

/// A kernel task as written in a JSON file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, expecting = "a kernel task: an object with \"kernel\"")]
#[cfg_attr(feature = "schema", schemars(rename = "KernelTask"))]
pub struct KernelTaskShape {
    /// Kernel in the input format of `wcet bound`.
    pub kernel: Kernel,
    /// Period: time between two releases; > 0. If the field is absent, the kernel is released only once.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub period: Option<Time>,
    /// Offset: time of the first release; less than the period; 0 by default.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub offset: Option<Time>,
    /// Relative deadline of each job; > 0. The default is the period. A kernel without period and deadline has no
    /// deadline.
    #[serde(
        default,
        deserialize_with = "crate::time::optional_positive_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub deadline: Option<Time>,
    /// Q̄: nominal memory bandwidth budget, from 0 to 1. Only one of `q` and `slowdown` is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<Factor>,
    /// Accepted slowdown (G(Q̄) − G(0))/G(0), where G(Q) is the bound on the execution time under
    /// budget Q. gpusched chooses the largest budget Q̄ whose slowdown is at most this value.
    /// Only one of `q` and `slowdown` is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<Factor>,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for KernelTask {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        KernelTaskShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        KernelTaskShape::json_schema(generator)
    }
}

impl KernelTask {
    /// Checks `shape` and creates a kernel task.
    ///
    /// # Errors
    /// Fails if a time is 0 or above [`Time::LIMIT`], or if the offset is not below the period. Also fails for a budget
    /// above 1, and for a budget together with a slowdown.
    pub fn new(shape: KernelTaskShape) -> Result<KernelTask, Refusal> {
        for (field, time) in [("period", shape.period), ("deadline", shape.deadline)] {
            if let Some(time) = time.filter(|time| !(Time::from_ns(1)..=Time::LIMIT).contains(time)) {
                Refusal::refuse(field, time, "more than 0 ns and less than 2^63 ns")?;
            }
        }
        let offset = shape.offset.unwrap_or_default();
        match shape.period {
            Some(period) if offset >= period => {
                Refusal::refuse("offset", offset, format!("less than {period}, the period"))?
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
                    format!("`q` of {q} together with `slowdown` of {slowdown}"),
                    "only one of the two fields",
                )?;
            }
        }
        Ok(KernelTask { shape })
    }

    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.shape.kernel
    }

    /// Returns the time between two releases [ns], or `None` if the kernel is released once.
    pub fn period(&self) -> Option<Time> {
        self.shape.period
    }

    /// Returns the time of the first release [ns].
    pub fn offset(&self) -> Time {
        self.shape.offset.unwrap_or_default()
    }

    /// Returns the relative deadline [ns], or `None` if the kernel has no deadline.
    pub fn deadline(&self) -> Option<Time> {
        self.shape.deadline.or(self.shape.period)
    }

    /// Returns Q̄, the nominal memory bandwidth budget, or `None` if the file does not state it.
    pub fn q(&self) -> Option<Factor> {
        self.shape.q
    }

    /// Returns the accepted slowdown, or `None` if the file does not state it.
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
