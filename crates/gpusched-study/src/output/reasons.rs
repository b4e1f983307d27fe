//! Reasons why published claims are not reproduced. The authors of gpusched write these reasons in a file.

use std::path::Path;

use serde::Deserialize;
use strum::EnumMessage as _;

use super::findings::Findings;
use gpusched_model::error::{Refusal, Result};
use gpusched_model::reader::{Document, Documents, Fault, from_json};

/// The reasons why results of studies deviate from the papers.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// Claims that the studies do not reproduce, with reasons.
    #[serde(default)]
    pub deviations: Vec<Deviation>,
    /// Reproduced claims whose result says nothing about the paper, with reasons.
    #[serde(default)]
    pub by_construction: Vec<ByConstruction>,
    /// Published claims that no study can check, with reasons.
    #[serde(default)]
    pub not_checkable: Vec<NotCheckable>,
}

/// Claims of one study that are not reproduced. All have the same reason.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Name of the study that has the claims.
    pub study: String,
    /// Ids of the claims that are not reproduced.
    pub claims: Vec<String>,
    /// Kind of the reason.
    pub reason: Reason,
    /// The reason, explained in one or two sentences.
    pub why: String,
}

/// Claims of one study that are reproduced by construction, all for the same reason. The model of gpusched contains the
/// claim as a rule or as an input, or the claim compares published numbers with each other.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ByConstruction {
    /// Name of the study that has the claims.
    pub study: String,
    /// Ids of the claims.
    pub claims: Vec<String>,
    /// The reason, explained in one or two sentences.
    pub why: String,
}

/// A published claim that no study can check.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NotCheckable {
    /// Id of the claim, such as `S20-10`.
    pub claim: String,
    /// Paper and place of the claim, such as `[Sanudo20] Fig. 6`.
    pub source: String,
    /// Statement of the claim, as text.
    pub text: String,
    /// The reason why no study can check the claim, explained in one or two sentences.
    pub why: String,
}

/// The kinds of reasons why a claim is not reproduced, in the order of the page that lists them.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize, strum::EnumMessage, strum::VariantArray)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The study repeats the published experiment and finds the opposite.
    #[strum(message = "a contradiction")]
    Contradiction,
    /// The paper contains an error. The file docs/errata.md lists the error.
    #[strum(message = "an erratum")]
    Erratum,
    /// The paper does not publish an input on which the claim depends.
    #[strum(message = "an unpublished input")]
    UnpublishedInput,
    /// The study uses substitute data: synthetic kernels, simulated hardware or assumed memory
    /// demands.
    #[strum(message = "substitute data")]
    OurData,
    /// The claim is a hypothesis of gpusched, and the results refute it.
    #[strum(message = "a wrong hypothesis of gpusched")]
    Refuted,
}

impl Deviation {
    /// Returns the kind of the reason and the explanation, such as `Substitute data: The kernels are synthetic.`
    pub fn text(&self) -> String {
        let mut text = format!("{}: {}", self.reason.get_message().unwrap_or_default(), self.why);
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        text
    }
}

impl Reasons {
    /// Reads the reasons in the file at `path`.
    ///
    /// # Errors
    /// Fails with [`Error::Io`](gpusched_model::error::Error::Io) if the file cannot be read. Fails with
    /// [`Error::Refused`](gpusched_model::error::Error::Refused) if the file does not have this format.
    pub fn read(path: impl AsRef<Path>) -> Result<Reasons> {
        Documents::only(path, "list of reasons")
    }

    /// Returns the reason for `claim` of `study`; `None` if the file states no reason.
    pub fn of(&self, study: &str, claim: &str) -> Option<&Deviation> {
        let mut of_study = self
            .deviations
            .iter()
            .filter(|deviation| deviation.study == study);
        of_study.find(|deviation| deviation.claims.iter().any(|id| id == claim))
    }

    /// Returns whether the file states that `study` reproduces `claim` by construction.
    pub fn is_by_construction(&self, study: &str, claim: &str) -> bool {
        let mut of_study = self.by_construction.iter().filter(|group| group.study == study);
        of_study.any(|group| group.claims.iter().any(|id| id == claim))
    }

    /// Checks the claims of all studies in `findings`. Each deviation must name a claim that its study does not
    /// reproduce. Each claim that is reproduced by construction must be reproduced. The function ignores other studies.
    ///
    /// # Errors
    /// Fails if a claim is unknown or in the wrong list. The error names the claim.
    pub(crate) fn check(&self, findings: &[Findings]) -> Result<()> {
        let deviations = self.deviations.iter();
        let deviations = deviations.map(|group| ("deviations", &group.study, &group.claims));
        let constructed = self.by_construction.iter();
        let constructed = constructed.map(|group| ("by_construction", &group.study, &group.claims));
        for (list, name, ids) in deviations.chain(constructed) {
            let Some(study) = findings.iter().find(|findings| findings.study == *name) else {
                continue;
            };
            for id in ids {
                let claim = || study.findings.iter().filter(|finding| finding.id == *id);
                let reproduced = claim().all(|finding| finding.reproduced);
                let (found, expected) = match (claim().next(), list) {
                    (None, _) => ("a claim that the study does not have", "a claim of the study"),
                    (_, "deviations") if reproduced => (
                        "a claim that is reproduced",
                        "a claim of the study that is not reproduced",
                    ),
                    (_, "by_construction") if !reproduced => (
                        "a claim that is not reproduced",
                        "a claim of the study that is reproduced",
                    ),
                    _ => continue,
                };
                return Err(Refusal::new(format!("{list}: study {name}: {id}"), found, expected).into());
            }
        }
        Ok(())
    }
}

impl Document for Reasons {
    const EXPECTED: &str = "reasons: an object such as {\"deviations\":[…],\"not_checkable\":[…]}";

    fn from_json(text: &str) -> std::result::Result<Reasons, Fault> {
        from_json::<Reasons, _>(text)
    }
}
