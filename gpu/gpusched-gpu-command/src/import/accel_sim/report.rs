//! Summary of traces, as text and CSV.

use std::fmt::Write as _;

use gpusched_cli::part::{Column, Palette, Report, Rows, Table, clip, wrap};
use gpusched_gpu::import::accelsim::{Dimension, KernelSummary, OpcodeCount, TraceSummary};
use gpusched_model::error::Result;
use serde::Serialize;

/// Returns the CSV columns. After the fixed columns up to `lane_instructions`, there is one column for each execution
/// unit.
pub fn columns() -> String {
    let units = gpusched_gpu::import::accelsim::UnitCounts::default()
        .named()
        .map(|(name, _)| name);
    format!(
        "file,name,id,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,shared_memory,registers,warps,instructions,lane_instructions,{},\
         global_load_sectors,global_store_sectors,global_atomic_sectors,local_load_sectors,local_store_sectors,footprint_bytes",
        units.join(",")
    )
}

/// A summary as the result of the command.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Summarized<'a>(pub &'a TraceSummary);

impl Report for Summarized<'_> {
    /// Adds one row per kernel.
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        for kernel in &self.0.kernels {
            let KernelSummary { grid, block, .. } = kernel;
            rows.add((
                (&kernel.file, &kernel.name, kernel.id, kernel.stream),
                (grid.x, grid.y, grid.z, block.x, block.y, block.z),
                (kernel.shared_memory, kernel.registers),
                (kernel.warps, kernel.instructions, kernel.lane_instructions),
                kernel.units.named().map(|(_, count)| count),
                ["load", "store", "atomic"].map(|access| kernel.sectors("global", access)),
                ["load", "store"].map(|access| kernel.sectors("local", access)),
                kernel.footprint_bytes,
            ))?;
        }
        Ok(())
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let mut text = String::new();
        if self.0.copies.count > 0 {
            let _ = writeln!(
                text,
                "{} copies to the GPU, {} bytes",
                self.0.copies.count, self.0.copies.bytes
            );
        }
        let mut table = Table::new([
            Column::Right("kernel"),
            Column::Left("name"),
            Column::Right("grid"),
            Column::Right("block"),
            Column::Right("shared memory"),
            Column::Right("registers"),
            Column::Right("warps"),
            Column::Right("instructions"),
            Column::Right("footprint"),
        ]);
        for kernel in &self.0.kernels {
            table.row([
                kernel.id.to_string(),
                clip(&kernel.name, 32),
                size(kernel.grid),
                size(kernel.block),
                kernel.shared_memory.to_string(),
                kernel.registers.to_string(),
                kernel.warps.to_string(),
                kernel.instructions.to_string(),
                kernel.footprint_bytes.to_string(),
            ]);
        }
        text += &table.render(palette.header);
        for kernel in &self.0.kernels {
            let header = palette.header;
            let name = clip(&kernel.name, 60);
            let _ = writeln!(text, "\n{header}kernel {}: {name}{header:#}", kernel.id);
            let units = kernel.units.named().into_iter().filter(|(_, count)| *count > 0);
            let units = units.map(|(name, count)| format!("{name} {}", share(count, kernel.instructions)));
            let _ = writeln!(text, "  {}", wrap(units, 96).replace('\n', "\n  "));
            if !kernel.memory.is_empty() {
                let mut table = Table::new([
                    Column::Left("memory"),
                    Column::Left("access"),
                    Column::Right("instructions"),
                    Column::Right("lanes"),
                    Column::Right("sectors"),
                    Column::Right("per instruction"),
                ]);
                for traffic in &kernel.memory {
                    let has_sectors = traffic.sectors > 0;
                    let of_sectors = |text: String| if has_sectors { text } else { String::new() };
                    table.row([
                        traffic.space.to_owned(),
                        traffic.access.to_owned(),
                        traffic.instructions.to_string(),
                        traffic.lanes.to_string(),
                        of_sectors(traffic.sectors.to_string()),
                        of_sectors(quotient(traffic.sectors, traffic.instructions)),
                    ]);
                }
                text += &table.render(palette.dim);
            }
        }
        Ok(text)
    }
}

/// Returns warnings about instructions that the summary cannot classify. There is one line per
/// kernel and reason.
pub fn warnings(summary: &TraceSummary) -> Vec<String> {
    let mut lines = Vec::new();
    for kernel in &summary.kernels {
        let mut warn = |opcodes: &[OpcodeCount], what: &str| {
            if !opcodes.is_empty() {
                let (count, list) = (opcodes.len(), list(opcodes));
                lines.push(format!("warning: {}: {count} {what}: {list}", kernel.file));
            }
        };
        warn(
            &kernel.unknown,
            "unknown opcodes, which gpusched counts as integer opcodes without memory access",
        );
        warn(&kernel.untold, "opcodes whose effect the trace does not show");
    }
    lines
}

/// Returns a list of opcodes, the most frequent opcode first.
fn list(opcodes: &[OpcodeCount]) -> String {
    const SHOWN: usize = 10;
    let mut sorted: Vec<&OpcodeCount> = opcodes.iter().collect();
    sorted.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.opcode.cmp(&b.opcode)));
    let named = |opcode: &&OpcodeCount| format!("{} ({})", clip(&opcode.opcode, 40), opcode.count);
    let shown: Vec<String> = sorted.iter().take(SHOWN).map(named).collect();
    let more = if sorted.len() > SHOWN { ", …" } else { "" };
    shown.join(", ") + more
}

fn size(size: Dimension) -> String {
    match (size.y, size.z) {
        (1, 1) => size.x.to_string(),
        (y, 1) => format!("{}x{y}", size.x),
        (y, z) => format!("{}x{y}x{z}", size.x),
    }
}

/// Returns a percentage with one decimal, rounded down.
fn share(part: u64, whole: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Returns a quotient with two decimals, rounded down.
fn quotient(sum: u64, count: u64) -> String {
    let hundredths = u128::from(sum) * 100 / u128::from(count.max(1));
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
