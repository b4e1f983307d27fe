//! Placement of a partition on its device.

use gpusched_model::device::Place;

/// A partition with its placement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Number of SMs of the partition, at least the requested number.
    pub sms: u32,
    /// Placement of the partition; `None` if the driver chooses the placement.
    pub place: Option<Place>,
}
