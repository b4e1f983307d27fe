//! Predictions as CSV and text.

use super::result::{Answer, ModelAnswer};
use crate::report::{About, Cell, Palette, Report, Shown, Table, clip};
use gpusched_model::counted;
use gpusched_model::error::Result;

/// The tuple contains the position of the group, whether to show windows, and how to show assumptions.
impl Report for About<(usize, bool, Shown), Answer> {
    fn table(&self) -> Table {
        let About((index, windows, _), answer) = self;
        match windows {
            true => window_rows(*index, &answer.predictions),
            false => kernel_rows(*index, &answer.predictions),
        }
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((_, windows, shown), answer) = self;
        let name = answer.name.as_deref().unwrap_or("group");
        let mut text = format!(
            "{}: {} GB/s on {}\n",
            clip(name, 60),
            answer.effective_bandwidth,
            counted(answer.sms, "SM")
        );
        text += &kernel_rows(0, &answer.predictions).render(palette.header);
        let kernels = || {
            answer
                .predictions
                .iter()
                .flat_map(|prediction| &prediction.kernels)
        };
        if kernels().any(|kernel| !(kernel.isolated_measured && kernel.bandwidth_measured)) {
            text += "~ the model estimates this value, because the profile does not contain it\n";
        }
        if *windows {
            for prediction in &answer.predictions {
                let windows = window_rows(0, std::slice::from_ref(prediction));
                text += &format!("\n{}:\n{}", prediction.model, windows.render(palette.header));
            }
        }
        Ok(text + &shown.text(answer.assumptions.as_deref()))
    }
}

/// Returns one row per kernel and model.
fn kernel_rows(group: usize, predictions: &[ModelAnswer]) -> Table {
    let rows = predictions.iter().flat_map(|prediction| {
        let kernels = prediction.kernels.iter();
        kernels.map(move |kernel| (prediction.model, kernel))
    });
    let table = Table::of(rows)
        .exact("group", |_| group)
        .exact("model", |(model, _)| model.to_string())
        .text(("kernel", "kernel"), |(_, kernel)| {
            Cell::valued(clip(&kernel.kernel, 30), &kernel.kernel)
        })
        .number(("SMs", "sms"), |(_, kernel)| kernel.sms)
        .text(("class", "class"), |(_, kernel)| {
            Cell::or(kernel.class.map(|class| class.to_string()), "?")
        })
        .text("model", |(model, _)| model.to_string())
        .number(("alone", "isolated_ns"), |(_, kernel)| {
            Cell::valued(
                filled(us(kernel.isolated_ns), kernel.isolated_measured),
                kernel.isolated_ns,
            )
        })
        .number(("GB/s", "bandwidth"), |(_, kernel)| {
            let bandwidth = format!("{:.2}", kernel.bandwidth);
            Cell::valued(filled(bandwidth, kernel.bandwidth_measured), kernel.bandwidth)
        })
        .number(("together", "predicted_ns"), |(_, kernel)| {
            Cell::valued(us(kernel.predicted_ns), kernel.predicted_ns)
        })
        .number(("slowdown", "slowdown"), |(_, kernel)| {
            Cell::valued(format!("{:.3}", kernel.slowdown), kernel.slowdown)
        });
    table.done()
}

/// Returns one row per window, kernel and model.
fn window_rows(group: usize, predictions: &[ModelAnswer]) -> Table {
    let rows = predictions.iter().flat_map(|prediction| {
        prediction
            .windows
            .iter()
            .enumerate()
            .flat_map(move |(number, window)| {
                let parts = window.parts.iter();
                parts.map(move |part| {
                    (
                        prediction.model,
                        number,
                        window,
                        part,
                        prediction.kernels.get(part.kernel),
                    )
                })
            })
    });
    let rounded = |value: Option<f64>, decimals: usize| {
        value.map(|value| Cell::valued(format!("{value:.decimals$}"), value))
    };
    let table = Table::of(rows)
        .exact("group", |_| group)
        .exact("model", |(model, ..)| model.to_string())
        .number(("window", "window"), |(_, number, ..)| *number)
        .exact("start_ns", |(_, _, window, ..)| window.start_ns)
        .number(("end", "end_ns"), |(_, _, window, ..)| {
            Cell::valued(us(window.end_ns), window.end_ns)
        })
        .number(("GB/s asked", "demand"), |(_, _, window, ..)| {
            rounded(Some(window.demand), 2)
        })
        .number(("I(w)", "interference"), |(_, _, window, ..)| {
            rounded(window.interference, 3)
        })
        .text(("kernel", "kernel"), |(.., kernel)| {
            kernel.map(|kernel| Cell::valued(clip(&kernel.kernel, 30), &kernel.kernel))
        })
        .exact("sms", |(.., kernel)| kernel.map(|kernel| kernel.sms))
        .number(("part", "progress"), |(.., part, _)| {
            Cell::valued(format!("{:.1} %", 100.0 * part.progress), part.progress)
        })
        .number(("GB/s got", "share"), |(.., part, _)| rounded(part.share, 2))
        .number(("penalty", "penalty"), |(.., part, _)| rounded(part.penalty, 3))
        .number(("factor", "factor"), |(.., part, _)| {
            rounded(Some(part.factor), 3)
        })
        .number(("time", "time_ns"), |(.., part, _)| {
            Cell::valued(us(part.time_ns), part.time_ns)
        });
    table.done()
}

fn us(ns: u64) -> String {
    format!("{:.3} us", ns as f64 / 1e3)
}

/// Returns `value`, marked with a tilde if `measured` is false.
fn filled(value: String, measured: bool) -> String {
    if measured { value } else { format!("~{value}") }
}
