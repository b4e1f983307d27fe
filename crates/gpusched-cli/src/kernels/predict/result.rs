//! JSON form of predictions.

use serde::Serialize;

use gpusched_analysis::prediction::{Class, Isolated, Model, Part, Prediction, Window};
use gpusched_model::assumptions::Assumption;
use gpusched_model::{Factor, Group};

/// Predictions for one group of kernels.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Predictions"))]
pub struct Answer {
    /// Name of the group, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Number of SMs of the platform, N.
    pub sms: u32,
    /// Effective bandwidth EM_BW [GB/s].
    pub effective_bandwidth: Factor,
    /// Predictions, one per requested model, in the requested order.
    pub predictions: Vec<ModelAnswer>,
    /// Assumptions of the predictions. gpusched does not check these assumptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<Vec<Assumption>>,
}

/// Prediction of one model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Prediction"))]
pub struct ModelAnswer {
    /// Prediction model.
    pub model: Model,
    /// Kernels, in the order of the group.
    pub kernels: Vec<KernelAnswer>,
    /// Time windows, in the order of time.
    pub windows: Vec<WindowAnswer>,
}

/// Prediction for one kernel.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PredictedKernel"))]
pub struct KernelAnswer {
    /// Name of the kernel.
    pub kernel: String,
    /// Number of SMs of the kernel, n.
    pub sms: u32,
    /// Resource that the kernel uses most. It follows from the bandwidth of the kernel on all SMs, and is null if this
    /// bandwidth is unknown.
    pub class: Option<Class>,
    /// C(n): execution time in isolation on n SMs [ns].
    pub isolated_ns: u64,
    /// Whether the profile contains C(n). If false, the model estimates C(n).
    pub isolated_measured: bool,
    /// BW(n): bandwidth in isolation on n SMs [GB/s].
    pub bandwidth: f64,
    /// Whether the profile contains BW(n). If false, the model estimates BW(n).
    pub bandwidth_measured: bool,
    /// Predicted execution time while the other kernels of the group also run [ns].
    pub predicted_ns: u64,
    /// Slowdown: predicted_ns divided by isolated_ns.
    pub slowdown: f64,
}

/// Time window with a constant set of running kernels. For the model `fluid`, each kernel runs for its predicted time.
/// For other models, each kernel runs for its time in isolation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PredictionWindow"))]
pub struct WindowAnswer {
    /// Start of the window [ns].
    pub start_ns: u64,
    /// End of the window [ns].
    pub end_ns: u64,
    /// Total bandwidth demand of the kernels in the window [GB/s].
    pub demand: f64,
    /// Interference I(w) in the window w, by [Masola23] Eq. 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interference: Option<f64>,
    /// Kernels that run in the window.
    pub parts: Vec<PartAnswer>,
}

/// One kernel in a window.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "PredictionPart"))]
pub struct PartAnswer {
    /// Position of the kernel in the group.
    pub kernel: usize,
    /// Fraction of the total work of the kernel that the kernel completes in the window, from 0 to 1.
    pub progress: f64,
    /// Bandwidth that the kernel receives in the window [GB/s].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Penalty Π of the kernel in the window, by [Masola23] Eq. 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<f64>,
    /// Slowdown of the kernel in the window.
    pub factor: f64,
    /// Contribution of the window to the predicted execution time of the kernel [ns].
    pub time_ns: u64,
}

/// Rounds `value` to six decimals.
fn six(value: f64) -> f64 {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Rounds `value` to whole nanoseconds.
fn ns(value: f64) -> u64 {
    value.round() as u64
}

impl Answer {
    /// The JSON form of `predictions` for `group`.
    pub fn new(group: &Group, predictions: &[Prediction]) -> Answer {
        Answer {
            name: group.name().map(str::to_owned),
            sms: group.platform().sms,
            effective_bandwidth: group.platform().effective_bandwidth,
            predictions: predictions
                .iter()
                .map(|prediction| ModelAnswer::new(group, prediction))
                .collect(),
            assumptions: None,
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
