//! Results of `budget simulate` as text and CSV.

use crate::budget::estimates::{count, or_none, over_nominal, percent};
use crate::report::{About, Palette, Report, Rows, Shown, Table};
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_sim::regulation::{CoreTasks, Estimate, Run, Summary};

/// CSV columns.
pub const COLUMNS: &str = "policy,run,period,time_ms,q,remaining,remaining_by_cluster,be_requests,slack_ns";

/// Returns CSV with one row per regulation period of `run`. `name` is the name of the policy.
pub fn csv(name: &str, run: &Run) -> Result<String> {
    let mut rows = Rows::default();
    for (index, period) in run.periods.iter().enumerate() {
        let remaining: Vec<String> = period.remaining.iter().map(u64::to_string).collect();
        rows.add((
            (name, run.run, index),
            format!("{:.6}", period.time.as_secs_f64() * 1e3),
            format!("{:.6}", period.q),
            period.remaining.iter().sum::<u64>(),
            remaining.join(":"),
            format!("{:.1}", period.requests),
            period.slack,
        ))?;
    }
    rows.finish()
}

impl Report for About<Shown, Summary> {
    fn text(&self, palette: &Palette) -> Result<String> {
        let About(shown, summary) = self;
        let late: u64 = summary.policies.iter().map(|policy| policy.late_runs).sum();
        let (style, verdict) = match late {
            0 => (palette.good, "every run takes at most this WCET"),
            _ => (palette.bad, "some runs take LONGER than this WCET"),
        };
        let mut text = format!(
            "{}: nominal budget Q = {}, straddling {}, WCET under this budget {}: {style}{verdict}{style:#}\n{} under \
             each policy, seed {}\n{}",
            summary.kernel.as_deref().unwrap_or("kernel"),
            summary.nominal_q,
            summary.straddling,
            summary.wcet_nominal_ns,
            counted(summary.runs, "run"),
            summary.seed,
            policies(summary).render(palette.header),
        );
        if !summary.setting.cores.is_empty() {
            text += &cores(summary).render(palette.header);
        }
        if let Some(core) = &summary.setting.tasks {
            text += &tasks(summary, core).render(palette.header);
        }
        if let Some(optimum) = &summary.optimum {
            text += &format!(
                "no sequence of budgets allows more than {} best-effort requests; `optimum` uses full \
                 knowledge of each run\n",
                count(&optimum.limit)
            );
        }
        Ok(text + &shown.text(summary.assumptions.as_deref()))
    }
}

/// Returns a table with one row per policy.
fn policies(summary: &Summary) -> Table {
    let policies = summary.policies.iter().map(|of| {
        let times = (&of.finish_ns, of.margin_ns, of.late_runs);
        let requests = (&of.requests, of.improvement.as_ref(), of.of_limit.as_ref());
        (of.policy.to_string(), requests, (&of.q_mean, &of.q_std), times)
    });
    let optimum = summary.optimum.iter().map(|of| {
        let times = (&of.finish_ns, of.margin_ns, of.late_runs);
        let requests = (&of.requests, of.improvement.as_ref(), of.of_limit.as_ref());
        ("optimum".to_owned(), requests, (&of.q_mean, &of.q_std), times)
    });
    let table = Table::of(policies.chain(optimum))
        .text("policy", |(name, ..)| name.clone())
        .number("best-effort requests", |(_, (requests, ..), ..)| count(requests))
        .number("over nominal", |(_, (_, over, _), ..)| over_nominal(*over))
        .number("mean Q", |(.., (mean, _), _)| share(mean))
        .number("std of Q", |(.., (_, std), _)| share(std))
        .number("finish, mean", |(.., (finish, ..))| milliseconds(finish.mean))
        .number("last", |(.., (finish, ..))| milliseconds(finish.last))
        .number("margin", |(.., (_, margin, _))| milliseconds(*margin))
        .number("late", |(.., (.., late))| *late)
        .when(summary.optimum.is_some(), |table| {
            table.number("share of limit", |(_, (.., share), ..)| or_none(*share, percent))
        });
    table.done()
}

/// Returns a table of the memory requests of each core, with one column per policy.
fn cores(summary: &Summary) -> Table {
    let table = Table::of(summary.setting.cores.iter().enumerate())
        .text("best-effort core", |(index, _)| *index)
        .foot("fairness")
        .number("wants", |(_, demand)| demand.to_string())
        .each(&summary.policies, |table, policy| {
            table
                .number(policy.policy.name(), |(index, _)| {
                    or_none(policy.cores.get(*index), count)
                })
                .foot(or_none(policy.fairness.as_ref(), share))
        });
    table.done()
}

/// Returns a table of the share of time for which each task of the best-effort core executes, with one column per policy.
fn tasks(summary: &Summary, core: &CoreTasks) -> Table {
    let table = Table::of(core.demands.iter().enumerate())
        .text("best-effort task", |(index, _)| *index)
        .foot("throttled")
        .number("wants", |(_, demand)| demand.to_string())
        .each(&summary.policies, |table, policy| {
            table
                .number(policy.policy.name(), |(index, _)| {
                    or_none(policy.tasks.get(*index), percent)
                })
                .foot(or_none(policy.throttled.as_ref(), percent))
        });
    table.done()
}

fn share(estimate: &Estimate) -> String {
    format!("{:.4}", estimate.mean)
}

fn milliseconds(ns: f64) -> String {
    // The addition of 0.0 removes the sign of a negative zero.
    format!("{:.4}ms", (ns / 100.0).round() / 1e4 + 0.0)
}
