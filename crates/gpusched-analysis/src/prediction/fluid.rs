//! A prediction model without tuning parameters. Kernels progress continuously. The memory divides its bandwidth among
//! the kernels by the max-min fair rule.
//!
//! The inputs are the isolated time and the isolated bandwidth of each kernel, and EM_BW, the largest total bandwidth
//! of the memory. Each time window ends when a kernel ends. Within a window, a kernel with a low bandwidth demand gets
//! its full demand. The other kernels get equal shares of the remaining bandwidth. A kernel with demand d and share s
//! progresses at the rate s/d. In the next window, the model computes new shares for the remaining kernels.

use super::{Isolated, Model, Part, Prediction, Window};
use gpusched_model::group::MemoryPlatform;

/// Computes the max-min fair share of `capacity` for each of the `demands`, all in GB/s.
pub fn max_min(capacity: f64, demands: &[f64]) -> Vec<f64> {
    let mut shares = demands.to_vec();
    let mut order: Vec<(f64, &mut f64)> = demands.iter().copied().zip(&mut shares).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut left, mut others) = (capacity, order.len());
    for (demand, share) in order {
        *share = demand.min(left / others as f64);
        left -= *share;
        others -= 1;
    }
    shares
}

/// If the remaining times of two kernels differ by less than this fraction, the model ends both kernels at the same
/// time.
const TOGETHER: f64 = 1e-12;

/// A kernel that has not ended.
struct Running {
    kernel: usize,
    /// Bandwidth of the kernel in isolation, at most EM_BW [GB/s].
    demand: f64,
    /// Remaining execution time in isolation [ns].
    left: f64,
}

/// Predicts the execution times of kernels that share the bandwidth EM_BW of `platform`.
pub fn predict(alone: &[Isolated], platform: &MemoryPlatform) -> Prediction {
    let capacity = platform.effective_bandwidth.as_f64();
    let kernels = alone.iter().enumerate();
    let mut running: Vec<Running> = kernels
        .map(|(kernel, alone)| Running {
            kernel,
            demand: alone.bandwidth.min(capacity),
            left: alone.time,
        })
        .collect();
    let mut windows: Vec<Window> = Vec::new();
    let mut start = 0.0;
    while !running.is_empty() {
        let demands: Vec<f64> = running.iter().map(|kernel| kernel.demand).collect();
        let shares = max_min(capacity, &demands);
        let factors: Vec<f64> = demands
            .iter()
            .zip(&shares)
            .map(|(&demand, &share)| slowdown(demand, share))
            .collect();
        let ends = running
            .iter()
            .zip(&factors)
            .map(|(kernel, factor)| kernel.left * factor);
        let length = ends.fold(f64::INFINITY, f64::min);
        let parts = running.iter().zip(shares.iter().zip(&factors));
        windows.push(Window {
            start,
            end: start + length,
            demand: demands.iter().sum(),
            interference: None,
            parts: parts
                .map(|(kernel, (&share, &factor))| Part {
                    kernel: kernel.kernel,
                    progress: length / factor / alone[kernel.kernel].time,
                    share: Some(share),
                    penalty: None,
                    factor,
                    time: length,
                })
                .collect(),
        });
        for (kernel, factor) in running.iter_mut().zip(&factors) {
            // The kernel that determines the length of the window ends exactly with the window,
            // despite rounding errors.
            let end = kernel.left * factor;
            kernel.left = if end <= length * (1.0 + TOGETHER) {
                0.0
            } else {
                kernel.left - length / factor
            };
        }
        running.retain(|kernel| kernel.left > 0.0);
        start += length;
    }
    let alone: Vec<_> = alone
        .iter()
        .map(|kernel| (kernel.time, kernel.bandwidth))
        .collect();
    Prediction::of(Model::Fluid, &alone, windows)
}

/// Returns demand / share, or 1 if the kernel demands no bandwidth.
fn slowdown(demand: f64, share: f64) -> f64 {
    match demand > share {
        true => demand / share,
        false => 1.0,
    }
}
