//! Algorithm 1 of [Aghilinasab20]: the WCET of a kernel whose interference depends on its execution time.

use super::fixpoint;
use super::linear_program::{self, LpError};
use super::list_scheduling;
use super::program::Program;
use super::regulation::{BudgetError, Exposure, Regulation};
use gpusched_model::error::{Error, Refusal};
use gpusched_model::time::Time;
use gpusched_model::{Bound, Certificate, Factor, Kernel, Straddling};

/// Algorithm 1 for one kernel and every budget.
#[derive(Clone, Debug)]
pub struct Estimator<'a> {
    kernel: &'a Kernel,
    program: Program,
    isolated: Time,
    contended: Time,
    straddling: Straddling,
    solver: Solver,
}

/// Solver of Eqs 8–12.
#[derive(
    Copy, Clone, PartialEq, Eq, Debug, Default, strum::Display, strum::EnumMessage, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Solver {
    /// Exact in integers; the bound comes with a certificate.
    #[default]
    Exact,
    /// Linear program in floats, rounded up by a billionth; no certificate.
    Lp,
    /// Exact solver, compared with the linear program at each step.
    Both,
}

/// Largest difference between solvers relative to the bound: the tolerance of a linear program in floats.
const TOLERANCE: f64 = 1e-9;

/// Why a bound was not computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EstimateError {
    /// The budget is invalid.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// The LP solver gave up.
    #[error(transparent)]
    Lp(#[from] LpError),
    /// The solvers disagree, so one of them is wrong.
    #[error("the solvers disagree in a window of {window}: {exact} ns exactly, {lp} ns as a linear program")]
    Disagreement {
        /// Length t of the window.
        window: Time,
        /// Eq. 8 by the exact solver [ns].
        exact: f64,
        /// Eq. 8 by the linear program [ns].
        lp: f64,
    },
}

impl From<EstimateError> for Error {
    /// A user can correct an invalid budget. Solvers that fail or disagree are internal errors.
    fn from(error: EstimateError) -> Error {
        match error {
            EstimateError::Budget(budget) => Refusal::from(budget).into(),
            EstimateError::Lp(_) | EstimateError::Disagreement { .. } => Error::Internal(error.to_string()),
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

    /// Sets which blocks count as hit in part.
    pub fn straddling(mut self, straddling: Straddling) -> Estimator<'a> {
        self.straddling = straddling;
        self
    }

    /// Sets the solver.
    pub fn solver(mut self, solver: Solver) -> Estimator<'a> {
        self.solver = solver;
        self
    }

    /// Computes G(`q`), a bound on the execution time of the kernel while best-effort CPU cores may access memory in a share `q` of
    /// each regulation period ([Aghilinasab20] Algorithm 1). At `q` = 0 it is Eq. 3. Times are rounded up.
    ///
    /// # Errors
    /// [`EstimateError`] if the budget exceeds 1, or if the linear program is used and fails or disagrees.
    pub fn bound(&self, q: Factor, sync: bool) -> Result<Bound, EstimateError> {
        let regulation = Regulation::new(self.kernel, q, sync)?.straddling(self.straddling);
        let exposure = |window| regulation.exposure(window, self.kernel.active_blocks());
        let mut failure = None;
        let (wcet, iterations) = match q {
            Factor::ZERO => (self.isolated, 0),
            _ => fixpoint::least(self.isolated, self.contended, &regulation, |window| {
                self.solve(window, exposure(window)).unwrap_or_else(|error| {
                    failure.get_or_insert(error);
                    Time::ZERO // ends the search
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
        })
    }

    /// Solves Eqs 8–12 for one window.
    fn solve(&self, window: Time, exposure: Exposure) -> Result<Time, EstimateError> {
        if self.solver == Solver::Exact {
            return Ok(self.program.solve(exposure).wcet);
        }
        let delay = linear_program::solve(self.kernel, exposure)?.delay;
        let lp = self.program.in_floats(delay);
        if self.solver == Solver::Lp {
            // Floats represent whole nanoseconds exactly up to 2^53, 104 days. Beyond, a billionth exceeds their error.
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
