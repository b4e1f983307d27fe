//! Text and CSV forms of a run on a simulated GPU.

use super::Answer;
use gpusched_cli::part::{Column, Palette, Report, Rows, Table, clip};
use gpusched_model::counted;
use gpusched_model::error::Result;

/// Maximum length of a name in text [characters].
const NAME: usize = 24;

/// CSV columns; one row per kernel.
pub const COLUMNS: &str =
    "kernel,name,blocks,launch,first_block,finish,response,warp_instructions,thread_instructions,warp_ipc";

impl Report for Answer {
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        self.kernels.iter().enumerate().try_for_each(|(index, kernel)| {
            rows.add((
                (
                    index,
                    &kernel.name,
                    kernel.blocks,
                    kernel.launch,
                    kernel.first_block,
                ),
                (kernel.finish, kernel.response),
                (kernel.warp_instructions, kernel.thread_instructions),
                format!("{:.6}", kernel.warp_ipc),
            ))
        })
    }

    /// Returns a text with the results of each kernel, the memory traffic, and the stalls of the
    /// warp schedulers.
    fn text(&self, palette: &Palette) -> Result<String> {
        let (us, cycles) = (self.time_ns as f64 / 1e3, self.cycles);
        let mut text = format!(
            "{}: {} of {} under {}{}{:#}, {cycles} core cycles ({us:.3} us)\n",
            clip(&self.title(), 60),
            counted(self.sms, "SM"),
            clip(&self.machine, NAME),
            palette.good,
            self.scheduler,
            palette.good,
        );
        text += &kernels(self, palette);
        if self.kernels.len() > 1 {
            text += &shares(self, palette);
        }
        text += &traffic(self);
        let stalls = &self.stalls;
        let all = stalls.issued + stalls.pipeline + stalls.scoreboard + stalls.idle;
        let share = |part: u64| format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64);
        text += &format!(
            "schedulers: {} issued, {} unit busy, {} waiting for registers, {} without an instruction\n",
            share(stalls.issued),
            share(stalls.pipeline),
            share(stalls.scoreboard),
            share(stalls.idle),
        );
        Ok(text)
    }
}

fn kernels(answer: &Answer, palette: &Palette) -> String {
    let budgets = answer.kernels.iter().any(|kernel| kernel.budget.is_some());
    let mut columns = vec![
        Column::Left("kernel"),
        Column::Right("blocks"),
        Column::Right("launch"),
        Column::Right("first block"),
        Column::Right("finish"),
        Column::Right("response"),
        Column::Right("warp instr"),
        Column::Right("thread instr"),
        Column::Right("warp IPC"),
    ];
    if budgets {
        columns.insert(2, Column::Right("budget"));
    }
    let mut table = Table::new(columns);
    for kernel in &answer.kernels {
        let mut cells = vec![
            clip(&kernel.name, NAME),
            kernel.blocks.to_string(),
            kernel.launch.to_string(),
            kernel.first_block.to_string(),
            kernel.finish.to_string(),
            kernel.response.to_string(),
            kernel.warp_instructions.to_string(),
            kernel.thread_instructions.to_string(),
            format!("{:.3}", kernel.warp_ipc),
        ];
        if budgets {
            cells.insert(2, kernel.budget.unwrap_or(0).to_string());
        }
        table.row(cells);
    }
    table.render(palette.header)
}

/// Returns a table with the memory traffic of each kernel.
fn shares(answer: &Answer, palette: &Palette) -> String {
    let mut table = Table::new([
        Column::Left("sectors of 32 bytes"),
        Column::Right("L2 reads"),
        Column::Right("L2 writes"),
        Column::Right("L2 misses"),
        Column::Right("DRAM reads"),
        Column::Right("DRAM writes"),
        Column::Right("left dirty"),
        Column::Right("rows opened"),
    ]);
    for kernel in &answer.kernels {
        let traffic = &kernel.traffic;
        let counts = [
            traffic.l2_reads,
            traffic.l2_writes,
            traffic.l2_misses,
            traffic.dram_reads,
            traffic.dram_writes,
            kernel.left_dirty,
            traffic.activations,
        ];
        let cells = counts.iter().map(u64::to_string);
        table.row(
            [clip(&kernel.name, NAME)]
                .into_iter()
                .chain(cells)
                .collect::<Vec<String>>(),
        );
    }
    table.render(palette.header)
}

/// Returns a line with the numbers of memory sectors and with the bandwidths at L2 and DRAM.
fn traffic(answer: &Answer) -> String {
    let traffic = &answer.traffic;
    let gigabytes = |rate: u64| rate as f64 / 1e9;
    let missed = |misses: u64, accesses: u64| match accesses {
        0 => String::new(),
        _ => format!(" ({:.1} % missed)", 100.0 * misses as f64 / accesses as f64),
    };
    format!(
        "sectors of 32 bytes: L1 {}{}, L2 {}{}, DRAM {} read and {} written; {:.1} GB/s at L2, {:.1} GB/s at DRAM\n",
        traffic.l1_accesses,
        missed(traffic.l1_misses, traffic.l1_accesses),
        traffic.l2_accesses,
        missed(traffic.l2_misses, traffic.l2_accesses),
        traffic.dram_reads,
        traffic.dram_writes,
        gigabytes(traffic.l2_bytes_per_second),
        gigabytes(traffic.dram_bytes_per_second),
    )
}
