//! Definitions of studies.

pub(super) mod axis;
pub(super) mod document;
pub(super) mod figures;
pub(super) mod kind;
pub(super) mod names;
pub(super) mod spec;
