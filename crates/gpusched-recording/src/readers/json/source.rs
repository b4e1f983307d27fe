//! The bytes of a document, which serde_json reads as a stream. It takes the bytes of a stream one by one. So this module gives it
//! whole elements of a long list from the buffer, which takes a third of the time, and leaves all else to the stream: the first
//! element, elements that do not fit, the end of the list, and every element that is not valid. So each message is that of the stream.

use std::cell::{Cell, RefCell};
use std::io::{self, BufRead, Read};

use super::cleaned::{Cleaned, Corrected};
use super::kineto::Event;
use super::tolerant::Object;

/// Most bytes in which an element must end. The stream reads longer elements, in little memory.
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

    /// Calls `each` with the next elements of a list, each an object after a comma. The stream must be at the end of an object, which is
    /// an element of the list. Afterwards, it is at the end of the last of these elements.
    pub fn elements(&self, mut each: impl for<'e> FnMut(Object<Event<'e>>)) {
        let mut bytes = self.bytes.borrow_mut();
        loop {
            let ahead = bytes.ahead();
            let mut taken = 0;
            while let Some(start) = object(ahead, taken) {
                let rest = ahead.get(start..).unwrap_or_default();
                let mut values = serde_json::Deserializer::from_slice(rest).into_iter();
                let Some(Ok(value)) = values.next() else { break };
                taken = start + values.byte_offset();
                each(value);
            }
            let passed = ahead.get(..taken).unwrap_or_default();
            let lines = passed.iter().filter(|&&byte| byte == b'\n').count();
            self.lines.set(self.lines.get() + lines);
            bytes.advance(taken);
            // An element that is not complete may go on in later bytes. To read it again takes time, so there must be many of them.
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
