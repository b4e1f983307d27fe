//! Definitions of studies.

pub(super) mod axis;
pub(super) mod document;
pub(super) mod figures;
pub(super) mod files;
pub(super) mod functions;
pub(super) mod hardware;
pub(super) mod kind;
pub(super) mod levels;
pub(super) mod names;
pub(super) mod spec;
