//! Simulations as text, CSV and figure.

use crate::cli::output::Palette;
use crate::cli::question::csv_line;
use crate::cli::table::{Column, Table};
use crate::cli::wcet::title;
use crate::error::Result;
use crate::model::Kernel;
use crate::plot::{Options, line_chart};
use crate::simulator::regulation::{Estimate, Run, Summary};
use crate::study;

/// The columns of the CSV.
pub const HEADER: &str = "policy,run,period,time_ms,q,remaining,remaining_by_cluster,be_requests,slack_ns\n";

/// A row per period of `run`.
pub fn csv(run: &Run) -> Result<String> {
    let rows = run.periods.iter().enumerate().map(|(index, period)| {
        let remaining: Vec<String> = period.remaining.iter().map(u64::to_string).collect();
        csv_line([
            run.policy.to_string(),
            run.run.to_string(),
            index.to_string(),
            format!("{:.6}", period.time.as_secs_f64() * 1e3),
            format!("{:.6}", period.q),
            period.remaining.iter().sum::<u64>().to_string(),
            remaining.join(":"),
            format!("{:.1}", period.requests),
            period.slack.map(|slack| slack.to_string()).unwrap_or_default(),
        ])
    });
    rows.collect()
}

/// Q over time, a line per policy ([Aghilinasab20] Fig. 3).
pub fn figure(csv: &str, kernel: &Kernel) -> Result<String> {
    let table = study::Table::from_reader("periods", csv.as_bytes())?;
    let options = Options {
        x: "time_ms".to_owned(),
        y: "q".to_owned(),
        series: "policy".to_owned(),
        title: Some(format!(
            "{}: memory budget of best-effort cores over time",
            title(kernel)
        )),
        x_title: Some("time since the start of the kernel [ms]".to_owned()),
        y_title: Some("Q".to_owned()),
        ..Options::default()
    };
    line_chart(&[table], &options)
}

/// The summary for people.
pub fn text(summary: &Summary, palette: &Palette) -> String {
    let mut table = Table::new([
        Column::Left("policy"),
        Column::Right("BE requests"),
        Column::Right("over nominal"),
        Column::Right("mean Q"),
        Column::Right("std of Q"),
        Column::Right("finish, mean"),
        Column::Right("last"),
        Column::Right("margin"),
        Column::Right("late"),
    ]);
    for policy in &summary.policies {
        let share = |estimate: &Estimate| format!("{:.4}", estimate.mean);
        table.row([
            policy.policy.to_string(),
            format!("{:.0}{}", policy.requests.mean, around(&policy.requests, 1.0, 0)),
            policy.improvement.as_ref().map_or("-".to_owned(), |over| {
                format!("{:+.1}{} %", over.mean * 100.0, around(over, 100.0, 1))
            }),
            share(&policy.q_mean),
            share(&policy.q_std),
            milliseconds(policy.finish_ns.mean),
            milliseconds(policy.finish_ns.last),
            milliseconds(policy.margin_ns),
            policy.late_runs.to_string(),
        ]);
    }
    let late: u64 = summary.policies.iter().map(|policy| policy.late_runs).sum();
    let (style, verdict) = match late {
        0 => (palette.good, "every run ends within it"),
        _ => (palette.bad, "some runs end LATER"),
    };
    format!(
        "{}: nominal budget Q = {}, WCET under it {}: {style}{verdict}{style:#}\n{} under each policy, seed {}\n{}",
        summary.kernel.as_deref().unwrap_or("kernel"),
        summary.nominal_q,
        summary.wcet_nominal_ns,
        match summary.runs {
            1 => "1 run".to_owned(),
            runs => format!("{runs} runs"),
        },
        summary.seed,
        table.render(palette.header),
    )
}

/// `±1.2`, half the confidence interval; nothing for one run.
fn around(estimate: &Estimate, scale: f64, decimals: usize) -> String {
    let half = estimate.high.map(|high| (high - estimate.mean) * scale);
    half.map_or(String::new(), |half| format!(" ±{half:.decimals$}"))
}

fn milliseconds(ns: f64) -> String {
    format!("{:.4}ms", ns / 1e6)
}
