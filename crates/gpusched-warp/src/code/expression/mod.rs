//! Expressions compiled for the 32 lanes of a warp.
//!
//! Most addresses are affine in the lane, so gpusched keeps values as base + stride · lane where possible. An
//! operator on such values costs one scalar operation. In loops, each warp computes the parts without loop
//! counters once. For that, sums are split into fixed and moving terms, which wrapping addition permits.

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

/// A compiled expression, ready for evaluation.
#[derive(Debug, Clone)]
pub(super) struct Compiled {
    /// Index of the part that is constant over all rounds, in the fixed parts of the code.
    fixed: Option<usize>,
    /// The part that depends on loop counters; the value is the sum of both parts.
    moving: Option<Postfix>,
}

/// The parts of expressions that a warp computes once.
#[derive(Debug, Clone, Default)]
pub(super) struct FixedParts {
    positions: HashMap<Expression, usize>,
    compiled: Vec<Postfix>,
}

/// The fixed parts that a warp has computed so far.
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
    /// Compiles `expression`. `value` returns the known values of the launch, and `counter` returns the
    /// position of a loop counter. Within a loop, the fixed terms are added to `parts`.
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

    /// Returns the value if the expression is a number.
    pub fn constant(&self, parts: &FixedParts) -> Option<i64> {
        let fixed = self.fixed.and_then(|fixed| parts.compiled.get(fixed));
        match (fixed, &self.moving) {
            (Some(number), None) | (None, Some(number)) => number.constant(),
            _ => None,
        }
    }

    /// Returns the number as a compiled expression that replaces this expression.
    pub fn replaced(&self, number: i64) -> Compiled {
        Compiled {
            fixed: None,
            moving: Some(Postfix::number(number)),
        }
    }

    /// Appends each part of the expression that names the block to `found`. Returns true if these parts cover
    /// the whole influence of the block. That holds if each part has one value in all rounds.
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

    /// Returns the value in all lanes; `stack` is working memory.
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
    /// Returns a fixed part, which is computed at the first request.
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
