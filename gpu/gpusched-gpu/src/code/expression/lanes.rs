//! One value per lane of a warp, and arithmetic on these values.

use crate::program::expression::{Binary, Function, Unary};

/// Number of lanes of a warp.
pub const LANES: usize = 32;

/// One value per lane. Objects of different variants are unequal, even if all lanes have equal
/// values.
#[derive(Debug, Clone, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "each operand has only one value at a time, on a reused stack"
)]
pub enum Lanes {
    /// Affine values, stored as (base, stride). Lane l has the value base + stride · l.
    Affine(i64, i64),
    /// Each lane has a separate value.
    Each([i64; LANES]),
}

impl Lanes {
    /// Returns the values of all lanes.
    pub fn each(&self) -> [i64; LANES] {
        match self {
            Lanes::Each(values) => *values,
            Lanes::Affine(base, stride) => {
                let mut value = *base;
                std::array::from_fn(|_| {
                    let this = value;
                    value = value.wrapping_add(*stride);
                    this
                })
            }
        }
    }

    /// Writes the values of all lanes to `values`, as addresses.
    pub fn put(&self, values: &mut [u64; LANES]) {
        match self {
            Lanes::Each(each) => *values = each.map(i64::cast_unsigned),
            Lanes::Affine(base, stride) => {
                let mut value = *base;
                for place in values {
                    *place = value.cast_unsigned();
                    value = value.wrapping_add(*stride);
                }
            }
        }
    }

    /// Returns the difference between the values of neighboring lanes. Returns `None` if the
    /// difference may vary between lanes.
    pub fn stride(&self) -> Option<i64> {
        match self {
            Lanes::Affine(_, stride) => Some(*stride),
            Lanes::Each(_) => None,
        }
    }

    /// Returns the lanes whose value is not 0, one bit per lane.
    pub fn mask(&self) -> u32 {
        match self {
            Lanes::Affine(0, 0) => 0,
            Lanes::Affine(_, 0) => u32::MAX,
            _ => self
                .each()
                .iter()
                .enumerate()
                .fold(0, |mask, (lane, value)| mask | u32::from(*value != 0) << lane),
        }
    }

    /// Applies a unary operator in each lane.
    pub fn unary(self, operator: Unary) -> Lanes {
        if let Lanes::Affine(base, stride) = self
            && let Some((base, stride)) = self::unary(operator, (base, stride))
        {
            return Lanes::Affine(base, stride);
        }
        Lanes::Each(self.each().map(|value| operator.apply(value)))
    }

    /// Applies a binary operator in each lane; `right` is the right operand.
    pub fn binary(self, operator: Binary, right: Lanes) -> Lanes {
        if let (Lanes::Affine(x, dx), Lanes::Affine(y, dy)) = (&self, &right)
            && let Some((base, stride)) = self::binary(operator, (*x, *dx), (*y, *dy))
        {
            return Lanes::Affine(base, stride);
        }
        let (x, y) = (self.each(), right.each());
        // The macro selects the operator once, outside the loop over the lanes.
        macro_rules! lanes {
            ($($op:ident),*) => {
                match operator {
                    $(Binary::$op => std::array::from_fn(|lane| Binary::$op.apply(x[lane], y[lane])),)*
                }
            };
        }
        Lanes::Each(lanes!(
            Or, And, Equal, Unequal, Less, AtMost, Greater, AtLeast, BitOr, BitXor, BitAnd, ShiftLeft,
            ShiftRight, Add, Subtract, Multiply, Divide, Remainder
        ))
    }

    /// Returns `then` in lanes where this value is not 0, and `otherwise` in all other lanes.
    pub fn choice(self, then: Lanes, otherwise: Lanes) -> Lanes {
        match self.mask() {
            0 => otherwise,
            u32::MAX => then,
            mask => {
                let (then, otherwise) = (then.each(), otherwise.each());
                Lanes::Each(std::array::from_fn(|lane| {
                    if mask >> lane & 1 == 1 {
                        then[lane]
                    } else {
                        otherwise[lane]
                    }
                }))
            }
        }
    }
}

/// Applies a unary operator to affine values. Returns (base, stride) of the results, or `None` if
/// no affine form is known.
pub fn unary(operator: Unary, (base, stride): (i64, i64)) -> Option<(i64, i64)> {
    match operator {
        _ if stride == 0 => Some((operator.apply(base), 0)),
        Unary::Minus => Some((base.wrapping_neg(), stride.wrapping_neg())),
        _ => None,
    }
}

/// Applies a binary operator to affine values. Returns (base, stride) of the results, or `None`
/// if no affine form is known.
pub fn binary(operator: Binary, (x, dx): (i64, i64), (y, dy): (i64, i64)) -> Option<(i64, i64)> {
    match operator {
        _ if dx == 0 && dy == 0 => Some((operator.apply(x, y), 0)),
        Binary::Add => Some((x.wrapping_add(y), dx.wrapping_add(dy))),
        Binary::Subtract => Some((x.wrapping_sub(y), dx.wrapping_sub(dy))),
        Binary::Multiply if dy == 0 => Some((x.wrapping_mul(y), dx.wrapping_mul(y))),
        Binary::Multiply if dx == 0 => Some((x.wrapping_mul(y), x.wrapping_mul(dy))),
        Binary::ShiftLeft if dy == 0 => Some((operator.apply(x, y), operator.apply(dx, y))),
        // One operand is constant, and the other operand is monotonic over the lanes. If the
        // first and the last lane have equal results, all lanes have this result.
        Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast if dx == 0 || dy == 0 => {
            let first = operator.apply(x, y);
            (first == operator.apply(last((x, dx))?, last((y, dy))?)).then_some((first, 0))
        }
        _ => None,
    }
}

/// Applies a function to affine values. Returns (base, stride) of the results, or `None` if no
/// affine form is known.
pub fn call(function: Function, arguments: &[(i64, i64)]) -> Option<(i64, i64)> {
    match *arguments {
        [(x, 0)] => Some((function.apply(&[x]), 0)),
        [(x, 0), (y, 0)] => Some((function.apply(&[x, y]), 0)),
        // A function that keeps both end values of an interval unchanged also keeps all values in
        // between.
        [(base, stride)] if function != Function::Hash => {
            let keeps = |end: i64| function.apply(&[end]) == end;
            (keeps(base) && keeps(last((base, stride))?)).then_some((base, stride))
        }
        _ => None,
    }
}

/// Returns the value in the last lane; `None` if the computation overflows.
fn last((base, stride): (i64, i64)) -> Option<i64> {
    base.checked_add(stride.checked_mul(LANES as i64 - 1)?)
}

/// Applies a function to its arguments, lane by lane.
pub fn call_each(function: Function, arguments: &[Lanes]) -> Lanes {
    Lanes::Each(match arguments {
        [x] => x.each().map(|x| function.apply(&[x])),
        [x, y] => {
            let (x, y) = (x.each(), y.each());
            std::array::from_fn(|lane| function.apply(&[x[lane], y[lane]]))
        }
        _ => {
            let arguments: Vec<[i64; LANES]> = arguments.iter().map(Lanes::each).collect();
            let mut values = Vec::with_capacity(arguments.len());
            std::array::from_fn(|lane| {
                values.clear();
                values.extend(arguments.iter().map(|argument| argument[lane]));
                function.apply(&values)
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns numbers near 0 and near the limits of integers with common bit widths.
    fn numbers() -> impl Iterator<Item = i64> {
        let near = |end: i64| (-40..40).map(move |more| end.wrapping_add(more));
        [0, 1 << 7, 1 << 8, -(1 << 15), 1 << 31, 1 << 32, i64::MAX]
            .into_iter()
            .flat_map(near)
    }

    #[test]
    fn what_stays_affine_is_so_in_each_lane() {
        let strides = [-3, -1, 0, 1, 2, 31, 1 << 40, i64::MAX];
        let (mut kept, mut other) = (0, 0);
        let mut check = |found: Option<(i64, i64)>, each: Lanes| match found {
            Some((base, stride)) => {
                assert_eq!(Lanes::Affine(base, stride).each(), each.each());
                kept += 1;
            }
            None => other += 1,
        };
        for base in numbers() {
            for stride in strides {
                let lanes = Lanes::Affine(base, stride);
                for (_, function) in Function::ALL {
                    check(
                        call(function, &[(base, stride)]),
                        call_each(function, std::slice::from_ref(&lanes)),
                    );
                }
                for operator in [Binary::Less, Binary::AtMost, Binary::Greater, Binary::AtLeast] {
                    for number in [-1, 0, 20, 253, 1 << 31, i64::MAX] {
                        let (x, y) = (Lanes::Each(lanes.each()), Lanes::Each([number; LANES]));
                        let (left, right) = ((base, stride), (number, 0));
                        check(
                            binary(operator, left, right),
                            x.clone().binary(operator, y.clone()),
                        );
                        check(binary(operator, right, left), y.binary(operator, x));
                    }
                }
            }
        }
        assert!(kept > 10_000 && other > 10_000, "{kept} {other}");
    }
}
