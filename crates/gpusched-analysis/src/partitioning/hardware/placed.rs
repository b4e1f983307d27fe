//! Where a partition is on its device.

use gpusched_model::device::Place;

/// A partition on its device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The SMs it gets: at least those it asked for.
    pub sms: u32,
    /// Where they are; `None` where that is up to the driver.
    pub place: Option<Place>,
}
