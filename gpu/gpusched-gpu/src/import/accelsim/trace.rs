//! Trace of one kernel. gpusched reads one thread block at a time.

use std::io::Read;
use std::path::Path;

use super::header::position;
use super::lines::Lines;
use super::token::{Fault, decimal};
use super::{Block, Code, Dimension, Header, Record, Warp};
use gpusched_model::error::Result;

/// gpusched reserves memory for at most this number of records before it reads them. A wrong count in the file
/// therefore cannot exhaust the memory.
const EARLY_ROOM: usize = 1 << 12;

/// Trace of one kernel. gpusched keeps only the current block and all distinct instructions in
/// memory.
#[derive(Debug)]
pub struct TraceFile {
    lines: Lines,
    header: Header,
    code: Code,
    blocks: u64,
    /// Whether the current line is not yet processed.
    pending: bool,
    done: bool,
}

/// Warp whose instructions are being read.
struct Open {
    warp: usize,
    /// Number of instructions according to the field `insts`.
    instructions: Option<usize>,
}

impl TraceFile {
    /// Opens the trace in the file at `path`, and reads its header. The path `-` is standard input.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) if the file is
    /// compressed, or not a processed trace of version [`LEAST_VERSION`](super::LEAST_VERSION) or
    /// later. The error states file, line and column. Fails with
    /// [`Error::Io`](gpusched_model::error::Error::Io) if the file cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<TraceFile> {
        TraceFile::read(Lines::open(path.as_ref())?)
    }

    /// Reads a trace from `bytes`. Error messages state the name `name`.
    ///
    /// # Errors
    /// Fails if [`TraceFile::open`] would fail for a file with this content.
    pub fn from_reader(name: &str, bytes: impl Read + Send + 'static) -> Result<TraceFile> {
        TraceFile::read(Lines::new(name.to_owned(), Box::new(bytes))?)
    }

    pub(super) fn read(mut lines: Lines) -> Result<TraceFile> {
        let header = Header::read(&mut lines)?;
        Ok(TraceFile {
            lines,
            header,
            code: Code::default(),
            blocks: 0,
            pending: true,
            done: false,
        })
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        self.lines.file()
    }

    /// Returns the header, which describes the kernel.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the instructions that have been read so far.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// Returns the number of blocks that have been read so far.
    pub fn blocks_read(&self) -> u64 {
        self.blocks
    }

    /// Reads the next thread block. Blocks are read in ascending order. Returns `None` after the
    /// last block of the grid. After an error, every further call returns `None`.
    ///
    /// # Errors
    /// Fails with [`Error::Refused`](gpusched_model::error::Error::Refused) if the trace is
    /// malformed, incomplete or cut off. The error states file, line and column. Fails with
    /// [`Error::Io`](gpusched_model::error::Error::Io) if the file cannot be read.
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        if self.done {
            return Ok(None);
        }
        self.done = true; // This field stays true after an error.
        let block = self.block()?;
        self.done = block.is_none();
        Ok(block)
    }

    fn block(&mut self) -> Result<Option<Block>> {
        let expected = self.header.grid.count();
        loop {
            if !std::mem::take(&mut self.pending) && !self.lines.advance()? {
                return match self.blocks == expected {
                    true => Ok(None),
                    false => Err(self.lines.cut(format!(
                        "found the end of the file after {} of {expected} thread blocks: is the file cut off?",
                        self.blocks
                    ))),
                };
            }
            match self.lines.line() {
                b"#BEGIN_TB" => break,
                // Processed traces contain the column names of raw traces as comments.
                line if line.starts_with(b"#") && line != b"#END_TB" && self.blocks == 0 => {}
                line => return Err(self.fault(Fault::found("", Some(line), "#BEGIN_TB"))),
            }
        }
        if self.blocks >= expected {
            let message = format!(
                "found another thread block, expected the end of the file after {expected} thread blocks"
            );
            return Err(self.fault(Fault::new("#BEGIN_TB", message)));
        }
        let position = self.header.grid.position(self.blocks);
        let mut block = Block {
            position,
            number: self.blocks,
            warps: Vec::new(),
        };
        block.warps.resize_with(self.header.warps(), Warp::default);
        self.position(position)?;
        self.warps(&mut block)?;
        self.blocks += 1;
        Ok(Some(block))
    }

    /// Reads the line `thread block = x,y,z`. The position must equal `expected`.
    fn position(&mut self, expected: Dimension) -> Result<()> {
        self.line(expected)?;
        let found = value(self.lines.line(), b"thread block").map(position);
        match found {
            Some(Some(found)) if found == expected => Ok(()),
            Some(_) => {
                let found = value(self.lines.line(), b"thread block");
                let expected = format!("{expected}, the next block of the grid");
                Err(self.fault(Fault::found("thread block", found, &expected)))
            }
            None => {
                let line = self.lines.line();
                Err(self.fault(Fault::found("", Some(line), "`thread block = x,y,z`")))
            }
        }
    }

    fn warps(&mut self, block: &mut Block) -> Result<()> {
        let mut open: Option<Open> = None;
        let mut seen = vec![false; block.warps.len()];
        loop {
            self.line(block.position)?;
            let line = self.lines.line();
            match line.first() {
                Some(b'#') if line == b"#END_TB" => {
                    self.close(open.as_ref(), block)?;
                    return Ok(());
                }
                Some(b'w') => {
                    self.close(open.as_ref(), block)?;
                    let warp = self.warp(&mut seen)?;
                    open = Some(Open {
                        warp,
                        instructions: None,
                    });
                }
                // On Hopper, a line `cluster` states the position of the block in its cluster.
                Some(b'c') if open.is_none() && line.starts_with(b"cluster ") => {}
                Some(b'i') => {
                    let count = value(line, b"insts").and_then(decimal);
                    let count = count.and_then(|count| u32::try_from(count).ok()?.try_into().ok());
                    let Some(Open { warp, instructions }) = &mut open else {
                        return Err(self.fault(Fault::new(
                            "insts",
                            "found `insts` before the first warp, expected `warp = N`",
                        )));
                    };
                    let (Some(count), None) = (count, &instructions) else {
                        return Err(self.fault(Fault::found("", Some(line), "one `insts = N` in each warp")));
                    };
                    *instructions = Some(count);
                    if let Some(warp) = block.warps.get_mut(*warp) {
                        warp.records.reserve_exact(EARLY_ROOM.min(count));
                    }
                }
                _ => {
                    let Some(Open {
                        warp,
                        instructions: Some(announced),
                    }) = open
                    else {
                        return Err(self.fault(Fault::found("", Some(line), "`warp = N`, then `insts = N`")));
                    };
                    let Some(warp) = block.warps.get_mut(warp) else {
                        continue;
                    };
                    if warp.records.len() >= announced {
                        let expected = format!(
                            "`warp = N` or #END_TB after {announced} instructions, as `insts` states"
                        );
                        return Err(self.fault(Fault::found("", Some(line), &expected)));
                    }
                    self.record(warp)?;
                }
            }
        }
    }

    /// Reads the next line within the block at `position`.
    fn line(&mut self, position: Dimension) -> Result<()> {
        match self.lines.advance()? {
            true => Ok(()),
            false => Err(self.lines.cut(format!(
                "found the end of the file within thread block {position}, expected #END_TB: is the file cut off?"
            ))),
        }
    }

    /// Returns the number of the warp that starts at the current line.
    fn warp(&self, seen: &mut [bool]) -> Result<usize> {
        let found = value(self.lines.line(), b"warp");
        let number = found
            .and_then(decimal)
            .and_then(|number| usize::try_from(number).ok());
        let warps = seen.len();
        match number.and_then(|number| Some((number, seen.get_mut(number)?))) {
            Some((number, seen)) if !*seen => {
                *seen = true;
                Ok(number)
            }
            Some((number, _)) => {
                let message = format!("found warp {number} a second time in the thread block");
                Err(self.fault(Fault::new("warp", message)))
            }
            None => {
                let expected =
                    format!("`warp = N` with N below {warps}, the number of warps of a thread block");
                Err(self.fault(Fault::found("", Some(self.lines.line()), &expected)))
            }
        }
    }

    /// Checks that the open warp, if there is one, has as many instructions as `insts` states.
    fn close(&self, open: Option<&Open>, block: &mut Block) -> Result<()> {
        let Some(&Open {
            warp: number,
            instructions,
        }) = open
        else {
            return Ok(());
        };
        let Some(announced) = instructions else {
            let message = format!("found no number of instructions for warp {number}, expected `insts = N`");
            return Err(self.fault(Fault::new("insts", message)));
        };
        let found = block.warps.get(number).map_or(0, |warp| warp.records.len());
        if found != announced {
            let message = format!("found {announced}, but warp {number} has {found} instructions");
            return Err(self.fault(Fault::new("insts", message)));
        }
        Ok(())
    }

    /// Reads the instruction in the current line, and adds it to `warp`.
    fn record(&mut self, warp: &mut Warp) -> Result<()> {
        let record = Record::read(self.lines.line(), &self.header, &mut self.code, warp);
        warp.records
            .push(record.map_err(|fault| self.lines.error(fault))?);
        Ok(())
    }

    fn fault(&self, fault: Fault) -> gpusched_model::error::Error {
        self.lines.error(fault)
    }
}

/// Returns the text after `key =` in `line`; `None` if the line does not start with `key`.
fn value<'a>(line: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(key)?.trim_ascii_start();
    Some(rest.strip_prefix(b"=")?.trim_ascii())
}
