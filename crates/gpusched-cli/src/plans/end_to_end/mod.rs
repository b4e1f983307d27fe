//! End-to-end systems on the command line. `test`, `simulate tasks`, `verify` and `partition` recognize a system by its
//! field `segments`.

mod budgets;
mod check;
mod plan;
mod run;
mod verdict;

pub use check::{read, verify};
pub use plan::partition;
#[cfg(feature = "schema")]
pub use run::Simulation;
pub use run::simulate;
pub use verdict::{test, verdict_text};

pub use gpusched_analysis::end_to_end::refuse;

use std::path::Path;

use gpusched_model::Refusal;
use gpusched_model::end_to_end::Draft;
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::{EndToEndSystems, TaskSets};

/// A stream of task sets or of end-to-end systems. The kind of the first document decides.
pub enum Input {
    /// Task sets.
    Sets(TaskSets),
    /// End-to-end systems.
    Systems(EndToEndSystems),
}

impl Input {
    /// Opens the file at `path`. The path `-` means standard input.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn open(path: &Path) -> Result<Input> {
        let mut sets = TaskSets::open(path)?;
        let is_system = sets.peek()?.is_some_and(|raw| raw.is_end_to_end());
        Ok(match is_system {
            true => Input::Systems(sets.retyped()),
            false => Input::Sets(sets),
        })
    }
}

/// Returns the only system of `systems`.
///
/// # Errors
/// Fails if the stream does not contain exactly one system.
pub fn only(systems: EndToEndSystems) -> Result<Draft> {
    let file = systems.file().to_owned();
    let mut found = None;
    for draft in systems {
        let (line, draft) = draft?;
        if found.is_some() {
            let refusal = Refusal::new("", "a second system", "one system").at(&file, line);
            return Err(refusal.into());
        }
        found = Some(draft);
    }
    found.ok_or_else(|| Error::file(&file, "nothing", "an end-to-end system"))
}
