//! The fields that every study has.

use super::figures::Figures;
use crate::claim::Claim;

/// The fields that every study has.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub name: String,
    pub title: String,
    pub source: String,
    pub seed: u64,
    pub figures: Option<Figures>,
    pub claims: Vec<Claim>,
}
