//! Contents of a study file and of the folder of its results.

pub(super) mod axis;
pub(super) mod document;
pub(super) mod figures;
pub(super) mod files;
pub(super) mod folder;
pub(super) mod functions;
pub(super) mod hardware;
pub(super) mod head;
pub(super) mod levels;
pub(super) mod names;
pub(super) mod tables;
