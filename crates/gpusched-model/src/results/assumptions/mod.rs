//! Assumptions of a verdict. gpusched does not check these assumptions. Results, plans, exports and the verifier use
//! the same list.
//!
//! * `id`: the names of assumptions, each with the consequence if the assumption is violated;
//! * `ports`: the ports of TPCs and GPCs that partitions share;
//! * `basis`: the selection of the assumptions that apply to a verdict on a task set;
//! * `budgets`: the same for bounds and simulations of kernels under memory bandwidth budgets;
//! * `predictions`: the same for predictions;
//! * `sentences`: assumptions whose text contains numbers.

mod basis;
mod budgets;
mod id;
mod ports;
mod predictions;
mod sentences;

pub use basis::Basis;
pub use budgets::{BudgetBasis, Runs};
pub use id::{AssumptionId, Consequence};
pub use ports::{Counted, Pairs, Ports};
pub use predictions::of_predictions;

pub(crate) use budgets::of_profiles;

use serde::{Deserialize, Serialize};

/// A statement about the real system. A verdict requires that the statement is true, but gpusched does not check it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// Name of the assumption. The name does not change between versions, so tools can compare it.
    pub id: AssumptionId,
    /// Required behavior of the real system, in at most 140 characters. The wording may change
    /// between versions. Absent if a result covers several task sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Consequence for the verdict if the real system behaves differently.
    pub if_violated: Consequence,
}

impl std::fmt::Display for Assumption {
    /// Writes one line for display: the consequence, and the text of the assumption. If the assumption has no text, its
    /// name replaces the text.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} if violated: ", self.if_violated)?;
        match &self.text {
            Some(text) => f.write_str(text),
            None => write!(f, "{}", self.id),
        }
    }
}

impl Assumption {
    /// Returns `list`. If `alone` is false, the result omits the texts, because they would be the largest part of an
    /// output with several lists.
    pub fn listed(mut list: Vec<Assumption>, alone: bool) -> Vec<Assumption> {
        if !alone {
            list.iter_mut().for_each(|assumption| assumption.text = None);
        }
        list
    }

    /// Creates the assumption `id` with `text`.
    pub(crate) fn new(id: AssumptionId, text: impl Into<String>) -> Assumption {
        Assumption {
            id,
            text: Some(text.into()),
            if_violated: id.if_violated(),
        }
    }
}
