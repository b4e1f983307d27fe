//! Text form of a run on a sub-core.

use super::response::Guarantees;
use gpusched_cli::part::{Palette, Table, clip};
use gpusched_model::warp_scenario::WarpScenarioShape;
use gpusched_model::{Scheduler, counted};
use gpusched_sim::warps::subcore::Overview;

/// Maximum length of a name in text [characters].
const NAME: usize = 24;

/// Returns a text with the results of each kernel, and with the issuing warp in each of the first
/// cycles.
pub fn text(
    shape: &WarpScenarioShape,
    overview: &Overview,
    guarantees: Option<&Guarantees>,
    palette: &Palette,
) -> String {
    let (cycles, issued) = overview.cycles();
    let mut text = format!(
        "{}: {} under {}, {issued} of {cycles} cycles used\n",
        clip(shape.name.as_deref().unwrap_or("scenario"), 60),
        counted(shape.kernels.len(), "kernel"),
        palette.verdict(true, shape.scheduler),
    );
    text += &kernels(shape, overview, guarantees, palette);
    let warps: Vec<String> = overview
        .beginning()
        .iter()
        .map(|warp| warp.map_or("-".to_owned(), |warp| warp.to_string()))
        .collect();
    let more = if cycles > warps.len() as u64 { " …" } else { "" };
    text += &format!("issued by warp: {}{more}\n", warps.join(" "));
    if let Some(guarantees) = guarantees.filter(|guarantees| guarantees.has_deadlines()) {
        let verdict = match (guarantees.met(), shape.scheduler) {
            (true, Scheduler::Qaws | Scheduler::RtPaws) => {
                "the bounds meet all deadlines with these smallest issue budgets"
            }
            (true, _) => "the bounds meet all deadlines",
            (false, Scheduler::Qaws | Scheduler::RtPaws) => {
                "DEADLINES NOT MET by the bounds under any issue budgets"
            }
            (false, _) => "DEADLINES NOT MET by the bounds",
        };
        text += &format!("{}\n", palette.verdict(guarantees.met(), verdict));
    }
    text
}

fn kernels(
    shape: &WarpScenarioShape,
    overview: &Overview,
    guarantees: Option<&Guarantees>,
    palette: &Palette,
) -> String {
    let rows = shape.kernels.iter().zip(overview.kernels()).enumerate();
    let table = Table::of(rows.map(|(index, (kernel, found))| (index, kernel, found)))
        .text("kernel", |(_, kernel, _)| clip(&kernel.name, NAME))
        .number("warps", |(_, kernel, _)| kernel.warps.get())
        .when(shape.scheduler.has_budgets(), |table| {
            table.number("budget", |(_, kernel, _)| kernel.budget.unwrap_or(0))
        })
        .number("launch", |(_, kernel, _)| kernel.launch)
        .number("start", |(_, _, found)| found.start)
        .number("finish", |(_, _, found)| found.finish)
        .number("response", |(_, kernel, found)| found.finish - kernel.launch)
        .number("instructions", |(_, _, found)| found.instructions);
    let table = match guarantees {
        None => table,
        Some(guarantees) => table
            .number("bound", |&(index, ..)| guarantees.bounds[index])
            .when(guarantees.has_deadlines(), |table| {
                table.number("deadline", |&(index, ..)| match guarantees.deadlines[index] {
                    Some(deadline) => deadline.to_string(),
                    None => "-".to_owned(),
                })
            }),
    };
    table.done().render(palette.header)
}
