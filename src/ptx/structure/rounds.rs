//! How often a loop runs.

use super::Structure;
use crate::model::program::expression::Binary;
use crate::ptx::symbolic::{Atom, Operator, Poly};

impl Structure<'_> {
    /// The rounds of a loop that goes on while `again`, which the counter decides.
    pub(super) fn rounds(&self, again: &Poly, counter: &str) -> Option<Poly> {
        let Some(Atom::Operation(Operator::Binary(operator), operands)) = again.as_atom() else {
            return None;
        };
        let [x, y] = &**operands else { return None };
        let difference = x.minus(y);
        // difference = start + step · counter
        let start = difference.substituted(&|name| (name == counter).then(|| Poly::constant(0)));
        let after = difference.substituted(&|name| (name == counter).then(|| Poly::constant(1)));
        let step = after.minus(&start).as_constant().filter(|step| *step != 0)?;
        let line = start.plus(&Poly::name(counter).scaled(step));
        if line != difference || start.mentions(&|name| name.starts_with('%') || name == counter) {
            return None;
        }
        let ranges = &self.knowledge.ranges;
        // How far the difference is from where the loop ends, and how it comes closer.
        let (distance, step) = match (operator, step > 0) {
            (Binary::Unequal, true) => (start.scaled(-1), step),
            (Binary::Unequal, false) => (start, step.checked_neg()?),
            (Binary::Less, true) => (start.scaled(-1), step),
            (Binary::AtMost, true) => (start.scaled(-1).plus(&Poly::constant(1)), step),
            (Binary::Greater, false) => (start, step.checked_neg()?),
            (Binary::AtLeast, false) => (start.plus(&Poly::constant(1)), step.checked_neg()?),
            _ => return None,
        };
        let one = Poly::constant(1);
        if *operator == Binary::Unequal {
            // It must meet its end exactly, and from the right side: where it does not, compilers put a condition around.
            let rounds = distance.divided(step)?;
            let sure = self.conditions > 0 || ranges.of(&rounds).low >= 0;
            return sure.then(|| rounds.plus(&one));
        }
        let padded = distance.plus(&Poly::constant(step.checked_sub(1)?));
        Some(
            ranges
                .binary(Binary::Divide, &padded, &Poly::constant(step))
                .plus(&one),
        )
    }
}
