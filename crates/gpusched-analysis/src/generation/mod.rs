//! Synthetic task sets ([Singh21] §3.6.1).
//!
//! A [`Recipe`] describes how gpusched generates task sets. A [`Source`] is the recipe at one point of an experiment, with n tasks
//! of total utilization U. [`Source::draw`] generates the sets one by one:
//!
//! 1. [`uunifast`] or [`randfixedsum`] draws the utilizations u₁ … uₙ of the tasks with Σ uᵢ = U.
//! 2. [`Periods`] draws the period T of each task in turn. The work is a = u·T, to the nearest nanosecond and at least 1 ns. The
//!    deadline is D = `deadline`·T, exact, rounded down and at least 1 ns. On request, the jitter is J = `jitter`·T, exact, rounded
//!    down and less than D.
//! 3. Each task in turn is memory-intensive if α ≤ prm, with α uniform, and otherwise compute-intensive.
//! 4. The kind determines the WCET function: β = 0.02, k = 1.2 if compute-intensive, and β = 0.1, k = 2.3 if memory-intensive.
//! 5. On request, the longest of `blocks` equal thread blocks is ⌈C(1)/`blocks`⌉ with C(1) in conflict.
//! 6. On request, the tasks have traffic for a memory of B = 100 GB/s. One SM of a memory-intensive kernel uses the rate
//!    B/`saturation`. A job moves the bytes that take 60 % of the work a at this rate. The peak grows with the SMs up to B. A
//!    compute-intensive kernel uses a quarter of this rate per SM, also up to B, and moves the bytes for 5 %.
//!
//! The utilization u refers to the *work* a. On one SM a kernel takes C(1) = a·(1 + β), and k times this WCET in conflict.
//!
//! **Randomness.** Set i of point j depends only on (seed, j, i). Threads, order and other generated sets have no influence. Steps
//! 1, 2 and 3 each read one ChaCha8 stream ([`streams`]). Jitter, blocks and traffic read no stream. So two recipes that differ in
//! periods, kinds or WCET forms have the same utilizations. Two recipes that differ only in utilizations choose from the list of
//! periods with the same random numbers.
//!
//! The generator computes with floats, but a generated set consists of integers and exact decimals. Powers, logarithms and
//! exponentials come from the `libm` crate, so a set has the same bytes on every machine.
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
