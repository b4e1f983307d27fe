//! A margin for as long as there is company ([Masola23] §7.2, Figs 11 and 12).

use super::{Isolated, Model, Part, Prediction, Window};

/// How many times as long a kernel takes in company: the largest slowdown of Fig. 9, COPY in experiment 4.
pub const MARGIN: f64 = 1.73;

/// Every kernel takes [`MARGIN`] times as long, but for what the longest does after the second longest would be through alone.
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
