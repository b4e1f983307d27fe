//! JSON without invalid values that some tools write. Kineto has written `NaN` and `Infinity`. This module replaces
//! each of these values by another value of the same length, which is not a number. So lines and columns stay the same.
//! It also removes a byte order mark at the start, and replaces bytes in texts that JSON does not allow: bytes that are not UTF-8,
//! control characters, and halves of UTF-16 pairs. An escape that JSON does not know, such as `\x` in a path of Windows, becomes
//! the text itself. A line break in a text becomes `?`. After these two, a message may state another line or column.

use std::io::{self, BufRead, Read};

/// Longest text of a JSON document [bytes]. Because of this limit, a damaged file cannot fill the memory.
const LONGEST_TEXT: usize = 1 << 26;

/// Length of the longest escape, a pair of UTF-16 [bytes].
const LONGEST_ESCAPE: usize = 12;

/// Most bytes that the reader holds to see the end of an escape.
const MOST_HELD: usize = 1 << 20;

/// Words and their replacements. An empty list and `null` are never numbers. So the reader refuses a time with such a
/// value, or counts the event as incomplete.
const WORDS: [(&[u8], &[u8]); 3] = [
    (b"-Infinity", b"null     "),
    (b"Infinity", b"null    "),
    (b"NaN", b"[] "),
];

/// Numbers of corrections in texts.
#[derive(Copy, Clone, Default)]
pub struct Corrected {
    /// Number of bytes that were not UTF-8.
    pub bytes: u64,
    /// Number of characters and escapes that JSON does not allow.
    pub characters: u64,
}

/// Reader that replaces `WORDS` outside texts.
pub struct Cleaned<R> {
    bytes: R,
    /// Cleaned bytes.
    ready: Vec<u8>,
    /// Bytes of `ready` without the backslashes of `inserted`.
    before: Vec<u8>,
    /// Positions of `before` that need one more backslash, in increasing order.
    inserted: Vec<usize>,
    /// Number of bytes of `ready` that the caller has read.
    taken: usize,
    /// Error of the input, after the bytes of `ready`.
    failed: Option<io::Error>,
    in_text: bool,
    escaped: bool,
    text: usize,
    started: bool,
    corrected: Corrected,
}

impl<R: BufRead> Cleaned<R> {
    /// Creates a reader of `bytes`.
    pub fn new(bytes: R) -> Cleaned<R> {
        Cleaned {
            bytes,
            ready: Vec::new(),
            before: Vec::new(),
            inserted: Vec::new(),
            taken: 0,
            failed: None,
            in_text: false,
            escaped: false,
            text: 0,
            started: false,
            corrected: Corrected::default(),
        }
    }

    /// Returns the numbers of corrections so far.
    pub fn corrected(&self) -> Corrected {
        self.corrected
    }

    /// Returns the cleaned bytes that the caller has not read yet.
    pub fn ahead(&self) -> &[u8] {
        self.ready.get(self.taken..).unwrap_or_default()
    }

    /// Takes `count` bytes of [`ahead`](Cleaned::ahead).
    pub fn advance(&mut self, count: usize) {
        self.taken = self.ready.len().min(self.taken + count);
    }

    /// Cleans the next bytes of the input, and appends them to the bytes of [`ahead`](Cleaned::ahead). Returns `false` at the end of the
    /// input, and after an error, which the reader returns after the last byte.
    pub fn fill(&mut self) -> bool {
        self.ready.drain(..self.taken);
        self.taken = 0;
        let before = self.ready.len();
        if self.failed.is_none()
            && let Err(error) = self.append(before)
        {
            self.ready.truncate(before);
            self.failed = Some(error);
        }
        self.ready.len() > before
    }

    /// Appends the next bytes to the `before` bytes of `ready`, and cleans them. If a word continues in later bytes, also reads these
    /// bytes.
    fn append(&mut self, before: usize) -> io::Result<()> {
        let mut found = self.bytes.fill_buf()?;
        if !self.started {
            self.started = true;
            if found.starts_with(b"\xef\xbb\xbf") {
                self.bytes.consume(3);
                found = self.bytes.fill_buf()?;
            }
        }
        let length = found.len();
        self.ready.extend_from_slice(found);
        self.bytes.consume(length);
        while self
            .ready
            .iter()
            .rev()
            .take(LONGEST_ESCAPE)
            .any(|&byte| byte == b'\\')
            && self.ready.len() < before + MOST_HELD
        {
            let more = self.bytes.fill_buf()?;
            let length = more.len();
            if length == 0 {
                break;
            }
            self.ready.extend_from_slice(more);
            self.bytes.consume(length);
        }
        self.decode(before)?;
        let mut at = before;
        loop {
            at += self.plain(at)?;
            let Some(&byte) = self.ready.get(at) else { break };
            self.text += 1;
            match byte {
                _ if self.escaped => {
                    self.escaped = false;
                    at += self.escape(at);
                }
                b'\\' if self.in_text => self.escaped = true,
                b'"' => (self.in_text, self.text) = (!self.in_text, 0),
                _ if self.in_text => self.put(at, b'?'),
                _ => at += self.replace(at)?,
            }
            at += 1;
        }
        self.insert();
        Ok(())
    }

    /// Returns the number of bytes from position `at` on that need no look: most of a file.
    fn plain(&mut self, at: usize) -> io::Result<usize> {
        let rest = self.ready.get(at..).unwrap_or_default();
        let special = match (self.in_text, self.escaped) {
            (_, true) => return Ok(0),
            (true, _) => rest
                .iter()
                .position(|&byte| matches!(byte, b'"' | b'\\' | ..0x20)),
            (false, _) => { rest.iter() }.position(|&byte| matches!(byte, b'"' | b'N' | b'I' | b'-')),
        };
        let plain = special.unwrap_or(rest.len());
        self.text += plain;
        if self.in_text && self.text > LONGEST_TEXT {
            let message = format!("a text of more than {LONGEST_TEXT} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(plain)
    }

    /// Inserts the missing backslashes. One pass moves each byte once, so that many escapes take no quadratic time.
    fn insert(&mut self) {
        if self.inserted.is_empty() {
            return;
        }
        std::mem::swap(&mut self.ready, &mut self.before);
        self.ready.clear();
        let mut from = 0;
        for at in self.inserted.drain(..) {
            self.ready
                .extend_from_slice(self.before.get(from..at).unwrap_or_default());
            self.ready.push(b'\\');
            from = at;
        }
        self.ready
            .extend_from_slice(self.before.get(from..).unwrap_or_default());
    }

    fn put(&mut self, at: usize, byte: u8) {
        if let Some(place) = self.ready.get_mut(at) {
            *place = byte;
            self.corrected.characters += 1;
        }
    }

    /// Corrects the escape whose letter is at position `at`, after the backslash. Returns the number of further bytes of a UTF-16
    /// pair, which the caller skips.
    fn escape(&mut self, at: usize) -> usize {
        let rest = self.ready.get(at..).unwrap_or_default();
        let unit = |from: usize| {
            let digits = rest
                .get(from..from + 4)
                .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
            u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        };
        match (rest.first(), unit(1)) {
            (Some(b'u'), Some(first)) if !(0xd800..0xe000).contains(&first) => 0,
            (Some(b'u'), Some(first)) => {
                let second = unit(7).filter(|_| rest.get(5..7) == Some(b"\\u"));
                if first < 0xdc00 && second.is_some_and(|second| (0xdc00..0xe000).contains(&second)) {
                    return LONGEST_ESCAPE - 2;
                }
                if let Some(digits) = self.ready.get_mut(at + 1..at + 5) {
                    digits.copy_from_slice(b"003f");
                }
                self.corrected.characters += 1;
                0
            }
            (Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') | None, _) => 0,
            (Some(&letter), _) => {
                self.inserted.push(at);
                self.corrected.characters += 1;
                if letter < 0x20 {
                    self.put(at, b'?');
                }
                0
            }
        }
    }

    /// Replaces each byte after the first `before` bytes that is not UTF-8 by `?`. If a character continues in later bytes, also reads these bytes.
    fn decode(&mut self, before: usize) -> io::Result<()> {
        let mut valid = before;
        while let Err(error) = std::str::from_utf8(self.ready.get(valid..).unwrap_or_default()) {
            let start = valid + error.valid_up_to();
            let invalid = match error.error_len() {
                Some(length) => length,
                None => match self.bytes.fill_buf()?.first() {
                    Some(&next) => {
                        self.ready.push(next);
                        self.bytes.consume(1);
                        valid = start;
                        continue;
                    }
                    None => self.ready.len() - start,
                },
            };
            let replaced = self.ready.iter_mut().skip(start).take(invalid);
            replaced.for_each(|byte| *byte = b'?');
            self.corrected.bytes += invalid as u64;
            valid = start;
        }
        Ok(())
    }

    /// Replaces the word at position `at`, if there is one. Returns the length of the word minus its first byte.
    fn replace(&mut self, at: usize) -> io::Result<usize> {
        for (word, replacement) in WORDS {
            loop {
                let rest = self.ready.get(at..).unwrap_or_default();
                if rest.len() >= word.len() || !word.starts_with(rest) {
                    break;
                }
                let more = self.bytes.fill_buf()?;
                let Some(&next) = more.first() else { break };
                self.ready.push(next);
                self.bytes.consume(1);
            }
            if let Some(found) = self.ready.get_mut(at..at + word.len())
                && found == word
            {
                found.copy_from_slice(replacement);
                return Ok(word.len() - 1);
            }
        }
        Ok(0)
    }
}

impl<R: BufRead> Read for Cleaned<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ahead().is_empty()
            && !self.fill()
            && let Some(error) = self.failed.take()
        {
            return Err(error);
        }
        let count = self.ahead().read(buffer)?;
        self.advance(count);
        Ok(count)
    }
}
