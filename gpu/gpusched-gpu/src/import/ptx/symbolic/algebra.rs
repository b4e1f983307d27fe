//! Operations on polynomials. Simplifications never change the value of a polynomial.

use super::{Atom, Operator, Poly, Ranges};
use crate::program::expression::{Binary, Function};

impl Ranges {
    /// Returns the lowest `bits` bits of `poly` as a signed number. `bits` is 8, 16, 32 or 64.
    pub fn signed(&self, poly: &Poly, bits: u8) -> Poly {
        if bits >= 64 || self.of(poly).fits_signed(bits) {
            return poly.clone();
        }
        self.function(Function::Signed(bits), poly)
    }

    /// Returns the lowest `bits` bits of `poly` as an unsigned number. `bits` is 8, 16, 32 or 64.
    /// For 64 bits, returns `None` if the value may be 2⁶³ or larger.
    pub fn unsigned(&self, poly: &Poly, bits: u8) -> Option<Poly> {
        if self.of(poly).fits_unsigned(bits) {
            return Some(poly.clone());
        }
        (bits < 64).then(|| self.function(Function::Unsigned(bits), poly))
    }

    fn function(&self, function: Function, poly: &Poly) -> Poly {
        match poly.as_constant() {
            Some(value) => Poly::constant(function.apply(&[value])),
            None => Poly::operation(Operator::Function(function), vec![poly.clone()]),
        }
    }

    /// Returns the minimum or the maximum of `x` and `y`, depending on `function`.
    pub fn extreme(&self, function: Function, x: &Poly, y: &Poly) -> Poly {
        match (x.as_constant(), y.as_constant()) {
            (Some(x), Some(y)) => Poly::constant(function.apply(&[x, y])),
            _ if x == y => x.clone(),
            _ => Poly::operation(Operator::Function(function), vec![x.clone(), y.clone()]),
        }
    }

    /// Applies a binary operator to `x` and `y`.
    pub fn binary(&self, operator: Binary, x: &Poly, y: &Poly) -> Poly {
        if let (Some(x), Some(y)) = (x.as_constant(), y.as_constant()) {
            return Poly::constant(operator.apply(x, y));
        }
        let simple = match operator {
            Binary::Add => Some(x.plus(y)),
            Binary::Subtract => Some(x.minus(y)),
            Binary::Multiply => Some(x.times(y)),
            Binary::ShiftLeft => match y.as_constant() {
                Some(count @ 0..=63) => Some(x.scaled(1_i64 << count)),
                Some(_) => Some(Poly::constant(0)),
                None => None,
            },
            Binary::ShiftRight => self.shifted_right(x, y),
            Binary::Divide => y.as_constant().and_then(|divisor| self.divided(x, divisor)),
            Binary::BitAnd => match (x.as_constant(), y.as_constant()) {
                (Some(_), None) => Some(self.binary(operator, y, x)),
                (_, Some(0)) => Some(Poly::constant(0)),
                (_, Some(-1)) => Some(x.clone()),
                (_, Some(mask)) if mask > 0 && mask & mask.wrapping_add(1) == 0 => {
                    let range = self.of(x);
                    (range.low >= 0 && range.high <= mask.into()).then(|| x.clone())
                }
                _ => None,
            },
            Binary::BitOr | Binary::BitXor if y.as_constant() == Some(0) => Some(x.clone()),
            Binary::BitOr | Binary::BitXor if x.as_constant() == Some(0) => Some(y.clone()),
            Binary::And => match (x.as_constant(), y.as_constant()) {
                (Some(0), _) | (_, Some(0)) => Some(Poly::constant(0)),
                (Some(_), _) => Some(y.clone()),
                (_, Some(_)) => Some(x.clone()),
                _ => (x == y).then(|| x.clone()),
            },
            Binary::Or => match (x.as_constant(), y.as_constant()) {
                (Some(0), _) => Some(y.clone()),
                (_, Some(0)) => Some(x.clone()),
                (Some(_), _) | (_, Some(_)) => Some(Poly::constant(1)),
                _ => (x == y).then(|| x.clone()),
            },
            _ if operator.compares() => match x.minus(y).as_constant() {
                Some(0) => Some(Poly::constant(operator.apply(0, 0))),
                _ => None,
            },
            _ => None,
        };
        simple.unwrap_or_else(|| Poly::operation(Operator::Binary(operator), vec![x.clone(), y.clone()]))
    }

    fn shifted_right(&self, x: &Poly, y: &Poly) -> Option<Poly> {
        let count = y.as_constant()?;
        match count {
            0 => Some(x.clone()),
            1..=62 => x.divided(1 << count).filter(|_| self.of(x).fits_signed(63)),
            _ => None,
        }
    }

    /// Returns `x / divisor` if the division is exact and no value wraps.
    fn divided(&self, x: &Poly, divisor: i64) -> Option<Poly> {
        (divisor != 0)
            .then(|| x.divided(divisor))?
            .filter(|_| self.of(x).fits_signed(63))
    }

    /// Returns 1 if `condition` is 0, and 0 otherwise.
    pub fn not(&self, condition: &Poly) -> Poly {
        if let Some(Atom::Operation(Operator::Binary(operator), operands)) = condition.as_atom()
            && let [x, y] = &**operands
        {
            match operator {
                Binary::And => return self.binary(Binary::Or, &self.not(x), &self.not(y)),
                Binary::Or => return self.binary(Binary::And, &self.not(x), &self.not(y)),
                _ => {}
            }
            if let Some(opposite) = opposite(*operator) {
                return self.binary(opposite, x, y);
            }
        }
        Poly::constant(1).minus(condition)
    }

    /// Returns a polynomial that equals `then` if `condition` is not 0, and `otherwise` if it is
    /// 0.
    pub fn choice(&self, condition: &Poly, then: &Poly, otherwise: &Poly) -> Poly {
        if let Some(value) = condition.as_constant() {
            return if value != 0 {
                then.clone()
            } else {
                otherwise.clone()
            };
        }
        // Terms that both values contain stay outside the choice.
        let difference = then.minus(otherwise);
        let (common, then, otherwise) = if difference.size() < then.size() {
            (otherwise.clone(), difference, Poly::constant(0))
        } else {
            (Poly::constant(0), then.clone(), otherwise.clone())
        };
        common.plus(&Poly::operation(
            Operator::Choice,
            vec![condition.clone(), then, otherwise],
        ))
    }
}

/// Returns the negation of the comparison `operator`; `None` if `operator` is not a comparison.
pub(super) fn opposite(operator: Binary) -> Option<Binary> {
    Some(match operator {
        Binary::Equal => Binary::Unequal,
        Binary::Unequal => Binary::Equal,
        Binary::Less => Binary::AtLeast,
        Binary::AtLeast => Binary::Less,
        Binary::Greater => Binary::AtMost,
        Binary::AtMost => Binary::Greater,
        _ => return None,
    })
}
