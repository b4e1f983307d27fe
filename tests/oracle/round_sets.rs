//! Random task sets with round times: whole milliseconds, harmonic or equal periods, equal deadlines, C = D = T, demands
//! that equal a deadline, and a utilization of exactly 1. Continuous draws never reach these cases.

use gpusched::model::TaskSet;
use rand::{Rng, RngExt};

/// Periods [units] with a common multiple of 4000.
const PERIODS: [&[u64]; 4] = [
    &[50, 80, 100, 200, 250, 400, 500, 800, 1000, 2000, 4000],
    &[50, 100, 200, 400],
    &[500, 1000, 2000, 4000],
    &[400, 800],
];

/// Common multiple of all periods [units].
const HYPERPERIOD: u64 = 4000;

/// A task with a WCET of `work` on one SM. All times are whole numbers of units.
#[derive(Copy, Clone)]
struct Round {
    period: u64,
    deadline: u64,
    work: u64,
}

/// `n` tasks with about `load` SMs of work in total.
pub fn round_set(rng: &mut impl Rng, n: usize, load: f64) -> TaskSet {
    let unit = [1_000_000, 1_000_000, 1_000, 1][rng.random_range(0..4)];
    let mut tasks = works(rng, n, load);
    if rng.random_bool(0.1) {
        tasks = vec![tasks[0]; n];
    }
    if rng.random_bool(0.4) {
        fill(&mut tasks);
    }
    deadlines(rng, &mut tasks);
    // A constant WCET does not decrease with the number of SMs, so it suits small works only.
    let constant = rng.random_bool(0.5) && 2.0 * load <= n as f64;
    let kinds = rng.random_range(0..3);
    let tasks = tasks.iter().map(|task| {
        let kind = match kinds {
            0 => "",
            1 => r#""kind":"compute","#,
            _ => [r#""kind":"compute","#, r#""kind":"memory","#][rng.random_range(0..2)],
        };
        let wcet = if constant {
            table(task.work, 1, unit)
        } else {
            wcet(rng, task.work, unit)
        };
        let (period, deadline) = (task.period * unit, task.deadline * unit);
        format!(r#"{{"period":{period},"deadline":{deadline},{kind}"wcet":{wcet}}}"#)
    });
    let json = format!(r#"{{"tasks":[{}]}}"#, tasks.collect::<Vec<_>>().join(","));
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// Draws periods and works with a total utilization of about `load`. Rarely, a work is extreme: one unit, or the period.
fn works(rng: &mut impl Rng, n: usize, load: f64) -> Vec<Round> {
    let periods = PERIODS[rng.random_range(0..PERIODS.len())];
    let same = rng.random_bool(0.2).then(|| rng.random_range(0..periods.len()));
    let draw = |_| {
        let period = periods[same.unwrap_or_else(|| rng.random_range(0..periods.len()))];
        let share = 2.0 * load / n as f64 * rng.random::<f64>();
        let work = match rng.random_range(0..20) {
            0 => 1,
            1 => period,
            _ => ((share * period as f64) as u64).max(1),
        };
        Round {
            period,
            deadline: period,
            work,
        }
    };
    (0..n).map(draw).collect()
}

/// Changes the last tasks so that the total utilization on one SM is exactly 1, if the first tasks leave room.
fn fill(tasks: &mut [Round]) {
    let mut used = 0;
    for index in 0..tasks.len() {
        let rest = HYPERPERIOD - used;
        let per_unit = HYPERPERIOD / tasks[index].period;
        let last = index + 1 == tasks.len();
        if last || tasks[index].work * per_unit >= rest {
            tasks[index].work = (rest / per_unit).max(1);
            if !rest.is_multiple_of(per_unit) {
                tasks[index] = Round {
                    period: HYPERPERIOD,
                    deadline: HYPERPERIOD,
                    work: rest,
                };
            }
            for task in &mut tasks[index + 1..] {
                task.work = 1;
            }
            return;
        }
        used += tasks[index].work * per_unit;
    }
}

/// Chooses the deadlines of all tasks by one rule.
fn deadlines(rng: &mut impl Rng, tasks: &mut [Round]) {
    let rule = rng.random_range(0..7);
    let (shortest, longest) = (
        tasks.iter().map(|task| task.period).min().unwrap_or(1),
        tasks.iter().map(|task| task.period).max().unwrap_or(1),
    );
    let mut demand = 0;
    for task in tasks {
        demand += task.work;
        task.deadline = match rule {
            0 => task.period,
            1 => shortest,
            2 => longest,
            3 => task.work,
            // The demand of the first jobs equals the deadline.
            4 => demand,
            5 => rng.random_range(1..=task.period),
            _ => rng.random_range(task.period..=2 * task.period),
        };
    }
}

/// Draws a WCET function with the value `work` on one SM.
fn wcet(rng: &mut impl Rng, work: u64, unit: u64) -> String {
    let ns = work * unit;
    let conflict = ["", r#","conflict":1"#, r#","conflict":2"#][rng.random_range(0..3)];
    match rng.random_range(0..4) {
        0 => table(work, 16, unit),
        1 => format!(r#"{{"proportional":{{"work":{ns},"serial":0{conflict}}}}}"#),
        2 if work.is_multiple_of(2) => {
            format!(r#"{{"amdahl":{{"work":{},"serial":1{conflict}}}}}"#, ns / 2)
        }
        _ => {
            let b = rng.random_range(0..=work / 10) * unit;
            format!(r#"{{"affine":{{"isolated":{{"a":{},"b":{b}}}}}}}"#, ns - b)
        }
    }
}

/// A table of whole units up to `sms` SMs.
fn table(work: u64, sms: u64, unit: u64) -> String {
    let sizes = [1, 2, 4, 8, 16].into_iter().filter(|&m| m <= sms);
    let points = sizes.map(|m| format!("[{m},{}]", work.div_ceil(m) * unit));
    format!(r#"{{"table":[{}]}}"#, points.collect::<Vec<_>>().join(","))
}
