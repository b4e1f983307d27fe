//! The bytes of a document. serde_json reads them as a stream, one by one. [`Source::elements`] gives whole elements of a list from
//! the buffer, which takes a third of the time. The stream reads the first element, elements that are too long, and elements that are
//! not valid, so all messages are messages of the stream.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, Read};

use super::cleaned::{Cleaned, Corrected};

/// Length of the longest element in the buffer [bytes]. The stream reads longer elements, with little memory.
const MOST_AHEAD: usize = 1 << 19;

/// The bytes of a document.
pub struct Source<'a> {
    bytes: RefCell<Cleaned<&'a mut dyn BufRead>>,
    /// Number of line breaks that the stream has not seen.
    lines: Cell<usize>,
}

impl<'a> Source<'a> {
    pub fn new(bytes: &'a mut dyn BufRead) -> Source<'a> {
        Source {
            bytes: RefCell::new(Cleaned::new(bytes)),
            lines: Cell::new(0),
        }
    }

    /// Number of line breaks that the stream has not seen. Its messages state a line that is smaller by this number.
    pub fn lines(&self) -> usize {
        self.lines.get()
    }

    /// Returns the numbers of corrections so far.
    pub fn corrected(&self) -> Corrected {
        self.bytes.borrow().corrected()
    }

    /// Calls `each` at the next elements of a list, each an object after a comma. `each` takes an element and returns its length [bytes],
    /// or `None` if the bytes contain no whole element. Before, the stream must be at the end of an object in the list. Afterwards, it is
    /// at the end of the last taken element.
    pub fn elements(&self, mut each: impl FnMut(&[u8]) -> Option<usize>) {
        let mut bytes = self.bytes.borrow_mut();
        loop {
            let ahead = bytes.ahead();
            let mut taken = 0;
            while let Some(start) = object(ahead, taken) {
                let rest = ahead.get(start..).unwrap_or_default();
                let Some(length) = each(rest) else { break };
                taken = start + length;
            }
            let passed = ahead.get(..taken).unwrap_or_default();
            let lines = passed.iter().filter(|&&byte| byte == b'\n').count();
            self.lines.set(self.lines.get() + lines);
            bytes.advance(taken);
            // The element may continue in later bytes. To parse it again takes time, so there must be many of them.
            let rest = bytes.ahead().len();
            if rest > MOST_AHEAD || !bytes.fill() {
                return;
            }
            while bytes.ahead().len() < 2 * rest && bytes.fill() {}
        }
    }
}

/// Returns the position of the object after the comma that follows position `at` of `bytes`, if there are both.
fn object(bytes: &[u8], at: usize) -> Option<usize> {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let next = |at: usize| {
        { bytes.iter().skip(at) }
            .position(|&byte| !is_space(byte))
            .map(|gap| at + gap)
    };
    let comma = next(at).filter(|&at| bytes.get(at) == Some(&b','))?;
    next(comma + 1).filter(|&at| bytes.get(at) == Some(&b'{'))
}

impl Read for &Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.bytes.borrow_mut().read(buffer)
    }
}
