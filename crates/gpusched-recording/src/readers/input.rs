//! Reads the bytes of a recording from a file or standard input. The reader decompresses the bytes if necessary and
//! reports progress.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use gpusched_model::Refusal;
use gpusched_model::error::{Error, Result};

/// A file or standard input, as a source of bytes.
pub struct Input<'a> {
    name: String,
    reader: Box<dyn BufRead + 'a>,
}

impl<'a> Input<'a> {
    /// Opens `path`. A compressed file may unpack to at most `unpacked` bytes. Calls `observer` with the number of bytes
    /// read from the file.
    pub fn open(path: &Path, unpacked: u64, observer: &'a mut dyn FnMut(u64)) -> Result<Input<'a>> {
        let bytes: Box<dyn Read> = if path == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            let file = File::open(path).map_err(|cause| Error::io(path, "open", cause))?;
            let kind = file.metadata().map_err(|cause| Error::io(path, "read", cause))?;
            if kind.is_dir() {
                let refusal = Refusal::new("", "a folder", "a file of a profiler");
                return Err(refusal.at(path, None).into());
            }
            Box::new(file)
        };
        let counted = Counted {
            bytes,
            count: 0,
            observer,
        };
        let mut reader = BufReader::with_capacity(1 << 17, counted);
        let name = path.display().to_string();
        let start = reader
            .fill_buf()
            .map_err(|cause| Error::io(&name, "read", cause))?;
        let reader: Box<dyn BufRead> = match start {
            [0x1f, 0x8b, ..] => {
                let bytes = MultiGzDecoder::new(reader);
                let unpacked = Unpacked {
                    bytes,
                    limit: unpacked,
                    left: unpacked,
                };
                Box::new(BufReader::with_capacity(1 << 17, unpacked))
            }
            _ => Box::new(reader),
        };
        Ok(Input { name, reader })
    }

    /// Returns the first bytes without consuming them.
    pub fn peek(&mut self) -> Result<&[u8]> {
        let name = &self.name;
        let start = self.reader.fill_buf();
        start.map_err(|cause| damaged(name, cause))
    }

    /// Returns the bytes of the input.
    pub fn reader(&mut self) -> &mut (dyn BufRead + 'a) {
        &mut *self.reader
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the error of the operating system, or the refusal of damaged compressed data.
    pub fn failed(&self, cause: io::Error) -> Error {
        damaged(&self.name, cause)
    }
}

/// Returns the error of the operating system, the refusal of damaged compressed data, or the refusal of a file that
/// unpacks to too many bytes.
pub fn damaged(name: &str, cause: io::Error) -> Error {
    match cause.kind() {
        io::ErrorKind::FileTooLarge => Refusal::told("", cause)
            .hint("record a shorter run, or allow more bytes")
            .at(name, None)
            .into(),
        io::ErrorKind::UnexpectedEof => {
            let found = "the file is cut off: its compressed data has no end";
            Refusal::told("", found).at(name, None).into()
        }
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            Refusal::told("", format!("found damaged data: {cause}"))
                .at(name, None)
                .into()
        }
        _ => Error::io(name, "read", cause),
    }
}

/// Reader of unpacked bytes, with a limit. So a small file cannot fill the memory.
struct Unpacked<R> {
    bytes: R,
    limit: u64,
    left: u64,
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => {
                let limit = self.limit;
                let message = format!(
                    "found a compressed file of more than {limit} bytes after unpacking, expected at most {limit}"
                );
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
            }
        }
        Ok(count)
    }
}

/// Reader that counts the bytes.
struct Counted<'a> {
    bytes: Box<dyn Read>,
    count: u64,
    observer: &'a mut dyn FnMut(u64),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        self.count += count as u64;
        (self.observer)(self.count);
        Ok(count)
    }
}
