//! Values of JSON that can have another type in a damaged record. One such value must not make a long file useless.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// An object with the fields of `T`, or `None` for a value of another type.
pub struct Object<T>(pub Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Object<T> {
        Object(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<T>, D::Error> {
        let found = deserializer.deserialize_any(Either(PhantomData))?;
        Ok(Object(match found {
            Found::Object(object) => Some(object),
            _ => None,
        }))
    }
}

/// A text, or `None` for a value of another type.
#[derive(Default)]
pub struct Text<'a>(pub Option<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<'a>, D::Error> {
        let found = deserializer.deserialize_any(Either::<IgnoredAny>(PhantomData))?;
        Ok(Text(match found {
            Found::Text(text) => Some(text),
            _ => None,
        }))
    }
}

enum Found<'a, T> {
    Object(T),
    Text(Cow<'a, str>),
    Other,
}

struct Either<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
    type Value = Found<'de, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Found<'de, T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Found::Object)
    }

    fn visit_str<E>(self, value: &str) -> Result<Found<'de, T>, E> {
        Ok(Found::Text(value.to_owned().into()))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Found<'de, T>, E> {
        Ok(Found::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Found<'de, T>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Found::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Found<'de, T>, E> {
        Ok(Found::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Found<'de, T>, E> {
        Ok(Found::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Found<'de, T>, E> {
        Ok(Found::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Found<'de, T>, E> {
        Ok(Found::Other)
    }

    fn visit_unit<E>(self) -> Result<Found<'de, T>, E> {
        Ok(Found::Other)
    }
}
