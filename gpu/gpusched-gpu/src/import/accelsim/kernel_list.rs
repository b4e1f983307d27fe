//! Commands that a program sends to the GPU: copies of data to the GPU, and kernels.

use std::path::{Path, PathBuf};

use super::TraceFile;
use super::lines::Lines;
use super::token::{Fault, decimal, hexadecimal};
use gpusched_model::error::Result;

/// Command that the program sends to the GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A copy to the GPU.
    Copy {
        /// Destination address of the copy.
        address: u64,
        /// Size of the copy [bytes].
        bytes: u64,
    },
    /// A kernel, identified by its trace file.
    Kernel(PathBuf),
}

/// Content of a file `kernelslist.g`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelList {
    commands: Vec<Command>,
}

/// Input file: the command list of a run, or the trace of one kernel.
#[derive(Debug)]
pub enum Input {
    /// A file `kernelslist.g`.
    List(KernelList),
    /// A file `kernel-N.traceg`.
    Kernel(Box<TraceFile>),
}

impl Input {
    /// Opens the file at `path` and detects its type. The path `-` is standard input.
    ///
    /// # Errors
    /// Fails if [`KernelList::read`] or [`TraceFile::open`] fails.
    pub fn open(path: impl AsRef<Path>) -> Result<Input> {
        let path = path.as_ref();
        let mut lines = Lines::open(path)?;
        match lines.peek()? {
            Some(b'k' | b'M') => Ok(Input::List(KernelList::parse(lines, path)?)),
            _ => Ok(Input::Kernel(Box::new(TraceFile::read(lines)?))),
        }
    }
}

impl KernelList {
    /// Reads the command list in the file at `path`. File names in the list are relative to the
    /// folder of this file.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) if a line states
    /// neither a kernel nor a copy, or if a trace is compressed or not processed. The error
    /// states file and line. Fails with [`Error::Io`](gpusched_model::error::Error::Io) if the
    /// file cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<KernelList> {
        let path = path.as_ref();
        KernelList::parse(Lines::open(path)?, path)
    }

    fn parse(mut lines: Lines, path: &Path) -> Result<KernelList> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut commands = Vec::new();
        while lines.advance()? {
            let line = lines.line();
            let name = line.split(|&byte| byte == b',').next().unwrap_or_default();
            let command = match name.trim_ascii() {
                b"MemcpyHtoD" => copy(line).map(Some),
                // Copies in other directions have no effect on L2.
                b"MemcpyDtoH" | b"MemcpyDtoD" => Ok(None),
                name if name.starts_with(b"kernel") => kernel(line, folder).map(Some),
                _ => {
                    let expected =
                        "`kernel-N.traceg`, `MemcpyHtoD,address,bytes`, `MemcpyDtoH` or `MemcpyDtoD`";
                    Err(Fault::found("", Some(line), expected))
                }
            };
            commands.extend(command.map_err(|fault| lines.error(fault))?);
        }
        if !commands
            .iter()
            .any(|command| matches!(command, Command::Kernel(_)))
        {
            return Err(lines.whole("found no kernel, expected at least one line such as kernel-1.traceg"));
        }
        Ok(KernelList { commands })
    }

    /// Returns the commands in order.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Returns the trace files of the kernels in order.
    pub fn kernels(&self) -> impl Iterator<Item = &Path> {
        self.commands.iter().filter_map(|command| match command {
            Command::Kernel(path) => Some(path.as_path()),
            Command::Copy { .. } => None,
        })
    }
}

fn copy(line: &[u8]) -> Result<Command, Fault> {
    let mut parts = line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).skip(1);
    let address = parts.next().and_then(hexadecimal);
    let bytes = parts.next().and_then(decimal);
    match (address, bytes, parts.next()) {
        (Some(address), Some(bytes), None) => Ok(Command::Copy { address, bytes }),
        _ => Err(Fault::found(
            "MemcpyHtoD",
            Some(line),
            "`MemcpyHtoD,address,bytes`",
        )),
    }
}

/// Reads a line that states a kernel. The line may name a compressed trace if the decompressed
/// file is in the same folder.
fn kernel(line: &[u8], folder: &Path) -> Result<Command, Fault> {
    let name = String::from_utf8_lossy(line);
    let compressed = ["xz", "gz"].into_iter().find_map(|ending| {
        let plain = name.strip_suffix(ending)?.strip_suffix('.')?;
        Some((plain, if ending == "xz" { "xz" } else { "gzip" }))
    });
    let plain = compressed.map_or(&*name, |(plain, _)| plain);
    let path = folder.join(plain);
    if let Some((_, tool)) = compressed
        && !path.exists()
    {
        let expected =
            format!("a decompressed trace: run `{tool} -dk` on the file (the list may keep the name)");
        return Err(Fault::found("", Some(line), &expected));
    }
    if plain.ends_with(".trace") {
        let expected = "a processed trace (.traceg): convert the raw trace with post-traces-processing, which also writes kernelslist.g";
        return Err(Fault::found("", Some(line), expected));
    }
    Ok(Command::Kernel(path))
}
