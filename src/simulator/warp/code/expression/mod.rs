//! Expressions compiled for the 32 lanes of a warp.
//!
//! Most addresses are affine in the lane, so values stay base + stride · lane as long as they can, and cost one scalar
//! operation per operator then. In loops, what does not depend on counters is computed once per warp: sums are taken apart
//! for that, which wrapping addition allows.

mod lanes;
mod position;
mod postfix;
mod terms;

pub(super) use lanes::{LANES, Lanes};
pub(super) use position::Position;

use std::collections::HashMap;

use crate::model::program::Expression;
use crate::model::program::expression::DivisionByZero;
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

/// Room to work in, and what has been computed of the fixed parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Scratch {
    stack: Vec<Lanes>,
    fixed: Vec<Option<Known>>,
}

/// A value that is kept.
#[derive(Debug, Clone)]
enum Known {
    Affine(i64, i64),
    Each(Box<[i64; LANES]>),
}

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

    /// Its value in all lanes.
    pub fn evaluate(
        &self,
        parts: &FixedParts,
        position: &Position,
        counters: &[i64],
        scratch: &mut Scratch,
    ) -> Lanes {
        let moving = match &self.moving {
            Some(moving) => moving.evaluate(position, counters, &mut scratch.stack),
            None => Lanes::Affine(0, 0),
        };
        match self.fixed {
            Some(fixed) => scratch
                .fixed(fixed, parts, position)
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

impl Scratch {
    /// The value of `part`, which names no counter.
    pub fn value(&mut self, part: &Postfix, position: &Position) -> Lanes {
        part.evaluate(position, &[], &mut self.stack)
    }

    /// A fixed part, computed when it is first asked for.
    fn fixed(&mut self, index: usize, parts: &FixedParts, position: &Position) -> Option<&Known> {
        if self.fixed.len() <= index {
            self.fixed.resize(parts.compiled.len().max(index + 1), None);
        }
        let known = self.fixed.get_mut(index)?;
        if known.is_none() {
            *known = Some(
                match parts
                    .compiled
                    .get(index)?
                    .evaluate(position, &[], &mut self.stack)
                {
                    Lanes::Affine(base, stride) => Known::Affine(base, stride),
                    Lanes::Each(values) => Known::Each(Box::new(values)),
                },
            );
        }
        known.as_ref()
    }
}

impl Known {
    fn plus(&self, moving: &Lanes) -> Lanes {
        match (self, moving) {
            (Known::Affine(x, dx), Lanes::Affine(y, dy)) => {
                Lanes::Affine(x.wrapping_add(*y), dx.wrapping_add(*dy))
            }
            (Known::Each(fixed), Lanes::Affine(more, 0)) => {
                Lanes::Each(fixed.map(|value| value.wrapping_add(*more)))
            }
            (Known::Each(fixed), moving) => {
                let moving = moving.each();
                Lanes::Each(std::array::from_fn(|lane| fixed[lane].wrapping_add(moving[lane])))
            }
            (Known::Affine(x, dx), moving) => {
                let (fixed, moving) = (Lanes::Affine(*x, *dx).each(), moving.each());
                Lanes::Each(std::array::from_fn(|lane| fixed[lane].wrapping_add(moving[lane])))
            }
        }
    }
}
