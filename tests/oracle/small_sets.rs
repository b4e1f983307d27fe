//! Small random sets for every special case: zero slack, U = 1, equal tasks, equal deadlines, C = D, and demands
//! that equal a deadline. They have all relations of D and T, and jitter up to and beyond the period.

use rand::RngExt;

use super::simulation::{Task, hyperperiod, load};

/// Periods with a hyperperiod of at most 60.
const PERIODS: [&[i64]; 3] = [
    &[1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30],
    &[2, 3, 4, 6, 8, 12, 24],
    &[7, 14, 28, 2, 4],
];

/// Parameters of a random set.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Draw {
    pub most_tasks: usize,
    pub jitter: bool,
    pub blocks: bool,
}

pub fn draw(rng: &mut impl RngExt, draw: Draw) -> Vec<Task> {
    let n = rng.random_range(1..=draw.most_tasks);
    let periods = PERIODS[rng.random_range(0..PERIODS.len())];
    // The rare rules let demands and deadlines meet exactly.
    let deadlines = match rng.random_range(0..20) {
        rule @ 0..3 => 4 + rule,
        other => other % 4,
    };
    let common = rng.random_range(1..=30);
    let with_jitter = draw.jitter && rng.random_bool(0.5);
    let crowd = rng.random_range(1..=n as i64);
    let mut set: Vec<Task> = Vec::new();
    for _ in 0..n {
        if !set.is_empty() && rng.random_bool(0.1) {
            set.push(set[0]);
            continue;
        }
        let t = periods[rng.random_range(0..periods.len())];
        let c = rng.random_range(1..=t / crowd + 1);
        let d = match deadlines {
            0 => rng.random_range(1..=t),
            1 => t,
            2 => t + rng.random_range(0..2 * t),
            4 => common,
            5 => c,
            6 => c + set.iter().map(|task| task.c).sum::<i64>(),
            _ => rng.random_range(1..=2 * t),
        };
        let j = match rng.random_range(0..4) {
            _ if !with_jitter => 0,
            0 => 0,
            1 => rng.random_range(0..=2 * t),
            _ => rng.random_range(0..=t / 2),
        };
        set.push(Task { c, d, t, j, b: c });
    }
    if rng.random_bool(0.2) && load(&set).is_lt() {
        // A task that raises the set to U = 1 exactly, because floating point fails in this case.
        let h = hyperperiod(&set);
        let c = h - set.iter().map(|task| task.c * (h / task.t)).sum::<i64>();
        let d = rng.random_range(1..=h + h / 2);
        set.push(Task {
            c,
            d,
            t: h,
            j: 0,
            b: c,
        });
    }
    if draw.blocks {
        for task in &mut set {
            if rng.random_bool(0.8) {
                task.b = rng.random_range(1..=task.c);
            }
        }
    }
    set
}
