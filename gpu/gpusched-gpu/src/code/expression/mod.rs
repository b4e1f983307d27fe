//! Expressions that are compiled for the 32 lanes of a warp.
//!
//! Most addresses are affine functions of the lane number. gpusched stores such values as base + stride · lane. With
//! this form, an operator needs one evaluation instead of one per lane.
//!
//! In a loop, only the parts of an expression with loop counters change. gpusched therefore splits each sum into fixed
//! terms and moving terms. Only the moving terms contain loop counters. Each warp computes the fixed terms only once.
//! Addition wraps, so the order of the terms does not change the sum.

mod kept;
mod lanes;
mod position;
mod postfix;
mod tables;
mod terms;

pub(super) use kept::Kept;
pub(super) use lanes::{LANES, Lanes};
pub(super) use position::Position;

use std::collections::HashMap;

use crate::program::Expression;
use crate::program::expression::DivisionByZero;
pub(super) use postfix::Postfix;
use postfix::UnknownName;
pub(super) use tables::{Missing, Tables};
use terms::split;

/// Compiled expression. The value of the expression is the sum of a fixed part and a moving part.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    /// Index of the fixed part in the list of fixed parts. The fixed part has the same value in
    /// all loop rounds.
    fixed: Option<usize>,
    /// Moving part, which depends on loop counters.
    moving: Option<Postfix>,
}

/// Parts of expressions that each warp computes only once.
#[derive(Debug, Clone, Default)]
pub(super) struct FixedParts {
    positions: HashMap<Expression, usize>,
    compiled: Vec<Postfix>,
}

/// Working memory of evaluations.
#[derive(Debug, Clone, Default)]
pub(super) struct Room {
    stack: Vec<Lanes>,
    /// Missing buffer values that an expression has read since the list was last cleared.
    pub missing: Vec<Missing>,
}

/// Values of the fixed parts that a warp has computed so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Computed(Vec<Option<(Kept, Box<[Missing]>)>>);

/// Reason why an expression cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CompileError {
    #[error(transparent)]
    Division(#[from] DivisionByZero),
    #[error("found the unknown name {0:?}")]
    Name(String),
}

impl From<UnknownName> for CompileError {
    fn from(name: UnknownName) -> CompileError {
        CompileError::Name(name.0)
    }
}

impl Compiled {
    /// Compiles `expression`. `value` returns the value of a name that is constant during the
    /// launch. `counter` returns the index of a loop counter. If `parts` is present, the function
    /// adds the fixed terms to `parts`. `tables` contains the buffers with values.
    pub fn new(
        expression: &Expression,
        value: &impl Fn(&str) -> Option<i64>,
        counter: &impl Fn(&str) -> Option<usize>,
        parts: Option<&mut FixedParts>,
        tables: &Tables,
    ) -> Result<Compiled, CompileError> {
        let expression = expression.fold(value)?;
        let Some(parts) = parts else {
            return Ok(Compiled {
                fixed: None,
                moving: Some(Postfix::new(&expression, counter, tables)?),
            });
        };
        let (fixed, moving) = split(&expression, &|name| counter(name).is_some());
        Ok(Compiled {
            fixed: fixed.map(|fixed| parts.position(&fixed, tables)).transpose()?,
            moving: moving
                .map(|moving| Postfix::new(&moving, counter, tables))
                .transpose()?,
        })
    }

    /// Appends to `found` all parts of the expression that depend on the block. Returns `true` if no part changes
    /// between loop rounds. In this case, the values of the parts determine how the expression depends on the block.
    pub fn of_block(&self, parts: &FixedParts, found: &mut Vec<Postfix>) -> bool {
        let fixed = self.fixed.and_then(|fixed| parts.compiled.get(fixed));
        let moving = self.moving.as_ref();
        found.extend(
            fixed
                .into_iter()
                .chain(moving)
                .filter(|part| part.names_block())
                .cloned(),
        );
        moving.is_none_or(|moving| !moving.names_block() || !moving.counts_rounds())
    }

    /// Returns the values of the expression in all lanes. Adds to `room` all reads of missing buffer values.
    pub fn evaluate(
        &self,
        parts: &FixedParts,
        position: &Position,
        counters: &[i64],
        computed: &mut Computed,
        room: &mut Room,
    ) -> Lanes {
        let moving = match &self.moving {
            Some(moving) => moving.evaluate(position, counters, room),
            None => Lanes::Affine(0, 0),
        };
        match self.fixed {
            Some(fixed) => computed
                .fixed(fixed, parts, position, room)
                .map_or_else(|| moving.clone(), |fixed| fixed.plus(&moving)),
            None => moving,
        }
    }
}

impl FixedParts {
    fn position(&mut self, expression: &Expression, tables: &Tables) -> Result<usize, UnknownName> {
        if let Some(known) = self.positions.get(expression) {
            return Ok(*known);
        }
        let position = self.compiled.len();
        self.compiled.push(Postfix::new(expression, &|_| None, tables)?);
        self.positions.insert(expression.clone(), position);
        Ok(position)
    }
}

impl Computed {
    /// Returns the value of a fixed part, and computes the value at the first call.
    fn fixed(
        &mut self,
        index: usize,
        parts: &FixedParts,
        position: &Position,
        room: &mut Room,
    ) -> Option<&Kept> {
        if self.0.len() <= index {
            self.0.resize(parts.compiled.len().max(index + 1), None);
        }
        let known = self.0.get_mut(index)?;
        match known {
            Some((_, missing)) => room.missing.extend_from_slice(missing),
            None => {
                let before = room.missing.len();
                let value = parts.compiled.get(index)?.evaluate(position, &[], room);
                *known = Some((value.into(), room.missing.get(before..)?.into()));
            }
        }
        known.as_ref().map(|(value, _)| value)
    }
}
