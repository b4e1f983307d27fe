//! What a verdict assumes and gpusched does not check: one list for answers, plans, exports and the verifier.
//!
//! * `id`: the stable names, each with the consequence of a violation;
//! * `basis`: which of them a verdict needs, from the data that the verdict was computed from;
//! * `words`: their sentences.

mod basis;
mod id;
mod sentences;

pub use basis::Basis;
pub use id::{AssumptionId, Consequence};

use serde::{Deserialize, Serialize};

/// One statement about the real system that a verdict needs and gpusched does not check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// The stable name.
    pub id: AssumptionId,
    /// What the real system has to do, in at most 140 characters. Tools compare `id`, because the words may change. Absent
    /// where the list of a stream has the names alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What becomes of the verdict if the real system does something else.
    pub if_violated: Consequence,
}

impl std::fmt::Display for Assumption {
    /// One line for people: the consequence, then the words, or the name where there are none.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} if violated: ", self.if_violated)?;
        match &self.text {
            Some(text) => f.write_str(text),
            None => write!(f, "{}", self.id),
        }
    }
}

impl Assumption {
    /// The names alone if `list` is one of many: in a stream the words would be most of the output.
    pub fn listed(mut list: Vec<Assumption>, alone: bool) -> Vec<Assumption> {
        if !alone {
            list.iter_mut().for_each(|assumption| assumption.text = None);
        }
        list
    }

    /// The assumption `id` in the words of `text`.
    fn new(id: AssumptionId, text: impl Into<String>) -> Assumption {
        Assumption {
            id,
            text: Some(text.into()),
            if_violated: id.if_violated(),
        }
    }
}
