//! Limits on the length of a run.

use gpusched_model::time::Time;

/// Maximum time in a simulation: 2⁶² ns.
pub const FOREVER: Time = Time::from_ns(1 << 62);

/// Limits on the length of a run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Only jobs that arrive before this time are simulated [ns]; at most [`FOREVER`].
    pub end: Time,
    /// Maximum number of jobs of each task.
    pub jobs: u64,
    /// Whether the run stops at `end`. If false, the run completes all jobs that arrive before `end`.
    pub cut: bool,
}

impl Extent {
    /// All jobs of the source.
    pub const ALL: Extent = Extent::before(FOREVER);

    /// All jobs that arrive before `end`. The run completes these jobs.
    pub const fn before(end: Time) -> Extent {
        Extent {
            end,
            jobs: u64::MAX,
            cut: false,
        }
    }

    /// The first `jobs` jobs of each task.
    pub const fn jobs(jobs: u64) -> Extent {
        Extent { jobs, ..Extent::ALL }
    }

    /// All jobs that arrive before `end`. The run stops at `end`.
    pub const fn until(end: Time) -> Extent {
        Extent {
            cut: true,
            ..Extent::before(end)
        }
    }
}
