//! Polynomials with integer coefficients, modulo 2⁶⁴.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::program::expression::{Binary, Function};

/// Indivisible factor of a polynomial: a name, or an operation other than addition and
/// multiplication.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// A name.
    Name(Rc<str>),
    /// An operation on polynomials.
    Operation(Operator, Rc<[Poly]>),
}

/// Operation other than addition and multiplication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// An operation with two operands.
    Binary(Binary),
    /// A function with one or two operands.
    Function(Function),
    /// A choice with three operands: a condition and two values.
    Choice,
    /// The value of a buffer, with two operands: the name of the buffer, and the index of the value.
    Element,
}

/// Polynomial, stored as a map from products of atoms to their coefficients. No coefficient is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly(pub(super) BTreeMap<Vec<Atom>, i64>);

impl Poly {
    /// Creates a constant polynomial.
    pub fn constant(value: i64) -> Poly {
        let mut poly = Poly::default();
        poly.add_term(Vec::new(), value);
        poly
    }

    /// Creates the polynomial that consists of one name.
    pub fn name(name: &str) -> Poly {
        Poly::atom(Atom::Name(name.into()))
    }

    /// Creates the polynomial that consists of one atom.
    pub fn atom(atom: Atom) -> Poly {
        Poly(BTreeMap::from([(vec![atom], 1)]))
    }

    /// Creates the polynomial of an operation, without simplification.
    pub(super) fn operation(operator: Operator, operands: Vec<Poly>) -> Poly {
        Poly::atom(Atom::Operation(operator, operands.into()))
    }

    /// Creates the polynomial of the value of `buffer` at `index`.
    pub fn element(buffer: &str, index: Poly) -> Poly {
        Poly::operation(Operator::Element, vec![Poly::name(buffer), index])
    }

    /// If the polynomial contains the address of exactly one buffer as a term, returns this buffer and the other terms.
    /// Returns `None` otherwise. `is_buffer` selects the buffers.
    pub fn within(&self, is_buffer: &impl Fn(&str) -> bool) -> Option<(Rc<str>, Poly)> {
        let mut bases = self
            .0
            .iter()
            .filter_map(|(product, coefficient)| match product.as_slice() {
                [Atom::Name(name)] if *coefficient == 1 && is_buffer(name) => Some(Rc::clone(name)),
                _ => None,
            });
        let base = bases.next()?;
        bases.next().is_none().then(|| {
            let offset = self.minus(&Poly::name(&base));
            (base, offset)
        })
    }

    /// Returns the value of the polynomial if the polynomial is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// Returns the atom if the polynomial consists of exactly one atom.
    pub fn as_atom(&self) -> Option<&Atom> {
        match self.0.first_key_value() {
            Some((product, 1)) if self.0.len() == 1 => match product.as_slice() {
                [atom] => Some(atom),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the size of the polynomial: the number of its atoms and terms, including atoms and terms within
    /// operations.
    pub fn size(&self) -> usize {
        let size = |atom: &Atom| match atom {
            Atom::Name(_) => 1,
            Atom::Operation(_, operands) => operands
                .iter()
                .fold(1, |sum, poly| poly.size().saturating_add(sum)),
        };
        self.0.keys().fold(0, |sum: usize, product| {
            product
                .iter()
                .fold(sum.saturating_add(1), |sum, atom| size(atom).saturating_add(sum))
        })
    }

    /// Returns whether the polynomial contains a name for which `matches` returns true.
    pub fn mentions(&self, matches: &impl Fn(&str) -> bool) -> bool {
        self.0.keys().flatten().any(|atom| match atom {
            Atom::Name(name) => matches(name),
            Atom::Operation(_, operands) => operands.iter().any(|poly| poly.mentions(matches)),
        })
    }

    fn add_term(&mut self, product: Vec<Atom>, coefficient: i64) {
        let sum = self
            .0
            .get(&product)
            .copied()
            .unwrap_or(0)
            .wrapping_add(coefficient);
        match sum {
            0 => self.0.remove(&product),
            _ => self.0.insert(product, sum),
        };
    }

    /// Returns the sum of both polynomials.
    pub fn plus(&self, other: &Poly) -> Poly {
        let mut sum = self.clone();
        for (product, coefficient) in &other.0 {
            sum.add_term(product.clone(), *coefficient);
        }
        sum.without_masks()
    }

    /// Returns the difference of both polynomials.
    pub fn minus(&self, other: &Poly) -> Poly {
        self.plus(&other.scaled(-1))
    }

    /// Returns the product of the polynomial and the number `factor`.
    pub fn scaled(&self, factor: i64) -> Poly {
        let mut scaled = Poly::default();
        for (product, coefficient) in &self.0 {
            scaled.add_term(product.clone(), coefficient.wrapping_mul(factor));
        }
        scaled
    }

    /// Returns the product of both polynomials.
    pub fn times(&self, other: &Poly) -> Poly {
        let mut product = Poly::default();
        for (left, x) in &self.0 {
            for (right, y) in &other.0 {
                let mut atoms = [left.as_slice(), right.as_slice()].concat();
                atoms.sort();
                product.add_term(atoms, x.wrapping_mul(*y));
            }
        }
        product.without_masks()
    }

    /// Divides the polynomial by `divisor`. Returns `None` if the division is not exact.
    pub fn divided(&self, divisor: i64) -> Option<Poly> {
        let exact = |coefficient: &i64| coefficient.checked_rem(divisor) == Some(0);
        self.0.values().all(exact).then(|| {
            let divide = |(product, coefficient): (&Vec<Atom>, &i64)| {
                (product.clone(), coefficient.wrapping_div(divisor))
            };
            Poly(self.0.iter().map(divide).collect())
        })
    }

    /// Replaces c·x − c·(x & 2ʲ−1) by the equal term c·2ʲ·(x >> j), for a coefficient c, a
    /// polynomial x and a bit count j. Compilers use the first form for the number of rounds of
    /// unrolled loops. The second form shows that the value is a multiple of 2ʲ.
    fn without_masks(self) -> Poly {
        let found = self.0.iter().find_map(|(product, coefficient)| {
            let [Atom::Operation(Operator::Binary(Binary::BitAnd), operands)] = product.as_slice() else {
                return None;
            };
            let [masked, mask] = &**operands else { return None };
            let mask = mask
                .as_constant()
                .filter(|mask| *mask > 0 && mask & mask.wrapping_add(1) == 0)?;
            let atom = masked.as_atom()?.clone();
            let whole = self.0.get(&vec![atom])?;
            (whole.wrapping_neg() == *coefficient)
                .then(|| (product.clone(), masked.clone(), mask, *coefficient))
        });
        let Some((product, masked, mask, coefficient)) = found else {
            return self;
        };
        let mut poly = self;
        poly.0.remove(&product);
        if let Some(atom) = masked.as_atom() {
            poly.0.remove(&vec![atom.clone()]);
        }
        let count = Poly::constant(i64::from(mask.count_ones()));
        let shifted = Poly::operation(Operator::Binary(Binary::ShiftRight), vec![masked, count]);
        let multiple = shifted.scaled(coefficient.wrapping_neg().wrapping_mul(mask.wrapping_add(1)));
        poly.plus(&multiple)
    }

    /// Replaces each name by the polynomial that `value` returns for the name. Does not simplify
    /// operations.
    pub fn substituted(&self, value: &impl Fn(&str) -> Option<Poly>) -> Poly {
        let mut sum = Poly::default();
        for (product, coefficient) in &self.0 {
            let mut term = Poly::constant(*coefficient);
            for atom in product {
                let replaced = match atom {
                    Atom::Name(name) => value(name).unwrap_or_else(|| Poly::atom(atom.clone())),
                    Atom::Operation(operator, operands) => {
                        let operands = operands
                            .iter()
                            .map(|operand| operand.substituted(value))
                            .collect();
                        Poly::operation(*operator, operands)
                    }
                };
                term = term.times(&replaced);
            }
            sum = sum.plus(&term);
        }
        sum
    }
}
