//! Values of a document as a tree. If a type cannot be read from the tree, the error states the path of the wrong
//! field.
//!
//! The compiler translates every file format once, for this tree. If the parser of each syntax (JSON, TOML) tracked
//! paths, the compiler would translate every format once per syntax. This translation takes most of the build time of
//! the crate.

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    self, Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, Visitor,
};

use crate::error::{Refusal, in_words};

/// A value of a JSON or TOML document, with all values inside it.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer from 0 to 2⁶⁴ − 1.
    Unsigned(u64),
    /// A negative integer.
    Signed(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(Cow<'t, str>),
    /// A list.
    List(Vec<Tree<'t>>),
    /// An object. The fields have the order of the document. A name may occur twice.
    Object(Vec<(Cow<'t, str>, Tree<'t>)>),
}

impl Tree<'_> {
    /// Reads the tree as a value of type `T`.
    ///
    /// # Errors
    /// Fails at the first value that `T` does not accept. The refusal states the path of the field, such as
    /// `tasks[1].period`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        T::deserialize(Value(self)).map_err(|fault| Refusal::told(fault.path, in_words(&fault.message)))
    }
}

impl<'de> Deserialize<'de> for Tree<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tree<'de>, D::Error> {
        struct Builder;

        impl<'de> Visitor<'de> for Builder {
            type Value = Tree<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
                Ok(Tree::Null)
            }

            fn visit_bool<E>(self, value: bool) -> Result<Tree<'de>, E> {
                Ok(Tree::Bool(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Tree<'de>, E> {
                Ok(Tree::Unsigned(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Tree<'de>, E> {
                Ok(u64::try_from(value).map_or(Tree::Signed(value), Tree::Unsigned))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Tree<'de>, E> {
                Ok(Tree::Float(value))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Tree<'de>, E> {
                Ok(Tree::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Tree<'de>, E> {
                Ok(Tree::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Tree<'de>, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Tree::List(list))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Tree<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    fields.push((name, map.next_value()?));
                }
                Ok(Tree::Object(fields))
            }
        }

        deserializer.deserialize_any(Builder)
    }
}

/// Name of a field.
#[derive(serde::Deserialize)]
struct Name<'t>(#[serde(borrow)] Cow<'t, str>);

/// A fault, and the path of the wrong field, relative to the value that a type reads.
#[derive(Debug)]
struct Misfit {
    path: String,
    message: String,
}

impl Misfit {
    /// Adds `step` at the start of the path. `step` is the name of a field, or an index in brackets.
    fn within(mut self, step: impl Display) -> Misfit {
        let dot = match self.path.is_empty() || self.path.starts_with('[') {
            true => "",
            false => ".",
        };
        self.path = format!("{step}{dot}{}", self.path);
        self
    }
}

impl Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: Display>(message: T) -> Misfit {
        Misfit {
            path: String::new(),
            message: message.to_string(),
        }
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Misfit {
        Misfit::custom(format_args!(
            "invalid type: {}, expected {expected}",
            shown(found)
        ))
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Misfit {
        Misfit::custom(format_args!(
            "invalid value: {}, expected {expected}",
            shown(found)
        ))
    }
}

/// Returns `found` in the notation of the file. `serde` itself writes `unit value` for null and 300 digits for 1e300.
fn shown(found: de::Unexpected<'_>) -> String {
    match found {
        de::Unexpected::Unit => "null".to_owned(),
        de::Unexpected::Float(value) => format!("floating point `{value:?}`"),
        found => found.to_string(),
    }
}

/// A value of the tree, as the source of a value of another type.
#[derive(Copy, Clone)]
struct Value<'a, 't>(&'a Tree<'t>);

impl Value<'_, '_> {
    /// Returns the error which states that `expected` does not accept a value of this type.
    fn refused_by(self, expected: &dyn de::Expected) -> Misfit {
        let found = match self.0 {
            Tree::Null => de::Unexpected::Unit,
            Tree::Bool(value) => de::Unexpected::Bool(*value),
            Tree::Unsigned(value) => de::Unexpected::Unsigned(*value),
            Tree::Signed(value) => de::Unexpected::Signed(*value),
            Tree::Float(value) => de::Unexpected::Float(*value),
            Tree::Text(text) => de::Unexpected::Str(text),
            Tree::List(_) => de::Unexpected::Seq,
            Tree::Object(_) => de::Unexpected::Map,
        };
        de::Error::invalid_type(found, expected)
    }
}

/// Implements each `$method` of a deserializer by a call of its method `$target`.
macro_rules! forward {
    ($($method:ident)* => $target:ident) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
            self.$target(visitor)
        })*
    };
}

// Each method visits only the values that its type can accept. With `deserialize_any`, the compiler would translate
// every type for all kinds of values. Without `inline(never)`, the code of a format would contain the code of all its
// parts, and the crate would take almost twice as long to compile.
impl<'de> Deserializer<'de> for Value<'_, '_> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Unsigned(_) | Tree::Signed(_) | Tree::Float(_) => self.deserialize_f64(visitor),
            Tree::Text(text) => visitor.visit_str(text),
            Tree::List(_) => self.deserialize_seq(visitor),
            Tree::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Tree::Unsigned(value) => visitor.visit_u64(*value),
            Tree::Signed(value) => visitor.visit_i64(*value),
            Tree::Float(value) => visitor.visit_f64(*value),
            _ => Err(self.refused_by(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Tree::Text(text) => visitor.visit_str(text),
            _ => Err(self.refused_by(&visitor)),
        }
    }

    #[inline(never)]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let Tree::List(list) = self.0 else {
            return Err(self.refused_by(&visitor));
        };
        let mut items = Items { list, next: 0 };
        let value = visitor.visit_seq(&mut items)?;
        match items.next == list.len() {
            true => Ok(value),
            false => Err(de::Error::invalid_length(
                list.len(),
                &format!("{} values", items.next).as_str(),
            )),
        }
    }

    #[inline(never)]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        let Tree::Object(object) = self.0 else {
            return Err(self.refused_by(&visitor));
        };
        let mut fields = Fields {
            fields: object,
            value: None,
        };
        let value = visitor.visit_map(&mut fields)?;
        match fields.fields.first() {
            None => Ok(value),
            // A field can be unread only if the type expects exactly one field.
            Some((name, _)) => Err(de::Error::custom(format_args!(
                "found a second field {name:?}, expected an object with one field"
            ))),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &str,
        _: &[&str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Tree::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &str, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &str, _: &[&str], visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Tree::Text(name) => visitor.visit_enum(name.as_ref().into_deserializer()),
            Tree::Object(fields) if fields.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(Fields { fields, value: None }))
            }
            _ => Err(de::Error::custom(
                "found a value of another type, expected a name in quotes, or an object with one field",
            )),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Misfit> {
        self.deserialize_seq(visitor)
    }

    forward! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        => deserialize_f64
    }
    forward! { deserialize_string deserialize_identifier deserialize_char => deserialize_str }

    serde::forward_to_deserialize_any! {
        bool bytes byte_buf unit unit_struct tuple_struct ignored_any
    }
}

/// The items of a list that a type has not read yet.
struct Items<'a, 't> {
    list: &'a [Tree<'t>],
    /// Position of the next item.
    next: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'_, '_> {
    type Error = Misfit;

    #[inline(never)]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        let Some(item) = self.list.get(self.next) else {
            return Ok(None);
        };
        let index = self.next;
        self.next += 1;
        let value = seed.deserialize(Value(item));
        value
            .map(Some)
            .map_err(|fault| fault.within(format_args!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.list.len() - self.next)
    }
}

/// The fields of an object that a type has not read yet.
struct Fields<'a, 't> {
    fields: &'a [(Cow<'t, str>, Tree<'t>)],
    /// The field whose name has been read, but not yet its value.
    value: Option<&'a (Cow<'t, str>, Tree<'t>)>,
}

impl<'de> de::MapAccess<'de> for Fields<'_, '_> {
    type Error = Misfit;

    #[inline(never)]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Misfit> {
        let Some((field, rest)) = self.fields.split_first() else {
            return Ok(None);
        };
        (self.fields, self.value) = (rest, Some(field));
        let name = &field.0;
        let key = seed.deserialize(name.as_ref().into_deserializer());
        key.map(Some).map_err(|fault: Misfit| fault.within(name))
    }

    #[inline(never)]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Misfit> {
        let Some((name, value)) = self.value.take() else {
            return Err(de::Error::custom("a value was read before its name"));
        };
        seed.deserialize(Value(value)).map_err(|fault| fault.within(name))
    }
}
