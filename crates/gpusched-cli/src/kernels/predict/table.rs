//! Predictions as CSV and text.

use super::result::{Answer, KernelAnswer, ModelAnswer};
use crate::report::{About, Column, Palette, Report, Rows, Shown, Table, clip};
use gpusched_model::counted;
use gpusched_model::error::Result;

/// Returns the CSV columns. There is one row per kernel and model. With `windows`, there is one
/// row per kernel, window and model.
pub fn columns(windows: bool) -> &'static str {
    match windows {
        true => {
            "group,model,window,start_ns,end_ns,demand,interference,kernel,sms,progress,share,penalty,factor,time_ns"
        }
        false => "group,model,kernel,sms,class,isolated_ns,bandwidth,predicted_ns,slowdown",
    }
}

fn optional(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The tuple contains the position of the group, whether to show windows, and how to show assumptions.
impl Report for About<(usize, bool, Shown), Answer> {
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        let About((index, windows, _), answer) = self;
        for prediction in &answer.predictions {
            let of_model = match windows {
                true => window_rows(prediction),
                false => prediction.kernels.iter().map(kernel_row).collect(),
            };
            for row in of_model {
                rows.add((index, prediction.model.to_string(), row))?;
            }
        }
        Ok(())
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
        let mut table = Table::new([
            Column::Left("kernel"),
            Column::Right("SMs"),
            Column::Left("class"),
            Column::Left("model"),
            Column::Right("alone"),
            Column::Right("GB/s"),
            Column::Right("together"),
            Column::Right("slowdown"),
        ]);
        for prediction in &answer.predictions {
            for kernel in &prediction.kernels {
                table.row([
                    clip(&kernel.kernel, 30),
                    kernel.sms.to_string(),
                    kernel.class.map_or("?".to_owned(), |class| class.to_string()),
                    prediction.model.to_string(),
                    filled(us(kernel.isolated_ns), kernel.isolated_measured),
                    filled(format!("{:.2}", kernel.bandwidth), kernel.bandwidth_measured),
                    us(kernel.predicted_ns),
                    format!("{:.3}", kernel.slowdown),
                ]);
            }
        }
        text += &table.render(palette.header);
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
                text += &window_table(prediction, palette);
            }
        }
        Ok(text + &shown.text(answer.assumptions.as_deref()))
    }
}

fn kernel_row(kernel: &KernelAnswer) -> Vec<String> {
    vec![
        kernel.kernel.clone(),
        kernel.sms.to_string(),
        kernel.class.map(|class| class.to_string()).unwrap_or_default(),
        kernel.isolated_ns.to_string(),
        kernel.bandwidth.to_string(),
        kernel.predicted_ns.to_string(),
        kernel.slowdown.to_string(),
    ]
}

/// Returns the rows of `prediction`, one row per window and kernel. Each row starts at the column of the window number.
fn window_rows(prediction: &ModelAnswer) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (number, window) in prediction.windows.iter().enumerate() {
        for part in &window.parts {
            let kernel = prediction.kernels.get(part.kernel);
            rows.push(vec![
                number.to_string(),
                window.start_ns.to_string(),
                window.end_ns.to_string(),
                window.demand.to_string(),
                optional(window.interference),
                kernel.map(|kernel| kernel.kernel.clone()).unwrap_or_default(),
                kernel.map(|kernel| kernel.sms.to_string()).unwrap_or_default(),
                part.progress.to_string(),
                optional(part.share),
                optional(part.penalty),
                part.factor.to_string(),
                part.time_ns.to_string(),
            ]);
        }
    }
    rows
}

fn us(ns: u64) -> String {
    format!("{:.3} us", ns as f64 / 1e3)
}

/// Returns `value`, marked with a tilde if `measured` is false.
fn filled(value: String, measured: bool) -> String {
    if measured { value } else { format!("~{value}") }
}

fn window_table(prediction: &ModelAnswer, palette: &Palette) -> String {
    let mut table = Table::new([
        Column::Right("window"),
        Column::Right("end"),
        Column::Right("GB/s asked"),
        Column::Right("I(w)"),
        Column::Left("kernel"),
        Column::Right("part"),
        Column::Right("GB/s got"),
        Column::Right("penalty"),
        Column::Right("factor"),
        Column::Right("time"),
    ]);
    let three = |value: Option<f64>| value.map(|value| format!("{value:.3}")).unwrap_or_default();
    for (number, window) in prediction.windows.iter().enumerate() {
        for part in &window.parts {
            let kernel = prediction.kernels.get(part.kernel);
            table.row([
                number.to_string(),
                us(window.end_ns),
                format!("{:.2}", window.demand),
                three(window.interference),
                kernel.map(|kernel| clip(&kernel.kernel, 30)).unwrap_or_default(),
                format!("{:.1} %", 100.0 * part.progress),
                part.share.map(|share| format!("{share:.2}")).unwrap_or_default(),
                three(part.penalty),
                three(Some(part.factor)),
                us(part.time_ns),
            ]);
        }
    }
    format!("\n{}:\n{}", prediction.model, table.render(palette.header))
}
