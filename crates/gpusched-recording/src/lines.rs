//! Limit for the length of lines, so that a damaged file cannot fill the memory.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// Reader that refuses long lines and remembers the last byte that it read.
pub struct Lines<R> {
    bytes: R,
    /// Largest length of a line [bytes].
    longest: u64,
    /// Number of bytes since the last line break.
    line: u64,
    last: Rc<Cell<u8>>,
}

impl<R: Read> Lines<R> {
    /// Limits the lines of `bytes` to about `longest` bytes.
    pub fn new(bytes: R, longest: u64) -> Lines<R> {
        let last = Rc::new(Cell::new(b'\n'));
        Lines {
            bytes,
            longest,
            line: 0,
            last,
        }
    }

    /// Returns a cell that always contains the last byte read.
    pub fn last(&self) -> Rc<Cell<u8>> {
        Rc::clone(&self.last)
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(buffer)?;
        let passed = buffer.get(..count).unwrap_or_default();
        if let Some(&last) = passed.last() {
            self.last.set(last);
        }
        self.line = match passed.iter().rposition(|&byte| byte == b'\n') {
            Some(at) => (count - at) as u64,
            None => self.line + count as u64,
        };
        if self.line > 2 * self.longest {
            let message = format!("found a line of more than {} bytes", self.longest);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(count)
    }
}
