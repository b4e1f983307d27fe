//! Built-in devices. Each device has a file in `tasksets/devices/`, which states the source of
//! its values.

use super::Device;
use crate::reader::Document as _;

/// Device files. The program contains the files, so it needs no data directory.
const FILES: [&str; 22] = [
    include_str!("../../data/devices/tx2.json"),
    include_str!("../../data/devices/orin-nano-4gb.json"),
    include_str!("../../data/devices/k5000.json"),
    include_str!("../../data/devices/xavier.json"),
    include_str!("../../data/devices/orin-nano.json"),
    include_str!("../../data/devices/orin-nx.json"),
    include_str!("../../data/devices/orin.json"),
    include_str!("../../data/devices/thor.json"),
    include_str!("../../data/devices/rtx2060.json"),
    include_str!("../../data/devices/pegasus.json"),
    include_str!("../../data/devices/gb10.json"),
    include_str!("../../data/devices/a30.json"),
    include_str!("../../data/devices/l4.json"),
    include_str!("../../data/devices/rtx2080ti.json"),
    include_str!("../../data/devices/titanv.json"),
    include_str!("../../data/devices/a100.json"),
    include_str!("../../data/devices/rtx4090.json"),
    include_str!("../../data/devices/h100.json"),
    include_str!("../../data/devices/h200.json"),
    include_str!("../../data/devices/l40s.json"),
    include_str!("../../data/devices/b200.json"),
    include_str!("../../data/devices/rtx5090.json"),
];

impl Device {
    /// Returns all built-in devices, sorted by ascending number of SMs. The list contains a device for every
    /// [`Platform`](crate::Platform).
    pub fn all() -> impl Iterator<Item = Device> {
        FILES.iter().filter_map(|file| Device::from_json(file).ok())
    }

    /// Returns the built-in device called `name`.
    pub fn named(name: &str) -> Option<Device> {
        Device::all().find(|device| device.name == name)
    }

    /// Returns the names of all built-in devices, for error messages.
    pub fn names() -> String {
        let names: Vec<String> = Device::all().map(|device| device.name).collect();
        names.join(", ")
    }
}
