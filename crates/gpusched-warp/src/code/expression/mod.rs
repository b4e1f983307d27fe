//! Expressions compiled for the 32 lanes of a warp.
//!
//! Most addresses are affine in the lane, so values stay base + stride · lane as long as they can, and cost one scalar
//! operation per operator then. In loops, what does not depend on counters is computed once per warp: sums are taken apart
//! for that, which wrapping addition allows.

mod kept;
mod lanes;
mod position;
mod postfix;
mod terms;

pub(super) use kept::Kept;
pub(super) use lanes::{LANES, Lanes};
pub(super) use position::Position;

use std::collections::HashMap;

use gpusched_model::program::Expression;
use gpusched_model::program::expression::DivisionByZero;
pub(super) use postfix::Postfix;
use postfix::UnknownName;
use terms::split;

/// An expression, ready to be evaluated.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    /// What is the same in every round, by its position among the fixed parts of the code.
    fixed: Option<usize>,
    /// What is added to it.
    moving: Option<Postfix>,
}

/// Parts of expressions that a warp computes once.
#[derive(Debug, Clone, Default)]
pub(super) struct FixedParts {
    positions: HashMap<Expression, usize>,
    compiled: Vec<Postfix>,
}

/// What a warp has computed of the fixed parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Computed(Vec<Option<Kept>>);

/// An expression that cannot be compiled.
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
    /// `value` gives what is known of the launch, `counter` the position of a loop's counter; in a loop, what is fixed goes
    /// to `parts`.
    pub fn new(
        expression: &Expression,
        value: &impl Fn(&str) -> Option<i64>,
        counter: &impl Fn(&str) -> Option<usize>,
        parts: Option<&mut FixedParts>,
    ) -> Result<Compiled, CompileError> {
        let expression = expression.fold(value)?;
        let Some(parts) = parts else {
            return Ok(Compiled {
                fixed: None,
                moving: Some(Postfix::new(&expression, counter)?),
            });
        };
        let (fixed, moving) = split(&expression, &|name| counter(name).is_some());
        Ok(Compiled {
            fixed: fixed.map(|fixed| parts.position(&fixed)).transpose()?,
            moving: moving.map(|moving| Postfix::new(&moving, counter)).transpose()?,
        })
    }

    /// Its value, if it is a number.
    pub fn constant(&self, parts: &FixedParts) -> Option<i64> {
        let fixed = self.fixed.and_then(|fixed| parts.compiled.get(fixed));
        match (fixed, &self.moving) {
            (Some(number), None) | (None, Some(number)) => number.constant(),
            _ => None,
        }
    }

    /// A number in its place.
    pub fn replaced(&self, number: i64) -> Compiled {
        Compiled {
            fixed: None,
            moving: Some(Postfix::number(number)),
        }
    }

    /// Adds what of it names the block to `found`. Says whether that is all that the block decides: each part of what is found
    /// has one value, whatever the round.
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

    /// Its value in all lanes; `stack` is room to work in.
    pub fn evaluate(
        &self,
        parts: &FixedParts,
        position: &Position,
        counters: &[i64],
        computed: &mut Computed,
        stack: &mut Vec<Lanes>,
    ) -> Lanes {
        let moving = match &self.moving {
            Some(moving) => moving.evaluate(position, counters, stack),
            None => Lanes::Affine(0, 0),
        };
        match self.fixed {
            Some(fixed) => computed
                .fixed(fixed, parts, position, stack)
                .map_or_else(|| moving.clone(), |fixed| fixed.plus(&moving)),
            None => moving,
        }
    }
}

impl FixedParts {
    fn position(&mut self, expression: &Expression) -> Result<usize, UnknownName> {
        if let Some(known) = self.positions.get(expression) {
            return Ok(*known);
        }
        let position = self.compiled.len();
        self.compiled.push(Postfix::new(expression, &|_| None)?);
        self.positions.insert(expression.clone(), position);
        Ok(position)
    }
}

impl Computed {
    /// A fixed part, computed when it is first asked for.
    fn fixed(
        &mut self,
        index: usize,
        parts: &FixedParts,
        position: &Position,
        stack: &mut Vec<Lanes>,
    ) -> Option<&Kept> {
        if self.0.len() <= index {
            self.0.resize(parts.compiled.len().max(index + 1), None);
        }
        let known = self.0.get_mut(index)?;
        if known.is_none() {
            *known = Some(parts.compiled.get(index)?.evaluate(position, &[], stack).into());
        }
        known.as_ref()
    }
}
