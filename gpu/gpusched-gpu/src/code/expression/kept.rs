//! Compact storage of one value per lane.

use std::sync::Arc;

use super::{LANES, Lanes};

/// Values of [`Lanes`] in compact storage.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// Affine values, stored as (base, stride). Lane l has the value base + stride · l.
    Affine(i64, i64),
    /// Each lane has a separate value.
    Each(Arc<[i64; LANES]>),
}

impl From<Lanes> for Kept {
    fn from(lanes: Lanes) -> Kept {
        match lanes {
            Lanes::Affine(base, stride) => Kept::Affine(base, stride),
            Lanes::Each(values) => Kept::Each(Arc::new(values)),
        }
    }
}

impl Kept {
    pub fn lanes(&self) -> Lanes {
        match self {
            Kept::Affine(base, stride) => Lanes::Affine(*base, *stride),
            Kept::Each(values) => Lanes::Each(**values),
        }
    }

    /// Adds `moving` to these values, lane by lane, and returns the sums.
    pub fn plus(&self, moving: &Lanes) -> Lanes {
        match (self, moving) {
            (Kept::Affine(x, dx), Lanes::Affine(y, dy)) => {
                Lanes::Affine(x.wrapping_add(*y), dx.wrapping_add(*dy))
            }
            (Kept::Each(fixed), Lanes::Affine(more, 0)) => {
                Lanes::Each(fixed.map(|value| value.wrapping_add(*more)))
            }
            (Kept::Each(fixed), moving) => {
                let moving = moving.each();
                Lanes::Each(std::array::from_fn(|lane| fixed[lane].wrapping_add(moving[lane])))
            }
            (Kept::Affine(x, dx), moving) => {
                let (fixed, moving) = (Lanes::Affine(*x, *dx).each(), moving.each());
                Lanes::Each(std::array::from_fn(|lane| fixed[lane].wrapping_add(moving[lane])))
            }
        }
    }
}
