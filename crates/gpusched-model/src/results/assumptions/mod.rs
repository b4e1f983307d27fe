//! Assumptions of a verdict that gpusched does not check: one list for results, plans, exports and the verifier.
//!
//! * `id`: the stable names, each with the consequence of a violation;
//! * `basis`: the selection of assumptions, from the inputs of the verdict;
//! * `sentences`: sentences with numbers.

mod basis;
mod id;
mod sentences;

pub use basis::Basis;
pub use id::{AssumptionId, Consequence};

use serde::{Deserialize, Serialize};

/// A statement about the real system that a verdict needs and gpusched does not check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// Stable name of the assumption. Tools compare this name.
    pub id: AssumptionId,
    /// Required behavior of the real system, in at most 140 characters. The wording may change. Absent in results for several
    /// task sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Consequence for the verdict if the real system behaves differently.
    pub if_violated: Consequence,
}

impl std::fmt::Display for Assumption {
    /// Writes one line for display: the consequence, then the text or, without a text, the name.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} if violated: ", self.if_violated)?;
        match &self.text {
            Some(text) => f.write_str(text),
            None => write!(f, "{}", self.id),
        }
    }
}

impl Assumption {
    /// Keeps only names and consequences if `list` is one of several lists, because the texts would be most of the output.
    pub fn listed(mut list: Vec<Assumption>, alone: bool) -> Vec<Assumption> {
        if !alone {
            list.iter_mut().for_each(|assumption| assumption.text = None);
        }
        list
    }

    /// Creates the assumption `id` with `text`.
    fn new(id: AssumptionId, text: impl Into<String>) -> Assumption {
        Assumption {
            id,
            text: Some(text.into()),
            if_violated: id.if_violated(),
        }
    }
}
