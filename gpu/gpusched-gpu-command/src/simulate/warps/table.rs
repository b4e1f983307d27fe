//! Text form of a run on a sub-core.

use gpusched_cli::part::{Column, Palette, Table, clip};
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
        "{}: {} under {}{}{:#}, {issued} of {cycles} cycles used\n",
        clip(shape.name.as_deref().unwrap_or("scenario"), 60),
        counted(shape.kernels.len(), "kernel"),
        palette.good,
        shape.scheduler,
        palette.good,
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
    let budgets = shape.scheduler.has_budgets();
    let mut columns = vec![
        Column::Left("kernel"),
        Column::Right("warps"),
        Column::Right("launch"),
        Column::Right("start"),
        Column::Right("finish"),
        Column::Right("response"),
        Column::Right("instructions"),
    ];
    if budgets {
        columns.insert(2, Column::Right("budget"));
    }
    let mut table = Table::new(columns);
    for (kernel, found) in shape.kernels.iter().zip(overview.kernels()) {
        let mut cells = vec![
            clip(&kernel.name, NAME),
            kernel.warps.to_string(),
            kernel.launch.to_string(),
            found.start.to_string(),
            found.finish.to_string(),
            (found.finish - kernel.launch).to_string(),
            found.instructions.to_string(),
        ];
        if budgets {
            cells.insert(2, kernel.budget.unwrap_or(0).to_string());
        }
        table.row(cells);
    }
    table.render(palette.header)
}
