//! Placement of a partition on its device.

use gpusched_model::device::Place;

/// A placed partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// SMs of the partition: at least the requested number.
    pub sms: u32,
    /// The placement; `None` if the driver chooses it.
    pub place: Option<Place>,
}
