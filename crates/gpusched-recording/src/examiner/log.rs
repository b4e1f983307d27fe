//! One log, with all its values checked.

use std::fs::File;
use std::io;
use std::path::Path;

use serde_json::value::RawValue;

use super::MAX_BYTES;
use super::document::{Document, Entry, Fault, read_text};
use super::field::{NUMBER, refuse, required, time, value};
use gpusched_model::error::{Error, Refusal, Result};
use gpusched_model::kernel::LONGEST;
use gpusched_model::time::Time;
use gpusched_model::time::decimal::Rounding;

/// Log of one benchmark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    /// Name of the file, for error messages.
    pub file: String,
    /// Name of the scenario that contains the benchmark.
    pub scenario: String,
    /// Name of the benchmark.
    pub label: Option<String>,
    /// Number of the process of the benchmark.
    pub process: u64,
    /// Number of the thread of the benchmark.
    pub thread: u64,
    /// Number of threads that the whole GPU can hold.
    pub resident_threads: u64,
    /// Executions of kernels, in the order of the file.
    pub executions: Vec<Execution>,
}

/// One execution of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// Name of the kernel.
    pub kernel: String,
    /// Number of threads of each block.
    pub threads: u32,
    /// Shared memory of each block [bytes].
    pub shared_memory: u32,
    /// Time at which the launch call began.
    pub called: Time,
    /// Time at which the launch call returned. `None` if the tool did not measure it.
    pub returned: Option<Time>,
    /// Blocks, in the order of their numbers.
    pub blocks: Vec<MeasuredBlock>,
}

/// The SM and the times of a block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct MeasuredBlock {
    /// Number of the SM.
    pub sm: u32,
    /// Start of the block.
    pub start: Time,
    /// End of the block.
    pub end: Time,
}

impl Log {
    /// Reads the log in the file at `path`. The path `-` means standard input.
    ///
    /// # Errors
    /// Returns [`Error::Refused`] with file, line and field if the file is not a valid log. Returns [`Error::Io`] if
    /// the file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Log> {
        let path = path.as_ref();
        let text = if path == Path::new("-") {
            read_text(io::stdin().lock())
        } else {
            read_text(File::open(path).map_err(|cause| Error::io(path, "open", cause))?)
        };
        let text = text.map_err(|cause| Error::io(path, "read", cause))?;
        let file = path.display().to_string();
        let log = match &text {
            Some(text) => Log::parse(&file, text),
            None => Err(Fault {
                line: None,
                field: "",
                message: format!("found a document of more than {MAX_BYTES} bytes"),
            }),
        };
        log.map_err(|fault| {
            Error::Refused(
                Refusal::told(fault.field, fault.message)
                    .at(&file, fault.line.and_then(|line| usize::try_from(line).ok())),
            )
        })
    }

    fn parse(file: &str, text: &str) -> Result<Log, Fault> {
        let document = Document::parse(text)?;
        let entries = document.times.iter().filter(|entry| entry.kernel_name.is_some());
        let executions = (0..)
            .zip(entries)
            .map(|(run, entry)| Execution::parse(entry, run, text))
            .collect::<Result<Vec<Execution>, Fault>>()?;
        if executions.is_empty() {
            let message = "found no execution, expected entries with kernel_name".to_owned();
            let (line, field) = (None, "times");
            return Err(Fault { line, field, message });
        }
        Ok(Log {
            file: file.to_owned(),
            scenario: value(text, "scenario_name", document.scenario_name, "a text")?.unwrap_or_default(),
            label: value(text, "label", document.label, "a text")?,
            process: required(text, "PID", document.process, NUMBER, None)?,
            thread: required(text, "TID", document.thread, NUMBER, None)?,
            resident_threads: required(
                text,
                "max_resident_threads",
                document.max_resident_threads,
                NUMBER,
                None,
            )?,
            executions,
        })
    }
}

impl Execution {
    fn parse(entry: &Entry<'_>, run: u64, text: &str) -> Result<Execution, Fault> {
        const POSITIVE: &str = "a positive number";
        let pairs = entry.pairs(text, run)?;
        let line = entry.line(text);
        let count = |field, raw| match required::<u32>(text, field, raw, POSITIVE, line)? {
            0 => Err(Fault {
                line,
                field,
                message: format!("found 0, expected {POSITIVE}"),
            }),
            count => Ok(count),
        };
        let blocks = count("block_count", entry.block_count)?;
        if blocks as usize != pairs.len() {
            return Err(Fault {
                line,
                field: "block_count",
                message: format!("found {blocks} blocks, but the times of {} blocks", pairs.len()),
            });
        }
        let smids = entry.block_smids.as_deref().ok_or_else(|| Fault {
            line,
            field: "block_smids",
            message: format!("found none in run {run}, expected the SM of each block"),
        })?;
        let (called, returned) = launch_times(entry, line, text)?;
        Ok(Execution {
            kernel: entry.kernel_name.clone().unwrap_or_default(),
            threads: count("thread_count", entry.thread_count)?,
            shared_memory: required(text, "shared_memory", entry.shared_memory, NUMBER, line)?,
            called,
            returned,
            blocks: pairs
                .iter()
                .zip(smids)
                .map(|(pair, &sm)| MeasuredBlock::parse(*pair, sm, text))
                .collect::<Result<_, Fault>>()?,
        })
    }
}

/// Returns the time at which the launch call began, and the time at which the call returned.
fn launch_times(entry: &Entry<'_>, line: Option<u64>, text: &str) -> Result<(Time, Option<Time>), Fault> {
    const FIELD: &str = "cuda_launch_times";
    const EXPECTED: &str = "a list with the times before and after the launch [s]";
    let Some(raw) = entry.cuda_launch_times else {
        let message = format!("found none, expected {EXPECTED}");
        let field = FIELD;
        return Err(Fault { line, field, message });
    };
    let list: Vec<&RawValue> =
        serde_json::from_str(raw.get()).map_err(|_| refuse(text, FIELD, raw, EXPECTED))?;
    let [called, rest @ ..] = list.as_slice() else {
        return Err(refuse(text, FIELD, raw, EXPECTED));
    };
    let called = time(text, FIELD, called, Rounding::Down)?;
    let returned = rest
        .first()
        .map(|returned| time(text, FIELD, returned, Rounding::Down));
    // A time of 0 means that the tool did not measure the time.
    Ok((
        called,
        returned.transpose()?.filter(|returned| *returned >= called),
    ))
}

impl MeasuredBlock {
    fn parse([start, end]: [&RawValue; 2], sm: u64, text: &str) -> Result<MeasuredBlock, Fault> {
        const FIELD: &str = "block_times";
        let block = MeasuredBlock {
            sm: u32::try_from(sm).unwrap_or(u32::MAX),
            start: time(text, FIELD, start, Rounding::Down)?,
            end: time(text, FIELD, end, Rounding::Up)?,
        };
        let duration = block.end.checked_sub(block.start).unwrap_or(Time::ZERO);
        match (1..=LONGEST.ns()).contains(&duration.ns()) {
            true => Ok(block),
            false => {
                let expected = format!("an end 1ns to {LONGEST} after the start at {}", block.start);
                Err(refuse(text, FIELD, end, &expected))
            }
        }
    }

    /// Returns the duration of the block.
    pub fn duration(&self) -> Time {
        self.end.checked_sub(self.start).unwrap_or(Time::ZERO)
    }
}
