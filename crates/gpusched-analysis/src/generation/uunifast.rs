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

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::streams::{Purpose, stream};

    #[test]
    fn few_tasks() {
        let mut rng = stream(1, Purpose::Utilizations, 0, 0);
        fill(&mut rng, 3.0, &mut []);
        let mut one = [0.0];
        fill(&mut rng, 3.0, &mut one);
        assert_eq!(one, [3.0]);
        assert_eq!(
            rng,
            stream(1, Purpose::Utilizations, 0, 0),
            "no random word was read"
        );
        let mut two = [0.0; 2];
        fill(&mut rng, 3.0, &mut two);
        assert_eq!(two[1], 3.0 - two[0]);
        assert!(two[0] > 0.0 && two[1] > 0.0);
    }

    #[test]
    fn shares_sum_to_the_total_and_respect_the_cap() {
        for (n, total, cap) in [
            (2, 1.0, 0.6),
            (10, 3.0, 1.0),
            (50, 34.0, 4.0),
            (200, 68.0, 3.0),
            (7, 1e-300, 1.0),
            (7, 1e300, 1e300),
        ] {
            let mut shares = vec![0.0; n];
            for set in 0..200 {
                let mut rng = stream(5, Purpose::Utilizations, 0, set);
                fill_capped(&mut rng, total, cap, &mut shares).unwrap();
                let sum: f64 = shares.iter().sum();
                assert!((sum / total - 1.0).abs() < 1e-13, "{n} {total} {cap}: {sum}");
                assert!(shares.iter().all(|&u| (0.0..=cap).contains(&u)), "{shares:?}");
            }
        }
    }

    /// With a cap just below the total, the generator discards almost no vector, so both functions give equal shares.
    #[test]
    fn vectors_with_and_without_a_cap_have_equal_bits() {
        for set in 0..300 {
            let (mut free, mut capped) = ([0.0; 50], [0.0; 50]);
            let rng = || stream(5, Purpose::Utilizations, 0, set);
            fill(&mut rng(), 3.0, &mut free);
            fill_capped(&mut rng(), 3.0, 2.9, &mut capped).unwrap();
            assert_eq!(free, capped);
        }
    }

    /// The bits are equal on every machine.
    #[test]
    fn bits_are_pinned() {
        let mut shares = [0.0; 4];
        fill(&mut stream(42, Purpose::Utilizations, 7, 9), 1.5, &mut shares);
        let pinned = [
            0.23131940176301624,
            0.3195357311400826,
            0.8378047612812458,
            0.11134010581565532,
        ];
        assert_eq!(shares, pinned);
    }

    #[test]
    fn a_hopeless_cap_is_given_up() {
        let mut rng = stream(1, Purpose::Utilizations, 0, 0);
        let mut shares = [0.0; 50];
        assert_eq!(
            fill_capped(&mut rng, 49.0, 1.0, &mut shares),
            Err(TooManyDiscards)
        );
    }
}
