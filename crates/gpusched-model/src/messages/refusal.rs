//! Refusals: values that gpusched does not accept, with place, found value, expected value and hint.

use std::convert::Infallible;
use std::fmt;
use std::path::Path;

use crate::messages::one_line::{excerpt, one_line};

/// The reason to refuse a field of an input or a parameter of a function.
///
/// The text is `FILE:LINE: at FIELD: found …, expected …`, or `FIELD: found …, expected …` without a file. A hint follows after
/// a blank line. Every part is one line without control characters, and long parts are shortened.
///
/// ```
/// use gpusched_model::Refusal;
///
/// let refusal = Refusal::new("sms", 0, "1 to 16").at("gpu.json", 3).hint("count the SMs");
/// assert_eq!(refusal.to_string(), "gpu.json:3: at sms: found 0, expected 1 to 16\n\nhint: count the SMs");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(Box<Parts>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Parts {
    place: Option<Place>,
    field: String,
    reason: Reason,
    likeness: Option<&'static str>,
    hint: Option<String>,
}

/// Place of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    file: String,
    line: Option<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Reason {
    Value {
        found: String,
        expected: String,
    },
    /// The message of a parser.
    Told(String),
}

impl Refusal {
    /// Creates a refusal of `field`, which contains `found` instead of `expected`. `field` is empty if the whole input is
    /// refused.
    pub fn new(field: impl Into<String>, found: impl ToString, expected: impl ToString) -> Refusal {
        Refusal::of(
            field.into(),
            Reason::Value {
                found: excerpt(&found.to_string()),
                expected: one_line(&expected.to_string()),
            },
        )
    }

    /// Creates a refusal of `field` with the message of a parser, which states the found and expected values itself.
    pub fn told(field: impl Into<String>, message: impl ToString) -> Refusal {
        let message = one_line(&message.to_string());
        Refusal::of(field.into(), Reason::Told(message))
    }

    /// Returns a function that turns any error into a refusal of `field`.
    pub fn about<E: fmt::Display>(field: &str) -> impl Fn(E) -> Refusal {
        move |error| Refusal::told(field, error)
    }

    /// Returns a function that turns any error into a refusal of the file at `path`, which `field` names.
    pub fn in_file<E: fmt::Display>(field: &str, path: &str) -> impl Fn(E) -> Refusal {
        move |error| Refusal::told(field, format!("{path}: {error}"))
    }

    fn of(field: String, reason: Reason) -> Refusal {
        Refusal(Box::new(Parts {
            place: None,
            field: one_line(&field),
            reason,
            likeness: None,
            hint: None,
        }))
    }

    /// Returns [`Refusal::new`] as an error.
    ///
    /// # Errors
    /// Always fails.
    pub fn refuse<T>(
        field: impl Into<String>,
        found: impl ToString,
        expected: impl ToString,
    ) -> Result<T, Refusal> {
        Err(Refusal::new(field, found, expected))
    }

    /// Returns the refusal with a `file` and, if known, a line counted from 1. `-` is standard input.
    #[must_use]
    pub fn at(mut self, file: impl AsRef<Path>, line: impl Into<Option<usize>>) -> Refusal {
        let file = one_line(&file.as_ref().display().to_string());
        let line = line.into();
        self.0.place = Some(Place { file, line });
        self
    }

    /// Returns the refusal without its file.
    #[must_use]
    pub fn anywhere(mut self) -> Refusal {
        self.0.place = None;
        self
    }

    /// Returns the refusal with `field` in place of its field.
    #[must_use]
    pub fn of_field(mut self, field: impl Into<String>) -> Refusal {
        self.0.field = one_line(&field.into());
        self
    }

    /// Returns the refusal for a field within `outer`, such as `kernels[1]`.
    #[must_use]
    pub fn within(self, outer: &str) -> Refusal {
        let field = match (outer, self.field()) {
            ("", inner) => inner.to_owned(),
            (outer, "") => outer.to_owned(),
            (outer, inner) => format!("{outer}.{inner}"),
        };
        self.of_field(field)
    }

    /// Returns the refusal with `words` after the expected value.
    #[must_use]
    pub fn and(mut self, words: &str) -> Refusal {
        match &mut self.0.reason {
            Reason::Value { expected: text, .. } | Reason::Told(text) => {
                *text = one_line(&format!("{text}{words}"));
            }
        }
        self
    }

    /// Returns the refusal with a hint: one action that helps.
    #[must_use]
    pub fn hint(mut self, action: impl Into<String>) -> Refusal {
        self.0.hint = Some(one_line(&action.into()));
        self
    }

    /// Returns the refusal of a document that looks like `kind`, such as `a kernel`.
    #[must_use]
    pub(crate) fn looks_like(mut self, kind: Option<&'static str>) -> Refusal {
        self.0.likeness = kind;
        self
    }

    /// Returns the file of the refused input, if any.
    pub fn file(&self) -> Option<&str> {
        Some(self.0.place.as_ref()?.file.as_str())
    }

    /// Returns the line in the file, counted from 1, if known.
    pub fn line(&self) -> Option<usize> {
        self.0.place.as_ref()?.line
    }

    /// Returns the path of the field such as `tasks[0].wcet.amdahl.work`, or the name of a parameter; empty for the whole
    /// input.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// Returns the found value, unless the message of a parser states it.
    pub fn found(&self) -> Option<&str> {
        match &self.0.reason {
            Reason::Value { found, .. } => Some(found),
            Reason::Told(_) => None,
        }
    }

    /// Returns the expected value, unless the message of a parser states it.
    pub fn expected(&self) -> Option<&str> {
        match &self.0.reason {
            Reason::Value { expected, .. } => Some(expected),
            Reason::Told(_) => None,
        }
    }

    /// Returns the found and expected values in one line, without place and field.
    pub fn message(&self) -> String {
        let mut message = match &self.0.reason {
            Reason::Value { found, expected } => format!("found {found}, expected {expected}"),
            Reason::Told(message) => message.clone(),
        };
        if let Some(kind) = self.0.likeness {
            message += &format!("; it looks like {kind}");
        }
        message
    }

    /// Returns the kind of document that the refused document looks like, such as `a kernel`, if another kind was expected.
    pub fn likeness(&self) -> Option<&'static str> {
        self.0.likeness
    }

    /// Returns one action that helps, if known.
    pub fn advice(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
}

impl From<Infallible> for Refusal {
    fn from(never: Infallible) -> Refusal {
        match never {}
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts {
            place, field, hint, ..
        } = &*self.0;
        if let Some(Place { file, line }) = place {
            write!(f, "{file}")?;
            if let Some(line) = line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        if !field.is_empty() {
            f.write_str(if place.is_some() { "at " } else { "" })?;
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.message())?;
        match hint {
            Some(hint) => write!(f, "\n\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_displayed_in_one_form() {
        let refusal = Refusal::new("sms", 0, "1 to 16");
        assert_eq!(refusal.to_string(), "sms: found 0, expected 1 to 16");
        let inner = refusal.clone().within("kernels[2]").at("a.json", None);
        assert_eq!(
            inner.to_string(),
            "a.json: at kernels[2].sms: found 0, expected 1 to 16"
        );
        let whole = refusal.of_field("").within("kernels[2]").hint("take 1");
        assert_eq!(
            whole.to_string(),
            "kernels[2]: found 0, expected 1 to 16\n\nhint: take 1"
        );
    }

    #[test]
    fn values_are_one_short_line() {
        let long = Refusal::new("a\nb", "x\u{1b}\n".repeat(1000), "less");
        let text = long.to_string();
        assert!(text.chars().count() < 200 && text.lines().count() == 1, "{text}");
        assert!(!text.contains(char::is_control), "{text}");
    }
}
