//! Range of the values of a polynomial.

use std::collections::HashMap;

use super::{Atom, Operator, Poly};
use crate::program::expression::{Binary, Function};

/// Range of integers, from the lowest to the highest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Lowest value of the range.
    pub low: i128,
    /// Highest value of the range.
    pub high: i128,
}

/// Known value ranges of names and of buffers.
#[derive(Debug, Clone, Default)]
pub struct Ranges {
    names: HashMap<String, Range>,
    elements: HashMap<String, Range>,
}

/// Largest absolute value of a bound of a range. The constructor clamps larger bounds, so the
/// product of two bounds fits `i128`.
const FAR: i128 = 1 << 63;

impl Range {
    /// Returns the range that contains only `value`.
    pub fn of(value: i64) -> Range {
        Range {
            low: value.into(),
            high: value.into(),
        }
    }

    /// Returns the range from `low` to `high`.
    pub fn new(low: i128, high: i128) -> Range {
        Range {
            low: low.clamp(-FAR, FAR),
            high: high.clamp(-FAR, FAR),
        }
    }

    /// Returns the range of all 64-bit numbers.
    pub fn full() -> Range {
        Range { low: -FAR, high: FAR }
    }

    /// Returns whether every value of the range is a signed number of `bits` bits.
    pub fn fits_signed(self, bits: u8) -> bool {
        let half = 1_i128 << (bits - 1);
        self.low >= -half && self.high < half
    }

    /// Returns whether every value of the range is an unsigned number of `bits` bits. For 64
    /// bits, returns whether every value is from 0 to 2⁶³ − 1.
    pub fn fits_unsigned(self, bits: u8) -> bool {
        self.low >= 0 && self.high < 1_i128 << bits.min(63)
    }

    fn times(self, other: Range) -> Range {
        let corner = |x: i128, y: i128| x.saturating_mul(y);
        let corners = [
            corner(self.low, other.low),
            corner(self.low, other.high),
            corner(self.high, other.low),
            corner(self.high, other.high),
        ];
        let low = corners.iter().copied().min().unwrap_or(-FAR);
        let high = corners.iter().copied().max().unwrap_or(FAR);
        Range::new(low, high)
    }

    fn plus(self, other: Range) -> Range {
        Range::new(
            self.low.saturating_add(other.low),
            self.high.saturating_add(other.high),
        )
    }
}

impl Ranges {
    /// Sets the range of `name`.
    pub fn set(&mut self, name: &str, range: Range) {
        self.names.insert(name.to_owned(), range);
    }

    /// Sets the range of the values of `buffer`.
    pub fn set_elements(&mut self, buffer: &str, range: Range) {
        self.elements.insert(buffer.to_owned(), range);
    }

    /// Returns the range of the values of `poly`. The computation of the range does not wrap.
    pub fn of(&self, poly: &Poly) -> Range {
        let sum = poly.0.iter().fold(Range::of(0), |sum, (product, coefficient)| {
            let start = Range::of(*coefficient);
            sum.plus(
                product
                    .iter()
                    .fold(start, |range, atom| range.times(self.of_atom(atom))),
            )
        });
        // A polynomial whose value may exceed 64 bits wraps, so its range is the full range.
        if sum.fits_signed(64) { sum } else { Range::full() }
    }

    fn of_atom(&self, atom: &Atom) -> Range {
        match atom {
            Atom::Name(name) => self.names.get(&**name).copied().unwrap_or(Range::full()),
            Atom::Operation(operator, operands) => {
                let of = |index: usize| operands.get(index).map_or(Range::full(), |poly| self.of(poly));
                match operator {
                    Operator::Binary(operator) => binary(*operator, of(0), of(1)),
                    Operator::Function(function) => self::function(*function, of(0), of(1)),
                    Operator::Element => match operands.first().and_then(Poly::as_atom) {
                        Some(Atom::Name(buffer)) => self.elements.get(&**buffer).copied(),
                        _ => None,
                    }
                    .unwrap_or(Range::full()),
                    Operator::Choice => Range {
                        low: of(1).low.min(of(2).low),
                        high: of(1).high.max(of(2).high),
                    },
                }
            }
        }
    }
}

fn binary(operator: Binary, x: Range, y: Range) -> Range {
    let bits = |range: Range| {
        let used = 128 - range.high.max(0).leading_zeros();
        Range::new(0, (1_i128 << used.min(64)) - 1)
    };
    match operator {
        _ if operator.compares() => Range::new(0, 1),
        Binary::And | Binary::Or => Range::new(0, 1),
        Binary::BitAnd if x.low >= 0 && y.low >= 0 => Range::new(0, x.high.min(y.high)),
        Binary::BitAnd if y.low >= 0 => Range::new(0, y.high),
        Binary::BitAnd if x.low >= 0 => Range::new(0, x.high),
        Binary::BitOr | Binary::BitXor if x.low >= 0 && y.low >= 0 => bits(Range {
            low: 0,
            high: x.high.max(y.high),
        }),
        Binary::ShiftRight => match (y.low, y.high) {
            (low @ 0..=63, high @ 0..=63) => {
                let shift = |value: i128, near: i128, far: i128| value >> if value >= 0 { far } else { near };
                Range::new(shift(x.low, low, high), shift(x.high, high, low))
            }
            _ => x.plus(Range::new(-1, 0)),
        },
        Binary::ShiftLeft if (0..=63).contains(&y.low) && (0..=63).contains(&y.high) => {
            x.times(Range::new(1 << y.low, 1 << y.high))
        }
        Binary::Divide if y.low > 0 => {
            let corners = [x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high];
            Range::new(
                corners.iter().copied().min().unwrap_or(-FAR),
                corners.iter().copied().max().unwrap_or(FAR),
            )
        }
        Binary::Remainder if y.low > 0 => {
            let most = y.high - 1;
            Range::new(
                if x.low >= 0 { 0 } else { x.low.max(-most) },
                if x.high <= 0 { 0 } else { x.high.min(most) },
            )
        }
        _ => Range::full(),
    }
}

fn function(function: Function, x: Range, y: Range) -> Range {
    match function {
        Function::Min => Range {
            low: x.low.min(y.low),
            high: x.high.min(y.high),
        },
        Function::Max => Range {
            low: x.low.max(y.low),
            high: x.high.max(y.high),
        },
        Function::Abs => Range::new(0, x.low.abs().max(x.high.abs())),
        Function::Signed(bits) => {
            let half = 1_i128 << (bits - 1);
            Range::new(-half, half - 1)
        }
        Function::Unsigned(bits) => Range::new(0, (1_i128 << bits) - 1),
        Function::Hash | Function::Random => Range::new(0, FAR),
    }
}
