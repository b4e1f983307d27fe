//! CSV form of the issued instructions of a run, sorted by time.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gpusched_cli::part::Rows;
use gpusched_gpu::gpu::IssueEvent;
use gpusched_gpu::scenario::{Setup, Texts};
use gpusched_model::error::Result;
use gpusched_model::spreadsheet::shielded;

/// CSV columns.
const COLUMNS: &str = "cycle,sm,scheduler,warp,age,kernel,pc,opcode";

/// Returns CSV with one row per issued instruction. The rows are sorted by cycle, then by SM,
/// then by the turn of the warp scheduler.
///
/// # Errors
/// Never fails, because writing to a `String` cannot fail.
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
                let instruction = texts.text(kernel, pc);
                end.add((shielded(name), format!("{pc:03x}"), shielded(&instruction)))?;
                new.insert(end.finish()?)
            }
        };
        // Writing to a string never fails.
        let _ = write!(
            text,
            "{},{},{},{},{},{end}",
            issue.cycle, issue.sm, issue.scheduler, issue.slot, issue.age
        );
    }
    Ok(text)
}
