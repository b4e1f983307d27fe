//! Buffer values that a program states. Expressions read these values with `value(buffer, index)`.

use std::sync::Arc;

use super::{LANES, Lanes};
use crate::program::Program;

/// Buffers with stated values.
#[derive(Debug, Clone, Default)]
pub struct Tables(Vec<(Box<str>, Arc<[i64]>)>);

/// Values of one buffer.
#[derive(Debug, Clone)]
pub struct Table {
    /// Index of the buffer in [`Tables`].
    number: usize,
    values: Arc<[i64]>,
}

/// A read of a missing value. The buffer has no value at the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    pub lane: u32,
    /// Index of the buffer in [`Tables`].
    number: usize,
    /// Index of the value in the buffer.
    index: i64,
}

impl Tables {
    /// Returns the buffers of `program` with stated values. The result omits the values in files that gpusched has not
    /// read.
    pub fn of(program: &Program) -> Tables {
        let buffers = program.buffers.iter();
        let known = buffers.filter_map(|(name, buffer)| {
            let values = buffer.contents.as_ref()?.numbers()?;
            Some((name.as_str().into(), Arc::clone(values)))
        });
        Tables(known.collect())
    }

    /// Returns the values of the buffer `name`.
    pub fn table(&self, name: &str) -> Option<Table> {
        let number = self.0.iter().position(|(known, _)| **known == *name)?;
        let (_, values) = self.0.get(number)?;
        Some(Table {
            number,
            values: Arc::clone(values),
        })
    }

    /// Describes `missing` for the user.
    pub fn describe(&self, missing: &Missing) -> String {
        let Missing { number, index, .. } = *missing;
        let (name, count) = match self.0.get(number) {
            Some((name, values)) => (&**name, values.len()),
            None => ("", 0),
        };
        format!(
            "found index {index} of the buffer `{name}`, expected an index below {count}, the number of its values"
        )
    }
}

impl Table {
    /// Returns the values at the indices in `index`. A missing value counts as 0, and the function adds its lane to
    /// `missing`.
    pub fn look_up(&self, index: &Lanes, missing: &mut Vec<Missing>) -> Lanes {
        let value = |index: i64| self.values.get(usize::try_from(index).ok()?).copied();
        if let Lanes::Affine(index, 0) = *index {
            if value(index).is_none() {
                let lanes = 0..LANES as u32;
                missing.extend(lanes.map(|lane| self.missing(lane, index)));
            }
            return Lanes::Affine(value(index).unwrap_or(0), 0);
        }
        let indices = index.each();
        Lanes::Each(std::array::from_fn(|lane| {
            value(indices[lane]).unwrap_or_else(|| {
                missing.push(self.missing(lane as u32, indices[lane]));
                0
            })
        }))
    }

    fn missing(&self, lane: u32, index: i64) -> Missing {
        Missing {
            lane,
            number: self.number,
            index,
        }
    }
}
