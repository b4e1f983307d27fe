//! The GPU of a measurement and its state, as results state them.

use serde::Serialize;

use crate::report::profile_columns::{NO_REASONS, REASON_MARK, STATE_COLUMNS};
use gpusched_model::provenance::{Locked, MeasuredClocks, MeasuredOnShape};
use gpusched_runtime::measure;

/// The state of the GPU during a measurement. gpusched observes the state and never changes it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MeasurementConditions"))]
pub struct Conditions {
    /// Identity of the GPU; absent if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<String>,
    /// Driver and its version; absent for a simulated GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<String>,
    /// Smallest and largest clock frequency of the SMs [kHz]; absent if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    core_khz: Option<[u32; 2]>,
    /// Smallest and largest clock frequency of the memory [kHz]; absent if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    dram_khz: Option<[u32; 2]>,
    /// Smallest and largest temperature [degrees Celsius]; absent if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    celsius: Option<[u32; 2]>,
    /// Reasons for which the driver reduced the clocks; absent if they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    throttling: Option<Vec<String>>,
    /// Whether the clocks cannot change: `yes`, `no` or `unknown`.
    locked: String,
    /// Further settings: names and values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    settings: Vec<(String, String)>,
}

impl From<&measure::Conditions> for Conditions {
    fn from(of: &measure::Conditions) -> Conditions {
        let both = |range: Option<measure::Range>| range.map(|range| [range.least, range.most]);
        Conditions {
            uuid: of.uuid.clone(),
            driver: of.driver.clone(),
            core_khz: both(of.core_khz),
            dram_khz: both(of.dram_khz),
            celsius: both(of.celsius),
            throttling: of.throttling.clone(),
            locked: match of.locked {
                Some(true) => "yes",
                Some(false) => "no",
                None => "unknown",
            }
            .to_owned(),
            settings: of.settings.clone(),
        }
    }
}

/// Returns the GPU, its state and the tool, as a task set states them. A clock frequency is absent if it changed by more than 2 %.
/// `date` is the date that the user states.
pub fn measured_on(of: &measure::Conditions, date: Option<&str>) -> MeasuredOnShape {
    let steady = |range: Option<measure::Range>| range.and_then(measure::Range::steady);
    let both = |range: Option<measure::Range>| range.map(|range| [range.least, range.most]);
    let clocks = MeasuredClocks {
        core_khz: steady(of.core_khz),
        dram_khz: steady(of.dram_khz),
        core_range_khz: both(of.core_khz),
        dram_range_khz: both(of.dram_khz),
    };
    MeasuredOnShape {
        gpu: Some(of.gpu.clone()),
        sms: Some(of.sms),
        uuid: of.uuid.clone(),
        driver: of.driver.clone(),
        split: setting(of, "split"),
        wait: setting(of, "wait"),
        clocks: Some(clocks).filter(|clocks| *clocks != MeasuredClocks::default()),
        locked: Some(match of.locked {
            Some(true) => Locked::Yes,
            Some(false) | None => Locked::Unknown,
        }),
        throttling: of.throttling.clone(),
        celsius: both(of.celsius),
        tool: Some(concat!("gpusched ", env!("CARGO_PKG_VERSION"), " measure").to_owned()),
        date: date.map(str::to_owned),
        ..MeasuredOnShape::default()
    }
}

/// Returns the values of the setting `name`, without the numbers of groups: each size has a split of its own.
fn setting(of: &measure::Conditions, name: &str) -> Option<String> {
    let values = of.settings.iter().filter(|(known, _)| known == name);
    let mut short: Vec<String> = values
        .map(|(_, value)| value.split(", ").take(2).collect::<Vec<_>>().join(", "))
        .collect();
    short.sort();
    short.dedup();
    let joined = short.join("; ");
    (!joined.is_empty()).then(|| joined.chars().take(100).collect())
}

/// Returns the cells of [`STATE_COLUMNS`] for `of`.
pub fn cells(of: &MeasuredOnShape) -> [Option<String>; STATE_COLUMNS.len()] {
    let clocks = of.clocks.unwrap_or_default();
    let [core, dram, celsius] = [clocks.core_range_khz, clocks.dram_range_khz, of.celsius].map(|range| {
        let [least, most] = range.map_or([None, None], |[least, most]| [Some(least), Some(most)]);
        [least, most].map(|value| value.map(|value| value.to_string()))
    });
    let reasons = of.throttling.as_ref().map(|reasons| match reasons.is_empty() {
        true => NO_REASONS.to_owned(),
        false => reasons.join(REASON_MARK),
    });
    let [core_least, core_most] = core;
    let [dram_least, dram_most] = dram;
    let [celsius_least, celsius_most] = celsius;
    [
        of.uuid.clone(),
        of.driver.clone(),
        of.split.clone(),
        of.wait.clone(),
        of.date.clone(),
        of.locked.map(|locked| locked.to_string()),
        reasons,
        core_least,
        core_most,
        dram_least,
        dram_most,
        celsius_least,
        celsius_most,
    ]
}

/// Returns notes about the state of the GPU that make the times less certain.
pub fn notes(of: &measure::Conditions) -> Vec<String> {
    let mut notes = Vec::new();
    for (range, what) in [(of.core_khz, "SMs"), (of.dram_khz, "memory")] {
        if let Some(range) = range.filter(|range| range.steady().is_none()) {
            notes.push(format!(
                "the clock of the {what} changed from {} to {} kHz, so the times hold for no stated clock",
                range.least, range.most
            ));
        }
    }
    if let Some(reasons) = of.throttling.as_ref().filter(|reasons| !reasons.is_empty()) {
        notes.push(format!("the driver reduced the clocks: {}", reasons.join(", ")));
    }
    if { of.settings.iter() }.any(|(name, value)| name == "virtual machine" && value == "yes") {
        let text =
            "the computer is a virtual machine, so its host can delay a job at any time: no time is a bound";
        notes.push(text.to_owned());
    }
    #[cfg(target_os = "linux")]
    if { of.settings.iter() }.any(|(name, _)| name == gpusched_runtime::cuda::GRAPHS) {
        let text = "the jobs are CUDA graphs: their times are of the nodes of the graph, whose SMs gpusched cannot observe";
        notes.push(text.to_owned());
    }
    if of.locked != Some(true) {
        let text =
            "gpusched does not know whether the clocks are locked; at a lower clock, the kernel takes longer";
        notes.push(text.to_owned());
    }
    notes
}
