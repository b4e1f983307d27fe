//! Every text once.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of a text, from 0 in the order in which texts came.
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
    /// For look-up only: its order shows nowhere.
    numbers: HashMap<Arc<str>, NameId>,
}

impl Names {
    /// The number of `text` on one line without control characters, which some viewers refuse.
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
        // Events and their arguments are capped far below 2^32.
        let number = NameId(self.texts.len() as u32);
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    pub fn get(&self, number: NameId) -> &str {
        self.texts.get(number.index()).map_or("", |text| text)
    }

    /// All texts, in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_one_number() {
        let mut names = Names::default();
        let numbers = ["a", "b", "a", "x\ny\u{7f}", "x y\u{fffd}", ""].map(|text| names.intern(text).0);
        assert_eq!(numbers, [0, 1, 0, 2, 2, 3]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "b", "x y\u{fffd}", ""]);
        assert_eq!(names.get(NameId(2)), "x y\u{fffd}");
    }
}
