//! A store of texts that keeps each different text only once.

use std::collections::HashMap;
use std::sync::Arc;

/// Number of a name. Names are numbered from 0 in the order of their addition.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NameId(u32);

impl NameId {
    /// Position of the name among all names.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names of a recording.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, NameId>,
}

impl Names {
    /// Adds `text` if it is new, and returns its number.
    pub fn intern(&mut self, text: &str) -> NameId {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        // A file with 2^32 different names would need more than 32 GiB of memory.
        let number = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    /// Returns the text of a name.
    pub fn get(&self, number: NameId) -> &str {
        self.texts.get(number.index()).map_or("", |text| text)
    }

    /// Returns the number of `text`, or `None` if no event has this name.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.numbers.get(text).copied()
    }

    /// Returns all names, in the order of their addition.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// Number of different names.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
