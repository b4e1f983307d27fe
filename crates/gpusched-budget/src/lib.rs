//! The run-time step of memory bandwidth budgets ([Aghilinasab20] §V and §VI-B): from the unfinished thread blocks of a
//! kernel to the memory time of best-effort cores in the next regulation period.
//!
//! * [`Chooser`]: the budget policies, for kernels and other segments;
//! * [`Allocator`]: the step for a kernel;
//! * [`Intervals`]: the number of unfinished blocks, computed from the numbers of the running blocks;
//! * [`burst`]: the inverse of the memory time function;
//! * [`c`]: the C interface, `include/gpusched_budget.h`.
//!
//! The crate uses neither the standard library nor memory allocation nor floats. No function panics: arithmetic
//! saturates towards smaller budgets, and callers get a [`Fault`] for values out of range. For a kernel with N clusters,
//! I cluster intervals and M active blocks, a step has these bounds:
//!
//! | function | loop iterations | divisions of 64 bits | of 128 bits |
//! |---|---|---|---|
//! | [`Allocator::decide`] | 2·N | 8 | 3 |
//! | [`Intervals::remaining`] | N + (M + 1)·(⌊log₂ I⌋ + 2) | 0 | 0 |
//!
//! All times are in ns.
#![no_std]

pub mod allocator;
pub mod burst;
#[allow(unsafe_code, reason = "functions that C calls, with pointers from C")]
pub mod c;
pub mod chooser;
pub mod fault;
pub mod intervals;

pub use allocator::{Allocator, Cluster, Setting};
pub use chooser::{Chooser, Policy};
pub use fault::Fault;
pub use intervals::{Interval, Intervals};

/// Largest number of clusters of a kernel.
pub const MAX_CLUSTERS: usize = 1024;
/// Largest number M of blocks of a kernel that run at the same time.
pub const MAX_ACTIVE: u32 = 1 << 20;
/// Longest time, and longest work of all blocks of a kernel: 2^63 − 1 ns.
pub const LONGEST: u64 = i64::MAX as u64;

/// A static library without the standard library requires this function. No function of the crate calls it.
#[cfg(gpusched_freestanding)]
#[panic_handler]
fn unreachable(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// The divisions of the compiler name this function for a stack unwinding that never begins.
#[cfg(gpusched_freestanding)]
#[allow(unsafe_code, reason = "a symbol for the linker")]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
