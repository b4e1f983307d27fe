//! Errors of the step.

/// Reason for which a function refuses its arguments.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The number of clusters is not from 1 to [`MAX_CLUSTERS`](crate::MAX_CLUSTERS).
    Clusters,
    /// The number of active blocks is not from 1 to [`MAX_ACTIVE`](crate::MAX_ACTIVE).
    Active,
    /// The regulation period is not from 1 ns to [`LONGEST`](crate::LONGEST), or the nominal memory time exceeds it.
    Period,
    /// The deadline exceeds [`LONGEST`](crate::LONGEST).
    Deadline,
    /// A cluster has no blocks, e⁰ = 0 or e⁰ > e¹, or Σ Nᵢ·eᵢ¹ exceeds [`LONGEST`](crate::LONGEST).
    Work,
    /// The cluster intervals do not begin with block 0, are not in ascending order, or name an unknown cluster. Or a cluster
    /// has another number of blocks than its intervals.
    Intervals,
    /// A list has another length than stated.
    Length,
    /// More blocks of a cluster are unfinished than the cluster has, or a block does not exist.
    Blocks,
}
