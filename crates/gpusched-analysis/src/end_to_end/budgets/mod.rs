//! Memory bandwidth budgets of best-effort cores in an end-to-end system ([Aghilinasab20] §III). Under given budgets, each segment
//! has a WCET G, and the analysis of the system with these WCETs is the analysis of every other system.
//! `docs/explanation/budgets-end-to-end.md` has the equations and their proofs.
//!
//! * `demand`: the WCET of a segment under a budget;
//! * `regulated`: the system under given budgets, and its least solution;
//! * `choice`: the largest budgets that meet all deadlines and limits.

mod choice;
mod demand;
mod regulated;

pub use choice::{BudgetSearch, choose_budgets};

use gpusched_model::end_to_end::{Answer, Draft, Environment, System};
use gpusched_model::error::Refusal;

use regulated::Regulated;

/// A system under its budgets, with its analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Budgeted {
    /// The system without budgets. Its WCETs contain the delays by memory accesses of best-effort cores.
    pub system: System,
    /// Result of the analysis. The caller adds the assumptions.
    pub answer: Answer,
}

impl Budgeted {
    /// Adds the assumptions of the system in `draft` to the answer.
    #[must_use]
    pub fn with_assumptions(mut self, draft: &Draft) -> Budgeted {
        self.answer.assumptions = draft.assumptions(&self.system);
        self
    }
}

/// Analyzes the system in `draft`, with or without budgets. Each segment is released at the end of its predecessor.
///
/// # Errors
/// Fails like [`System::new`]. With budgets, also fails if a budget is missing, if a segment states no valid memory time, or if
/// `environment` has a shared memory.
pub fn analyze_draft(draft: &Draft, environment: Environment) -> Result<Budgeted, Refusal> {
    match &draft.budgets {
        None => {
            let system = System::new(draft, environment)?;
            let answer = super::analyze(&system);
            Ok(Budgeted { system, answer })
        }
        Some(budgets) => {
            let regulated = Regulated::new(draft, budgets, environment)?;
            regulated.at(&regulated.stated()?)
        }
    }
}
