//! Values of the options of a figure. Each value has a form for files and a form for the command line.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

/// Smallest and largest width or height of a figure [pixels].
const PIXELS: (u32, u32) = (150, 10_000);

/// Largest absolute value that an axis can show.
pub(super) const MAX_VALUE: f64 = 1e15;

/// One text, or a list of texts. On the command line, a comma separates the texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names(pub Vec<String>);

impl Names {
    /// Creates the list that contains only `name`.
    pub fn one(name: impl Into<String>) -> Names {
        Names(vec![name.into()])
    }
}

impl FromStr for Names {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Names, Self::Err> {
        let names = text.split(',').filter(|name| !name.is_empty());
        Ok(Names(names.map(str::to_owned).collect()))
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Names, D::Error> {
        struct NamesVisitor;
        impl<'de> Visitor<'de> for NamesVisitor {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Names, E> {
                Ok(Names::one(text))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = items.next_element()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_any(NamesVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Names {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Names".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A text or a list of texts.",
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }]
        })
    }
}

/// Selects the rows that have a certain value in a column. Users write `column=value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Name of the column.
    pub column: String,
    /// Text of the cell.
    pub value: String,
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Selection, String> {
        match text.split_once('=') {
            Some((column, value)) if !column.is_empty() => Ok(Selection {
                column: column.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err(format!(
                "found {:?}, expected COLUMN=VALUE, such as variant=literal",
                short(text)
            )),
        }
    }
}

/// Returns whether the text `cell` equals `value`, or both are equal numbers, such as 2 and 2.0.
pub(crate) fn accepts(value: &str, cell: &str) -> bool {
    let number = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite());
    cell == value || number(cell).is_some_and(|cell| Some(cell) == number(value))
}

/// A value at which a figure has a line across each panel.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Value of the column `y`, in the unit of the column.
    pub value: f64,
    /// Text at the line. Default: no text.
    #[serde(default)]
    pub label: String,
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Reference, String> {
        let (value, label) = text.split_once('=').unwrap_or((text, ""));
        let expected = || {
            format!(
                "found {:?}, expected VALUE or VALUE=LABEL, such as 1=isolated",
                short(text)
            )
        };
        Ok(Reference {
            value: number(value).ok_or_else(expected)?,
            label: label.to_owned(),
        })
    }
}

/// The two ends of an axis; low < high. Users write `LOW..HIGH`, and files contain `[low, high]`.
#[derive(Copy, Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "[f64; 2]")]
pub struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl TryFrom<[f64; 2]> for Span {
    type Error = String;

    fn try_from([low, high]: [f64; 2]) -> Result<Span, String> {
        let fits = |end: f64| end.abs() <= MAX_VALUE;
        if fits(low) && fits(high) && high - low > 1e-12 * low.abs().max(high.abs()) {
            return Ok(Span { low, high });
        }
        Err(format!(
            "found the range from {low} to {high}, expected numbers within ±1e15 in ascending order"
        ))
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        let ends = text.split_once("..");
        let ends = ends.and_then(|(low, high)| Some([number(low)?, number(high)?]));
        let expected = || format!("found {:?}, expected LOW..HIGH, such as 0..1", short(text));
        Span::try_from(ends.ok_or_else(expected)?)
    }
}

/// Width and height of a figure in pixels, from 150 to 10000. Users write `WIDTHxHEIGHT`, and files contain
/// `[width, height]`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "[u32; 2]")]
pub struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
}

impl TryFrom<[u32; 2]> for Size {
    type Error = String;

    fn try_from([width, height]: [u32; 2]) -> Result<Size, String> {
        let (least, most) = PIXELS;
        if [width, height].iter().all(|side| (least..=most).contains(side)) {
            return Ok(Size { width, height });
        }
        Err(format!(
            "found {width}x{height}, expected a width and a height from {least} to {most} pixels"
        ))
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let sides = text.split_once('x');
        let sides = sides.and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
        let expected = || format!("found {:?}, expected WIDTHxHEIGHT, such as 800x300", short(text));
        Size::try_from(sides.ok_or_else(expected)?)
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
