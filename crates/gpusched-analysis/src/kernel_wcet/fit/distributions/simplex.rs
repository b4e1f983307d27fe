//! The downhill simplex method of Nelder and Mead (The Computer Journal 7, 1965), which minimizes
//! a function deterministically and without derivatives.

/// Searches for a minimum of `f` near `start`. Returns the best point that the search found, and
/// the value of `f` at this point.
///
/// `f` is infinite where it is undefined, and must be finite at `start`. The edges of the first
/// simplex have the length `step`. When the simplex has become small, the search starts again around the best point.
/// The search stops when a new start brings no improvement.
pub fn minimize<const N: usize>(f: impl Fn(&[f64; N]) -> f64, start: [f64; N], step: f64) -> ([f64; N], f64) {
    const ROUNDS: usize = 6;
    let mut best = (start, f(&start));
    let mut edge = step;
    for _ in 0..ROUNDS {
        let found = descend(&f, best, edge);
        let gain = best.1 - found.1;
        best = found;
        edge = 0.1 * step;
        if gain <= 1e-10 * (1.0 + best.1.abs()) {
            break;
        }
    }
    best
}

fn descend<const N: usize>(
    f: &impl Fn(&[f64; N]) -> f64,
    start: ([f64; N], f64),
    step: f64,
) -> ([f64; N], f64) {
    const STEPS: usize = 400;
    let mut simplex = vec![start];
    for dimension in 0..N {
        let mut corner = start.0;
        corner[dimension] += step;
        simplex.push((corner, f(&corner)));
    }
    for _ in 0..STEPS {
        simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, worst) = (simplex[0], simplex[N]);
        if worst.1 - best.1 <= 1e-12 * (1.0 + best.1.abs()) && width(&simplex) < 1e-7 {
            break;
        }
        let mut center = [0.0; N];
        for (corner, _) in &simplex[..N] {
            for (sum, x) in center.iter_mut().zip(corner) {
                *sum += x / N as f64;
            }
        }
        // Returns a point on the line from the worst corner through the center. The point is
        // beyond the center, by `t` times the distance from the worst corner to the center.
        let at = |t: f64| {
            let mut point = center;
            for (x, w) in point.iter_mut().zip(&worst.0) {
                *x += t * (*x - w);
            }
            (point, f(&point))
        };
        let reflected = at(1.0);
        let replacement = if reflected.1 < best.1 {
            let expanded = at(2.0);
            Some(if expanded.1 < reflected.1 {
                expanded
            } else {
                reflected
            })
        } else if reflected.1 < simplex[N - 1].1 {
            Some(reflected)
        } else {
            let contracted = at(if reflected.1 < worst.1 { 0.5 } else { -0.5 });
            (contracted.1 < worst.1.min(reflected.1)).then_some(contracted)
        };
        match replacement {
            Some(point) => simplex[N] = point,
            None => {
                for (corner, value) in &mut simplex[1..] {
                    for (x, b) in corner.iter_mut().zip(&best.0) {
                        *x = 0.5 * (*x + b);
                    }
                    *value = f(corner);
                }
            }
        }
    }
    simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
    simplex[0]
}

fn width<const N: usize>(simplex: &[([f64; N], f64)]) -> f64 {
    let best = simplex[0].0;
    let offsets = simplex.iter().flat_map(|(corner, _)| corner.iter().zip(&best));
    offsets.map(|(x, b)| (x - b).abs()).fold(0.0, f64::max)
}
