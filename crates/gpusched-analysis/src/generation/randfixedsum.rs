//! RandFixedSum (Stafford 2006; Emberson, Stafford & Davis, WATERS 2010): uniformly random
//! utilizations (*shares*) up to a cap. The algorithm discards no vector.
//!
//! In units of the cap, the shares are a uniformly random point of the polytope P(n, s) = {x ∈ \[0, 1\]ⁿ : Σ xᵢ = s}.
//! Divide P(n, s) into one cone per facet, with the apex of each cone at the center (s/n, …, s/n). The facet xᵢ = 0 has
//! the shape of P(n−1, s), and its distance from the center is proportional to s/n. The facet xᵢ = 1 has the shape of
//! P(n−1, s−1), and its distance from the center is proportional to 1 − s/n. Let fₙ(s) be the volume of P(n, s), up to
//! a factor that depends only on n. Then all cones over facets xᵢ = 0, and all cones over facets xᵢ = 1, have the
//! following total volumes:
//!
//! s·fₙ₋₁(s)  and  (n−s)·fₙ₋₁(s−1),  together (n−1)·fₙ(s)   (the density of a sum of n uniform numbers).
//!
//! The algorithm chooses the kind of facet with these weights, and the coordinate i with equal probability. The
//! algorithm then draws a point y of the facet recursively. Finally, the algorithm moves from the center towards y by
//! the fraction r^(1/(n−1)) of the distance, with a uniformly random r. The result is a uniformly random point of the
//! cone.

use rand::Rng;

use gpusched_model::streams::{below, unit};

/// Largest number of entries of the table: 2²⁴ entries use 128 MiB.
pub const MAX_ENTRIES: usize = 1 << 24;

/// Generator of `n` random shares in \[0, cap\] with a fixed sum.
#[derive(Clone, Debug)]
pub struct FixedSum {
    tasks: usize,
    cap: f64,
    /// Whether the generator draws cap − x instead of each share x. The mirrored table is half as
    /// large, and it stays accurate if the sum is close to n·cap.
    mirrored: bool,
    /// s = `whole` + `fraction` ≤ n/2, in units of the cap.
    whole: usize,
    fraction: f64,
    /// Row i − 2, column j: the probability of choosing a facet xᵢ = 0 in P(i, fraction + j).
    at_zero: Vec<f64>,
}

/// Reason why a [`FixedSum`] cannot be created.
#[derive(Debug, Copy, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FixedSumError {
    /// `total` or `cap` is not a positive number, or `total` exceeds `tasks`·`cap`.
    #[error("no non-negative utilizations below the cap have this sum")]
    Empty,
    /// The table would have more than [`MAX_ENTRIES`] entries.
    #[error("the table of randfixedsum would have more than {MAX_ENTRIES} entries")]
    TooLarge,
}

impl FixedSum {
    /// Prepares to draw `tasks` shares in \[0, `cap`\] with the sum `total`. Time and memory are O(n·min(s, n − s)).
    ///
    /// # Errors
    /// Returns a [`FixedSumError`] if such shares do not exist, or if the table is too large.
    pub fn new(tasks: usize, total: f64, cap: f64) -> Result<FixedSum, FixedSumError> {
        let sound = |x: f64| x > 0.0 && x.is_normal();
        if cap.is_nan() {
            return Err(FixedSumError::Empty);
        }
        let cap = cap.min(total); // a cap above the sum has no effect
        let largest = tasks as f64 * cap;
        if !(sound(total) && sound(cap) && sound(largest) && total <= largest) {
            return Err(FixedSumError::Empty);
        }
        let mirrored = total > largest / 2.0;
        let sum = if mirrored { largest - total } else { total } / cap;
        let whole = sum as usize;
        if (whole + 1).saturating_mul(tasks) > MAX_ENTRIES {
            return Err(FixedSumError::TooLarge);
        }
        let fraction = sum - whole as f64;
        Ok(FixedSum {
            tasks,
            cap,
            mirrored,
            whole,
            fraction,
            at_zero: table(tasks, whole, fraction),
        })
    }

    /// Draws the shares of all tasks.
    pub fn draw(&self, rng: &mut impl Rng) -> Vec<f64> {
        let mut shares = Vec::with_capacity(self.tasks);
        let mut ones = self.whole; // j: the sum that is still to distribute is fraction + j
        let mut center = 0.0; // sum that all centers so far contribute to each coordinate that is not yet fixed
        let mut scale = 1.0; // size of the current facet relative to P(n, s)
        let rows = self.at_zero.chunks_exact(self.whole + 1).enumerate();
        for (row, at_zero) in rows.rev() {
            let dimension = (row + 2) as f64;
            let to_zero = unit(rng) <= at_zero[ones];
            let shrink = libm::pow(unit(rng), 1.0 / (dimension - 1.0));
            center += (1.0 - shrink) * scale * (self.fraction + ones as f64) / dimension;
            scale *= shrink;
            shares.push(if to_zero { center } else { center + scale });
            ones -= usize::from(!to_zero);
        }
        shares.push(center + scale * self.fraction);

        for share in &mut shares {
            let x = self.cap * share.min(1.0);
            *share = if self.mirrored { self.cap - x } else { x };
        }
        // The loop has fixed the coordinates in the order of the vector, so their order must be shuffled (Fisher & Yates).
        for i in (1..shares.len()).rev() {
            shares.swap(i, below(rng, i + 1));
        }
        shares
    }
}

/// Computes pᵢ(j) = σ·fᵢ₋₁(σ) / (σ·fᵢ₋₁(σ) + (i−σ)·fᵢ₋₁(σ−1)) with σ = `fraction` + j, for i = 2 … `tasks`, j = 0 … `whole`.
///
/// The volumes can underflow, so the recursion uses their ratios rᵢ(j) = fᵢ(σ) / fᵢ(σ−1). To
/// derive the recursion, divide (i−1)·fᵢ(σ) = σ·fᵢ₋₁(σ) + (i−σ)·fᵢ₋₁(σ−1) by the same equation
/// for σ − 1:
///
/// rᵢ(j) = (σ·rᵢ₋₁(j) + i − σ) / (σ − 1 + (i − σ + 1)/rᵢ₋₁(j−1)),
///
/// In this formula, no cancellation reduces the precision. The values rᵢ(0) = ∞ and rᵢ(i) = 0 represent volumes of 0.
/// The formulas are correct for both values, even if a ratio overflows to ∞ or underflows to 0.
fn table(tasks: usize, whole: usize, fraction: f64) -> Vec<f64> {
    let width = whole + 1;
    let mut at_zero = Vec::with_capacity(width * tasks.saturating_sub(1));
    let mut ratios = vec![0.0; width];
    ratios[0] = f64::INFINITY;
    for dimension in 2..=tasks {
        let n = dimension as f64;
        at_zero.extend(ratios.iter().enumerate().map(|(j, ratio)| {
            let sum = fraction + j as f64;
            match j {
                0 => 1.0,                   // P has no facet xᵢ = 1
                _ if j >= dimension => 0.0, // P is empty, and the value is never used
                _ => 1.0 / (1.0 + (n - sum) / (sum * ratio)),
            }
        }));
        for j in (1..width.min(dimension)).rev() {
            let sum = fraction + j as f64;
            ratios[j] = (sum * ratios[j] + n - sum) / (sum - 1.0 + (n - sum + 1.0) / ratios[j - 1]);
        }
    }
    at_zero
}
