//! `--solver`: what chooses among known groups.

#[cfg(not(feature = "highs"))]
use crate::error::Error;
use crate::error::Result;
use crate::partitioning;

/// The same names in every build.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Solver {
    /// Branch and bound in integers.
    #[default]
    Exact,
    /// HiGHS first, for plans; what it claims beyond the proven bound is stated apart.
    Highs,
}

impl Solver {
    /// As the library has it.
    ///
    /// # Errors
    /// A usage error for HiGHS in a build without it.
    pub fn of_the_library(self) -> Result<partitioning::Solver> {
        match self {
            Solver::Exact => Ok(partitioning::Solver::Exact),
            #[cfg(feature = "highs")]
            Solver::Highs => Ok(partitioning::Solver::Highs),
            #[cfg(not(feature = "highs"))]
            Solver::Highs => Err(Error::parameter(
                "solver",
                "highs",
                "exact: this gpusched was built without HiGHS (cargo build --release --features highs)",
            )),
        }
    }
}
