//! Reference implementation of a partition as a uniprocessor: WCETs from the formulas, and two brute-force EDF tests.

use gpusched::model::wcet::Form;
use gpusched::model::{Kind, Task};

/// (C, D, T) in whole units.
pub type Sporadic = (u64, u64, u64);

/// C(m) directly from [Singh21] §3.6.1, in 128-bit rationals; `None` below the first point of a table.
pub fn wcet(task: &Task, sms: u32, conflict: bool) -> Option<u64> {
    let m = u128::from(sms);
    let fraction = |f: f64| ((f * 1e9).round() as u128, 1_000_000_000u128);
    let k = |factor: f64| if conflict { fraction(factor) } else { (1, 1) };
    let up = |n: u128, d: u128| Some(u64::try_from(n.div_ceil(d)).unwrap());
    match task.wcet().form() {
        Form::Amdahl(s) => {
            let ((bn, bd), (kn, kd)) = (
                fraction(s.serial.as_f64()),
                k(s.conflict.map_or(1.0, |k| k.as_f64())),
            );
            up(kn * u128::from(s.work.ns()) * (bd + m * bn), kd * m * bd)
        }
        Form::Proportional(s) => {
            let ((bn, bd), (kn, kd)) = (
                fraction(s.serial.as_f64()),
                k(s.conflict.map_or(1.0, |k| k.as_f64())),
            );
            up(kn * u128::from(s.work.ns()) * (bd + bn), kd * m * bd)
        }
        Form::Affine(pair) => {
            let f = if conflict {
                pair.conflict.unwrap_or(pair.isolated)
            } else {
                pair.isolated
            };
            up(u128::from(f.a.ns()) + m * u128::from(f.b.ns()), m)
        }
        Form::Table(table) => {
            use gpusched::model::wcet::Table;
            let points = match table {
                Table::Both(points) | Table::Isolated { isolated: points } => points,
                Table::Each {
                    isolated,
                    conflict: contended,
                } => {
                    if conflict {
                        contended
                    } else {
                        isolated
                    }
                }
            };
            points
                .iter()
                .rev()
                .find(|(measured, _)| *measured <= sms)
                .map(|(_, c)| c.ns())
        }
    }
}

/// Whether another task of the partition has, or may have, the kind of `task`.
pub fn in_conflict(tasks: &[Task], members: &[usize], task: usize) -> bool {
    let may_be_same = |a: Option<Kind>, b: Option<Kind>| a.is_none() || b.is_none() || a == b;
    members
        .iter()
        .any(|&other| other != task && may_be_same(tasks[other].kind(), tasks[task].kind()))
}

/// The members of a partition on `sms` SMs; `None` if a WCET is unknown.
pub fn sporadic(tasks: &[Task], members: &[usize], sms: u32, conflicts: bool) -> Option<Vec<Sporadic>> {
    members
        .iter()
        .map(|&i| {
            let conflict = conflicts && in_conflict(tasks, members, i);
            let c = wcet(&tasks[i], sms, conflict)?;
            Some((c, tasks[i].deadline().ns(), tasks[i].period().ns()))
        })
        .collect()
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

pub fn hyperperiod(set: &[Sporadic]) -> u128 {
    set.iter()
        .fold(1, |h, &(_, _, t)| h / gcd(h, t.into()) * u128::from(t))
}

/// Whether U > 1, computed over the hyperperiod.
pub fn overloaded(set: &[Sporadic]) -> bool {
    let h = hyperperiod(set);
    set.iter()
        .map(|&(c, _, t)| u128::from(c) * (h / u128::from(t)))
        .sum::<u128>()
        > h
}

/// Processor-demand criterion at every deadline of the first hyperperiod. The synchronous busy period is not longer.
pub fn edf_by_enumeration(set: &[Sporadic]) -> bool {
    if overloaded(set) {
        return false;
    }
    let h = u64::try_from(hyperperiod(set)).unwrap();
    let dbf = |t: u64| -> u128 {
        set.iter()
            .filter(|&&(_, d, _)| d <= t)
            .map(|&(c, d, p)| u128::from((t - d) / p + 1) * u128::from(c))
            .sum()
    };
    set.iter().all(|&(_, d, t)| {
        (0..)
            .map(|job| d + job * t)
            .take_while(|&at| at <= h)
            .all(|at| dbf(at) <= at.into())
    })
}

/// EDF, simulated unit by unit from the synchronous release over one hyperperiod, without formulas. `true` if every job meets its
/// deadline.
pub fn edf_by_simulation(set: &[Sporadic]) -> bool {
    if overloaded(set) {
        return false;
    }
    let h = u64::try_from(hyperperiod(set)).unwrap();
    let mut pending: Vec<(u64, u64)> = Vec::new(); // (absolute deadline, remaining)
    for now in 0..=h {
        if pending
            .iter()
            .any(|&(deadline, left)| deadline <= now && left > 0)
        {
            return false;
        }
        for &(c, d, t) in set {
            if now % t == 0 {
                pending.push((now + d, c));
            }
        }
        pending.retain(|&(_, left)| left > 0);
        if let Some(job) = pending.iter_mut().min_by_key(|job| job.0) {
            job.1 -= 1;
        }
    }
    true
}
