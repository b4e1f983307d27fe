//! `--solver`: the solver that selects candidate partitions.

#[cfg(not(feature = "highs"))]
use crate::error::Error;
use crate::error::Result;
use crate::partitioning;

/// Solver names. They are the same in every build.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Solver {
    /// Branch and bound in integer arithmetic.
    #[default]
    Exact,
    /// HiGHS first, to find plans. Bounds that only HiGHS claims are reported separately.
    Highs,
}

impl Solver {
    /// Returns the solver of the library with this name.
    ///
    /// # Errors
    /// Fails for HiGHS in a build without it.
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
