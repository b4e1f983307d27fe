//! Option `--solver`: the solver that selects partitions from the candidate partitions.

use gpusched_analysis::partitioning;
#[cfg(not(feature = "highs"))]
use gpusched_model::error::Error;
use gpusched_model::error::Result;

/// Names of solvers. The names are the same in every build of gpusched.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Solver {
    /// Branch and bound in integer arithmetic.
    #[default]
    Exact,
    /// HiGHS first searches for plans. The result states the bounds of HiGHS separately, as unproven bounds.
    Highs,
}

impl Solver {
    /// Returns the library solver with the name `self`.
    ///
    /// # Errors
    /// Fails for HiGHS in a build without HiGHS.
    pub fn of_the_library(self) -> Result<partitioning::Solver> {
        match self {
            Solver::Exact => Ok(partitioning::Solver::Exact),
            #[cfg(feature = "highs")]
            Solver::Highs => Ok(partitioning::Solver::Highs),
            #[cfg(not(feature = "highs"))]
            Solver::Highs => Err(Error::parameter(
                "solver",
                "highs",
                "exact, because this gpusched was built without HiGHS (cargo build --release --features highs)",
            )),
        }
    }
}
