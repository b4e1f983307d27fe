//! Algorithm 1 of [Aghilinasab20]: the WCET of a kernel under interference. The interference itself depends on the
//! WCET, so the algorithm is a fixed-point iteration.

use super::fixpoint;
use super::linear_program::{self, LpError};
use super::list_scheduling;
use super::program::Program;
use super::regulation::{BudgetError, Exposure, Regulation};
use gpusched_model::error::{Error, Refusal};
use gpusched_model::time::Time;
use gpusched_model::{Bound, Certificate, Factor, Kernel, Straddling};

/// Computes WCET bounds of one kernel with Algorithm 1, for any memory bandwidth budget.
#[derive(Clone, Debug)]
pub struct Estimator<'a> {
    kernel: &'a Kernel,
    program: Program,
    isolated: Time,
    contended: Time,
    straddling: Straddling,
    solver: Solver,
}

/// Solver of Eqs 8–12 of [Aghilinasab20].
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Solver {
    /// Exact solver in integers. The bound includes a certificate.
    #[default]
    Exact,
    /// Linear program in floating-point numbers. The result is rounded up by a billionth, and has
    /// no certificate.
    Lp,
    /// Exact solver. gpusched also solves the linear program, and compares both results.
    Both,
}

/// Largest accepted difference between the two solvers, relative to the bound. A linear program
/// in floating-point numbers has this tolerance.
const TOLERANCE: f64 = 1e-9;

/// Reason why gpusched computes no bound.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EstimateError {
    /// The memory bandwidth budget is invalid.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The solver found no solution of the linear program.
    #[error(transparent)]
    Lp(#[from] LpError),
    /// The results of the two solvers differ, so at least one result is wrong.
    #[error(
        "the solvers disagree on a window of {window}: the exact solver computes {exact} ns, but the linear program {lp} ns"
    )]
    Disagreement {
        /// Length t of the window.
        window: Time,
        /// Value of Eq. 8 that the exact solver computed [ns].
        exact: f64,
        /// Value of Eq. 8 that the linear program computed [ns].
        lp: f64,
    },
    /// The run-time step refuses the kernel, although the model accepts it.
    #[error("the allocator of budgets refuses the kernel: {0:?}")]
    Allocator(gpusched_budget::Fault),
}

impl From<EstimateError> for Error {
    /// Converts the error. An invalid budget is an error of the user. All other errors are internal errors.
    fn from(error: EstimateError) -> Error {
        match error {
            EstimateError::Budget(budget) => Refusal::from(budget).into(),
            EstimateError::Lp(_) | EstimateError::Disagreement { .. } | EstimateError::Allocator(_) => {
                Error::Internal(error.to_string())
            }
        }
    }
}

impl<'a> Estimator<'a> {
    /// Creates the estimator of `kernel`.
    pub fn new(kernel: &'a Kernel) -> Estimator<'a> {
        Estimator {
            kernel,
            program: Program::new(kernel),
            isolated: list_scheduling::isolated(kernel),
            contended: list_scheduling::contended(kernel),
            straddling: Straddling::default(),
            solver: Solver::default(),
        }
    }

    /// Sets the rule for blocks that overlap the memory time of best-effort cores only in part. It states which of
    /// these blocks count as delayed.
    pub fn straddling(mut self, straddling: Straddling) -> Estimator<'a> {
        self.straddling = straddling;
        self
    }

    /// Sets the solver of Eqs 8–12.
    pub fn solver(mut self, solver: Solver) -> Estimator<'a> {
        self.solver = solver;
        self
    }

    /// Computes G(`q`), a bound on the execution time of the kernel under the memory bandwidth
    /// budget `q` ([Aghilinasab20] Algorithm 1). Best-effort CPU cores access memory during at
    /// most the fraction `q` of each regulation period. If `q` = 0, the result is the value of
    /// Eq. 3. Times are rounded up.
    ///
    /// # Errors
    /// Returns an [`EstimateError`] if `q` exceeds 1. With the linear program, also returns an error if the program
    /// fails, or if the results of the two solvers differ.
    pub fn bound(&self, q: Factor, sync: bool) -> Result<Bound, EstimateError> {
        let regulation = Regulation::new(self.kernel, q, sync)?.straddling(self.straddling);
        let exposure = |window| regulation.exposure(window, self.kernel.active_blocks());
        let mut failure = None;
        let (wcet, iterations) = match q {
            Factor::ZERO => (self.isolated, 0),
            _ => fixpoint::least(self.isolated, self.contended, &regulation, |window| {
                self.solve(window, exposure(window)).unwrap_or_else(|error| {
                    failure.get_or_insert(error);
                    Time::ZERO // this value ends the search
                })
            }),
        };
        if let Some(error) = failure {
            return Err(error);
        }
        let certificate = match (self.solver, q) {
            (Solver::Lp, _) => None,
            (_, Factor::ZERO) => Some(Certificate::NONE),
            _ => {
                let optimum = self.program.solve(exposure(wcet));
                Some(Certificate {
                    lambda: optimum.lambda,
                    mu: optimum.mu,
                })
            }
        };
        Ok(Bound {
            kernel: self.kernel.name().map(str::to_owned),
            q,
            sync,
            straddling: self.straddling,
            wcet_ns: wcet,
            iterations,
            memory_time_ns: regulation.memory_time(wcet),
            certificate,
            assumptions: None,
            identity: None,
        })
    }

    /// Solves Eqs 8–12 for one window. `exposure` contains the right-hand sides.
    fn solve(&self, window: Time, exposure: Exposure) -> Result<Time, EstimateError> {
        if self.solver == Solver::Exact {
            return Ok(self.program.solve(exposure).wcet);
        }
        let delay = linear_program::solve(self.kernel, exposure)?.delay;
        let lp = self.program.in_floats(delay);
        if self.solver == Solver::Lp {
            // Floating-point numbers represent whole nanoseconds exactly up to 2^53 ns (104
            // days). Above this limit, the rounding error is less than the billionth that the
            // function adds.
            let safe = (lp * (1.0 + TOLERANCE)).ceil();
            return Ok(Time::from_ns(safe as u64).min(self.contended));
        }
        let optimum = self.program.solve(exposure);
        let exact = self.program.in_floats(optimum.delay.as_f64());
        if (exact - lp).abs() > TOLERANCE * exact {
            return Err(EstimateError::Disagreement { window, exact, lp });
        }
        Ok(optimum.wcet)
    }
}
