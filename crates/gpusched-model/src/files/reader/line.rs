//! Line numbers of fields in a JSON text. gpusched states these numbers in messages about faults that it finds after it
//! has parsed the text.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Fields<'t>(#[serde(borrow)] BTreeMap<Key<'t>, &'t RawValue>);

#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'t>(#[serde(borrow)] Cow<'t, str>);

/// Returns the line of `text` where the value of `field` starts, counted from 1. `field` is a
/// path such as `body[3].address`. If the path does not exist, the function returns the line of
/// the longest existing part of the path.
pub fn line_of(text: &str, field: &str) -> usize {
    let mut value = text;
    for part in field.split(['.', '[']).filter(|part| !part.is_empty()) {
        let inner = match part.strip_suffix(']').map(str::parse::<usize>) {
            Some(Ok(index)) => {
                let elements: Option<Vec<&RawValue>> = serde_json::from_str(value).ok();
                elements.and_then(|elements| elements.get(index).map(|element| element.get()))
            }
            _ => {
                let fields: Option<Fields<'_>> = serde_json::from_str(value).ok();
                fields.and_then(|fields| fields.0.get(&Key(part.into())).map(|field| field.get()))
            }
        };
        match inner {
            Some(inner) => value = inner,
            None => break,
        }
    }
    // Raw values are slices of the text, so the address of a raw value determines its position.
    let offset = (value.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.as_bytes().iter().take(offset);
    let blank = value.len() - value.trim_start().len();
    let skipped = value.bytes().take(blank).filter(|&byte| byte == b'\n').count();
    1 + skipped + before.filter(|&&byte| byte == b'\n').count()
}
