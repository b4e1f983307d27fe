//! Number of rounds of a loop.

use super::Structure;
use crate::import::ptx::symbolic::{Atom, Operator, Poly};
use crate::program::expression::Binary;

impl Structure<'_> {
    /// Returns the number of rounds of a loop that continues while `again` is true. `again` must depend on the loop
    /// counter `counter`. `is_unknown` returns whether a name represents a value that the loop changes in an unknown
    /// way.
    pub(super) fn rounds(
        &self,
        again: &Poly,
        counter: &str,
        is_unknown: &impl Fn(&str) -> bool,
    ) -> Option<Poly> {
        let Some(Atom::Operation(Operator::Binary(operator), operands)) = again.as_atom() else {
            return None;
        };
        let [x, y] = &**operands else { return None };
        let difference = x.minus(y);
        // The loop compares two operands. The difference of the operands must have the form
        // start + step · counter.
        let start = difference.substituted(&|name| (name == counter).then(|| Poly::constant(0)));
        let after = difference.substituted(&|name| (name == counter).then(|| Poly::constant(1)));
        let step = after.minus(&start);
        let line = start.plus(&step.times(&Poly::name(counter)));
        let changes = |name: &str| is_unknown(name) || name == counter;
        if line != difference || start.mentions(&changes) || step.mentions(&changes) {
            return None;
        }
        // The step may be unknown, such as the number of threads in the grid. The sign of the step must be known.
        let ranges = &self.knowledge.ranges;
        let reach = ranges.of(&step);
        let grows = match (reach.low, reach.high) {
            (1.., _) => true,
            (low, ..=-1) if low > i64::MIN.into() => false,
            _ => return None,
        };
        let pace = if grows { step } else { step.scaled(-1) };
        let one = Poly::constant(1);
        // Distance: the amount by which the difference changes until the loop ends.
        let distance = match (operator, grows) {
            (Binary::Unequal | Binary::Less, true) => start.scaled(-1),
            (Binary::AtMost, true) => one.minus(&start),
            (Binary::Unequal | Binary::Greater, false) => start,
            (Binary::AtLeast, false) => start.plus(&one),
            _ => return None,
        };
        if *operator == Binary::Unequal {
            // A loop with `!=` ends when the difference is exactly 0, so the number of rounds must not be negative.
            // Either the range of this number excludes negative values, or a condition encloses the loop. If the number
            // may be negative, compilers enclose the loop in a condition.
            let rounds = distance.divided(pace.as_constant()?)?;
            let sure = self.conditions > 0 || ranges.of(&rounds).low >= 0;
            return sure.then(|| rounds.plus(&one));
        }
        let padded = distance.plus(&pace).minus(&one);
        // If the distance may exceed 64 bits, the number of rounds is unknown.
        let known = ranges.of(&padded).fits_signed(64);
        known.then(|| ranges.binary(Binary::Divide, &padded, &pace).plus(&one))
    }
}
