//! Import of forward branches as conditions.

use super::{Outcome, Structure};
use crate::import::ptx::error::PtxError;
use crate::import::ptx::execute::State;
use crate::import::ptx::symbolic::Poly;
use crate::program::{Branch, Statement};

impl Structure<'_> {
    /// Imports the forward branch at `index` to `target`. Returns the index of the next instruction to import.
    pub(super) fn condition(
        &mut self,
        index: usize,
        target: usize,
        high: usize,
        state: &mut State,
        out: &mut Vec<Statement>,
    ) -> Outcome<usize> {
        let Some(instruction) = self.instruction(index) else {
            return Ok(high);
        };
        let jumps = self
            .guard(instruction, state)?
            .unwrap_or_else(|| Poly::constant(1));
        let stays = self.knowledge.ranges.not(&jumps);
        // An unconditional jump immediately before the target belongs to an if-else statement. The jump skips the else
        // part.
        let out_of = match self.instruction(target - 1) {
            Some(last) if target - 1 > index && last.guard.is_none() => self.target(last)?,
            _ => None,
        };
        let out_of = out_of.filter(|&end| end > target && end <= high);
        let mut statement = Branch {
            condition: stays.expression(),
            on: self.on(instruction),
            then: Vec::new(),
            otherwise: Vec::new(),
        };
        let mut other = state.clone();
        let (then_end, end) = out_of.map_or((target, target), |end| (target - 1, end));
        self.conditions += 1;
        let then_falls = self.range(index + 1, then_end, state, &mut statement.then)?;
        let other_falls = self.range(target, end, &mut other, &mut statement.otherwise)?;
        self.conditions -= 1;
        match (then_falls, other_falls) {
            (true, true) => {
                for (value, other) in state.iter_mut().zip(&other) {
                    *value = self.knowledge.merged(&stays, value, other, instruction.line);
                }
            }
            (false, _) => *state = other,
            (true, false) => {}
        }
        out.push(Statement::If(statement));
        if !then_falls && !other_falls && end < high {
            let line = self.instruction(end).map_or(instruction.line, |next| next.line);
            return Err(PtxError::new(
                line,
                "found an instruction that no earlier instruction reaches",
            ));
        }
        Ok(end)
    }
}
