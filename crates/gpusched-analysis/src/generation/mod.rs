//! Synthetic task sets ([Singh21] §3.6.1).
//!
//! A [`Recipe`] says how sets are drawn, a [`Source`] is the recipe at one point of an experiment (n tasks of total
//! utilization U), and [`Source::draw`] gives its sets one by one:
//!
//! 1. the tasks' utilizations u₁ … uₙ with Σ uᵢ = U, by [`uunifast`] or [`randfixedsum`];
//! 2. for each task in turn its period T ([`Periods`]), work a = u·T to the nearest nanosecond (at least 1 ns), and
//!    deadline D = `deadline`·T (exact, rounded down, at least 1 ns), and, if asked for, jitter J = `jitter`·T (exact,
//!    rounded down, less than D);
//! 3. for each task in turn its kind: memory-intensive iff α ≤ prm, with α uniform;
//! 4. the WCET function of the kind: β = 0.02, k = 1.2 if compute-intensive, β = 0.1, k = 2.3 if memory-intensive;
//! 5. if asked for, the longest thread block of `blocks` equal ones: ⌈C(1)/`blocks`⌉ with C(1) in conflict;
//! 6. if asked for, traffic for a memory of 100 GB/s of which one SM of a memory-intensive kernel draws B/`saturation`: bytes that
//!    take 60 % of the work a at that rate, and a peak that grows with the SMs up to B; a quarter of that peak and bytes for 5 % if
//!    compute-intensive.
//!
//! Note that u is the share of the *work* a; on one SM a kernel takes C(1) = a·(1 + β), in conflict k times that.
//!
//! **Randomness.** Set i of point j depends only on (seed, j, i): not on threads, on order, or on which other sets are
//! drawn. Steps 1, 2 and 3 read one ChaCha8 stream each ([`streams`]), jitter, blocks and traffic read none. So two recipes that
//! differ in their periods, kinds or WCET forms have the same utilizations, and those that differ in their utilizations alone choose from the
//! list of periods with the same random numbers.
//!
//! Floats are at home here and nowhere else: a drawn set consists of integers and exact decimals. Powers, logarithms
//! and exponentials come from the `libm` crate, so that a set has the same bytes on every machine.
//!
//! ```
//! use gpusched_analysis::generation::{Recipe, Source};
//!
//! let source = Source::new(&Recipe::default(), 50, 34.0, 1)?;
//! let set = source.draw(0, 17)?;
//! assert_eq!((set.tasks().len(), set.name()), (50, Some("p0-s17")));
//! # Ok::<(), gpusched_model::error::Error>(())
//! ```

mod periods;
pub mod randfixedsum;
mod recipe;
mod source;
mod times;
mod traffic;
pub mod uunifast;

pub use periods::{ParsePeriodsError, Periods};
pub use recipe::check_blocks;
pub use recipe::{Generator, Recipe, WcetModel};
pub use source::{MAX_TASKS, Source};
pub use times::MAX_BLOCKS;
pub use traffic::{DRAWN_BANDWIDTH, MAX_SATURATION};
