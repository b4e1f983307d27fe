//! Segments of pipelined tasks: the time from the arrival of a job to the end of a segment.
//!
//! Several jobs of a pipelined task may be pending at one segment, and at several segments on one resource. The numbers of
//! the equations are from the page "Pipelined tasks".
//!
//! * `priorities`: windows under fixed priorities, over one or several segments;
//! * `fifo`: requests under FIFO.

mod fifo;
mod priorities;

pub(super) use fifo::busy_window;

use super::device::Rule;
use super::stream::Stream;
use super::table::Table;
use super::window::smaller;

/// Maximum number of jobs in one window: own jobs under fixed priorities, and all jobs under FIFO.
const JOBS_LIMIT: u128 = 10_000;

/// Limits of the search for a bound on a task. A value above a limit counts as "no bound", which is safe.
#[derive(Copy, Clone)]
struct Limits {
    /// Longest bound on the time from the arrival to the end of a segment.
    end: u128,
    /// Longest busy window. It contains at most 10,000 own jobs.
    window: u128,
}

impl Limits {
    fn new(table: &Table<'_>, task: usize) -> Limits {
        Limits {
            end: match table.task(task).is_pipelined() {
                true => longest_end(table, task),
                false => table.period(task),
            },
            window: table.period(task).saturating_mul(JOBS_LIMIT),
        }
    }
}

/// Returns the longest R of a pipelined task: 8·max(T, D).
pub(super) fn longest_end(table: &Table<'_>, task: usize) -> u128 {
    let deadline = u128::from(table.task(task).deadline.ns());
    table.period(task).max(deadline).saturating_mul(8)
}

/// Returns the least valid R of the segment `own` of a pipelined task, or `None` if it has no bound. `rule` is the rule of
/// its resource.
pub(super) fn end(rule: Rule, table: &Table<'_>, own: &Stream) -> Option<u128> {
    match rule {
        Rule::Fifo => fifo::end(table, own),
        _ => {
            let from = |first: usize| priorities::end(rule, table, (own.task, first, own.segment));
            (0..=own.segment).map(from).fold(None, smaller)
        }
    }
}
