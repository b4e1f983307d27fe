//! `--device`: a device by name or file, and `--granularity`: how it is divided.

use std::path::Path;

use crate::cli::arguments::refused;
use crate::error::{Error, Result};
use crate::model::Device;
use crate::model::device::Granularity;
use crate::model::reader::Devices;
use crate::partitioning::Offer;

/// The device called `name`, or that in the file of this name.
///
/// # Errors
/// What is wrong with the file, or the names there are.
pub fn device(name: &str) -> Result<Device, String> {
    if let Some(device) = Device::named(name) {
        return Ok(device);
    }
    let path = Path::new(name);
    if !name.contains(['/', '\\', '.']) && !path.exists() {
        return Err(refused(
            name,
            format_args!("one of {}, or a file", Device::names()),
        ));
    }
    Devices::only(path, "device").map_err(|error| error.to_string())
}

/// What partitions there are on `device` by `granularity`; `None` if nothing was said of it.
///
/// # Errors
/// [`Error::Refused`] for a granularity without device, or one that the device has not.
pub fn offer(device: Option<&Device>, granularity: Option<Granularity>) -> Result<Option<Offer>> {
    match (device, granularity) {
        (Some(device), granularity) => Offer::new(device, granularity.unwrap_or_default()).map(Some),
        (None, None) => Ok(None),
        (None, Some(granularity)) => Err(Error::parameter(
            "granularity",
            format!("{granularity} without --device"),
            format!(
                "--device with a file or one of {}, which says what there is",
                Device::names()
            ),
        )),
    }
}
