//! Statistics of many runs under each budget policy, and the rows that report these statistics.

use crate::measures::{Labels, Row, statistics};
use gpusched_analysis::bandwidth::BudgetPolicy;
use gpusched_model::time::Time;
use gpusched_sim::regulation::{Run, Tally};

/// Quantities that the metric reports for each policy. For NOMINAL, the metric omits the improvements, and all
/// quantities whose names end in `_lead`.
pub(super) const QUANTITIES: [&str; 19] = [
    "improvement",
    "improvement_low",
    "improvement_high",
    "be_requests",
    "q_mean",
    "q_std",
    "q_first_third",
    "q_last_third",
    "q_rise",
    "q_first_fifth",
    "q_peak",
    "periods",
    "runs_of_other_length",
    "periods_over_nominal",
    "finish",
    "margin",
    "late_runs",
    "q_first_fifth_lead",
    "q_std_lead",
];

/// Published values, which the results list next to the computed values.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Beside {
    pub improvement: Option<f64>,
    pub q_mean: Option<f64>,
    pub q_std: Option<f64>,
}

/// A run, with the average of the memory bandwidth budget Q in some parts of the run.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    run: Run,
    /// Mean of Q over the first third of the regulation periods.
    first_third: f64,
    /// Mean of Q over the last third of the regulation periods.
    last_third: f64,
    /// Mean of Q over the first fifth of the regulation periods.
    first_fifth: f64,
    /// Position of the first regulation period with the largest Q, from 0 (first period) to 1 (last
    /// period).
    peak: f64,
}

impl Shape {
    /// Computes the averages of Q in a run and deletes the list of periods.
    pub fn of(mut run: Run) -> Shape {
        let q: Vec<f64> = std::mem::take(&mut run.periods)
            .iter()
            .map(|period| period.q)
            .collect();
        let (third, fifth) = (q.len().div_ceil(3), q.len().div_ceil(5));
        let mean = |part: &[f64]| statistics::mean(part.iter().copied());
        let most = q.iter().copied().fold(0.0, f64::max);
        let peak = q.iter().position(|&value| value >= most).unwrap_or(0);
        Shape {
            first_third: mean(q.get(..third).unwrap_or_default()),
            last_third: mean(q.get(q.len() - third..).unwrap_or_default()),
            first_fifth: mean(q.get(..fifth).unwrap_or_default()),
            peak: peak as f64 / q.len().saturating_sub(1).max(1) as f64,
            run,
        }
    }
}

/// Sums over all runs under one policy.
#[derive(Clone, Debug)]
struct Column {
    policy: BudgetPolicy,
    tally: Tally,
    runs: u64,
    first_third: f64,
    last_third: f64,
    first_fifth: f64,
    peak: f64,
    periods: u64,
    /// Number of runs that have another number of regulation periods than the same run under NOMINAL.
    differ: u64,
    /// Largest number of regulation periods that a run has in addition to the periods of the same run under NOMINAL.
    most_extra: i64,
}

/// Sums over all runs under all policies.
#[derive(Clone, Debug)]
pub(super) struct Statistics {
    columns: Vec<Column>,
}

impl Statistics {
    /// Creates statistics without any runs, for a kernel with deadline `deadline`.
    pub fn new(deadline: Time) -> Statistics {
        let column = |policy| Column {
            policy,
            tally: Tally::new(policy, deadline),
            runs: 0,
            first_third: 0.0,
            last_third: 0.0,
            first_fifth: 0.0,
            peak: 0.0,
            periods: 0,
            differ: 0,
            most_extra: 0,
        };
        Statistics {
            columns: BudgetPolicy::ALL.map(column).into(),
        }
    }

    /// Adds one run under each policy. The run under NOMINAL is first in `shapes`.
    pub fn add(&mut self, shapes: &[Shape]) {
        let Some(nominal) = shapes.first() else { return };
        for (column, shape) in self.columns.iter_mut().zip(shapes) {
            column.tally.add(&shape.run, &nominal.run);
            column.runs += 1;
            column.first_third += shape.first_third;
            column.last_third += shape.last_third;
            column.first_fifth += shape.first_fifth;
            column.peak += shape.peak;
            column.periods += shape.run.count;
            let extra = shape.run.count as i64 - nominal.run.count as i64;
            column.differ += u64::from(extra != 0);
            column.most_extra = column.most_extra.max(extra);
        }
    }

    /// Returns the rows of each policy. NOMINAL has no rows for improvements and leads.
    pub fn rows(&self, labels: &Labels, beside: impl Fn(BudgetPolicy) -> Beside) -> Vec<Row> {
        let mut rows = Vec::new();
        for column in &self.columns {
            let of = labels.clone().with("policy", column.policy);
            rows.extend(column.rows(&of, beside(column.policy)));
            if column.policy != BudgetPolicy::Nominal {
                rows.extend(self.leads(&of, column));
            }
        }
        rows
    }

    /// Compares a dynamic policy with the better of the two other dynamic policies, and returns two leads. The first
    /// lead compares the mean of Q over the first fifth of the periods. The second lead compares the standard deviation
    /// of Q.
    fn leads(&self, of: &Labels, own: &Column) -> [Row; 2] {
        let others = || {
            let others = self.columns.iter().filter(|other| other.policy != own.policy);
            others.filter(|other| other.policy != BudgetPolicy::Nominal)
        };
        let std = |column: &Column| column.tally.summary().q_std.mean;
        let early = others()
            .map(|other| other.mean(other.first_fifth))
            .fold(0.0, f64::max);
        let even = others().map(std).fold(f64::INFINITY, f64::min);
        [
            of.decimal("q_first_fifth_lead", own.mean(own.first_fifth) - early, "share"),
            of.decimal("q_std_lead", even - std(own), "share"),
        ]
    }
}

impl Column {
    fn mean(&self, sum: f64) -> f64 {
        sum / self.runs.max(1) as f64
    }

    fn rows(&self, of: &Labels, beside: Beside) -> Vec<Row> {
        let summary = self.tally.summary();
        let share = |quantity, value| of.decimal(quantity, value, "share");
        let ms = |quantity, ns: f64| of.decimal(quantity, ns / 1e6, "ms");
        let mut rows = Vec::new();
        if self.policy != BudgetPolicy::Nominal {
            // If there is no run under NOMINAL for a comparison, the improvement is empty, except
            // in an outline.
            let outline = (self.runs == 0).then_some(0.0);
            let improvement = |quantity, value: Option<f64>| match value.or(outline) {
                Some(value) => share(quantity, value),
                None => of.row(quantity, "", "share"),
            };
            let found = summary.improvement;
            rows.extend([
                improvement("improvement", found.map(|found| found.mean)).beside(beside.improvement),
                improvement("improvement_low", found.and_then(|found| found.low)),
                improvement("improvement_high", found.and_then(|found| found.high)),
            ]);
        }
        rows.extend([
            of.row(
                "be_requests",
                format_args!("{:.1}", summary.requests.mean),
                "requests",
            ),
            share("q_mean", summary.q_mean.mean).beside(beside.q_mean),
            share("q_std", summary.q_std.mean).beside(beside.q_std),
            share("q_first_third", self.mean(self.first_third)),
            share("q_last_third", self.mean(self.last_third)),
            share("q_rise", self.mean(self.last_third - self.first_third)),
            share("q_first_fifth", self.mean(self.first_fifth)),
            share("q_peak", self.mean(self.peak)),
            of.decimal("periods", self.mean(self.periods as f64), "periods"),
            share("runs_of_other_length", self.mean(self.differ as f64)),
            of.row("periods_over_nominal", self.most_extra, "periods"),
            ms("finish", summary.finish_ns.mean),
            ms("margin", if self.runs == 0 { 0.0 } else { summary.margin_ns }),
            of.row("late_runs", summary.late_runs, "runs"),
        ]);
        rows
    }
}
