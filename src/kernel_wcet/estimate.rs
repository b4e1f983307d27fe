//! Algorithm 1 of [Aghilinasab20]: the WCET of a kernel whose interference depends on how long it runs.

use serde::{Deserialize, Serialize};

use super::certificate::Certificate;
use super::fixpoint;
use super::list_scheduling;
use super::program::Program;
use super::regulation::{BudgetError, Regulation, Straddling};
use crate::model::{Factor, Kernel};
use crate::time::Time;

/// A bound on the execution time of a kernel under a budget, and its proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The kernel, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Q: the share of each regulation period in which best-effort cores may access memory.
    pub q: Factor,
    /// Whether the kernel starts with a regulation period.
    pub sync: bool,
    /// Which blocks count as hit although memory time covers them in part only.
    #[serde(default)]
    pub straddling: Straddling,
    /// G(Q): an upper bound on the execution time [ns].
    pub wcet_ns: Time,
    /// How many times Eqs 8–12 were solved.
    pub iterations: u32,
    /// t_mem: the most memory time in a window of that length [ns].
    pub memory_time_ns: Time,
    /// What proves the bound.
    pub certificate: Certificate,
}

/// Algorithm 1 for one kernel and any budget.
#[derive(Clone, Debug)]
pub struct Estimator<'a> {
    kernel: &'a Kernel,
    program: Program,
    isolated: Time,
    contended: Time,
    straddling: Straddling,
}

impl<'a> Estimator<'a> {
    /// Prepares `kernel`.
    pub fn new(kernel: &'a Kernel) -> Estimator<'a> {
        Estimator {
            kernel,
            program: Program::new(kernel),
            isolated: list_scheduling::isolated(kernel),
            contended: list_scheduling::contended(kernel),
            straddling: Straddling::default(),
        }
    }

    /// The same estimator, with other blocks that count as hit in part.
    pub fn straddling(mut self, straddling: Straddling) -> Estimator<'a> {
        self.straddling = straddling;
        self
    }

    /// G(`q`): a bound on the execution time of the kernel while best-effort cores may access memory in a share `q` of each
    /// regulation period ([Aghilinasab20] Algorithm 1). At `q` = 0 that is Eq. 3. Times are rounded up.
    ///
    /// # Errors
    /// [`BudgetError`] for a budget above 1.
    pub fn bound(&self, q: Factor, sync: bool) -> Result<Bound, BudgetError> {
        let regulation = Regulation::new(self.kernel, q, sync)?.straddling(self.straddling);
        let active = self.kernel.active_blocks();
        let solve = |window| self.program.solve(regulation.exposure(window, active));
        let (wcet, iterations) = match q {
            Factor::ZERO => (self.isolated, 0),
            _ => fixpoint::least(self.isolated, self.contended, &regulation, |window| {
                solve(window).wcet
            }),
        };
        let proof = solve(wcet);
        Ok(Bound {
            kernel: self.kernel.name().map(str::to_owned),
            q,
            sync,
            straddling: self.straddling,
            wcet_ns: wcet,
            iterations,
            memory_time_ns: regulation.memory_time(wcet),
            certificate: Certificate {
                lambda: proof.lambda,
                mu: proof.mu,
            },
        })
    }
}
