//! The verdict at the start of each page.

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
