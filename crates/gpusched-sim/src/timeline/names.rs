//! A store that contains each distinct text once.

use std::collections::HashMap;
use std::sync::Arc;

/// Number of a text. Texts are numbered from 0 in the order of their addition.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NameId(u32);

impl NameId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Arc<str>>,
    /// Map that finds the number of a text. The order of this map has no effect on any output.
    numbers: HashMap<Arc<str>, NameId>,
}

impl Names {
    /// Adds `text` if it is not yet stored, and returns its number. Line breaks and control
    /// characters are replaced, because some viewers reject them.
    pub fn intern(&mut self, text: &str) -> NameId {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        if text.contains(|c: char| c != ' ' && (c.is_whitespace() || c.is_control())) {
            let legal = |c: char| match c {
                c if c.is_whitespace() => ' ',
                c if c.is_control() => '\u{fffd}',
                c => c,
            };
            return self.intern(&text.chars().map(legal).collect::<String>());
        }
        let text: Arc<str> = text.into();
        // The number fits into 32 bits, because the limits on events and arguments are far below
        // 2^32.
        let number = NameId(self.texts.len() as u32);
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    pub fn get(&self, number: NameId) -> &str {
        self.texts.get(number.index()).map_or("", |text| text)
    }

    /// Returns all texts in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }
}
