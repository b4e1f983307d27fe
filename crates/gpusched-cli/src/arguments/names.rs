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
    PossibleValuesParser::new(possible(values))
        .try_map(move |name| find(values, &name).ok_or("no value has this name"))
}

/// A value of one of two types.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Either<A, B> {
    /// A value of the first type.
    First(A),
    /// A value of the second type.
    Second(B),
}

/// Returns a parser that accepts the name of each value of `A` and of `B`. The types have no common name.
pub fn either<A, B>() -> impl TypedValueParser<Value = Either<A, B>>
where
    A: VariantArray + EnumMessage + Copy + Send + Sync,
    B: VariantArray + EnumMessage + Copy + Send + Sync,
{
    PossibleValuesParser::new(possible(A::VARIANTS).chain(possible(B::VARIANTS))).try_map(|name| {
        let first = find(A::VARIANTS, &name).map(Either::First);
        let value = first.or_else(|| find(B::VARIANTS, &name).map(Either::Second));
        value.ok_or("no value has this name")
    })
}

/// Returns the names of `values` with their help.
fn possible<T: EnumMessage>(values: &'static [T]) -> impl Iterator<Item = PossibleValue> {
    values.iter().flat_map(|value| {
        let help = help(value.get_documentation().unwrap_or_default());
        // The names after the first name are former names of the value. Former names stay valid.
        let (name, former) = value.get_serializations().split_first()?;
        Some(PossibleValue::new(*name).aliases(former).help(help))
    })
}

/// Returns the value of `values` called `name`.
fn find<T: EnumMessage + Copy>(values: &'static [T], name: &str) -> Option<T> {
    let value = { values.iter() }.find(|value| value.get_serializations().contains(&name));
    value.copied()
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
