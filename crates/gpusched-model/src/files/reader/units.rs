//! Times that probably lack a unit: short times without a unit, in a document whose other times have units.

use std::cell::Cell;

use super::tree::Tree;

/// Fields with times, in all kinds of documents.
const TIMES: [&str; 12] = [
    "bcet",
    "deadline",
    "e0",
    "e1",
    "jitter",
    "limit",
    "max_interarrival",
    "offset",
    "period",
    "phase",
    "regulation_period",
    "wcet",
];

/// Fields whose times are never below 1 us, whether other times have units or not.
const LONG: [&str; 3] = ["deadline", "period", "regulation_period"];

/// A shorter time without a unit probably lacks its unit [ns].
const SHORT: u64 = 1_000;

/// Longest document that is searched [bytes], so that a large document is not parsed twice.
const LONGEST: usize = 1 << 20;

/// Function that receives notes on documents.
pub type Listener = fn(&str);

thread_local! {
    static LISTENER: Cell<Option<Listener>> = const { Cell::new(None) };
}

/// Sends notes on the documents that this thread reads to `listener`. `None` ignores the notes.
pub fn listen(listener: Option<Listener>) {
    LISTENER.set(listener);
}

/// Sends a note if a time in the document `text` of `file` probably lacks a unit. `others` states that another note covers
/// periods and deadlines.
pub(super) fn check(text: &[u8], file: &str, others: bool) {
    let Some(listener) = LISTENER.get().filter(|_| text.len() <= LONGEST) else {
        return;
    };
    let Ok(tree) = serde_json::from_slice::<Tree<'_>>(text) else {
        return; // the parser gives an error
    };
    let mut times = Times::default();
    times.add(&tree, "", None);
    let bare = times.bare.iter();
    let mut bare = bare.filter(|(_, name, _)| match LONG.contains(&name.as_str()) {
        true => !others,
        false => times.unit,
    });
    if let Some((field, _, ns)) = bare.next() {
        listener(&format!(
            "note: {file}: `{field}` of {ns} ns is below 1 us: a number without a unit is in nanoseconds (write \"{ns}ms\" for milliseconds)"
        ));
    }
}

/// The times of a document.
#[derive(Default)]
struct Times {
    /// Whether a time has a unit.
    unit: bool,
    /// Times from 1 to [`SHORT`] ns without a unit: path, name of the field, and time.
    bare: Vec<(String, String, u64)>,
}

impl Times {
    /// Adds the times in `value`. `name` is the name of its field, and `path` the path of the field.
    fn add(&mut self, value: &Tree<'_>, path: &str, name: Option<&str>) {
        match value {
            Tree::Object(fields) => {
                // The times of memory clients are in cycles.
                for (name, value) in fields.iter().filter(|(name, _)| *name != "clients") {
                    let dot = if path.is_empty() { "" } else { "." };
                    self.add(value, &format!("{path}{dot}{name}"), Some(name));
                }
            }
            Tree::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.add(item, &format!("{path}[{index}]"), None);
                }
            }
            Tree::Text(text) => {
                self.unit |= name.is_some_and(|name| TIMES.contains(&name))
                    && text.parse::<crate::time::Time>().is_ok();
            }
            Tree::Unsigned(ns @ 1..SHORT) => {
                if let Some(name) = name.filter(|name| TIMES.contains(name)) {
                    self.bare.push((path.to_owned(), name.to_owned(), *ns));
                }
            }
            _ => {}
        }
    }
}
