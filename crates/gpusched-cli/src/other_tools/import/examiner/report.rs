//! Comparison of a measured run with its simulation, as text and CSV.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::report::{About, Palette, Report, Table, clip};
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_recording::examiner::Imported;
use gpusched_sim::blocks::{Comparison, Difference, Reason, Record};

/// The tuple contains the measured run and the simulated blocks, sorted by kernel and block
/// number.
impl Report for About<(&Imported, &Record), Comparison> {
    fn table(&self) -> Table {
        let About((run, record), comparison) = self;
        let differences = comparison.differences.iter();
        let reasons: BTreeMap<(usize, u32), Reason> = differences
            .map(|difference| ((difference.kernel, difference.block), difference.reason))
            .collect();
        let blocks = record.blocks.iter().filter_map(|block| {
            let execution = run.executions.get(block.kernel)?;
            Some((block, execution.blocks.get(block.block as usize)?))
        });
        let table = Table::of(blocks)
            .exact("kernel", |(block, _)| block.kernel)
            .exact("name", |(block, _)| {
                let launch = run.scenario.shape().kernels.get(block.kernel);
                launch.and_then(|launch| launch.name.as_ref())
            })
            .exact("block", |(block, _)| block.block)
            .exact("measured_sm", |(_, measured)| measured.sm)
            .exact("simulated_sm", |(block, _)| block.sm)
            .exact("measured_start_ns", |(_, measured)| measured.start)
            .exact("simulated_start_ns", |(block, _)| block.start_ns)
            .exact("measured_end_ns", |(_, measured)| measured.end)
            .exact("simulated_end_ns", |(block, _)| block.end_ns)
            .exact("reason", |(block, _)| {
                reasons.get(&(block.kernel, block.block)).copied().map(name)
            });
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About((run, _), comparison) = self;
        let shape = run.scenario.shape();
        let (style, title) = match comparison.equal == comparison.blocks {
            true => (palette.good, "every block"),
            false => (palette.bad, ""),
        };
        let title = match title {
            "" => format!("{} of {}", comparison.equal, counted(comparison.blocks, "block")),
            title => format!("{title} of {}", comparison.blocks),
        };
        let mut text = format!(
            "{}: {style}{title}{style:#} ran on the same SM as in the simulation ({})\n",
            clip(shape.name.as_deref().unwrap_or("run"), 60),
            percent(comparison.equal, comparison.blocks),
        );
        let table = Table::of(&comparison.kernels)
            .number("kernel", |kernel| kernel.kernel)
            .text("name", |kernel| clip(kernel.name.as_deref().unwrap_or(""), 32))
            .number("blocks", |kernel| kernel.blocks)
            .number("same SM", |kernel| kernel.equal)
            .number("share", |kernel| percent(kernel.equal, kernel.blocks))
            .number("same load", |kernel| percent(kernel.equal_by_load, kernel.blocks));
        text += &table.done().render(palette.header);
        if let Some(first) = comparison.differences.first() {
            text += &explain(first, comparison);
            let counts = comparison.reasons;
            let _ = writeln!(
                text,
                "all {}: {} refill-order, {} sm-order, {} fewer-slots, {} no-room",
                counted(comparison.differences.len(), "difference"),
                counts.refill_order,
                counts.sm_order,
                counts.fewer_slots,
                counts.no_room,
            );
        }
        Ok(text)
    }
}

/// Returns a text about the first difference. It states the rule that selected the SM in the simulation, and a possible
/// cause.
fn explain(first: &Difference, comparison: &Comparison) -> String {
    let Difference {
        kernel,
        block,
        start_ns,
        measured_sm,
        simulated_sm,
        measured_slots,
        simulated_slots,
        ends_nearby,
        reason,
    } = *first;
    let why = match reason {
        Reason::RefillOrder => format!(
            "{} ended within {} of this start, so the ends of these blocks decide which SMs are free",
            counted(ends_nearby, "block"),
            comparison.window_ns
        ),
        Reason::SmOrder => format!(
            "the same number of blocks fits on both SMs, and no block ended on these SMs within {}, so the \
             SM order decides (the order may differ on this GPU)",
            comparison.window_ns
        ),
        Reason::FewerSlots => "the simulated block scheduler prefers the SM with room for the most further \
                               blocks"
            .to_owned(),
        Reason::NoRoom => "in the simulation, the measured SM has no room for the block".to_owned(),
    };
    format!(
        "first difference: block {block} of kernel {kernel} ran on SM {measured_sm}, but the simulation \
         starts it on SM {simulated_sm} at {start_ns} (room for {measured_slots} and {simulated_slots} \
         further blocks)\n  {}: {why}\n",
        name(reason)
    )
}

fn name(reason: Reason) -> &'static str {
    match reason {
        Reason::RefillOrder => "refill-order",
        Reason::SmOrder => "sm-order",
        Reason::FewerSlots => "fewer-slots",
        Reason::NoRoom => "no-room",
    }
}

/// Returns `part` as a percentage of `whole`, with one decimal and rounded down. The result is 100 % only if the two
/// numbers are equal.
fn percent(part: usize, whole: usize) -> String {
    let tenths = part.saturating_mul(1000) / whole.max(1);
    format!("{}.{} %", tenths / 10, tenths % 10)
}
