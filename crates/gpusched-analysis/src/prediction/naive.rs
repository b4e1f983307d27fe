//! A constant slowdown while other kernels run ([Masola23] §7.2, Figs 11 and 12).

use super::{Isolated, Model, Part, Prediction, Window};

/// Slowdown factor of a kernel while other kernels run. This factor is the largest slowdown in [Masola23] Fig. 9: COPY
/// in experiment 4.
pub const MARGIN: f64 = 1.73;

/// Multiplies every isolated time by [`MARGIN`], with one exception. After the isolated time of
/// the second longest kernel, the longest kernel runs without a slowdown.
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
