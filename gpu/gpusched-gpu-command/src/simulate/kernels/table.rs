//! Text and CSV forms of a run on a simulated GPU.

use super::Answer;
use gpusched_cli::part::{Cell, Palette, Report, Table, clip};
use gpusched_model::counted;
use gpusched_model::error::Result;

/// Maximum length of a name in text [characters].
const NAME: usize = 24;

impl Report for Answer {
    fn table(&self) -> Table {
        let budgets = self.kernels.iter().any(|kernel| kernel.budget.is_some());
        let table = Table::of(self.kernels.iter().enumerate())
            .exact("kernel", |(index, _)| *index)
            .text(("kernel", "name"), |(_, kernel)| {
                Cell::valued(clip(&kernel.name, NAME), &kernel.name)
            })
            .number(("blocks", "blocks"), |(_, kernel)| kernel.blocks)
            .when(budgets, |table| {
                table.number("budget", |(_, kernel)| kernel.budget.unwrap_or(0))
            })
            .number(("launch", "launch"), |(_, kernel)| kernel.launch)
            .number(("first block", "first_block"), |(_, kernel)| kernel.first_block)
            .number(("finish", "finish"), |(_, kernel)| kernel.finish)
            .number(("response", "response"), |(_, kernel)| kernel.response)
            .number(("warp instr", "warp_instructions"), |(_, kernel)| {
                kernel.warp_instructions
            })
            .number(("thread instr", "thread_instructions"), |(_, kernel)| {
                kernel.thread_instructions
            })
            .number(("warp IPC", "warp_ipc"), |(_, kernel)| {
                Cell::valued(
                    format!("{:.3}", kernel.warp_ipc),
                    format!("{:.6}", kernel.warp_ipc),
                )
            });
        table.done()
    }

    /// Returns a text with the results of each kernel, the memory traffic, and the stalls of the
    /// warp schedulers.
    fn text(&self, palette: &Palette) -> Result<String> {
        let (us, cycles) = (self.time_ns as f64 / 1e3, self.cycles);
        let mut text = format!(
            "{}: {} of {} under {}, {cycles} core cycles ({us:.3} us)\n",
            clip(&self.title(), 60),
            counted(self.sms, "SM"),
            clip(&self.machine, NAME),
            palette.verdict(true, self.scheduler),
        );
        text += &self.table().render(palette.header);
        if self.kernels.len() > 1 {
            text += &shares(self, palette);
        }
        if !self.clients.is_empty() {
            text += &clients(self, palette);
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

/// Returns a table with the memory traffic of each kernel.
fn shares(answer: &Answer, palette: &Palette) -> String {
    let table = Table::of(&answer.kernels)
        .text("sectors of 32 bytes", |kernel| clip(&kernel.name, NAME))
        .number("L2 reads", |kernel| kernel.traffic.l2_reads)
        .number("L2 writes", |kernel| kernel.traffic.l2_writes)
        .number("L2 misses", |kernel| kernel.traffic.l2_misses)
        .number("DRAM reads", |kernel| kernel.traffic.dram_reads)
        .number("DRAM writes", |kernel| kernel.traffic.dram_writes)
        .number("left dirty", |kernel| kernel.left_dirty)
        .number("rows opened", |kernel| kernel.traffic.activations);
    table.done().render(palette.header)
}

/// Returns a table with the results of each memory client.
fn clients(answer: &Answer, palette: &Palette) -> String {
    let table = Table::of(&answer.clients)
        .text("client", |client| clip(&client.name, NAME))
        .number("reads", |client| client.reads)
        .number("writes", |client| client.writes)
        .number("ended", |client| client.ended)
        .number("GB/s", |client| {
            format!("{:.2}", client.bytes_per_second as f64 / 1e9)
        })
        .number("most in a period", |client| client.most_in_period)
        .number("finish", |client| {
            client.finish.map_or("-".to_owned(), |at| at.to_string())
        });
    table.done().render(palette.header)
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
