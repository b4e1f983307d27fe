//! The issues of a run in CSV, by time.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::cli::report::Rows;
use crate::error::Result;
use crate::warp::gpu::IssueEvent;
use crate::warp::scenario::{Setup, Texts};

/// The columns.
const COLUMNS: &str = "cycle,sm,scheduler,warp,age,kernel,pc,opcode";

/// A row per issue: by cycle, then SM, then in the order in which the SM's schedulers had their turns.
///
/// # Errors
/// None that a string brings about.
pub fn csv(setup: &Setup, mut issues: Vec<IssueEvent>, texts: &Texts) -> Result<String> {
    issues.sort_by_key(|issue| (issue.cycle, issue.sm));
    let names: Vec<&str> = setup.kernels().iter().map(|kernel| kernel.name()).collect();
    let mut ends: BTreeMap<(usize, u32), String> = BTreeMap::new();
    let mut text = format!("{COLUMNS}\n");
    for issue in &issues {
        let (kernel, pc) = (issue.kernel, issue.pc);
        let end = match ends.entry((kernel, pc)) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => {
                let name = names.get(kernel).copied().unwrap_or("");
                let mut end = Rows::default();
                end.add((name, format!("{pc:03x}"), texts.text(kernel, pc)))?;
                new.insert(end.finish()?)
            }
        };
        // A string takes everything.
        let _ = write!(
            text,
            "{},{},{},{},{},{end}",
            issue.cycle, issue.sm, issue.scheduler, issue.slot, issue.age
        );
    }
    Ok(text)
}
