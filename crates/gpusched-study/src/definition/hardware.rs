//! Devices and partition sizes that a study names.

use gpusched_analysis::partitioning::Offer;
use gpusched_model::Refusal;
use gpusched_model::device::{Device, Granularity};

/// Returns the device called `name`. The error lists the names of all devices.
pub(crate) fn device(name: &str) -> Result<Device, Refusal> {
    Device::named(name).ok_or_else(|| {
        let expected = format!("one of {}", Device::names());
        Refusal::new("device", format!("\"{}\"", name.escape_debug()), expected)
    })
}

/// Returns the partition sizes that `device` supports with `granularity`. The error lists the granularities of the device.
pub(crate) fn offer(device: &Device, granularity: Granularity) -> Result<Offer, Refusal> {
    Offer::new(device, granularity).map_err(|_| {
        let known: Vec<String> = device.granularities().iter().map(ToString::to_string).collect();
        let expected = format!("one of {}", known.join(", "));
        Refusal::new("granularity", granularity, expected)
    })
}
