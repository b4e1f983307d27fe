//! Kernels of a scenario.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::super::code::{Code, TracedKernel};
use super::super::gpu::{Launch, Queued};
use super::launch_latency;
use super::layout::Layout;
use crate::import::accelsim::TraceFile;
use crate::program::Program;
use crate::program::Programs;
use crate::warp_run::{IndexSet, KernelSource, Queue, RunKernel, WarpRunShape};
use gpusched_model::Refusal;
use gpusched_model::counted;
use gpusched_model::error::{Error, Result};

/// Kernel of a scenario: its program or trace, and the addresses of its buffers.
#[derive(Debug)]
pub struct Kernel {
    pub(super) name: String,
    blocks: u64,
    /// Core cycle when the kernel is launched.
    launch: u64,
    /// First core cycle when blocks of the kernel may start.
    at: u64,
    budget: Option<u32>,
    sms: Option<Vec<bool>>,
    channels: Option<Vec<u32>>,
    l2_ways: Option<Vec<u32>>,
    queue: Option<Queued>,
    resident: Option<u32>,
    repeats: bool,
    /// Files that the kernel was read from: its program or trace, and the values of its buffers.
    files: Vec<PathBuf>,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Program(Box<Program>, Arc<Code>),
    /// Path of a trace file. Each run reads the file again.
    Trace(PathBuf),
}

/// Texts of the instructions in issue traces, for all kernels of a run.
#[derive(Debug, Default)]
pub struct Texts(Vec<Text>);

#[derive(Debug)]
enum Text {
    Code(Arc<Code>),
    Trace(Arc<Mutex<TracedKernel>>),
}

impl Texts {
    /// Returns the text of the instruction of `kernel` at `pc`; an empty text if there is no such instruction.
    pub fn text(&self, kernel: usize, pc: u32) -> String {
        let text = match self.0.get(kernel) {
            Some(Text::Code(code)) => code.text(pc).map(str::to_owned),
            Some(Text::Trace(trace)) => {
                let trace = trace.lock().unwrap_or_else(PoisonError::into_inner);
                trace.text(pc).map(str::to_owned)
            }
            None => None,
        };
        text.unwrap_or_default()
    }
}

/// Reason why a kernel is rejected.
pub(super) enum Refused {
    /// A file cannot be read.
    File(Error),
    /// The launch is invalid.
    Launch(Refusal),
}

/// Returns the name of the scenario field that determines the field `field` of the program.
pub(super) fn field_of(kernel: &RunKernel, field: &str) -> String {
    let name = field
        .strip_prefix("buffers.")
        .or(field.strip_prefix("parameters."));
    match (field, name) {
        ("grid", _) if kernel.grid.is_some() => "grid".to_owned(),
        ("block", _) if kernel.block.is_some() => "block".to_owned(),
        ("", _) => "parameters".to_owned(),
        (_, Some(name)) if kernel.parameters.0.iter().any(|(known, _)| known == name) => {
            format!("parameters.{name}")
        }
        _ => format!("program.{field}"),
    }
}

impl Kernel {
    /// Reads the kernel `kernel` of `shape`. File names are relative to `folder`. Buffers are
    /// placed in `memory`.
    pub(super) fn read(
        kernel: &RunKernel,
        shape: &WarpRunShape,
        folder: &Path,
        memory: &mut Layout,
    ) -> Result<Kernel, Refused> {
        let mut files = match &kernel.program {
            KernelSource::File(path) | KernelSource::Trace(path) => vec![folder.join(path)],
            KernelSource::Program(_) => Vec::new(),
        };
        // The paths of files with buffer values are relative to the folder of the program.
        let home = match files.first() {
            Some(file) => file.parent().unwrap_or(Path::new("")).to_owned(),
            None => folder.to_owned(),
        };
        let mut lower = |program: &Program, memory: &mut Layout| {
            let mut program = program.with(&kernel.overrides()).map_err(Refused::Launch)?;
            files.extend(program.value_files(&home));
            program.read_values(&home).map_err(Refused::File)?;
            memory.place(&mut program);
            let code = Arc::new(Code::new(&program).map_err(Refused::Launch)?);
            let (name, blocks) = (program.name.clone(), program.blocks());
            Ok((name, blocks, Body::Program(Box::new(program), code)))
        };
        let (name, blocks, body) = match &kernel.program {
            KernelSource::File(path) => {
                let program = Programs::only(folder.join(path), "program").map_err(Refused::File)?;
                lower(&program, memory)?
            }
            KernelSource::Program(program) => lower(program, memory)?,
            KernelSource::Trace(path) => {
                let path = folder.join(path);
                let trace = TraceFile::open(&path).map_err(Refused::File)?;
                let header = trace.header();
                (header.name.clone(), header.grid.count(), Body::Trace(path))
            }
        };
        let sms = kernel.sms.as_ref().map(|sms| {
            let all = 0..shape.sms();
            all.map(|sm| sms.indices().binary_search(&sm).is_ok()).collect()
        });
        let numbers = |set: &Option<IndexSet>| set.as_ref().map(|set| set.indices().to_vec());
        Ok(Kernel {
            name,
            blocks,
            launch: kernel.launch,
            at: kernel.launch.saturating_add(launch_latency(shape, blocks)),
            budget: kernel.budget,
            sms,
            channels: numbers(&kernel.channels),
            l2_ways: numbers(&kernel.l2_ways),
            queue: kernel.queue.as_ref().map(|own| queued(own, shape)),
            resident: kernel.resident,
            repeats: kernel.repeats,
            files,
            body,
        })
    }

    /// Returns the name of the kernel, which is unique in the run.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the core cycle when the kernel is launched.
    pub fn launched(&self) -> u64 {
        self.launch
    }

    /// Returns the number of thread blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Returns the issue budget; `None` if the scheduler does not use budgets.
    pub fn budget(&self) -> Option<u32> {
        self.budget
    }

    /// Returns the files that the kernel was read from: its program or trace, and the values of its buffers.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(PathBuf::as_path)
    }

    /// Returns the buffers as pairs of address and size [bytes]. The result is empty for traces,
    /// because the buffers of traces are unknown.
    pub(super) fn buffers(&self) -> Vec<(u64, u64)> {
        let Body::Program(program, _) = &self.body else {
            return Vec::new();
        };
        let addresses = program.addresses().into_iter();
        let sizes = program.buffers.iter().map(|(_, buffer)| buffer.bytes);
        addresses.zip(sizes).collect()
    }

    /// Describes the first instruction that accessed memory outside its buffer in any run so far.
    /// Returns `None` if all accesses were inside buffers. Also returns `None` for traces,
    /// because their buffers are unknown.
    pub(super) fn outside(&self) -> Option<String> {
        let Body::Program(program, code) = &self.body else {
            return None;
        };
        let outside = code.outside();
        let first = outside.first()?;
        let (buffer, found) = program.buffers.get(first.buffer)?;
        let name = &self.name;
        let (text, pc) = (&first.text, first.pc);
        let by = match (first.before, first.beyond) {
            (before, 0) => format!("{before} bytes before the start"),
            (_, beyond) => format!("{beyond} bytes beyond the end"),
        };
        let others = match outside.len() - 1 {
            0 => String::new(),
            others => format!(" (further such instructions: {others})"),
        };
        Some(format!(
            "kernel `{name}`: `{text}` at pc {pc:#x} accesses memory up to {by} of buffer `{buffer}`, which has {}{others}",
            counted(found.bytes, "byte")
        ))
    }

    /// Describes the buffers that the program writes although it also reads their stated contents. Returns `None` if
    /// there is no such buffer. Also returns `None` for traces.
    pub(super) fn changed_contents(&self) -> Option<String> {
        let Body::Program(program, _) = &self.body else {
            return None;
        };
        let changed = program.changed_contents();
        let list: Vec<String> = changed.iter().map(|buffer| format!("`{buffer}`")).collect();
        (!list.is_empty()).then(|| {
            format!(
                "kernel `{}` writes to {}, but the simulation assumes that the stated values stay unchanged",
                self.name,
                list.join(", ")
            )
        })
    }

    /// Returns the launch of the kernel, and adds the texts of its instructions to `texts`.
    pub(super) fn launch(&self, texts: &mut Texts) -> Result<Launch> {
        let launch = match &self.body {
            Body::Program(program, code) => {
                texts.0.push(Text::Code(Arc::clone(code)));
                Launch::of_code(program, code)
            }
            Body::Trace(path) => {
                let kernel = Arc::new(Mutex::new(TracedKernel::new(TraceFile::open(path)?)));
                texts.0.push(Text::Trace(Arc::clone(&kernel)));
                Launch::of_trace(&kernel)
            }
        };
        Ok(Launch {
            name: self.name.clone(),
            at: self.at,
            latency: self.at - self.launch,
            budget: self.budget.unwrap_or(0),
            sms: self.sms.clone(),
            channels: self.channels.clone(),
            l2_ways: self.l2_ways.clone(),
            queue: self.queue,
            resident: self.resident,
            repeats: self.repeats,
            ..launch
        })
    }
}

/// Converts `own` to the form that the simulator uses. The number of a queue is the index of its first kernel.
fn queued(own: &Queue, shape: &WarpRunShape) -> Queued {
    let names = shape
        .kernels
        .iter()
        .map(|kernel| kernel.queue.as_ref().map(|queue| &queue.name));
    let first = names.take_while(|name| *name != Some(&own.name)).count();
    Queued {
        queue: first,
        priority: own.priority,
    }
}

/// Returns for each kernel of `shape` the name that its program or trace states.
pub(super) fn own_names(shape: &WarpRunShape, folder: &Path) -> Result<Vec<String>> {
    let name = |kernel: &RunKernel| match &kernel.program {
        KernelSource::File(path) => Ok(Programs::only(folder.join(path), "program")?.name),
        KernelSource::Program(program) => Ok(program.name.clone()),
        KernelSource::Trace(path) => Ok(TraceFile::open(folder.join(path))?.header().name.clone()),
    };
    shape.kernels.iter().map(name).collect()
}

/// Returns the names of the kernels. A kernel has the name that `shape` states. If `shape` states no name, the kernel
/// has its name from `own`. If this name is already in use, the function appends a number.
pub(super) fn names(shape: &WarpRunShape, own: Vec<String>) -> Vec<String> {
    let given = shape.kernels.iter().map(|kernel| kernel.name.as_ref());
    let mut taken: BTreeSet<String> = given.clone().flatten().cloned().collect();
    let names = own.into_iter().zip(given).map(|(own, given)| match given {
        Some(name) => name.clone(),
        None => {
            let numbered = (2u64..).map(|number| format!("{own}-{number}"));
            let mut names = std::iter::once(own.clone()).chain(numbered);
            names.find(|name| taken.insert(name.clone())).unwrap_or(own)
        }
    });
    names.collect()
}
