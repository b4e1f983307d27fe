//! Output files that the run of a study writes.

pub(super) mod figures;
pub(super) mod findings;
pub(super) mod provenance;
pub(super) mod reasons;
pub(super) mod reproduction;
pub(super) mod results;
