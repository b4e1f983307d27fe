//! What every model answers.

use super::Model;

/// How long each kernel of a group takes, and what makes it take that long.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// The model.
    pub model: Model,
    /// In the order of the group.
    pub kernels: Vec<KernelPrediction>,
    /// By time, without gaps.
    pub windows: Vec<Window>,
}

/// One kernel, all windows together.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct KernelPrediction {
    /// C(n) as the model takes it: measured, or filled in [ns].
    pub isolated: f64,
    /// BW(n) as the model takes it [GB/s].
    pub bandwidth: f64,
    /// From start to end beside the others [ns].
    pub predicted: f64,
}

impl KernelPrediction {
    /// predicted / isolated.
    pub fn slowdown(&self) -> f64 {
        self.predicted / self.isolated
    }
}

/// A span in which the same kernels run. The models of [Masola23] and the margin cut time as it passes for kernels alone
/// ([Masola23] §7.1), `fluid` as it passes for kernels together.
#[derive(Clone, PartialEq, Debug)]
pub struct Window {
    /// Its start [ns].
    pub start: f64,
    /// Its end [ns].
    pub end: f64,
    /// The bandwidth that the kernels in it ask for together [GB/s].
    pub demand: f64,
    /// I(w) of [Masola23] Eq. 7.
    pub interference: Option<f64>,
    /// The kernels in it, in the order of the group.
    pub parts: Vec<Part>,
}

/// What a kernel does in a window.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Part {
    /// Its position in the group.
    pub kernel: usize,
    /// The part of it that is done here, of 1.
    pub progress: f64,
    /// The bandwidth it gets [GB/s], where the model says so.
    pub share: Option<f64>,
    /// Π of [Masola23] Eq. 6.
    pub penalty: Option<f64>,
    /// How many times as long it takes here as alone.
    pub factor: f64,
    /// The time that counts for the kernel [ns]; over all windows that is its prediction.
    pub time: f64,
}

impl Prediction {
    /// A prediction whose kernels have `isolated` times and `bandwidths`, and take as long as their parts in `windows`.
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
