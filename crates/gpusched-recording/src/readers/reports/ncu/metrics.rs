//! Metrics that gpusched uses, and their values.

use gpusched_model::Refusal;
use gpusched_model::time::decimal::{Rounding, nanoseconds};

use super::locale::Locale;
use crate::model::Missing;
use crate::readers::reports::header::exponent;
use crate::readers::signed::is_no_value;

/// A metric of Nsight Compute.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Metric {
    /// Execution time of the launch.
    Duration,
    /// Bytes that the launch read from DRAM.
    Read,
    /// Bytes that the launch wrote to DRAM.
    Written,
    /// Number of SMs of the GPU.
    Sms,
    /// Name of the GPU.
    Gpu,
}

impl Metric {
    /// Returns the metric whose name in lower case is `name`.
    pub fn named(name: &str) -> Option<Metric> {
        match name {
            "gpu__time_duration.sum" | "duration" => Some(Metric::Duration),
            "dram__bytes_read.sum" => Some(Metric::Read),
            "dram__bytes_write.sum" => Some(Metric::Written),
            "device__attribute_multiprocessor_count" | "# sms" => Some(Metric::Sms),
            "device__attribute_display_name" => Some(Metric::Gpu),
            _ => None,
        }
    }

    fn field(self) -> &'static str {
        match self {
            Metric::Duration => "gpu__time_duration.sum",
            Metric::Read => "dram__bytes_read.sum",
            Metric::Written => "dram__bytes_write.sum",
            Metric::Sms => "device__attribute_multiprocessor_count",
            Metric::Gpu => "device__attribute_display_name",
        }
    }

    /// Whether the value is a number.
    pub fn is_number(self) -> bool {
        self != Metric::Gpu
    }
}

/// Values of the metrics of one launch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// Execution time [ns].
    pub duration_ns: Option<u64>,
    /// Bytes read from DRAM.
    pub read: Option<u64>,
    /// Bytes written to DRAM.
    pub written: Option<u64>,
    /// Number of SMs.
    pub sms: Option<u32>,
    /// Name of the GPU.
    pub gpu: Option<String>,
}

impl Values {
    /// Converts metrics. Replaces each rounded value by the largest value that the profiler may have rounded to it. A value that is no
    /// number is set aside and counts in `missing`.
    ///
    /// # Errors
    /// Refuses a number whose decimal mark is not clear.
    pub fn of(
        metrics: &[(Metric, String, String)],
        locale: Locale,
        missing: &mut Missing,
    ) -> Result<Values, Refusal> {
        let mut values = Values::default();
        for (metric, text, unit) in metrics {
            if is_no_value(text) || *metric != Metric::Sms && is_no_value(unit) && !unit.trim().is_empty() {
                continue;
            }
            let refuse = |expected: &str| Refusal::new(metric.field(), format!("{text:?} {unit}"), expected);
            let mut aside = |expected: &str| missing.impossible(format_args!("{}", refuse(expected)));
            if *metric == Metric::Gpu {
                values.gpu = Some(text.clone());
                continue;
            }
            let number = locale.plain(text).map_err(refuse)?;
            let number = largest(&number);
            match metric {
                Metric::Duration => {
                    let exponent = exponent(unit);
                    let ns = exponent.and_then(|unit| nanoseconds(number.as_bytes(), unit, Rounding::Up));
                    if ns.is_none() {
                        aside(exponent.map_or("a unit of time", |_| "a time"));
                    }
                    // A kernel takes time, so 0 means that the time was not measured.
                    values.duration_ns = values.duration_ns.max(ns.filter(|&ns| ns > 0));
                }
                Metric::Read | Metric::Written => {
                    let scale = scale(unit);
                    let bytes = scale.and_then(|unit| nanoseconds(number.as_bytes(), unit, Rounding::Up));
                    if bytes.is_none() {
                        aside(scale.map_or("a unit of bytes", |_| "a number of bytes"));
                    }
                    match metric {
                        Metric::Read => values.read = values.read.max(bytes),
                        _ => values.written = values.written.max(bytes),
                    }
                }
                Metric::Sms | Metric::Gpu => match number.parse() {
                    Ok(sms) => values.sms = Some(sms),
                    Err(_) => aside("a number of SMs"),
                },
            }
        }
        Ok(values)
    }

    /// Returns the sum of the bytes read and written, or `None` if one of them is unknown.
    pub fn traffic(&self) -> Option<u64> {
        self.read?.checked_add(self.written?)
    }
}

/// Returns the largest number that is rounded to `number`: `number` plus half a unit of its last digit.
fn largest(number: &str) -> String {
    match number.contains('.') {
        true => format!("{number}5"),
        false => number.to_owned(),
    }
}

/// Returns the exponent e of a unit of bytes: the unit is 10^e bytes. Nsight Compute uses powers of 1000.
fn scale(unit: &str) -> Option<u32> {
    match unit.to_ascii_lowercase().as_str() {
        "byte" | "b" | "bytes" => Some(0),
        "kbyte" | "kb" => Some(3),
        "mbyte" | "mb" => Some(6),
        "gbyte" | "gb" => Some(9),
        "tbyte" | "tb" => Some(12),
        _ => None,
    }
}
