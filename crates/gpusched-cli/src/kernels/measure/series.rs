//! A series of jobs, as results state it.

use serde::Serialize;

use crate::report::clip;
use gpusched_analysis::kernel_wcet::fit::trend::Direction;
use gpusched_model::counted;
use gpusched_model::error::{Error, Result};
use gpusched_runtime::measure::{Measured, Neighbor, Series, statistics};

/// Jobs under equal conditions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MeasurementSeries"))]
pub struct SeriesAnswer {
    /// Number of SMs.
    pub sms: u32,
    /// Content of the caches at the start of a job: `warm` or `cold`. With another kernel, the caches contain what both kernels left.
    pub cache: String,
    /// `isolated`, `alternate` or `concurrent`; `beside` with another kernel on other SMs.
    pub contention: String,
    /// Name of the other kernel; absent in isolation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Number of samples.
    pub samples: u64,
    /// Shortest time [ns].
    pub shortest_ns: u64,
    /// Median time [ns].
    pub median_ns: u64,
    /// Longest time [ns].
    pub longest_ns: u64,
    /// How much longer the longest time is than the shortest time [percent].
    pub spread_percent: f64,
    /// Significant trend in the order of the jobs: `rising`, `falling` or `none`. `unknown` without a test.
    pub trend: String,
    /// p-value of the test for a trend; absent without a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    trend_p: Option<f64>,
    /// Whether the jobs depend on each other: `yes`, `no`, or `unknown` without a test.
    pub dependent: String,
    /// p-value of the test for independent jobs; absent without a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    independence_p: Option<f64>,
    /// Fit of extreme values; only with `--exceedance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extreme: Option<Extreme>,
    /// Times of the jobs in their order [ns].
    pub time_ns: Vec<u64>,
    /// Times on the GPU alone, in the order of the jobs [ns]; null if a time is unknown.
    pub gpu_ns: Vec<Option<u64>>,
}

/// Fit of extreme values, or the reason for its absence.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MeasurementExtreme"))]
pub struct Extreme {
    /// Probability with which one job exceeds the time.
    exceedance: f64,
    /// Time that one job exceeds with this probability [ns]; absent without a fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wcet_ns: Option<u64>,
    /// Reasons to distrust the time, or the reason for its absence.
    warnings: Vec<String>,
}

impl SeriesAnswer {
    /// Describes `measured`. `others` are the names of the other kernels. With `exceedance`, fits extreme values.
    ///
    /// # Errors
    /// Fails for a tail that is too heavy.
    pub fn new(measured: &Measured, others: &[String], exceedance: Option<f64>) -> Result<SeriesAnswer> {
        let Series { sms, cache, neighbor } = measured.series;
        let found =
            statistics(measured).ok_or_else(|| Error::Internal("a series has no samples".to_owned()))?;
        let (contention, other) = match neighbor {
            None => ("isolated".to_owned(), None),
            Some(Neighbor::Inside(other, contention)) => (contention.to_string(), Some(other)),
            Some(Neighbor::Beside(other)) => ("beside".to_owned(), Some(other)),
        };
        let extreme = |exceedance: f64| {
            let fitted = found.extreme(measured, exceedance);
            let fitted =
                fitted.map_err(|error| Error::parameter("exceedance", exceedance, error.to_string()))?;
            Ok::<_, Error>(match fitted {
                Ok(estimate) => Extreme {
                    exceedance,
                    wcet_ns: estimate.tail.map(|_| estimate.wcet.ns()),
                    warnings: estimate.warnings.iter().map(ToString::to_string).collect(),
                },
                Err(reason) => Extreme {
                    exceedance,
                    wcet_ns: None,
                    warnings: vec![format!("no fit, because {reason}")],
                },
            })
        };
        let trend = match (found.trend, found.drifts()) {
            (None, _) => "unknown",
            (_, None) => "none",
            (_, Some(Direction::Rising)) => "rising",
            (_, Some(Direction::Falling)) => "falling",
        };
        let dependent = match found.independence_p {
            None => "unknown",
            Some(_) if found.is_dependent() => "yes",
            Some(_) => "no",
        };
        Ok(SeriesAnswer {
            sms,
            cache: cache.to_string(),
            contention,
            other: other.and_then(|other| others.get(other).cloned()),
            samples: found.samples,
            shortest_ns: found.shortest_ns,
            median_ns: found.median_ns,
            longest_ns: found.longest_ns,
            spread_percent: (found.spread_percent() * 1000.0).round() / 1000.0,
            trend: trend.to_owned(),
            trend_p: found.trend.map(|(_, p)| p),
            dependent: dependent.to_owned(),
            independence_p: found.independence_p,
            extreme: exceedance.map(extreme).transpose()?,
            time_ns: measured.samples.iter().map(|sample| sample.time_ns).collect(),
            gpu_ns: measured.samples.iter().map(|sample| sample.gpu_ns).collect(),
        })
    }

    /// Returns the conditions of the series for a note.
    pub fn label(&self) -> String {
        let sms = counted(self.sms, "SM");
        match &self.other {
            None => format!("on {sms}, {}", self.cache),
            Some(other) if self.contention == "beside" => format!("on {sms}, beside {}", clip(other, 40)),
            Some(other) => format!("on {sms}, {} with {}", self.contention, clip(other, 40)),
        }
    }
}
