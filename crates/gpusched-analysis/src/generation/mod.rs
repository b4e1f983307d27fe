//! Synthetic task sets ([Singh21] §3.6.1).
//!
//! A [`Recipe`] describes how gpusched generates task sets. A [`Source`] is the recipe at one point of an experiment, with n tasks
//! of total utilization U. [`Source::draw`] generates the sets one by one:
//!
//! 1. the tasks' utilizations u₁ … uₙ with Σ uᵢ = U, by [`uunifast`] or [`randfixedsum`];
//! 2. for each task in turn its period T ([`Periods`]), its work a = u·T (to the nearest nanosecond, at least 1 ns), its deadline D
//!    = `deadline`·T (exact, rounded down, at least 1 ns), and on request its jitter J = `jitter`·T (exact, rounded down, less than
//!    D);
//! 3. for each task in turn its kind: memory-intensive if α ≤ prm, with α uniform, and else compute-intensive;
//! 4. the WCET function of the kind: β = 0.02, k = 1.2 if compute-intensive, β = 0.1, k = 2.3 if memory-intensive;
//! 5. on request, the longest of `blocks` equal thread blocks: ⌈C(1)/`blocks`⌉ with C(1) in conflict;
//! 6. on request, traffic for a memory of B = 100 GB/s. One SM of a memory-intensive kernel uses the rate B/`saturation`. A job
//!    moves the bytes that take 60 % of the work a at this rate, and the peak rate grows with the SMs up to B. A compute-intensive
//!    kernel uses a quarter of this rate per SM, also up to B, and moves the bytes for 5 %.
//!
//! The utilization u refers to the *work* a. On one SM a kernel takes C(1) = a·(1 + β), and k times this WCET in conflict.
//!
//! **Randomness.** Set i of point j depends only on (seed, j, i). Threads, order and other generated sets have no influence. Steps
//! 1, 2 and 3 each read one ChaCha8 stream ([`streams`]). Jitter, blocks and traffic read no stream. So two recipes that differ in
//! periods, kinds or WCET forms have the same utilizations. Two recipes that differ only in utilizations choose from the list of
//! periods with the same random numbers.
//!
//! Only this module uses floats in an analysis; a generated set consists of integers and exact decimals. Powers, logarithms and
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
