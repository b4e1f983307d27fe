//! Budgets that `budget nominal --deadlines` chose, as the input of `budget export`.

use std::path::Path;

use crate::arguments::default_interference;
use crate::{Global, complain};
use gpusched_model::end_to_end::{ChosenBudgets, Environment};
use gpusched_model::error::{Refusal, Result};
use gpusched_model::reader::Documents;
use gpusched_model::time::Time;
use gpusched_model::{Factor, Policy};
use gpusched_verify::verify_chosen;

/// The budget of a constant setting.
pub struct Constant {
    /// Q: the least budget of all groups.
    pub q: Factor,
    /// T: regulation period of the analysis.
    pub period: Time,
    /// Whether a process chooses budgets at run time.
    pub has_process: bool,
}

/// Reads and verifies the chosen budgets in the file `path`, for a setting of the CPUs `cores`. Returns `None` if the system fails
/// without best-effort accesses.
///
/// # Errors
/// Fails if the file cannot be read, or if a statement of the file is wrong.
pub fn read(path: &Path, cores: &[u32], global: &Global) -> Result<Option<Constant>> {
    let mut found: ChosenBudgets = Documents::only(path, "result of `budget nominal --deadlines`")?;
    // The identity is of the system before the choice. The file has the system with the chosen budgets.
    found.identity = None;
    let environment = Environment {
        overheads: found.verdict.overheads,
        ..Environment::from(default_interference(Policy::DEFAULT))
    };
    verify_chosen(&found, &found.system, environment)
        .map_err(|fault| Refusal::told(fault.field, fault.message).at(path, None))?;
    if !found.verdict.schedulable {
        complain("note: gpusched exports no budget, because the system fails without best-effort accesses");
        return Ok(None);
    }
    let Some(least) = found.groups.iter().min_by_key(|group| group.q) else {
        return Err(Refusal::new("groups", "no group", "at least one group")
            .at(path, None)
            .into());
    };
    if found.groups.iter().any(|group| group.q > least.q) {
        global.note(format_args!(
            "the budgets differ, so the script sets the least: {} for all segments, from `{}`; `budget nominal --deadlines --per all` \
             chooses the largest equal budget",
            least.q, least.name
        ));
    }
    // `cpu0` is the usual name of CPU 0.
    let names = found.system.cores.iter();
    let own = cores
        .iter()
        .find(|cpu| names.clone().any(|core| core.name == format!("cpu{cpu}")));
    if let Some(cpu) = own {
        global.note(format_args!(
            "CPU {cpu} of --cores has the name of a core of the system, `cpu{cpu}`; a limit on a core with real-time tasks is unsafe"
        ));
    }
    Ok(Some(Constant {
        q: least.q,
        period: found.regulation_period_ns,
        has_process: { found.system.budgets.as_ref() }.is_some_and(|budgets| budgets.at_run_time().is_some()),
    }))
}
