//! Export of a task set without a plan.

use std::path::Path;

use crate::report::{Output, task_sets};
use crate::{Format, Global, Outcome, complain};
use gpusched_model::error::{Error, Result};
use gpusched_model::reader::TaskSets;
use gpusched_model::task_table::MOST_CELLS;
use gpusched_model::{Factor, TaskSet, counted};
use gpusched_recording::task_files::{Meaning, Tool, Unit};

/// Writes the task sets in the file at `path` as a CSV table. With `sms`, the WCETs have one column for each number of
/// SMs.
pub fn table(global: &Global, path: &Path, sms: Option<u32>) -> Result<Outcome> {
    check_format(global, "csv", Format::Csv)?;
    let mut tasks = 0;
    let sets = TaskSets::open(path)?.map(|set| {
        let (_, set) = set?;
        let Some(sms) = sms else { return Ok(set) };
        tasks += set.tasks().len();
        check_cells(sms, tasks)?;
        // The factor 1 keeps all times.
        set.scaled(Factor::ONE, sms).ok_or_else(|| unknown(&set, sms))
    });
    let sets = sets.collect::<Result<Vec<TaskSet>>>()?;
    let global = Global {
        format: Some(Format::Csv),
        ..global.clone()
    };
    task_sets(&global, sets.into_iter().map(Ok))?;
    Ok(Outcome::Positive)
}

/// Checks that a table with the WCETs of `tasks` tasks on 1 to `sms` SMs, in isolation and in conflict, fits into memory.
fn check_cells(sms: u32, tasks: usize) -> Result<()> {
    let most = MOST_CELLS / (2 * tasks.max(1));
    if usize::try_from(sms).is_ok_and(|sms| sms <= most) {
        return Ok(());
    }
    let found = format!("{sms} for {} or more", counted(tasks, "task"));
    let expected =
        format!("at most {most} SMs for these tasks, because a table has at most {MOST_CELLS} cells");
    Err(Error::parameter("sms", found, expected))
}

fn unknown(set: &TaskSet, sms: u32) -> Error {
    let name = set.name().unwrap_or("the set");
    Error::parameter(
        "sms",
        format!("{sms}, where a WCET of {name} is unknown"),
        "a number of SMs on which each task has a WCET",
    )
}

/// Writes the task set in the file at `path` for `tool`.
pub fn export(
    global: &Global,
    path: &Path,
    tool: Tool,
    (sms, unit): (Option<u32>, Option<Unit>),
) -> Result<Outcome> {
    check_format(global, &tool.to_string(), Format::Text)?;
    if let (Tool::Simso, Some(unit)) = (tool, unit) {
        return Err(Error::parameter(
            "unit",
            format!("{unit} with --as simso"),
            "--as schedcat, where the option has an effect",
        ));
    }
    let Some(sms) = sms else {
        let found = format!("no number with --as {tool}");
        return Err(Error::parameter(
            "sms",
            found,
            "the number of SMs of the exported WCETs",
        ));
    };
    let set = TaskSets::only(path, "task set")?;
    let meaning = Meaning {
        sms,
        unit: unit.unwrap_or_default(),
    };
    let exported = tool.write(&set, meaning)?;
    Output::open(global)?.answer(exported.text)?;
    for warning in &exported.remarks.warnings {
        complain(&format!("warning: {warning}"));
    }
    global.note(format!(
        "each WCET is the WCET on {sms} SMs in one partition with all tasks, with conflicts"
    ));
    exported.remarks.notes.iter().for_each(|note| global.note(note));
    Ok(Outcome::Positive)
}

/// Checks that neither `--format` nor the name of the output file states another format than `format`.
fn check_format(global: &Global, tool: &str, format: Format) -> Result<()> {
    let found = match (global.format, global.file()) {
        (Some(stated), _) if stated != format => format!("{stated} with --as {tool}"),
        (None, Some(path)) if ![format, Format::Text].contains(&global.format()) => {
            format!("{} with --as {tool}", path.display())
        }
        _ => return Ok(()),
    };
    let parameter = if global.format.is_some() {
        "format"
    } else {
        "output"
    };
    Err(Error::parameter(
        parameter,
        found,
        "only one of --format and --as, and a file name that fits",
    ))
}
