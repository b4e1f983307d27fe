//! `gpusched recording summary`: summarizes the content of recordings.

use std::path::PathBuf;

use super::source::Unpacking;
use crate::arguments::named;
use crate::report::{About, Column, Output, Palette, Progress, Report, Rows, Table, clip};
use crate::{Global, Outcome, complain};
use gpusched_model::counted;
use gpusched_model::error::Result;
use gpusched_model::time::Time;
use gpusched_recording::model::Tool;
use gpusched_recording::readers::{Options, read};
use gpusched_recording::summary::{Statistics, Summary};

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

const EXAMPLE: &str = "\
The files are exports of Nsight Systems (`nsys export --type sqlite`, or `nsys stats --format csv`), pages of Nsight Compute
(`ncu --csv`), traces of Kineto (JSON, also in gzip), and files of rocprof and rocprofv3 (CSV or JSON). gpusched never reads
environment variables, processes or hosts from these files.

Examples:
  gpusched recording summary tasksets/recordings/bert-h100.json.gz
  gpusched recording summary tasksets/recordings/robot/*.sqlite --format json";

/// CSV columns.
const COLUMNS: &str = "file,type,name,count,total_ns,min_ns,median_ns,p99_ns,max_ns";

/// Widest name of a kernel in text [characters].
const NAME: usize = 60;

impl Args {
    /// Reads the files and writes a summary of each file.
    ///
    /// # Errors
    /// Fails for a file that is not a recording, or if output cannot be written.
    pub fn run(&self, global: &Global) -> Result<Outcome> {
        let mut output = Output::open(global)?;
        let mut summaries = Vec::new();
        for file in &self.files {
            let progress = Progress::new(global, "bytes");
            let options = Options {
                tool: self.from,
                calls: false,
                unpacked: self.unpacking.limit(),
            };
            let recording = read(file, options, &mut |bytes| progress.at(bytes))?;
            if !global.quiet {
                for note in &recording.notes {
                    complain(&format!("note: {}: {note}", file.display()));
                }
            }
            summaries.push(About(file.display().to_string(), Summary::of(recording)));
        }
        output.header(COLUMNS)?;
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
    fn rows(&self, rows: &mut Rows) -> Result<()> {
        let About(file, summary) = self;
        let mut add = |kind, name: &str, count, total, times: &Statistics| {
            let Statistics {
                min_ns,
                median_ns,
                p99_ns,
                max_ns,
            } = times;
            rows.add((
                file,
                kind,
                name,
                count,
                total,
                (min_ns, median_ns, p99_ns, max_ns),
            ))
        };
        for line in &summary.kernels {
            add("kernel", &line.name, line.launches, line.total_ns, &line.times)?;
        }
        for line in &summary.ranges {
            let kind = match line.side {
                gpusched_recording::model::Side::Host => "range",
                gpusched_recording::model::Side::Gpu => "gpu-range",
            };
            add(kind, &line.name, line.count, None, &line.times)?;
        }
        Ok(())
    }

    fn text(&self, palette: &Palette) -> Result<String> {
        let About(file, summary) = self;
        let time = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), |ns| Time::from_ns(ns).to_string());
        let source = &summary.source;
        let version = source.version.as_ref().map(|version| format!(" {version}"));
        let mut text = format!(
            "{file}: {}{} ({})\n",
            source.tool,
            version.unwrap_or_default(),
            source.report
        );
        for same in summary.gpus.chunk_by(|one, next| one == next) {
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
            text += &format!("{count}: {name}, {sms}\n");
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
        let mut table = Table::new([
            Column::Right("count"),
            Column::Right("total"),
            Column::Right("min"),
            Column::Right("median"),
            Column::Right("p99"),
            Column::Right("max"),
            Column::Left("name"),
        ]);
        let mut add = |name: &str, count: u64, total, times: &Statistics| {
            table.row([
                count.to_string(),
                time(total),
                time(times.min_ns),
                time(times.median_ns),
                time(times.p99_ns),
                time(times.max_ns),
                clip(name, NAME),
            ]);
        };
        for line in &summary.kernels {
            add(&line.name, line.launches, line.total_ns, &line.times);
        }
        for line in &summary.ranges {
            let side = match line.side {
                gpusched_recording::model::Side::Host => "range",
                gpusched_recording::model::Side::Gpu => "range on the GPU",
            };
            add(&format!("{side}: {}", line.name), line.count, None, &line.times);
        }
        text.push('\n');
        Ok(text + &table.render(palette.header))
    }
}
