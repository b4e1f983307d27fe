//! Refusals: reasons why gpusched does not accept a value. A refusal states the place, the found value, the expected
//! value and a hint.

use std::convert::Infallible;
use std::fmt;
use std::path::Path;

use crate::messages::one_line::{excerpt, one_line};

/// The reason why gpusched refuses a field of an input or a parameter of a function.
///
/// The text is `FILE:LINE: at FIELD: found …, expected …`, or `FIELD: found …, expected …` if
/// there is no file. After a blank line, a hint may follow. Every part of the text is one line
/// without control characters. gpusched shortens long parts.
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
    /// Name and value of the parameter that causes the requirement.
    cause: Option<(String, String)>,
    likeness: Option<&'static str>,
    hint: Option<String>,
}

/// Place of a refused input: the file and the line.
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
    /// Message of a parser. The message states the found and expected values.
    Told(String),
}

impl Refusal {
    /// Creates the refusal of `field`, which contains `found` instead of `expected`. If the whole input is refused,
    /// `field` is empty.
    pub fn new(field: impl Into<String>, found: impl ToString, expected: impl ToString) -> Refusal {
        Refusal::of(
            field.into(),
            Reason::Value {
                found: excerpt(&found.to_string()),
                expected: one_line(&expected.to_string()),
            },
        )
    }

    /// Creates the refusal of `field` with the message of a parser. The message itself states the found and expected
    /// values.
    pub fn told(field: impl Into<String>, message: impl ToString) -> Refusal {
        let message = one_line(&message.to_string());
        Refusal::of(field.into(), Reason::Told(message))
    }

    /// Returns a function that converts any error into a refusal of `field`.
    pub fn about<E: fmt::Display>(field: &str) -> impl Fn(E) -> Refusal {
        move |error| Refusal::told(field, error)
    }

    /// Returns a function that converts any error into a refusal of the file at `path`. `field`
    /// is the input field that contains the path.
    pub fn in_file<E: fmt::Display>(field: &str, path: &str) -> impl Fn(E) -> Refusal {
        move |error| Refusal::told(field, format!("{path}: {error}"))
    }

    fn of(field: String, reason: Reason) -> Refusal {
        Refusal(Box::new(Parts {
            place: None,
            field: one_line(&field),
            reason,
            cause: None,
            likeness: None,
            hint: None,
        }))
    }

    /// Returns a refusal as an error. [`Refusal::new`] describes the arguments.
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

    /// Adds the place of the fault: the name of a file and, if known, the line, counted from 1.
    /// The name `-` means standard input.
    #[must_use]
    pub fn at(mut self, file: impl AsRef<Path>, line: impl Into<Option<usize>>) -> Refusal {
        let file = one_line(&file.as_ref().display().to_string());
        let line = line.into();
        self.0.place = Some(Place { file, line });
        self
    }

    /// Removes the place of the fault from the refusal.
    #[must_use]
    pub fn anywhere(mut self) -> Refusal {
        self.0.place = None;
        self
    }

    /// Replaces the name of the refused field by `field`.
    #[must_use]
    pub fn of_field(mut self, field: impl Into<String>) -> Refusal {
        self.0.field = one_line(&field.into());
        self
    }

    /// Adds `outer`, such as `kernels[1]`, at the start of the path of the refused field.
    #[must_use]
    pub fn within(self, outer: &str) -> Refusal {
        let field = match (outer, self.field()) {
            ("", inner) => inner.to_owned(),
            (outer, "") => outer.to_owned(),
            (outer, inner) => format!("{outer}.{inner}"),
        };
        self.of_field(field)
    }

    /// Appends `words` to the expected value.
    #[must_use]
    pub fn and(mut self, words: &str) -> Refusal {
        match &mut self.0.reason {
            Reason::Value { expected: text, .. } | Reason::Told(text) => {
                *text = one_line(&format!("{text}{words}"));
            }
        }
        self
    }

    /// Adds the parameter that causes the requirement, with its value.
    #[must_use]
    pub fn with(mut self, parameter: &str, value: impl ToString) -> Refusal {
        self.0.cause = Some((parameter.to_owned(), one_line(&value.to_string())));
        self
    }

    /// Whether a parameter causes the requirement, see [`Refusal::with`].
    pub fn has_cause(&self) -> bool {
        self.0.cause.is_some()
    }

    /// Replaces the names of parameters by the results of `called`, unless `called` returns `None`.
    #[must_use]
    pub fn with_parameters_called(mut self, called: impl Fn(&str) -> Option<String>) -> Refusal {
        if let Some((name, _)) = &mut self.0.cause
            && let Some(other) = called(name)
        {
            *name = other;
        }
        match called(self.field()).filter(|_| self.file().is_none()) {
            Some(field) => self.of_field(field),
            None => self,
        }
    }

    /// Adds a hint: one action that solves the problem.
    #[must_use]
    pub fn hint(mut self, action: impl Into<String>) -> Refusal {
        self.0.hint = Some(one_line(&action.into()));
        self
    }

    /// Adds the note that the document looks like a document of another `kind`, such as `a
    /// kernel`.
    #[must_use]
    pub(crate) fn looks_like(mut self, kind: Option<&'static str>) -> Refusal {
        self.0.likeness = kind;
        self
    }

    /// Returns the name of the file with the refused input, or `None` if there is no file.
    pub fn file(&self) -> Option<&str> {
        Some(self.0.place.as_ref()?.file.as_str())
    }

    /// Returns the number of the line in the file, counted from 1, or `None` if it is unknown.
    pub fn line(&self) -> Option<usize> {
        self.0.place.as_ref()?.line
    }

    /// Returns the path of the field, such as `tasks[0].wcet.amdahl.work`, or the name of the parameter. The result is
    /// empty if the whole input is refused.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// Returns the found value. Returns `None` if the message of a parser states the found value.
    pub fn found(&self) -> Option<&str> {
        match &self.0.reason {
            Reason::Value { found, .. } => Some(found),
            Reason::Told(_) => None,
        }
    }

    /// Returns the expected value. Returns `None` if the message of a parser states the expected value.
    pub fn expected(&self) -> Option<&str> {
        match &self.0.reason {
            Reason::Value { expected, .. } => Some(expected),
            Reason::Told(_) => None,
        }
    }

    /// Returns the found and expected values in one line, without the place and the field.
    pub fn message(&self) -> String {
        let mut message = match &self.0.reason {
            Reason::Value { found, expected } => format!("found {found}, expected {expected}"),
            Reason::Told(message) => message.clone(),
        };
        if let Some((name, value)) = &self.0.cause {
            message += &format!(", with {name} {value}");
        }
        if let Some(kind) = self.0.likeness {
            message += &format!("; the document looks like {kind}");
        }
        message
    }

    /// Returns the kind of document that the refused document seems to be, such as `a kernel`. Returns `None` if the
    /// document looks like no other kind of document.
    pub fn likeness(&self) -> Option<&'static str> {
        self.0.likeness
    }

    /// Returns the hint: one action that solves the problem. Returns `None` if there is no hint.
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
