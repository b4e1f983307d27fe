//! Changes of one place in a document.

use std::fmt;

use serde_json::Value;

/// A change of the value at `place`, a JSON pointer.
pub struct Change {
    pub place: String,
    /// Kind of the change, for the choice of lines.
    pub kind: &'static str,
    how: How,
}

enum How {
    Value(Value),
    /// Removes the field or the entry.
    Drop,
    /// Repeats the entry.
    Twice,
    /// Exchanges the entry with the next one.
    Swap,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.how {
            How::Value(value) => write!(f, "{} = {value}", self.place),
            How::Drop => write!(f, "{} drop", self.place),
            How::Twice => write!(f, "{} twice", self.place),
            How::Swap => write!(f, "{} swap", self.place),
        }
    }
}

impl Change {
    /// Reads the text that `Display` writes.
    pub fn parse(text: &str) -> Change {
        let (place, rest) = text.split_once(' ').expect(text);
        let how = match rest {
            "drop" => How::Drop,
            "twice" => How::Twice,
            "swap" => How::Swap,
            value => How::Value(serde_json::from_str(value.strip_prefix("= ").expect(text)).expect(text)),
        };
        Change {
            place: place.to_owned(),
            kind: "",
            how,
        }
    }

    pub fn apply(&self, document: &mut Value) {
        let (above, last) = self.place.rsplit_once('/').expect("a pointer");
        let parent = document.pointer_mut(above).expect(&self.place);
        match (&self.how, parent) {
            (How::Value(value), parent) => match parent {
                Value::Array(items) => items[last.parse::<usize>().unwrap()] = value.clone(),
                parent => parent[last] = value.clone(),
            },
            (How::Drop, Value::Object(fields)) => drop(fields.remove(last).expect(&self.place)),
            (how, Value::Array(items)) => {
                let index = last.parse::<usize>().unwrap();
                match how {
                    How::Twice => items.insert(index, items[index].clone()),
                    How::Swap => items.swap(index, index + 1),
                    _ => drop(items.remove(index)),
                }
            }
            (_, parent) => panic!("{}: {parent}", self.place),
        }
    }
}

/// Returns all changes of the certificate and of its subject: numbers, names, and entries of lists.
pub fn all(case: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    for part in ["claim", "of"] {
        let names = names(&case[part]);
        visit(&case[part], &format!("/{part}"), &names, &mut changes);
    }
    changes
}

/// Returns all texts in `value`, which replace each other.
fn names(value: &Value) -> Vec<String> {
    let mut found = match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(names).collect(),
        Value::Object(fields) => fields.values().flat_map(names).collect(),
        _ => Vec::new(),
    };
    found.sort();
    found.dedup();
    found
}

/// Texts of fields with a fixed list of values.
const TEXTS: [&str; 20] = [
    "exact",
    "sufficient",
    "necessary-only",
    "conflict",
    "none",
    "edf",
    "np-edf",
    "lp-edf",
    "dm",
    "np-fp",
    "np-fp-audsley",
    "np-fifo",
    "concurrent",
    "density",
    "tpc",
    "gpc",
    "mig",
    "unsafe",
    "pessimistic",
    "no-sms-left",
];

fn visit(value: &Value, place: &str, names: &[String], changes: &mut Vec<Change>) {
    let mut push = |kind: &'static str, how| {
        changes.push(Change {
            place: place.to_owned(),
            kind,
            how,
        })
    };
    let inside = |place: &str, step: &str| format!("{place}/{}", step.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Null => push("number", How::Value(7.into())),
        Value::Bool(value) => push("flag", How::Value((!value).into())),
        Value::Number(number) => {
            let Some(number) = number.as_u64() else { return };
            push("+1", How::Value((number + 1).into()));
            push("null", How::Value(Value::Null));
            if number > 0 {
                push("-1", How::Value((number - 1).into()));
                push("×2", How::Value(number.saturating_mul(2).into()));
                push("0", How::Value(0.into()));
                push("max", How::Value((i64::MAX as u64).into()));
            }
        }
        Value::String(text) => {
            let others = TEXTS.iter().copied().chain(names.iter().map(String::as_str));
            for other in others.filter(|other| other != text) {
                push("text", How::Value(other.into()));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let place = inside(place, &index.to_string());
                let mut push = |kind, how| {
                    changes.push(Change {
                        place: place.clone(),
                        kind,
                        how,
                    })
                };
                push("drop", How::Drop);
                push("twice", How::Twice);
                if items.get(index + 1).is_some_and(|next| next != item) {
                    push("swap", How::Swap);
                }
                visit(item, &place, names, changes);
            }
        }
        Value::Object(fields) => {
            // The cost of the search is no part of the proof.
            for (key, value) in fields.iter().filter(|(key, _)| *key != "stats") {
                let place = inside(place, key);
                changes.push(Change {
                    place: place.clone(),
                    kind: "drop",
                    how: How::Drop,
                });
                visit(value, &place, names, changes);
            }
        }
    }
}
