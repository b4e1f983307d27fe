//! Synthetic kernels with the published properties of a benchmark. The block times of these
//! benchmarks are not published.
//!
//! The published properties are the numbers of blocks, clusters and cluster intervals, the nominal budget,
//! and the overestimation. The overestimation is the WCET bound divided by the longest measured
//! time, minus 1.
//!
//! gpusched computes the kernel from a seed, with integers. Only means and standard deviations are floating-point
//! numbers. Each of them is the result of one division.

use std::collections::BTreeMap;

use super::nominal;
use crate::kernel_wcet::synthesis::alternate;
use crate::kernel_wcet::trace::MAX_BLOCKS;
use gpusched_model::error::{Error, Result};
use gpusched_model::kernel::Distribution;
use gpusched_model::streams::{Purpose, below, stream};
use gpusched_model::time::Time;
use gpusched_model::{Benchmark, Benchmarks, Cluster, Factor, Kernel, Straddling};

/// Assumptions that complete the published properties of a synthetic kernel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// M: number of active blocks of the kernel.
    pub active_blocks: u32,
    /// T: regulation period.
    pub period: Time,
    /// Accepted slowdown under the nominal budget.
    pub slowdown: Factor,
    /// Seed of the random block times, cluster sizes and sensitivities.
    pub seed: u64,
}

/// Range of isolated block times [ns]. The blocks of histo take from 1,700 to 3,300 ns ([Aghilinasab20] Table I).
const TIMES: (u64, u64) = (1_500, 3_500);

/// Distance from the mean block time to the longest block time, in standard deviations. The
/// longest block time is the 99.5th percentile, as in [Aghilinasab20] Table I.
const LONGEST: f64 = 2.576;

/// Largest accepted difference between the computed and the published nominal budget: 0.05
/// percentage points. The paper prints the budget in steps of 0.5 percentage points.
const PRECISION: f64 = 0.0005;

/// Largest number of clusters. With more clusters, the isolated block times of different clusters would be too similar.
const MAX_CLUSTERS: u64 = 100;

/// Resolution of the block delay. A delay of `STEPS` doubles the time of a block with sensitivity
/// 1.
const STEPS: u64 = 1_000_000;

/// A cluster whose contended block time is not yet known.
struct Draft {
    blocks: u64,
    e0: u64,
    /// Sensitivity of the blocks to memory traffic, relative to other clusters [thousandths].
    sensitivity: u64,
}

impl Draft {
    /// Returns the cluster for a block delay of `delay`/[`STEPS`]. This fraction is the delay of a block with
    /// sensitivity 1, divided by the isolated time of the block.
    fn cluster(&self, delay: u64) -> Result<Cluster> {
        let (e0, scale) = (u128::from(self.e0), u128::from(STEPS) * 1000);
        let late = (e0 * u128::from(delay) * u128::from(self.sensitivity) + scale / 2) / scale;
        let e1 = u64::try_from(e0 + late).unwrap_or(u64::MAX);
        Ok(Cluster::new(
            self.blocks,
            Time::from_ns(self.e0),
            Time::from_ns(e1),
        )?)
    }
}

/// Creates a kernel with the published numbers of blocks, clusters and cluster intervals of the benchmark `name`.
///
/// The block delays are as large as the published nominal budget permits. If the published budget is 1, full
/// interference causes half of the accepted slowdown. Block times have a normal distribution. The published
/// overestimation determines the ratio of the longest time to the mean.
///
/// # Errors
/// Returns [`Error::Refused`] if the benchmark is unknown or lacks a published value, or if the numbers of blocks,
/// clusters and cluster intervals do not fit together. Also returns this error if no block delays reproduce the
/// published budget to within 0.05 percentage points.
pub fn profile(benchmarks: &Benchmarks, name: &str, recipe: Recipe) -> Result<Kernel> {
    let mut list = benchmarks.benchmarks().iter().zip(0..);
    let Some((benchmark, number)) = list.find(|(benchmark, _)| benchmark.name == name) else {
        let names = benchmarks
            .benchmarks()
            .iter()
            .map(|benchmark| benchmark.name.as_str());
        let names: Vec<&str> = names.collect();
        let expected = format!("one of {}", names.join(", "));
        return Err(Error::parameter("name", format!("{name:?}"), expected));
    };
    let figures = Figures::of(benchmark)?;
    let drafts = drafts(&figures, recipe, number)?;
    let kernel = |delay: u64| {
        let clusters: Result<Vec<Cluster>> = drafts.iter().map(|draft| draft.cluster(delay)).collect();
        let kernel = Kernel::new(recipe.active_blocks, recipe.period, clusters?);
        Ok::<_, Error>(kernel?)
    };
    let bare = kernel(delay(figures.q, recipe, kernel)?)?;
    let found = budget(&bare, recipe.slowdown)?;
    if (found.as_f64() - figures.q.as_f64()).abs() > PRECISION {
        let q = figures.q;
        let expected = format!("{found}, the nearest nominal budget that any synthetic block delays produce");
        return Err(Error::parameter(name, format!("nominal_q {q}"), expected));
    }
    let clusters = bare.clusters().iter().map(|cluster| {
        let isolated = distribution(cluster.isolated(), figures.isolated);
        let interference = distribution(cluster.contended(), figures.contended);
        cluster
            .clone()
            .with_distributions(Some(isolated), Some(interference))
    });
    let clusters: Vec<Cluster> = clusters.collect();
    let intervals = alternate(
        &clusters,
        usize::try_from(figures.intervals).unwrap_or(usize::MAX),
    )?;
    let kernel = Kernel::new(recipe.active_blocks, recipe.period, clusters)
        .and_then(|kernel| kernel.with_intervals(intervals))
        .map_err(|refusal| refusal.within(name))?;
    let kernel = kernel.with_name(Some(format!("{name} (synthetic)")));
    Ok(kernel.with_sources(sources(benchmarks, recipe)))
}

/// Published properties that determine a kernel.
struct Figures {
    blocks: u64,
    clusters: u32,
    intervals: u64,
    q: Factor,
    isolated: Factor,
    contended: Factor,
}

impl Figures {
    fn of(benchmark: &Benchmark) -> Result<Figures> {
        let missing = |field: &str| {
            let name = &benchmark.name;
            Error::parameter(
                name,
                format!("no {field}"),
                format!("the published value of `{field}`"),
            )
        };
        Ok(Figures {
            blocks: benchmark.blocks.ok_or_else(|| missing("blocks"))?,
            clusters: benchmark.clusters.ok_or_else(|| missing("clusters"))?,
            intervals: benchmark.intervals.ok_or_else(|| missing("intervals"))?,
            q: benchmark.nominal_q.ok_or_else(|| missing("nominal_q"))?,
            isolated: (benchmark.overestimation_isolated)
                .ok_or_else(|| missing("overestimation_isolated"))?,
            contended: (benchmark.overestimation_contended)
                .ok_or_else(|| missing("overestimation_contended"))?,
        })
    }
}

/// Returns the source of each property of the kernel, by field name.
fn sources(benchmarks: &Benchmarks, recipe: Recipe) -> BTreeMap<String, String> {
    let Recipe { slowdown, seed, .. } = recipe;
    let of = |field: &str| {
        benchmarks
            .sources()
            .get(field)
            .map_or("no source", String::as_str)
    };
    let times = |field: &str| {
        format!(
            "synthetic: normal; the mean is the WCET by 1 + the overestimation of {}, the WCET is at {LONGEST} standard deviations",
            of(field)
        )
    };
    let sources = [
        ("active_blocks", "synthetic: an assumption".to_owned()),
        ("regulation_period", "as for the benchmark".to_owned()),
        (
            "clusters",
            format!("synthetic but for their number: {}", of("clusters")),
        ),
        (
            "clusters.blocks",
            format!(
                "synthetic but for their sum: {}; shares drawn with seed {seed}",
                of("blocks")
            ),
        ),
        (
            "clusters.e0",
            format!(
                "synthetic: drawn with seed {seed} from {} to {} ns",
                TIMES.0, TIMES.1
            ),
        ),
        (
            "clusters.e1",
            format!(
                "synthetic: solved for so that the budget for a slowdown of {slowdown} is that of {}; sensitivities drawn with seed \
                 {seed}",
                of("nominal_q")
            ),
        ),
        ("clusters.isolated", times("overestimation_isolated")),
        ("clusters.interference", times("overestimation_contended")),
        (
            "intervals",
            format!("synthetic but for their number: {}", of("intervals")),
        ),
    ];
    sources.map(|(field, text)| (field.to_owned(), text)).into()
}

/// Generates clusters with random isolated times, numbers of blocks and sensitivities. `number`
/// selects a random stream of the seed.
fn drafts(figures: &Figures, recipe: Recipe, number: u64) -> Result<Vec<Draft>> {
    let (blocks, count) = (figures.blocks, u64::from(figures.clusters));
    if !(1..=MAX_CLUSTERS).contains(&count) || blocks < 8 * count || blocks > MAX_BLOCKS {
        let expected = format!(
            "1 to {MAX_CLUSTERS} clusters, at least eight blocks per cluster and at most {MAX_BLOCKS} blocks in total"
        );
        let found = format!("{count} clusters of {blocks} blocks");
        return Err(Error::parameter("", found, expected));
    }
    let mut rng = stream(recipe.seed, Purpose::Profile, number, 0);
    let width = (TIMES.1 - TIMES.0) / count;
    let mut drawn = Vec::new();
    for index in 0..count {
        // Each cluster has an equal part of the range `TIMES`. The time comes from the middle
        // three fifths of this part.
        let inner = usize::try_from(width * 3 / 5 + 1).unwrap_or(1);
        let e0 = TIMES.0 + index * width + width / 5 + below(&mut rng, inner) as u64;
        let weight = 500 + below(&mut rng, 1001) as u64;
        let sensitivity = 750 + below(&mut rng, 501) as u64;
        drawn.push((e0, weight, sensitivity));
    }
    let total: u64 = drawn.iter().map(|&(_, weight, _)| weight).sum();
    let share = |weight: u64| u128::from(blocks) * u128::from(weight) / u128::from(total.max(1));
    let mut drafts: Vec<Draft> = drawn
        .into_iter()
        .map(|(e0, weight, sensitivity)| Draft {
            blocks: u64::try_from(share(weight)).unwrap_or(0),
            e0,
            sensitivity,
        })
        .collect();
    let given: u64 = drafts.iter().map(|draft| draft.blocks).sum();
    if let Some(last) = drafts.last_mut() {
        last.blocks += blocks - given;
    }
    Ok(drafts)
}

/// Computes the largest delay under which the nominal budget of `kernel` is at least `q`. The
/// function uses bisection, because the budget decreases as the delay increases.
fn delay(q: Factor, recipe: Recipe, kernel: impl Fn(u64) -> Result<Kernel>) -> Result<u64> {
    let slowdown = match q == Factor::ONE {
        true => half(recipe.slowdown),
        false => recipe.slowdown,
    };
    let (mut good, mut bad) = (0, 100 * STEPS);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match budget(&kernel(middle)?, slowdown)? >= q {
            true => good = middle,
            false => bad = middle,
        }
    }
    Ok(good)
}

fn half(factor: Factor) -> Factor {
    let (numerator, denominator) = factor.ratio();
    let billionths = u64::from(numerator != 0) * (numerator * (1_000_000_000 / denominator) / 2);
    Factor::from_billionths(billionths).unwrap_or(factor)
}

fn budget(kernel: &Kernel, slowdown: Factor) -> Result<Factor> {
    let found = nominal(kernel, slowdown, false, Straddling::default());
    Ok(found
        .map_err(|error| Error::Internal(error.to_string()))?
        .nominal_q)
}

/// Returns a normal distribution whose mean and standard deviation are rounded to 0.1 ns.
fn distribution(longest: Time, over: Factor) -> Distribution {
    let tenths = |ns: f64| (ns * 10.0).round() / 10.0;
    let mean = longest.ns() as f64 / (1.0 + over.as_f64());
    Distribution {
        samples: None,
        mean_ns: tenths(mean),
        std_ns: tenths((longest.ns() as f64 - mean) / LONGEST),
        goodness_of_fit: None,
        lilliefors: None,
        percentile: None,
        tail: None,
    }
}
