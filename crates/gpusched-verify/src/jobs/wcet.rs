//! WCETs C(m) from the printed formulas in 128-bit fractions, multiplied by a common factor. This
//! module also decides whether two tasks conflict.

use super::memory_time::WriteBacks;
use super::slices::Slices;
use gpusched_model::time::Time;
use gpusched_model::wcet::{Form, MAX_SMS, Scaling, Table};
use gpusched_model::{Interference, MemoryTime, Overheads, Task, TaskSet, WcetFunction};

/// 1 ns above the longest supported time, so above every deadline [ns].
const BEYOND: u128 = Time::LIMIT.ns() as u128 + 1;

/// Rules for the computation of WCETs: interference model, common factor, and memory slices.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Wcets<'a> {
    pub interference: Interference,
    /// Percentage by which the variation of execution times increases WCETs. The common factor applies to the increased
    /// WCETs.
    variation: u32,
    /// Write-backs of dirty lines that jobs find in L2. `None` if the interference model counts no memory times.
    write_backs: Option<WriteBacks>,
    /// Common factor on all WCETs, in thousandths.
    permille: u64,
    /// Overheads of the dispatchers, which the stated WCETs do not include. The common factor does not apply to them.
    overheads: Overheads,
    /// Memory slices of the partitions. `None` if the partitions share the whole memory.
    pub slices: Option<Slices<'a>>,
}

impl<'a> Wcets<'a> {
    /// Creates the WCETs that the task set states, with the factor 1.
    pub fn stated(interference: Interference) -> Wcets<'static> {
        Wcets {
            interference,
            variation: 0,
            write_backs: None,
            permille: 1000,
            overheads: Overheads::default(),
            slices: None,
        }
    }

    /// Returns these WCETs with the overheads of the dispatchers.
    pub fn with_overheads(self, overheads: Overheads) -> Wcets<'a> {
        Wcets { overheads, ..self }
    }

    /// Returns these WCETs with the variation that `time` states, and with the write-backs of the lines that the tasks
    /// of `set` leave in L2.
    pub fn varied(self, time: Option<MemoryTime>, set: &TaskSet) -> Wcets<'a> {
        Wcets {
            variation: time.map_or(0, |time| time.variation_percent),
            write_backs: time.map(|time| WriteBacks::of(set, time)),
            ..self
        }
    }

    /// Returns these WCETs with the variation `percent` of kernels that run together. `None` changes nothing.
    pub fn together(self, percent: Option<u32>) -> Wcets<'a> {
        Wcets {
            variation: percent.unwrap_or(self.variation),
            ..self
        }
    }

    /// Returns these WCETs for partitions that have the memory slices `slices`.
    pub fn within(self, slices: Option<Slices<'_>>) -> Wcets<'_> {
        Wcets {
            interference: self.interference,
            variation: self.variation,
            write_backs: self.write_backs,
            permille: self.permille,
            overheads: self.overheads,
            slices,
        }
    }

    /// Returns these WCETs multiplied by `permille`/1000. `permille` is at most
    /// [`LARGEST_SCALING`](gpusched_model::plan::LARGEST_SCALING).
    pub fn scaled(self, permille: u64) -> Wcets<'a> {
        Wcets { permille, ..self }
    }

    /// Returns these WCETs without the effect of memory slices, for tests that ignore memory traffic. A partition that
    /// passes its test with memory traffic also passes without memory traffic.
    pub fn without_memory(self) -> Wcets<'static> {
        Wcets {
            interference: self.interference,
            variation: self.variation,
            write_backs: self.write_backs,
            permille: self.permille,
            overheads: self.overheads,
            slices: None,
        }
    }

    /// Returns the WCET of `task`. The WCET includes write-backs, the factor, the effect of the memory slices and the
    /// overheads of all launches. Returns `None` if the WCET is unknown.
    pub fn of(self, task: &Task, sms: u32, conflict: bool) -> Option<u128> {
        let delay = self.write_backs.map_or(0, |write_backs| write_backs.delay(task));
        let whole = |sms| {
            let wcet = at(task.wcet(), sms, conflict)?;
            let scaled = self.time(self.grown(wcet).saturating_add(delay));
            Some((scaled + self.launches(task)).min(BEYOND))
        };
        match self.slices {
            None => whole(sms),
            Some(slices) => slices.wcet(task, sms, whole),
        }
    }

    /// Returns the least time from the start of a blocking job to the release of the job that it blocks [ns]. The time is 0
    /// if jobs may start between two nanoseconds, because memory slices or write-backs lengthen WCETs.
    pub fn lead(self) -> u128 {
        u128::from(self.slices.is_none() && self.write_backs.is_none())
    }

    /// Returns whether the interference model counts conflicts between tasks.
    pub fn conflict(self) -> bool {
        self.interference.counts_conflicts()
    }

    /// Returns the release jitter J + w of `task` [ns].
    pub fn jitter(self, task: &Task) -> u64 {
        let sum = u128::from(task.jitter().ns()) + u128::from(self.overheads.wake_ns.ns());
        u64::try_from(sum).unwrap_or(u64::MAX).min(Time::LIMIT.ns())
    }

    /// Whether a dispatcher may wake up late.
    pub fn wakes_late(self) -> bool {
        self.overheads.wake_ns > Time::ZERO
    }

    /// Returns the longest part of a job of `task` that cannot be preempted, or `None` if it is the whole job.
    ///
    /// Each launch adds the overhead.
    pub fn block(self, task: &Task) -> Option<u128> {
        let block = self.time(task.block()?.ns().into());
        Some((block + u128::from(self.overheads.occupancy_ns.ns())).min(BEYOND))
    }

    /// Returns the overheads of all launches of a job of `task` [ns].
    fn launches(self, task: &Task) -> u128 {
        let count = task.launches().map_or(1, |launches| launches.get());
        let all = u128::from(self.overheads.occupancy_ns.ns()) * u128::from(count);
        all.min(u128::from(Time::LIMIT.ns()))
    }

    /// Returns the result of the function [`least_work`], multiplied by the factor and rounded
    /// up, plus the overheads of all launches on one SM. The result is a valid lower bound, because m times the rounded-up C(m) is a whole
    /// number.
    pub fn least_work(self, task: &Task, conflict: bool) -> Option<u128> {
        let work = least_work(task.wcet(), conflict).map(|work| self.times(self.grown(work)))?;
        Some(work.saturating_add(self.launches(task)))
    }

    /// Returns `ns` multiplied by the factor, rounded up. The result is at most 1 ns above the
    /// longest supported time.
    pub fn time(self, ns: u128) -> u128 {
        self.times(ns).min(BEYOND)
    }

    /// Returns `number` increased by the variation, rounded up.
    fn grown(self, number: u128) -> u128 {
        number
            .saturating_mul(u128::from(self.variation) + 100)
            .div_ceil(100)
    }

    fn times(self, number: u128) -> u128 {
        number.saturating_mul(self.permille.into()).div_ceil(1000)
    }
}

/// Returns whether two tasks may conflict: their kinds are equal, or one kind is unknown.
pub(crate) fn may_conflict(a: &Task, b: &Task) -> bool {
    match (a.kind(), b.kind()) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// Returns C(m) on m = `sms` SMs, rounded up [ns]. Returns `None` if m is 0, above [`MAX_SMS`],
/// or below the first point of a table.
///
/// The products fit into 128 bits. The model rejects every function that needs more bits for some m up to [`MAX_SMS`].
fn at(function: &WcetFunction, sms: u32, conflict: bool) -> Option<u128> {
    if !(1..=MAX_SMS).contains(&sms) {
        return None;
    }
    let m = u128::from(sms);
    match function.form() {
        // Amdahl: k·(a/m + β·a)
        Form::Amdahl(scaling) => {
            let (a, beta, k) = parameters(scaling, conflict);
            let numerator = k.0 * a * (beta.1 + m * beta.0);
            Some(numerator.div_ceil(k.1 * beta.1 * m))
        }
        // Proportional: k·a·(1 + β)/m
        Form::Proportional(scaling) => {
            let (a, beta, k) = parameters(scaling, conflict);
            let numerator = k.0 * a * (beta.1 + beta.0);
            Some(numerator.div_ceil(k.1 * beta.1 * m))
        }
        // Affine: a/m + b
        Form::Affine(pair) => {
            let line = pair.conflict.filter(|_| conflict).unwrap_or(pair.isolated);
            Some(u128::from(line.a.ns()).div_ceil(m) + u128::from(line.b.ns()))
        }
        // Table: C at the largest measured number of SMs that is at most m
        Form::Table(table) => {
            let measured = points(table, conflict).iter().filter(|point| point.0 <= sms);
            measured
                .max_by_key(|point| point.0)
                .map(|point| point.1.ns().into())
        }
    }
}

/// Returns the least work: the minimum of m·C(m) over all m [SM·ns]. Returns `None` if no C(m) is
/// known. In a parametric form, the minimum is at m = 1.
fn least_work(function: &WcetFunction, conflict: bool) -> Option<u128> {
    match function.form() {
        Form::Table(table) => {
            let work = points(table, conflict)
                .iter()
                .map(|&(m, c)| u128::from(m) * u128::from(c.ns()));
            work.min()
        }
        _ => at(function, 1, conflict),
    }
}

type Fraction = (u128, u128);

/// Returns the parameters a, β and k of a WCET function.
fn parameters(scaling: &Scaling, conflict: bool) -> (u128, Fraction, Fraction) {
    let wide = |(n, d): (u64, u64)| (u128::from(n), u128::from(d));
    let k = if conflict {
        scaling.conflict.map_or((1, 1), |k| wide(k.ratio()))
    } else {
        (1, 1)
    };
    (scaling.work.ns().into(), wide(scaling.serial.ratio()), k)
}

fn points(table: &Table, in_conflict: bool) -> &[(u32, gpusched_model::time::Time)] {
    match table {
        Table::Both(points) | Table::Isolated { isolated: points } => points,
        Table::Each { isolated, conflict } => {
            if in_conflict {
                conflict
            } else {
                isolated
            }
        }
    }
}
