//! Text form of a run of `simulate blocks`.

use crate::report::{Palette, Table, clip};
use gpusched_model::counted;
use gpusched_model::scenario::{CopyKind, ScenarioShape, Stream};
use gpusched_model::time::Time;
use gpusched_sim::blocks::Overview;

/// Maximum length of a name in text [characters].
const NAME: usize = 24;

/// Maximum length of a list of SMs in text [characters].
const SMS: usize = 40;

/// Returns a text with the time and the SMs of each kernel, the time of each copy, and the end of the run.
pub fn text(shape: &ScenarioShape, end: Time, overview: &Overview, palette: &Palette) -> String {
    let blocks: u64 = shape.kernels.iter().map(|kernel| u64::from(kernel.blocks)).sum();
    let mut text = format!(
        "{}: {} and {} on {}, all done at {}\n",
        clip(shape.name.as_deref().unwrap_or("scenario"), 60),
        counted(shape.kernels.len(), "kernel"),
        counted(blocks, "thread block"),
        counted(shape.platform.shape().sms, "SM"),
        palette.verdict(true, end),
    );
    text += &kernels(shape, overview, palette);
    if !overview.copies().is_empty() {
        text += &copies(shape, overview, palette);
    }
    text
}

fn kernels(shape: &ScenarioShape, overview: &Overview, palette: &Palette) -> String {
    let kernels = overview.kernels();
    let kernels =
        kernels.filter_map(|kernel| Some((kernel, kernel.times, shape.kernels.get(kernel.times.kernel)?)));
    let table = Table::of(kernels)
        .number("kernel", |(_, times, _)| times.kernel)
        .text("name", |(.., launch)| {
            clip(launch.name.as_deref().unwrap_or(""), NAME)
        })
        .text("stream", |(.., launch)| {
            stream(shape, launch.application, launch.stream)
        })
        .number("blocks", |(.., launch)| launch.blocks)
        .time("ready", |(_, times, _)| times.ready_ns)
        .time("start", |(_, times, _)| times.start_ns)
        .time("end", |(_, times, _)| times.end_ns)
        .text("SMs", |(kernel, ..)| clip(&ranges(kernel.sms()), SMS));
    table.done().render(palette.header)
}

fn copies(shape: &ScenarioShape, overview: &Overview, palette: &Palette) -> String {
    let mut copies = overview.copies().to_vec();
    copies.sort_unstable_by_key(|copy| copy.copy);
    let copies = copies
        .iter()
        .filter_map(|found| Some((found, shape.copies.get(found.copy)?)));
    let table = Table::of(copies)
        .number("copy", |(found, _)| found.copy)
        .text("name", |(_, copy)| clip(copy.name.as_deref().unwrap_or(""), NAME))
        .text("stream", |(_, copy)| stream(shape, copy.application, copy.stream))
        .text("kind", |(_, copy)| match copy.kind {
            CopyKind::Memcpy => "memcpy",
            CopyKind::Memset => "memset",
        })
        .time("start", |(found, _)| found.start_ns)
        .time("end", |(found, _)| found.end_ns);
    table.done().render(palette.header)
}

/// Returns the name of a stream, such as `3` or `default`. With several applications, `1:3` is
/// stream 3 of application 1.
fn stream(shape: &ScenarioShape, application: usize, stream: Stream) -> String {
    let stream = match stream {
        Stream::Default => "default".to_owned(),
        Stream::Numbered(number) => number.to_string(),
    };
    match shape.applications.len() {
        0 | 1 => stream,
        _ => format!("{application}:{stream}"),
    }
}

/// Returns ascending numbers as text. The text replaces three or more consecutive numbers by a range, such as `2-7`.
fn ranges(numbers: impl Iterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let runs: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first},{last}"),
            _ => format!("{first}-{last}"),
        })
        .collect();
    runs.join(",")
}
