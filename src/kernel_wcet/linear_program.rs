//! The WCET program of a kernel as a linear program for a general solver: the slow twin of the exact solution.

use good_lp::{Expression, ProblemVariables, Solution as _, SolverModel as _, Variable, variable};

use super::regulation::Exposure;
use crate::model::Kernel;

/// An optimal solution of Eqs 8–12, in floats.
#[derive(Clone, PartialEq, Debug)]
pub struct LpOptimum {
    /// Max Σ(xᵢ + yᵢ)dᵢ: the delay of all blocks together [ns].
    pub delay: f64,
    /// xᵢ: blocks that memory time covers wholly, by cluster.
    pub covered: Vec<f64>,
    /// yᵢ: blocks that the end of a memory time covers in part, by cluster.
    pub partial: Vec<f64>,
}

/// Why there is no solution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the LP solver failed: {0}")]
pub struct LpError(String);

/// Solves [Aghilinasab20] Eqs 8–12 for `kernel` with the right-hand sides in `exposure`.
///
/// The feature `minilp` of good_lp stands for microlp, the maintained successor of minilp.
///
/// # Errors
/// [`LpError`] if the solver gives up; the program itself is feasible and bounded.
pub fn solve(kernel: &Kernel, exposure: Exposure) -> Result<LpOptimum, LpError> {
    solve_for(kernel, exposure.memory_ns as f64, exposure.partial_blocks as f64)
}

/// The same for right-hand sides that are no integers: B = `memory` [ns] and K = `partial`.
///
/// # Errors
/// [`LpError`] if the solver gives up.
pub fn solve_for(kernel: &Kernel, memory: f64, partial: f64) -> Result<LpOptimum, LpError> {
    // In shares of the blocks of each cluster, and of all blocks, memory time and delay, so that tolerances fit.
    let clusters = || {
        kernel.clusters().iter().map(|cluster| {
            let (blocks, time) = (cluster.blocks() as f64, cluster.contended().ns() as f64);
            let delay = (cluster.contended().ns() - cluster.isolated().ns()) as f64;
            (blocks, blocks * time, blocks * delay)
        })
    };
    let total = |part: fn((f64, f64, f64)) -> f64| clusters().map(part).sum::<f64>().max(1.0);
    let (blocks, time, delay) = (total(|c| c.0), total(|c| c.1), total(|c| c.2));
    let mut variables = ProblemVariables::new();
    let hits: Vec<(Variable, Variable)> = clusters()
        .map(|_| (variables.add(variable().min(0)), variables.add(variable().min(0))))
        .collect();
    let sum = |term: &dyn Fn((f64, f64, f64), (Variable, Variable)) -> Expression| {
        clusters()
            .zip(&hits)
            .map(|(cluster, &hit)| term(cluster, hit))
            .sum::<Expression>()
    };
    let gain = sum(&|cluster, (x, y)| cluster.2 / delay * (x + y));
    let covered = sum(&|cluster, (x, _)| cluster.1 / time * x);
    let boundary = sum(&|cluster, (_, y)| cluster.0 / blocks * y);
    let mut model = variables
        .maximise(gain.clone())
        .using(good_lp::default_solver)
        .with(covered.leq(memory / time))
        .with(boundary.leq(partial / blocks));
    for &(x, y) in &hits {
        model = model.with((x + y).leq(1));
    }
    let solution = model.solve().map_err(|error| LpError(error.to_string()))?;
    let counts = |of: fn((Variable, Variable)) -> Variable| {
        clusters()
            .zip(&hits)
            .map(|(cluster, &hit)| solution.value(of(hit)) * cluster.0)
            .collect()
    };
    Ok(LpOptimum {
        delay: solution.eval(&gain) * delay,
        covered: counts(|hit| hit.0),
        partial: counts(|hit| hit.1),
    })
}
