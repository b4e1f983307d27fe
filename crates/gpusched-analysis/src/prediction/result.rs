//! Results of all prediction models.

use super::Model;

/// Predicted execution time of each kernel of a group, and the time windows of the prediction.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// Prediction model that computed the prediction.
    pub model: Model,
    /// Kernels, in the order of the group.
    pub kernels: Vec<KernelPrediction>,
    /// Windows, sorted by time and without gaps.
    pub windows: Vec<Window>,
}

/// Prediction for one kernel of a group.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct KernelPrediction {
    /// C(n): measured or estimated execution time in isolation [ns].
    pub isolated: f64,
    /// BW(n): measured or estimated bandwidth in isolation [GB/s].
    pub bandwidth: f64,
    /// Predicted execution time together with the other kernels of the group [ns].
    pub predicted: f64,
}

impl KernelPrediction {
    /// Returns the predicted time divided by the isolated time.
    pub fn slowdown(&self) -> f64 {
        self.predicted / self.isolated
    }
}

/// A time span with a constant set of running kernels. The windows of `fluid` are spans of
/// predicted time. The windows of `masola`, `masola-repaired` and `naive` are spans of isolated
/// time ([Masola23] §7.1).
#[derive(Clone, PartialEq, Debug)]
pub struct Window {
    /// Start of the window [ns].
    pub start: f64,
    /// End of the window [ns].
    pub end: f64,
    /// Total bandwidth demand of the kernels in the window [GB/s].
    pub demand: f64,
    /// I(w) of [Masola23] Eq. 7, if the model computes it.
    pub interference: Option<f64>,
    /// Kernels in the window, in the order of the group.
    pub parts: Vec<Part>,
}

/// Progress of one kernel in a window.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Part {
    /// Position of the kernel in the group.
    pub kernel: usize,
    /// Fraction of its total work that the kernel completes in the window, from 0 to 1.
    pub progress: f64,
    /// Bandwidth of the kernel in the window [GB/s], if the model computes it.
    pub share: Option<f64>,
    /// Penalty Π of [Masola23] Eq. 6, if the model computes it.
    pub penalty: Option<f64>,
    /// Slowdown of the kernel in the window: its predicted time divided by its isolated time.
    pub factor: f64,
    /// Contribution of the window to the predicted execution time of the kernel [ns].
    pub time: f64,
}

impl Prediction {
    /// Creates a prediction from `windows`. `alone` has the isolated time and the isolated
    /// bandwidth of each kernel. The predicted time of a kernel is the sum of its times in all
    /// windows.
    pub(super) fn of(model: Model, alone: &[(f64, f64)], windows: Vec<Window>) -> Prediction {
        let mut kernels: Vec<KernelPrediction> = alone
            .iter()
            .map(|&(isolated, bandwidth)| KernelPrediction {
                isolated,
                bandwidth,
                predicted: 0.0,
            })
            .collect();
        for part in windows.iter().flat_map(|window| &window.parts) {
            kernels[part.kernel].predicted += part.time;
        }
        Prediction {
            model,
            kernels,
            windows,
        }
    }
}
