//! Parsers of option values that have names. The help has one line for each value.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use strum::{EnumMessage, VariantArray};

use gpusched_model::Policy;

/// Returns a parser that accepts the name of each value of `T`.
pub fn named<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantArray + EnumMessage + Copy + Send + Sync,
{
    one_of(T::VARIANTS)
}

/// Returns a parser that accepts the names of `values`. The help of a value is the first paragraph of its doc comment.
pub fn one_of<T>(values: &'static [T]) -> impl TypedValueParser<Value = T>
where
    T: EnumMessage + Copy + Send + Sync,
{
    let possible = values.iter().flat_map(|value| {
        let help = help(value.get_documentation().unwrap_or_default());
        // The names after the first name are former names of the value. Former names stay valid.
        let (name, former) = value.get_serializations().split_first()?;
        Some(PossibleValue::new(*name).aliases(former).help(help))
    });
    PossibleValuesParser::new(possible).try_map(move |name| {
        let value = { values.iter() }.find(|value| value.get_serializations().contains(&name.as_str()));
        value.copied().ok_or("no value has this name")
    })
}

/// Returns a parser that accepts the name of a policy.
pub fn policy() -> impl TypedValueParser<Value = Policy> {
    let possible = Policy::all().map(|policy| PossibleValue::new(policy.name()).help(policy.description()));
    PossibleValuesParser::new(possible).try_map(|name| name.parse::<Policy>())
}

/// Returns the first paragraph of a doc comment as one line, without the final period.
fn help(documentation: &str) -> String {
    let paragraph = documentation.split("\n\n").next().unwrap_or_default();
    let line = paragraph.trim_end().replace('\n', " ");
    line.strip_suffix('.').unwrap_or(&line).to_owned()
}
