//! Inverse of a matrix by elimination (Gauss–Jordan). Most entries of a basis are 0, and a difference with 0 needs no computation.

/// Entries of at most this size are no pivots.
const PIVOT: f64 = 1e-9;

/// A list of numbers. If most of them are 0, computations visit only the others.
pub(super) enum Nonzero<'n> {
    All(&'n [f64]),
    Few(Vec<(usize, f64)>),
}

impl<'n> Nonzero<'n> {
    /// Counts the numbers that are not 0. One such number takes as long as four numbers in a list of all numbers.
    pub fn of(numbers: &'n [f64]) -> Nonzero<'n> {
        let count = numbers.iter().filter(|&&number| number != 0.0).count();
        if 4 * count > numbers.len() {
            return Nonzero::All(numbers);
        }
        let few = numbers.iter().copied().enumerate();
        Nonzero::Few(few.filter(|&(_, number)| number != 0.0).collect())
    }

    /// Subtracts `factor` times these numbers from `target`.
    pub fn subtract_from(&self, target: &mut [f64], factor: f64) {
        match self {
            Nonzero::All(numbers) => {
                for (target, &number) in target.iter_mut().zip(*numbers) {
                    *target -= factor * number;
                }
            }
            Nonzero::Few(few) => {
                for &(place, number) in few {
                    target[place] -= factor * number;
                }
            }
        }
    }
}

/// Returns the inverse of `matrix`, column by column, or `None` if it is singular. `matrix` has `rows` rows of `rows` numbers.
pub(super) fn inverse_of(mut matrix: Vec<f64>, rows: usize) -> Option<Vec<f64>> {
    let mut inverse = vec![0.0; rows * rows];
    for row in 0..rows {
        inverse[row * rows + row] = 1.0;
    }
    for place in 0..rows {
        let size = |row: usize| matrix[row * rows + place].abs();
        let pivot = (place..rows).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
        if size(pivot) <= PIVOT {
            return None;
        }
        let scale = 1.0 / { matrix[pivot * rows + place] };
        let factors: Vec<f64> = (0..rows)
            .map(|row| {
                let from = if row == pivot { place } else { row };
                matrix[from * rows + place]
            })
            .collect();
        for all in [&mut matrix, &mut inverse] {
            if pivot != place {
                let (before, after) = all.split_at_mut(pivot * rows);
                before[place * rows..(place + 1) * rows].swap_with_slice(&mut after[..rows]);
            }
            all[place * rows..(place + 1) * rows]
                .iter_mut()
                .for_each(|entry| *entry *= scale);
            let scaled = all[place * rows..(place + 1) * rows].to_vec();
            let scaled = Nonzero::of(&scaled);
            for (row, target) in all.chunks_exact_mut(rows).enumerate() {
                if row != place && factors[row] != 0.0 {
                    scaled.subtract_from(target, factors[row]);
                }
            }
        }
    }
    let transposed = (0..rows).flat_map(|column| inverse.iter().skip(column).step_by(rows));
    Some(transposed.copied().collect())
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Reference implementation, which visits every number.
    fn slowly(mut matrix: Vec<f64>, rows: usize) -> Option<Vec<f64>> {
        let mut inverse = vec![0.0; rows * rows];
        for row in 0..rows {
            inverse[row * rows + row] = 1.0;
        }
        for place in 0..rows {
            let size = |row: usize| matrix[row * rows + place].abs();
            let pivot = (place..rows).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
            if size(pivot) <= PIVOT {
                return None;
            }
            for column in 0..rows {
                matrix.swap(place * rows + column, pivot * rows + column);
                inverse.swap(place * rows + column, pivot * rows + column);
            }
            let scale = 1.0 / matrix[place * rows + place];
            for column in 0..rows {
                matrix[place * rows + column] *= scale;
                inverse[place * rows + column] *= scale;
            }
            for row in (0..rows).filter(|&row| row != place) {
                let factor = matrix[row * rows + place];
                for column in 0..rows {
                    matrix[row * rows + column] -= factor * matrix[place * rows + column];
                    inverse[row * rows + column] -= factor * inverse[place * rows + column];
                }
            }
        }
        Some(inverse)
    }

    /// The bits are equal, so that plans do not depend on the shortcut.
    #[test]
    fn inverses_equal_those_of_all_numbers() {
        let rng = &mut ChaCha8Rng::seed_from_u64(7);
        let (mut invertible, mut singular) = (0, 0);
        for round in 0..400 {
            let rows = rng.random_range(1..25);
            let share = [0.05, 0.3, 0.9][round % 3];
            let mut matrix = vec![0.0; rows * rows];
            for (place, entry) in matrix.iter_mut().enumerate() {
                let diagonal = place % (rows + 1) == 0 && rng.random_bool(0.95);
                *entry = f64::from(diagonal || rng.random_bool(share));
                if rng.random_bool(0.1) {
                    *entry = -*entry;
                }
            }
            match (inverse_of(matrix.clone(), rows), slowly(matrix, rows)) {
                (Some(fast), Some(slow)) => {
                    invertible += 1;
                    for (place, entry) in slow.iter().enumerate() {
                        let other = fast[place % rows * rows + place / rows];
                        assert_eq!(entry + 0.0, other + 0.0, "round {round}, {place}"); // -0 and 0 are equal
                    }
                }
                (fast, slow) => {
                    singular += 1;
                    assert_eq!(fast, slow);
                }
            }
        }
        assert!(invertible > 100 && singular > 20, "{invertible} {singular}");
    }
}
