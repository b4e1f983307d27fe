//! Calibration: properties of a GPU that its driver does not state, from small kernels. No setting of the GPU changes.
//!
//! * `kernels`: the kernels, in PTX;
//! * `blocks`: on which SMs thread blocks and clusters start;
//! * `rates`: rates of L2 and DRAM by number of SMs;
//! * `delays`: the tick of the timer, and times of launches and of a stream with priority;
//! * `slices`: time slices of two contexts;
//! * `pipes`: pairs of kernels on the execution pipes of the same SMs.

mod blocks;
mod delays;
mod kernels;
mod pipes;
mod rates;
mod slices;

pub use delays::Priority;
pub(super) use kernels::Kernels;
pub use pipes::{PIPES, Pipes};
pub(super) use rates::Buffers;
pub use rates::Rate;
pub use slices::Slices;

use gpusched_model::error::Result;

use super::context::Device;
use super::library::Driver;
use crate::run::Statistics;

/// Observed properties of a GPU. A property is absent if it could not be observed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observations {
    /// SMs of the thread blocks of each cluster. Empty for a GPU without clusters.
    pub clusters: Vec<Vec<u32>>,
    /// SM of each thread block of launches with one block per SM, on the idle GPU.
    pub starts: Vec<Vec<u32>>,
    /// Step between two values of the timer of the GPU [ns].
    pub tick_ns: Option<u64>,
    /// Host time of the call that launches an empty kernel [ns].
    pub launch: Statistics,
    /// Host time from the launch of an empty kernel to its observed end [ns].
    pub empty: Statistics,
    /// Lateness of a timer of the host [ns].
    pub timer: Statistics,
    /// Times of a kernel on a stream of the highest priority, beside a kernel of the lowest priority.
    pub priority: Option<Priority>,
    /// Time slices of two contexts.
    pub slices: Option<Slices>,
    /// Rates, by number of SMs.
    pub rates: Vec<Rate>,
    /// Times of pairs of kernels on execution pipes.
    pub pipes: Option<Pipes>,
}

/// Observes the SMs of thread blocks and clusters of the GPU `ordinal`.
///
/// # Errors
/// Fails without this GPU, or if a call of the driver fails.
pub fn placements(driver: &Driver, ordinal: i32) -> Result<Observations> {
    let device = Device::open(driver, ordinal)?;
    Ok(Observations {
        clusters: blocks::clusters(&device)?,
        starts: blocks::starts(&device)?,
        ..Observations::default()
    })
}

/// Observes all properties of the GPU `ordinal`.
///
/// # Errors
/// Fails without this GPU, or if a call of the driver fails.
pub fn observations(driver: &Driver, ordinal: i32) -> Result<Observations> {
    let placed = placements(driver, ordinal)?;
    let device = Device::open(driver, ordinal)?;
    let kernels = Kernels::load(&device)?;
    let (launch, empty) = delays::launches(&device)?;
    Ok(Observations {
        tick_ns: delays::tick(&device, &kernels)?,
        launch,
        empty,
        timer: delays::timer(),
        priority: delays::priority(&device, &kernels)?,
        rates: rates::rates(&device, &kernels)?,
        slices: slices::slices(&device)?,
        pipes: pipes::pipes(&device, &kernels)?,
        ..placed
    })
}

/// Returns the step between two values of the timer of the GPU `ordinal` [ns]. Returns `None` if the timer stands still.
///
/// # Errors
/// Fails without this GPU, or if a call of the driver fails.
pub fn tick(driver: &Driver, ordinal: i32) -> Result<Option<u64>> {
    let device = Device::open(driver, ordinal)?;
    Ok(delays::tick(&device, &Kernels::load(&device)?)?)
}
