//! Summary of traces, as text and CSV.

use std::fmt::Write as _;

use gpusched_cli::part::{Palette, Report, Table, clip, wrap};
use gpusched_gpu::import::accelsim::{
    Dimension, KernelSummary, MemoryTraffic, OpcodeCount, TraceSummary, UnitCounts,
};
use gpusched_model::error::Result;
use serde::Serialize;

/// A summary as the result of the command.
#[derive(Serialize)]
#[serde(transparent)]
pub struct Summarized<'a>(pub &'a TraceSummary);

impl Report for Summarized<'_> {
    /// Returns one row per kernel. After the column `lane_instructions`, CSV has one column for each execution unit.
    fn table(&self) -> Table {
        let units = UnitCounts::default().named();
        let unit = |kernel: &KernelSummary, index: usize| {
            let units = kernel.units.named();
            units.get(index).map_or(0, |(_, count)| *count)
        };
        let table = Table::of(&self.0.kernels)
            .exact("file", |kernel| &kernel.file)
            .exact("name", |kernel| &kernel.name)
            .number(("kernel", "id"), |kernel| kernel.id)
            .text("name", |kernel| clip(&kernel.name, 32))
            .exact("stream", |kernel| kernel.stream)
            .number("grid", |kernel| size(kernel.grid))
            .exact("grid_x", |kernel| kernel.grid.x)
            .exact("grid_y", |kernel| kernel.grid.y)
            .exact("grid_z", |kernel| kernel.grid.z)
            .number("block", |kernel| size(kernel.block))
            .exact("block_x", |kernel| kernel.block.x)
            .exact("block_y", |kernel| kernel.block.y)
            .exact("block_z", |kernel| kernel.block.z)
            .number(("shared memory", "shared_memory"), |kernel| kernel.shared_memory)
            .number(("registers", "registers"), |kernel| kernel.registers)
            .number(("warps", "warps"), |kernel| kernel.warps)
            .number(("instructions", "instructions"), |kernel| kernel.instructions)
            .exact("lane_instructions", |kernel| kernel.lane_instructions)
            .each(units.iter().enumerate(), |table, (index, (name, _))| {
                table.exact(name, |kernel| unit(kernel, index))
            })
            .exact("global_load_sectors", |kernel| kernel.sectors("global", "load"))
            .exact("global_store_sectors", |kernel| kernel.sectors("global", "store"))
            .exact("global_atomic_sectors", |kernel| {
                kernel.sectors("global", "atomic")
            })
            .exact("local_load_sectors", |kernel| kernel.sectors("local", "load"))
            .exact("local_store_sectors", |kernel| kernel.sectors("local", "store"))
            .number(("footprint", "footprint_bytes"), |kernel| kernel.footprint_bytes);
        table.done()
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
        text += &self.table().render(palette.header);
        for kernel in &self.0.kernels {
            let header = palette.header;
            let name = clip(&kernel.name, 60);
            let _ = writeln!(text, "\n{header}kernel {}: {name}{header:#}", kernel.id);
            let units = kernel.units.named().into_iter().filter(|(_, count)| *count > 0);
            let units = units.map(|(name, count)| format!("{name} {}", share(count, kernel.instructions)));
            let _ = writeln!(text, "  {}", wrap(units, 96).replace('\n', "\n  "));
            if !kernel.memory.is_empty() {
                let sectors = |traffic: &MemoryTraffic| traffic.sectors > 0;
                let table = Table::of(&kernel.memory)
                    .text("memory", |traffic| traffic.space)
                    .text("access", |traffic| traffic.access)
                    .number("instructions", |traffic| traffic.instructions)
                    .number("lanes", |traffic| traffic.lanes)
                    .number("sectors", |traffic| sectors(traffic).then_some(traffic.sectors))
                    .number("per instruction", |traffic| {
                        sectors(traffic).then(|| quotient(traffic.sectors, traffic.instructions))
                    });
                text += &table.done().render(palette.dim);
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
