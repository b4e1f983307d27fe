//! A division: the groups that a search of records still has to examine.

use super::candidate::Candidate;
use super::multipliers::Multipliers;

/// A value [ns] that is larger than the relative deadline of every task.
pub(super) const NO_RECORDS: u64 = u64::MAX;

/// The groups that contain the tasks of `group` and some tasks of `free`.
pub(super) struct Division<'d, 'c> {
    pub sms: u32,
    /// Tasks that may join the group.
    pub free: &'d [&'c Candidate],
    /// Supply by each measure, minus the blocking of the records so far [2⁻⁴⁸].
    pub supply: &'d [u64],
    /// Relative deadline of the last record [ns], or 0. [`NO_RECORDS`] if no task is a record.
    pub from: u64,
    pub multipliers: &'d Multipliers,
}
