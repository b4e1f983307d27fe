//! Synthetic task sets ([Singh21] §3.6.1).
//!
//! A [`Recipe`] describes how gpusched generates task sets. A [`Source`] applies a recipe to one point of an
//! experiment. The sets of a point have n tasks with the total utilization U. [`Source::draw`] generates the sets one
//! by one, in these steps:
//!
//! 1. [`uunifast`] or [`randfixedsum`] draws the utilizations u₁ … uₙ of the tasks with Σ uᵢ = U.
//! 2. [`Periods`] draws the period T of each task in turn. The work of the task is a = u·T,
//!    rounded to the nearest nanosecond and at least 1 ns. The deadline is D = `deadline`·T,
//!    computed exactly, rounded down, and at least 1 ns. On request, tasks have the jitter J =
//!    `jitter`·T, computed exactly, rounded down, and less than D. `deadline` and `jitter` are constants, or each task
//!    draws its own values from a [`Distribution`].
//! 3. Each task in turn gets a uniform random number α. The task is memory-intensive if α ≤ prm
//!    (`memory-share`), and otherwise compute-intensive.
//! 4. The kind determines the serial fraction β and the conflict factor k of the WCET function, as constants or as
//!    distributions. By default, compute-intensive kernels have β = 0.02 and k = 1.2, and memory-intensive kernels have β =
//!    0.1 and k = 2.3.
//! 5. On request, each kernel has `blocks` equal thread blocks. The time of the longest block is ⌈C(1)/`blocks`⌉, where C(1) is
//!    the WCET in conflict.
//! 6. On request, the tasks have traffic for a memory of B = 100 GB/s. Let r = B/`saturation`. A
//!    memory-intensive kernel has the peak bandwidth r per SM and moves 0.6·a·r bytes per job. A
//!    compute-intensive kernel has the peak bandwidth r/4 per SM and moves 0.05·a·r bytes per
//!    job. The peak bandwidth of a kernel increases with the number of SMs up to B.
//!
//! With [`Source::with_kernels`], a task instead copies a random kernel with a measured WCET table ([`Kernels`]). For
//! such a task, the random number α of step 3 selects the kernel, and the kernel determines the kind and the shape of
//! the WCET function.
//!
//! The utilization u refers to the *work* a. On one SM, the WCET of a kernel is C(1) = a·(1 + β). In conflict, the WCET
//! is k times as long.
//!
//! **Randomness.** Set i of point j depends only on (seed, j, i). Set i does not depend on the number of threads, the
//! order of generation, or other sets. Six ChaCha8 streams ([`streams`]) supply the random numbers: one each for
//! utilizations, periods, kinds, deadlines, jitter, and the pairs of β and k. Constants, blocks and traffic use no
//! random numbers. Two recipes that differ only in periods, kinds or forms of WCET functions generate equal
//! utilizations. Two recipes that differ only in utilizations use equal random numbers for their periods.
//!
//! The generator computes with floating-point numbers, but a generated set consists of integers and exact decimals. Powers,
//! logarithms and exponentials use the `libm` crate, also within the distributions of the crate `rand_distr`. So a set has the
//! same bytes on every machine.
//!
//! [`systems`] generates end-to-end systems.
//!
//! ```
//! use gpusched_analysis::generation::{Recipe, Source};
//!
//! let source = Source::new(&Recipe::default(), 50, 34.0, 1)?;
//! let set = source.draw(0, 17)?;
//! assert_eq!((set.tasks().len(), set.name()), (50, Some("p0-s17")));
//! # Ok::<(), gpusched_model::error::Error>(())
//! ```

mod distribution;
mod kernels;
mod periods;
pub mod randfixedsum;
mod recipe;
mod roots;
mod source;
pub mod systems;
mod times;
mod traffic;
pub mod uunifast;

pub use distribution::{Distribution, ParseDistributionError};
pub use kernels::Kernels;
pub use periods::{ParsePeriodsError, Periods, Range as PeriodRange};
pub use recipe::check_blocks;
pub use recipe::{Generator, Recipe, WcetModel};
pub use source::{MAX_TASKS, Source};
pub use times::MAX_BLOCKS;
pub use traffic::{DRAWN_BANDWIDTH, MAX_SATURATION};
