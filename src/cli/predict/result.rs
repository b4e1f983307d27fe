//! Predictions as they are written.

use serde::Serialize;

use crate::model::{Factor, Group};
use crate::prediction::{Class, Isolated, Model, Part, Prediction, Window};

/// What models say of a group.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Predictions")]
pub struct Answer {
    /// The group's name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// N, the SMs of the platform.
    pub sms: u32,
    /// EM_BW [GB/s].
    pub effective_bandwidth: Factor,
    /// By model, as asked for.
    pub predictions: Vec<ModelAnswer>,
}

/// What a model says.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Prediction")]
pub struct ModelAnswer {
    /// The model.
    pub model: Model,
    /// In the order of the group.
    pub kernels: Vec<KernelAnswer>,
    /// By time.
    pub windows: Vec<WindowAnswer>,
}

/// One kernel.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "PredictedKernel")]
pub struct KernelAnswer {
    /// Its name.
    pub kernel: String,
    /// n, its SMs.
    pub sms: u32,
    /// What it mostly uses, by its bandwidth on all SMs; null where that was not measured.
    pub class: Option<Class>,
    /// C(n), alone on its SMs [ns].
    pub isolated_ns: u64,
    /// Whether that is in the profile; else the model fills it in.
    pub isolated_measured: bool,
    /// BW(n), alone on its SMs [GB/s].
    pub bandwidth: f64,
    /// Whether that is in the profile; else the model fills it in.
    pub bandwidth_measured: bool,
    /// Beside the others [ns].
    pub predicted_ns: u64,
    /// The one by the other.
    pub slowdown: f64,
}

/// A span in which the same kernels run: alone for `masola` and `naive`, together for `fluid`.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "PredictionWindow")]
pub struct WindowAnswer {
    /// [ns]
    pub start_ns: u64,
    /// [ns]
    pub end_ns: u64,
    /// What the kernels in it ask for together [GB/s].
    pub demand: f64,
    /// I(w) of [Masola23] Eq. 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interference: Option<f64>,
    /// The kernels in it.
    pub parts: Vec<PartAnswer>,
}

/// A kernel in a window.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "PredictionPart")]
pub struct PartAnswer {
    /// Its position in the group.
    pub kernel: usize,
    /// The part of it that is done here, of 1.
    pub progress: f64,
    /// The bandwidth it gets [GB/s].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Π of [Masola23] Eq. 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<f64>,
    /// How many times as long it takes here as alone.
    pub factor: f64,
    /// What that adds to its time [ns].
    pub time_ns: u64,
}

/// With six decimals.
fn six(value: f64) -> f64 {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Whole nanoseconds.
fn ns(value: f64) -> u64 {
    value.round() as u64
}

impl Answer {
    /// What `predictions` say of `group`.
    pub fn new(group: &Group, predictions: &[Prediction]) -> Answer {
        Answer {
            name: group.name().map(str::to_owned),
            sms: group.platform().sms,
            effective_bandwidth: group.platform().effective_bandwidth,
            predictions: predictions
                .iter()
                .map(|prediction| ModelAnswer::new(group, prediction))
                .collect(),
        }
    }
}

impl ModelAnswer {
    fn new(group: &Group, prediction: &Prediction) -> ModelAnswer {
        let kernels = group.kernels().iter().zip(&prediction.kernels);
        let kernels = kernels.filter_map(|(kernel, found)| {
            let alone = Isolated::new(
                kernel.name.as_deref(),
                kernel.sms,
                kernel.profile.profile()?,
                group.platform(),
            );
            Some(KernelAnswer {
                kernel: alone.name,
                sms: alone.sms,
                class: alone.class,
                isolated_ns: ns(found.isolated),
                isolated_measured: alone.measured.0,
                bandwidth: six(found.bandwidth),
                bandwidth_measured: alone.measured.1,
                predicted_ns: ns(found.predicted),
                slowdown: six(found.slowdown()),
            })
        });
        ModelAnswer {
            model: prediction.model,
            kernels: kernels.collect(),
            windows: prediction.windows.iter().map(WindowAnswer::new).collect(),
        }
    }
}

impl WindowAnswer {
    fn new(window: &Window) -> WindowAnswer {
        WindowAnswer {
            start_ns: ns(window.start),
            end_ns: ns(window.end),
            demand: six(window.demand),
            interference: window.interference.map(six),
            parts: window.parts.iter().map(PartAnswer::new).collect(),
        }
    }
}

impl PartAnswer {
    fn new(part: &Part) -> PartAnswer {
        PartAnswer {
            kernel: part.kernel,
            progress: six(part.progress),
            share: part.share.map(six),
            penalty: part.penalty.map(six),
            factor: six(part.factor),
            time_ns: ns(part.time),
        }
    }
}
