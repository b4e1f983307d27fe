//! The verdict at the start of each page, and its assumptions.

use gpusched_model::assumptions::{Assumption, Consequence};
use serde::Serialize;

use crate::view::Tone;

/// The verdict of a page.
#[derive(Debug, Serialize)]
pub struct Verdict {
    pub tone: Tone,
    /// The verdict in a few words.
    pub word: String,
    /// The verdict in a sentence.
    pub sentence: String,
    /// Statements about single results, each with its strength.
    pub checks: Vec<Check>,
    #[serde(skip)]
    pub positive: bool,
}

/// One statement.
#[derive(Debug, Serialize)]
pub struct Check {
    pub tone: Tone,
    /// Strength of the statement, such as `proven` or `not checked`.
    pub strength: &'static str,
    pub text: String,
}

impl Check {
    pub fn new(tone: Tone, strength: &'static str, text: String) -> Check {
        Check { tone, strength, text }
    }
}

/// An assumption of a verdict.
#[derive(Debug, Serialize)]
pub struct Listed {
    id: String,
    text: String,
    unsafe_if_violated: bool,
}

impl From<&Assumption> for Listed {
    fn from(assumption: &Assumption) -> Listed {
        let id = assumption.id.to_string();
        Listed {
            text: assumption.text.clone().unwrap_or_else(|| id.clone()),
            unsafe_if_violated: assumption.if_violated == Consequence::Unsafe,
            id,
        }
    }
}
