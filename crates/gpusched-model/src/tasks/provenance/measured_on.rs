//! The GPU and the tool of a measurement, as a task set states them.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::{SizeSign, WarmUp};
use crate::Factor;
use crate::device::Device;
use crate::time::Time;
use crate::wcet::MAX_SMS;

/// Longest text of a field [characters].
const LONGEST: usize = 100;

/// Largest number of reasons for reduced clocks.
const MOST_REASONS: usize = 20;

/// Where WCETs were measured: the GPU, the tool, and the rules of the measurement. No bound uses this statement, but it
/// adds assumptions to verdicts. If a plan is for another GPU, the verdict has the assumption `wcet-other-gpu`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "MeasuredOnShape", try_from = "MeasuredOnShape")]
pub struct MeasuredOn(MeasuredOnShape);

/// A statement as written in a task-set file. At least one of `gpu` and `tool` is present.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "an object with \"gpu\" or \"tool\", such as {\"gpu\":\"NVIDIA Orin\",\"sms\":16}"
)]
#[cfg_attr(feature = "schema", schemars(rename = "MeasuredOn"))]
pub struct MeasuredOnShape {
    /// Name of the GPU: the name of a built-in device, or the name that the driver or a profiler prints. At most 100
    /// characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// Number of SMs of the GPU or of the MIG instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_SMS)))]
    pub sms: Option<u32>,
    /// Identity of the GPU as the driver states it, such as `"GPU-…"`. At most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// Driver and its version. At most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// How the SMs were split into partitions, with the flags of the split. At most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// How the dispatcher waited for the end of jobs. At most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<String>,
    /// Clock frequencies during the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<MeasuredClocks>,
    /// Whether the clocks could not change; absent if no tool looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked: Option<Locked>,
    /// Reasons for which the driver reduced the clocks; empty if there was none, and absent if they are unknown. At most 20
    /// reasons with at most 100 characters each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttling: Option<Vec<String>>,
    /// Smallest and largest temperature of the GPU [degrees Celsius].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub celsius: Option<[u32; 2]>,
    /// Tool of the measurement and its version, such as `"nsys 2025.3.2"`. At most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Date of the measurement: `YYYY-MM-DD`, optionally with a time as in ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Number of measured jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// Ratio of the WCET to the longest measured time; at least 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<Factor>,
    /// Jobs that the measurement dropped at the start of each recording: a number of jobs of each task, or a time with
    /// its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUp>,
    /// Largest number of kernels of a measured job. Between two kernels, the GPU may be idle. So time slices with `skip`
    /// require 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernels: Option<NonZeroU64>,
    /// Largest time between kernels of one measured job that the WCET does not contain [ns]. If present, a verdict has the
    /// assumption `gaps-left-out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_gaps: Option<Time>,
    /// Largest time of copies of one measured job that the WCET does not contain, because they are before its first or after its last
    /// kernel [ns]. If present, a verdict has the assumption `copies-left-out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out_copies: Option<Time>,
    /// Time that the WCET contains, before the margin, for the copies of a job before its first and after its last kernel [ns].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_copies: Option<Time>,
    /// Whether the recordings show that records are missing. If so, a verdict has the assumption `recording-incomplete`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// Whether only the user states the number of SMs of a recording. If so, a verdict has the assumption `size-stated`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub size_stated: bool,
    /// Signs in the recordings against the stated number of SMs. If present, a verdict has the assumption `size-contradicted`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub size_signs: Vec<SizeSign>,
}

/// Whether the clocks of a GPU could not change during a measurement.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize, strum::Display, strum::EnumString)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Locked {
    /// The user states that the clocks are locked, or the GPU is simulated.
    Yes,
    /// No tool can see it.
    Unknown,
}

/// Clock frequencies of a GPU.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MeasuredClocks {
    /// Frequency of the SMs [kHz]. Absent if it changed by more than 2 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_khz: Option<u32>,
    /// Frequency of the DRAM command clock [kHz]. Absent if it changed by more than 2 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dram_khz: Option<u32>,
    /// Smallest and largest observed frequency of the SMs [kHz].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_range_khz: Option<[u32; 2]>,
    /// Smallest and largest observed frequency of the DRAM command clock [kHz].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dram_range_khz: Option<[u32; 2]>,
}

/// The reason why a statement is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}found {found}, expected {expected}")]
pub struct MeasuredOnError {
    /// Name of the field with `: `, or an empty text for the whole statement.
    field: &'static str,
    found: String,
    expected: String,
}

impl MeasuredOn {
    /// Checks `shape` and creates the statement.
    ///
    /// # Errors
    /// Fails with [`MeasuredOnError`] without GPU and tool. Fails for an empty or long text, a text with control
    /// characters, an invalid date, a margin below 1, and a number of SMs that no GPU has. Fails for too many reasons, and for a range
    /// whose smallest value exceeds its largest value.
    pub fn new(shape: MeasuredOnShape) -> Result<MeasuredOn, MeasuredOnError> {
        let refuse = |field: &'static str, found: String, expected: String| {
            Err(MeasuredOnError {
                field,
                found,
                expected,
            })
        };
        if shape.gpu.is_none() && shape.tool.is_none() {
            let found = "neither `gpu` nor `tool`".to_owned();
            return refuse("", found, "at least one of these fields".to_owned());
        }
        let reasons = shape.throttling.as_deref().unwrap_or_default();
        let texts = [
            ("gpu: ", &shape.gpu),
            ("uuid: ", &shape.uuid),
            ("driver: ", &shape.driver),
            ("split: ", &shape.split),
            ("wait: ", &shape.wait),
            ("tool: ", &shape.tool),
        ];
        let texts = texts
            .into_iter()
            .filter_map(|(field, text)| Some((field, text.as_ref()?)));
        for (field, text) in texts.chain(reasons.iter().map(|reason| ("throttling: ", reason))) {
            if text.trim().is_empty() || text.chars().count() > LONGEST || text.chars().any(char::is_control)
            {
                let found: String = text.chars().take(40).collect();
                let expected = format!("1 to {LONGEST} printable characters");
                return refuse(field, format!("{found:?}"), expected);
            }
        }
        if reasons.len() > MOST_REASONS {
            let found = format!("{} reasons", reasons.len());
            return refuse("throttling: ", found, format!("at most {MOST_REASONS}"));
        }
        let clocks = shape.clocks.unwrap_or_default();
        for (field, range) in [
            ("celsius: ", shape.celsius),
            ("clocks.core_range_khz: ", clocks.core_range_khz),
            ("clocks.dram_range_khz: ", clocks.dram_range_khz),
        ] {
            if let Some([least, most]) = range.filter(|[least, most]| least > most) {
                let expected = "the smallest value before the largest value".to_owned();
                return refuse(field, format!("[{least}, {most}]"), expected);
            }
        }
        if let Some(sms) = shape.sms.filter(|sms| !(1..=MAX_SMS).contains(sms)) {
            return refuse("sms: ", sms.to_string(), format!("1 to {MAX_SMS}"));
        }
        if let Some(date) = shape.date.as_ref().filter(|date| !is_date(date)) {
            let found: String = date.chars().take(40).collect();
            let expected = "a date such as \"2026-11-27\"".to_owned();
            return refuse("date: ", format!("{found:?}"), expected);
        }
        if let Some(margin) = shape.margin.filter(|margin| *margin < Factor::ONE) {
            return refuse("margin: ", margin.to_string(), "at least 1".to_owned());
        }
        Ok(MeasuredOn(shape))
    }

    /// Removes the ratio of the WCET to the longest measured time, because the WCET has changed.
    #[must_use]
    pub fn without_margin(self) -> MeasuredOn {
        MeasuredOn(MeasuredOnShape {
            margin: None,
            ..self.0
        })
    }

    /// Sets the ratio of the WCET to the longest measured time. The statement keeps its margin if `margin` is below 1.
    pub fn with_margin(self, margin: Factor) -> MeasuredOn {
        let valid = Some(margin).filter(|margin| *margin >= Factor::ONE);
        MeasuredOn(MeasuredOnShape {
            margin: valid.or(self.0.margin),
            ..self.0
        })
    }

    /// Returns the fields of the statement.
    pub fn fields(&self) -> &MeasuredOnShape {
        &self.0
    }

    /// Compares the GPU of the measurement with `device`.
    pub fn same_gpu(&self, device: &Device) -> super::SameGpu {
        super::SameGpu::of(self.0.gpu.as_deref(), self.0.sms, device)
    }

    /// Returns the GPU for display, or `None` if the statement contains neither its name nor its number of SMs.
    pub fn gpu_label(&self) -> Option<String> {
        let sms = |sms: u32| crate::counted(sms, "SM");
        match (&self.0.gpu, self.0.sms) {
            (Some(gpu), Some(count)) => Some(format!("`{}` with {}", clipped(gpu), sms(count))),
            (Some(gpu), None) => Some(format!("`{}`", clipped(gpu))),
            (None, Some(count)) => Some(format!("a GPU with {}", sms(count))),
            (None, None) => None,
        }
    }
}

/// Returns `name`, shortened to 25 characters. Comments of scripts and of C contain this text, so it keeps only harmless
/// characters.
fn clipped(name: &str) -> String {
    let harmless = |c: char| c.is_alphanumeric() || " -_.+()/:,".contains(c);
    let mut text: String = { name.chars().take(25) }
        .map(|c| if harmless(c) { c } else { '?' })
        .collect();
    if name.chars().count() > 25 {
        text.pop();
        text.push('…');
    }
    text
}

/// Whether `text` starts with a date `YYYY-MM-DD` and then ends or continues with a time.
pub fn is_date(text: &str) -> bool {
    let (date, time) = text.split_at_checked(10).unwrap_or((text, ""));
    let mut parts = date.split('-');
    let mut number = |digits: usize, range: std::ops::RangeInclusive<u32>| {
        let part = parts.next().unwrap_or_default();
        let plain = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        plain && part.parse().is_ok_and(|number| range.contains(&number))
    };
    let valid = number(4, 0..=9999) && number(2, 1..=12) && number(2, 1..=31);
    let plain = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | '+' | '-' | 'Z');
    let mut rest = time.chars();
    let starts = rest.next().is_none_or(|first| matches!(first, 'T' | ' '));
    valid && parts.next().is_none() && time.len() <= 30 && starts && rest.all(plain)
}

impl From<MeasuredOn> for MeasuredOnShape {
    fn from(measured: MeasuredOn) -> MeasuredOnShape {
        measured.0
    }
}

impl TryFrom<MeasuredOnShape> for MeasuredOn {
    type Error = MeasuredOnError;

    fn try_from(shape: MeasuredOnShape) -> Result<MeasuredOn, MeasuredOnError> {
        MeasuredOn::new(shape)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for MeasuredOn {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        MeasuredOnShape::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        MeasuredOnShape::json_schema(generator)
    }
}
