//! Text form of a run on a sub-core.

use gpusched_cli::part::{Palette, Table, clip};
use gpusched_model::counted;
use gpusched_model::warp_scenario::WarpScenarioShape;
use gpusched_sim::warps::subcore::Overview;

/// Maximum length of a name in text [characters].
const NAME: usize = 24;

/// Returns a text with the results of each kernel, and with the issuing warp in each of the first
/// cycles.
pub fn text(shape: &WarpScenarioShape, overview: &Overview, palette: &Palette) -> String {
    let (cycles, issued) = overview.cycles();
    let mut text = format!(
        "{}: {} under {}, {issued} of {cycles} cycles used\n",
        clip(shape.name.as_deref().unwrap_or("scenario"), 60),
        counted(shape.kernels.len(), "kernel"),
        palette.verdict(true, shape.scheduler),
    );
    text += &kernels(shape, overview, palette);
    let warps: Vec<String> = overview
        .beginning()
        .iter()
        .map(|warp| warp.map_or("-".to_owned(), |warp| warp.to_string()))
        .collect();
    let more = if cycles > warps.len() as u64 { " …" } else { "" };
    text += &format!("issued by warp: {}{more}\n", warps.join(" "));
    text
}

fn kernels(shape: &WarpScenarioShape, overview: &Overview, palette: &Palette) -> String {
    let table = Table::of(shape.kernels.iter().zip(overview.kernels()))
        .text("kernel", |(kernel, _)| clip(&kernel.name, NAME))
        .number("warps", |(kernel, _)| kernel.warps.get())
        .when(shape.scheduler.has_budgets(), |table| {
            table.number("budget", |(kernel, _)| kernel.budget.unwrap_or(0))
        })
        .number("launch", |(kernel, _)| kernel.launch)
        .number("start", |(_, found)| found.start)
        .number("finish", |(_, found)| found.finish)
        .number("response", |(kernel, found)| found.finish - kernel.launch)
        .number("instructions", |(_, found)| found.instructions);
    table.done().render(palette.header)
}
