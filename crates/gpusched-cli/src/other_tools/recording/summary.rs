//! `gpusched recording summary`: summarizes the content of recordings.

use std::path::PathBuf;

use super::source::{Unpacking, of_missing, of_overlap, of_processes};
use crate::arguments::named;
use crate::report::{About, Cell, Output, Palette, Progress, Report, Table, clip};
use crate::{Global, Outcome, Run};
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_recording::activity::signs;
use gpusched_recording::model::{Gpu, Side, Tool};
use gpusched_recording::readers::{Options, read};
use gpusched_recording::summary::Summary;

/// Arguments of `gpusched recording summary`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub struct Args {
    /// Files of a profiler; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Profiler that wrote the files [default: detected from the content]
    #[arg(long, value_name = "TOOL", value_parser = named::<Tool>())]
    from: Option<Tool>,
    #[command(flatten)]
    unpacking: Unpacking,
}

impl Args {
    /// Returns the arguments for one file, whose profiler is detected.
    pub fn of(file: PathBuf) -> Args {
        Args {
            files: vec![file],
            from: None,
            unpacking: Unpacking::default(),
        }
    }
}

const EXAMPLE: &str = "\
The files are exports of Nsight Systems (`nsys export --type sqlite`, or `nsys stats --format csv`), pages of Nsight Compute
(`ncu --csv`), traces of Kineto (JSON, also in gzip), and files of rocprof and rocprofv3 (CSV, JSON, or rocpd databases). gpusched
never reads environment variables, hosts or names of processes from these files.
The summary states what a file can show and what it cannot, such as the SM of a block. An audit cannot see a violation there.

Examples:
  gpusched recording summary tasksets/recordings/bert-h100.json.gz
  gpusched recording summary tasksets/recordings/robot/*.sqlite --format json";

/// Widest name of a kernel in text [characters].
const NAME: usize = 60;

impl Run for Args {
    fn run(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let mut summaries = Vec::new();
        for file in &self.files {
            let progress = Progress::new(global, "bytes");
            let options = Options {
                tool: self.from,
                calls: true,
                unpacked: self.unpacking.limit(),
            };
            let mut recording = read(file, options, &mut |bytes| progress.at(bytes))?;
            let notes = recording.notes.iter().cloned().chain(of_overlap(&recording));
            for note in notes.chain(of_processes(&recording)) {
                global.note(format_args!("{}: {note}", file.display()));
            }
            signs::mark(&mut recording);
            summaries.push(About(file.display().to_string(), Summary::of(recording)));
        }
        for (index, summary) in summaries.iter().enumerate() {
            if index > 0 && global.format() == crate::Format::Text {
                output.write("\n")?;
            }
            output.report(summary)?;
        }
        output.finish()?;
        Ok(Outcome::Positive)
    }
}

impl Report for About<String, Summary> {
    /// The text and CSV tell kernels and ranges apart in different words.
    fn table(&self) -> Table {
        let About(file, summary) = self;
        let time = |ns: Option<u64>| Cell::or(ns.map(Time::from_ns), "-");
        let kernels = summary.kernels.iter();
        let kernels = kernels.map(|line| {
            (
                "kernel",
                "",
                &line.name,
                line.launches,
                line.total_ns,
                &line.times,
            )
        });
        let ranges = summary.ranges.iter().map(|line| {
            let (kind, side) = match line.side {
                Side::Host => ("range", "range: "),
                Side::Gpu => ("gpu-range", "range on the GPU: "),
            };
            (kind, side, &line.name, line.count, None, &line.times)
        });
        let table = Table::of(kernels.chain(ranges))
            .exact("file", |_| file)
            .exact("type", |(kind, ..)| *kind)
            .exact("name", |(_, _, name, ..)| *name)
            .number(("count", "count"), |(.., count, _, _)| *count)
            .time(("total", "total_ns"), |(.., total, _)| time(*total))
            .time(("min", "min_ns"), |(.., times)| time(times.min_ns))
            .time(("median", "median_ns"), |(.., times)| time(times.median_ns))
            .time(("p99", "p99_ns"), |(.., times)| time(times.p99_ns))
            .time(("max", "max_ns"), |(.., times)| time(times.max_ns))
            .text("name", |(_, side, name, ..)| clip(&format!("{side}{name}"), NAME));
        table.done()
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About(file, summary) = self;
        let source = &summary.source;
        let version = source.version.as_ref().map(|version| format!(" {version}"));
        let date = source.date.as_ref().map(|date| format!(", {date}"));
        let mut text = format!(
            "{file}: {}{} ({}){}\n",
            source.tool,
            version.unwrap_or_default(),
            source.report,
            date.unwrap_or_default()
        );
        let alike =
            |one: &Gpu, next: &Gpu| (&one.name, one.sms, &one.uuid) == (&next.name, next.sms, &next.uuid);
        for same in summary.gpus.chunk_by(alike) {
            let Some(gpu) = same.first() else { continue };
            let name = if gpu.name.is_empty() {
                "unnamed GPU"
            } else {
                &gpu.name
            };
            let sms = gpu
                .sms
                .map_or_else(|| "unknown number of SMs".to_owned(), |sms| counted(sms, "SM"));
            let count = match same.len() {
                1 => "GPU".to_owned(),
                many => counted(many, "GPU"),
            };
            let uuid = gpu.uuid.as_ref().map(|uuid| format!(", {uuid}"));
            text += &format!("{count}: {name}, {sms}{}\n", uuid.unwrap_or_default());
        }
        text += &format!(
            "{} of {} on {}",
            counted(summary.launches, "launch"),
            counted(summary.kernels.len() as u64, "kernel"),
            summary.streams.map_or_else(
                || "an unknown number of streams".to_owned(),
                |streams| counted(streams, "stream")
            ),
        );
        if let Some(processes) = summary.processes {
            text += &format!(" of {}", counted(processes as u64, "process"));
        }
        if let (Some(busy), Some(span)) = (summary.busy_ns, summary.span_ns) {
            let (busy, span) = (Time::from_ns(busy), Time::from_ns(span));
            text += &format!("; kernels run in {busy} of {span}");
        }
        text.push('\n');
        for (count, what) in [(summary.open_launches, "launch"), (summary.open_ranges, "range")] {
            if count > 0 {
                text += &format!(
                    "{} without a start or an end: not counted\n",
                    counted(count, what)
                );
            }
        }
        let events = summary.launches + summary.open_launches + summary.copies;
        let is_empty = events == 0 && summary.ranges.is_empty();
        match summary.complete {
            true if is_empty => text += "the file contains no work on the GPU and no ranges\n",
            true if events == 0 => text += "the file contains no work on the GPU\n",
            true => text += "complete: the file shows no sign of missing records\n",
            false => {
                text += "not complete\n";
                for note in of_missing(&summary.missing) {
                    text += &format!("{note}\n");
                }
                let kernels = summary.kernels.iter().filter(|kernel| kernel.has_no_length());
                let kernels = kernels.count() as u64;
                if kernels > 0 {
                    let kernels = counted(kernels, "kernel");
                    text += &format!(
                        "{kernels} with a launch that ends at its start: its time is not measured\n"
                    );
                }
            }
        }
        for (what, aspects) in [("shows", &summary.shows), ("cannot show", &summary.cannot_show)] {
            let words: Vec<&str> = aspects.iter().map(|aspect| aspect.words()).collect();
            if !words.is_empty() {
                text += &format!("{what}: {}\n", words.join(", "));
            }
        }
        if summary.graph_launches > 0 {
            text += &format!(
                "{} of whole CUDA graphs: each counts as one kernel from its start to its end\n",
                counted(summary.graph_launches, "launch")
            );
        }
        if summary.copies > 0 {
            let copies = match summary.copies {
                1 => "1 copy or fill".to_owned(),
                many => format!("{many} copies and fills"),
            };
            text += &format!("{copies} of memory: not counted as launches\n");
        }
        text.push('\n');
        Ok(text + &self.table().render(palette.header))
    }
}
