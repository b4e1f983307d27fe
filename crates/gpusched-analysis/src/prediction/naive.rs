//! A constant slowdown while other kernels run ([Masola23] §7.2, Figs 11 and 12).

use super::{Isolated, Model, Part, Prediction, Window};

/// Slowdown that concurrent kernels cause. It is the largest slowdown in [Masola23] Fig. 9, for COPY in experiment 4.
pub const MARGIN: f64 = 1.73;

/// Multiplies every isolated time by [`MARGIN`]. The exception is the last part of the longest kernel, after the isolated time of
/// the second longest kernel: this part is not multiplied.
pub fn predict(alone: &[Isolated]) -> Prediction {
    let mut times: Vec<f64> = alone.iter().map(|kernel| kernel.time).collect();
    times.sort_by(f64::total_cmp);
    let longest = times.pop().unwrap_or(0.0);
    let second = times.pop().unwrap_or(0.0);
    let mut windows = Vec::new();
    for (start, end, factor) in [(0.0, second, MARGIN), (second, longest, 1.0)] {
        if end <= start {
            continue;
        }
        let present = || alone.iter().enumerate().filter(|(_, kernel)| kernel.time > start);
        windows.push(Window {
            start,
            end,
            demand: present().map(|(_, kernel)| kernel.bandwidth).sum(),
            interference: None,
            parts: present()
                .map(|(index, kernel)| {
                    let own = kernel.time.min(end) - start;
                    Part {
                        kernel: index,
                        progress: own / kernel.time,
                        share: None,
                        penalty: None,
                        factor,
                        time: factor * own,
                    }
                })
                .collect(),
        });
    }
    let alone: Vec<_> = alone
        .iter()
        .map(|kernel| (kernel.time, kernel.bandwidth))
        .collect();
    Prediction::of(Model::Naive, &alone, windows)
}
