//! Parsers of named values; each value has one line of help.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use strum::{EnumMessage, VariantArray};

use crate::model::Policy;

/// Parser of all values of `T` by name.
pub fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + EnumMessage + Copy + Send + Sync,
{
    one_of(T::VARIANTS)
}

/// Parser of `values` by name. The help of a value is the first paragraph of its doc comment.
pub fn one_of<T>(values: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: EnumMessage + Copy + Send + Sync,
{
    let possible = values.iter().flat_map(|value| {
        let help = help(value.get_documentation().unwrap_or_default());
        // Further names are former names.
        let (name, former) = value.get_serializations().split_first()?;
        Some(PossibleValue::new(*name).aliases(former).help(help))
    });
    PossibleValuesParser::new(possible).try_map(move |name| {
        let value = { values.iter() }.find(|value| value.get_serializations().contains(&name.as_str()));
        value.copied().ok_or("a value without this name")
    })
}

/// Parser of a policy by its name.
pub fn policy() -> impl TypedValueParser<Value = Policy> {
    let possible = Policy::all().map(|policy| PossibleValue::new(policy.name()).help(policy.description()));
    PossibleValuesParser::new(possible).try_map(|name| name.parse::<Policy>())
}

/// First paragraph of a doc comment as one line without its period.
fn help(documentation: &str) -> String {
    let paragraph = documentation.split("\n\n").next().unwrap_or_default();
    let line = paragraph.trim_end().replace('\n', " ");
    line.strip_suffix('.').unwrap_or(&line).to_owned()
}
