//! Plans of `partition` for end-to-end systems.

use super::{only, verdict_text};
use crate::arguments::notes;
use crate::report::{About, Cell, Output, OutputPath, Palette, Report, Table, clip, json_document};
use crate::{Global, Outcome};
use gpusched_analysis::end_to_end::{Gpu, Search, analyze_draft, plan};
use gpusched_model::assumptions::{Counted, Ports};
use gpusched_model::end_to_end::{Draft, SystemPlan};
use gpusched_model::error::Result;
use gpusched_model::reader::EndToEndSystems;
use gpusched_model::{Device, counted};

/// Chooses partitions for the only system of the stream. `file` is the path for the system with its partitions.
///
/// # Errors
/// Fails on bad input, or if output cannot be written.
pub fn partition(
    systems: EndToEndSystems,
    (gpu, device, search): (Gpu, Option<&Device>, Search),
    file: Option<&OutputPath>,
    global: &Global,
) -> Result<Outcome> {
    let name = systems.file().to_owned();
    let draft = only(systems)?;
    let mut output = Output::open(global)?;
    let beside = output.beside(file)?;
    let mut found = plan(&draft, gpu, search).map_err(|refusal| match refusal.field() {
        "heuristic" => refusal,
        _ => refusal.at(&name, None),
    })?;
    let schedulable = found.schedulable;
    found.identity = Some(global.identity(&draft, device, true));
    if let Some(offer) = gpu.offer.filter(|_| schedulable) {
        let ports = Ports::of_partitions(found.partitions.len());
        notes::ports(&ports, offer.hardware().granularity, Counted::default());
    }
    if let (Some(beside), Some(system)) = (beside, &found.system) {
        output.complete(beside, json_document(system)?)?;
    }
    output.last(&About((&draft, search, !global.quiet), found))?;
    Ok(schedulable.into())
}

/// The tuple contains the system, the search, and whether to write the assumptions.
impl Report for About<(&Draft, Search, bool), SystemPlan> {
    fn table(&self) -> Table {
        let About((draft, ..), plan) = self;
        let table = Table::of(&plan.partitions)
            .text(("partition", "partition"), |partition| &partition.name)
            .number(("SMs", "sms"), |partition| partition.sms)
            .text(("tasks", "tasks"), |partition| {
                let names = partition.tasks.iter().filter_map(|&task| draft.tasks.get(task));
                let names: Vec<String> = names.map(|task| clip(&task.name, 30)).collect();
                let positions: Vec<String> = partition.tasks.iter().map(usize::to_string).collect();
                Cell::valued(names.join(", "), positions.join(" "))
            })
            .exact("schedulable", |_| plan.schedulable)
            .exact("sms_used", |_| plan.sms_used)
            .exact("proven", |_| plan.proven);
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((draft, search, assumptions), plan) = self;
        let headline = if plan.schedulable {
            "SCHEDULABLE"
        } else {
            "NO PLAN FOUND"
        };
        let headline = palette.verdict(plan.schedulable, headline);
        let proof = match (plan.schedulable, plan.proven) {
            (true, true) => "no division of the kernels passes the test with fewer SMs",
            (true, false) => {
                "fewer SMs may be enough (--heuristic optimal examines all divisions of up to 8 kernels)"
            }
            (false, true) => "no division of the kernels passes the test",
            (false, false) => "other divisions of the kernels may pass the test",
        };
        let name = draft
            .name
            .as_ref()
            .map_or("system".to_owned(), |name| clip(name, 40));
        let tests = counted(plan.tests, "test");
        let mut text = match plan.schedulable {
            true => {
                let sms = counted(plan.sms_used, "SM");
                format!("{headline}: {name}, {sms} found with {tests}; {proof}\n")
            }
            false => format!("{headline}: {name}, {tests}; {proof}\n"),
        };
        if !plan.partitions.is_empty() {
            text += &format!("\n{}", self.table().render(palette.header));
        }
        if let Some(choice) = &plan.alternatives {
            let moved = draft.tasks.iter().zip(choice).filter(|(_, choice)| **choice > 0);
            let moved: Vec<String> = moved
                .map(|(task, choice)| format!("{} (alternative {choice})", clip(&task.name, 30)))
                .collect();
            text += &format!("\nTasks that use an alternative: {}\n", moved.join(", "));
        }
        if let (Some(system), Some(verdict)) = (&plan.system, &plan.verdict) {
            let system = analyze_draft(system, search.environment)?.system;
            text += &format!("\n{}", verdict_text(&system, verdict, palette, *assumptions));
        } else if let Some(verdict) = &plan.verdict {
            let late: Vec<&str> = verdict
                .tasks
                .iter()
                .filter(|task| !task.meets)
                .map(|task| task.name.as_str())
                .collect();
            if !late.is_empty() {
                text += &format!(
                    "\nEven with the largest partitions, these tasks have no proof: {}.\n",
                    late.join(", ")
                );
            }
        }
        Ok(text)
    }
}
