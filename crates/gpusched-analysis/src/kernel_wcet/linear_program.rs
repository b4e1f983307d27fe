//! The WCET program of a kernel as a linear program for a general solver. This is the reference
//! implementation for tests of the exact solver.

use good_lp::{Expression, ProblemVariables, Solution as _, SolverModel, Variable, variable};

use super::regulation::Exposure;
use gpusched_model::Kernel;

/// An optimal solution of Eqs 8–12, in floating-point numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct LpOptimum {
    /// Maximum of Σ(xᵢ + yᵢ)dᵢ: total delay of all blocks [ns].
    pub delay: f64,
    /// xᵢ: number of blocks of each cluster i that execute completely during the memory time of best-effort cores.
    pub covered: Vec<f64>,
    /// yᵢ: number of blocks of each cluster i that overlap the memory time of best-effort cores only in part. Memory
    /// time begins or ends during these blocks.
    pub partial: Vec<f64>,
}

/// Error: the solver of the linear program found no solution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the solver of the linear program failed: {0}")]
pub struct LpError(String);

/// Solves [Aghilinasab20] Eqs 8–12 for `kernel`. `exposure` contains the right-hand sides.
///
/// The feature `minilp` of good_lp selects microlp, the maintained successor of minilp.
///
/// # Errors
/// Returns an [`LpError`] if the solver gives up. The linear program is always feasible and
/// bounded.
pub fn solve(kernel: &Kernel, exposure: Exposure) -> Result<LpOptimum, LpError> {
    solve_for(kernel, exposure.memory_ns as f64, exposure.partial_blocks as f64)
}

/// Solves Eqs 8–12 with the right-hand sides B = `memory` [ns] and K = `partial`, which may be
/// fractions.
///
/// # Errors
/// Returns an [`LpError`] if the solver gives up.
pub fn solve_for(kernel: &Kernel, memory: f64, partial: f64) -> Result<LpOptimum, LpError> {
    let Parts {
        variables,
        hits,
        gain,
        covered,
        boundary,
        total,
    } = Parts::new(kernel);
    let model = variables
        .maximise(gain.clone())
        .using(good_lp::default_solver)
        .with(covered.leq(memory / total.time))
        .with(boundary.leq(partial / total.blocks));
    let solution = at_most_all(model, &hits).solve().map_err(failed)?;
    let counts = |of: fn((Variable, Variable)) -> Variable| {
        let clusters = kernel.clusters().iter().zip(&hits);
        clusters
            .map(|(cluster, &hit)| solution.value(of(hit)) * cluster.blocks() as f64)
            .collect()
    };
    Ok(LpOptimum {
        delay: solution.eval(&gain) * total.delay,
        covered: counts(|hit| hit.0),
        partial: counts(|hit| hit.1),
    })
}

/// Computes the least memory time of best-effort cores [ns] for which the value of Eq. 8 is `window`, with K =
/// `partial` ([Aghilinasab20] Eqs 14–19).
///
/// # Errors
/// Returns an [`LpError`] if the solver gives up, or if Eq. 8 is below `window` for every memory time.
pub fn least_memory_time(kernel: &Kernel, window: f64, partial: f64) -> Result<f64, LpError> {
    let Parts {
        variables,
        hits,
        gain,
        covered,
        boundary,
        total,
    } = Parts::new(kernel);
    let active = f64::from(kernel.active_blocks());
    let longest = kernel
        .clusters()
        .iter()
        .map(|cluster| cluster.contended().ns())
        .max();
    let work = kernel
        .clusters()
        .iter()
        .map(|cluster| cluster.blocks() as f64 * cluster.isolated().ns() as f64);
    // Eq. 15, multiplied by M: the required total delay of all blocks.
    let delay = active * window - (active - 1.0) * longest.unwrap_or(0) as f64 - work.sum::<f64>();
    let model = variables
        .minimise(covered.clone())
        .using(good_lp::default_solver)
        .with(gain.geq(delay / total.delay))
        .with(boundary.leq(partial / total.blocks));
    let solution = at_most_all(model, &hits).solve().map_err(failed)?;
    Ok(solution.eval(&covered) * total.time / active)
}

/// Common parts of the two linear programs. Variables and constraints are fractions of four totals: the blocks of a
/// cluster, all blocks, all memory time, and all delay. So their values have a size that fits the tolerances of the
/// solver.
struct Parts {
    variables: ProblemVariables,
    /// xᵢ and yᵢ of each cluster i.
    hits: Vec<(Variable, Variable)>,
    /// Σ(xᵢ + yᵢ)dᵢ: total delay of all blocks.
    gain: Expression,
    /// Σ xᵢeᵢ¹: total time of the blocks that execute completely during the memory time of best-effort cores.
    covered: Expression,
    /// Σ yᵢ: number of blocks that overlap the memory time of best-effort cores only in part.
    boundary: Expression,
    total: Totals,
}

/// Totals over all blocks of a kernel.
struct Totals {
    blocks: f64,
    time: f64,
    delay: f64,
}

impl Parts {
    fn new(kernel: &Kernel) -> Parts {
        let clusters = || {
            kernel.clusters().iter().map(|cluster| {
                let (blocks, time) = (cluster.blocks() as f64, cluster.contended().ns() as f64);
                let delay = (cluster.contended().ns() - cluster.isolated().ns()) as f64;
                (blocks, blocks * time, blocks * delay)
            })
        };
        let sum = |part: fn((f64, f64, f64)) -> f64| clusters().map(part).sum::<f64>().max(1.0);
        let total = Totals {
            blocks: sum(|cluster| cluster.0),
            time: sum(|cluster| cluster.1),
            delay: sum(|cluster| cluster.2),
        };
        let mut variables = ProblemVariables::new();
        let hits: Vec<(Variable, Variable)> = clusters()
            .map(|_| (variables.add(variable().min(0)), variables.add(variable().min(0))))
            .collect();
        let express = |term: &dyn Fn((f64, f64, f64), (Variable, Variable)) -> Expression| {
            let pairs = clusters().zip(&hits);
            pairs
                .map(|(cluster, &hit)| term(cluster, hit))
                .sum::<Expression>()
        };
        Parts {
            gain: express(&|cluster, (x, y)| cluster.2 / total.delay * (x + y)),
            covered: express(&|cluster, (x, _)| cluster.1 / total.time * x),
            boundary: express(&|cluster, (_, y)| cluster.0 / total.blocks * y),
            variables,
            hits,
            total,
        }
    }
}

/// Adds Eq. 11: each block counts at most once, as completely or as partly covered by memory time.
fn at_most_all<M: SolverModel>(model: M, hits: &[(Variable, Variable)]) -> M {
    hits.iter()
        .fold(model, |model, &(x, y)| model.with((x + y).leq(1)))
}

fn failed(error: impl ToString) -> LpError {
    LpError(error.to_string())
}
