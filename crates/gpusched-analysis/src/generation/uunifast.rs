//! UUniFast (Bini & Buttazzo 2005) and UUniFast-Discard (Davis & Burns 2009).
//!
//! The vector of shares is uniformly distributed over all non-negative vectors with the given sum. With a cap, only
//! vectors without a share above the cap count.

use rand::Rng;

use super::roots::{exp, ln};
use gpusched_model::streams::{unit, unit_of};

/// Number of discarded vectors after which the generator gives up.
pub const MAX_DISCARDS: u32 = 1_000_000;

/// Error: each of [`MAX_DISCARDS`] + 1 vectors had a share above the cap.
#[derive(Debug, Copy, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{MAX_DISCARDS} random vectors in a row contained a utilization above the cap")]
pub struct TooManyDiscards;

/// Fills `shares` with random utilizations that sum to `total`. The last share is the remainder
/// of `total`.
///
/// The function allocates no memory, and reads `shares.len()` − 1 words of `rng`.
pub fn fill(rng: &mut impl Rng, total: f64, shares: &mut [f64]) {
    let Some((last, others)) = shares.split_last_mut() else {
        return;
    };
    // One loop per step, so that the compiler evaluates several shares at once. The first loop stores random words as the
    // bits of the shares.
    others
        .iter_mut()
        .for_each(|share| *share = f64::from_bits(rng.next_u64()));
    others
        .iter_mut()
        .for_each(|share| *share = unit_of(share.to_bits()));
    others.iter_mut().for_each(|share| *share = ln(*share));
    let mut followers = others.len() as f64;
    for share in others.iter_mut() {
        *share /= followers;
        followers -= 1.0;
    }
    others.iter_mut().for_each(|share| *share = exp(*share));
    let mut rest = total;
    for share in others {
        let next = rest * *share;
        *share = rest - next;
        rest = next;
    }
    *last = rest;
}

/// Fills `shares` like [`fill`], but with every share at most `cap`. The function discards each
/// vector with a larger share.
///
/// # Errors
/// Returns [`TooManyDiscards`] if the cap permits no vectors, or so few that the generator gives up.
pub fn fill_capped(
    rng: &mut impl Rng,
    total: f64,
    cap: f64,
    shares: &mut [f64],
) -> Result<(), TooManyDiscards> {
    if cap >= total {
        fill(rng, total, shares);
        return Ok(());
    }
    for _ in 0..=MAX_DISCARDS {
        if attempt(rng, total, cap, shares) {
            return Ok(());
        }
    }
    Err(TooManyDiscards)
}

/// Draws one vector. Stops and returns `false` at the first share above `cap`. The function
/// rejects exactly the vectors that a check of all shares would reject.
fn attempt(rng: &mut impl Rng, total: f64, cap: f64, shares: &mut [f64]) -> bool {
    let Some((last, others)) = shares.split_last_mut() else {
        return true;
    };
    let mut rest = total;
    let mut followers = others.len(); // n − i: number of tasks after the current task, including the last task
    for share in others {
        // The sum of the later shares has the distribution of the largest number among n − i uniform numbers from 0 to
        // `rest`.
        let next = rest * exp(ln(unit(rng)) / followers as f64);
        *share = rest - next;
        if *share > cap {
            return false;
        }
        rest = next;
        followers -= 1;
    }
    *last = rest;
    rest <= cap
}
