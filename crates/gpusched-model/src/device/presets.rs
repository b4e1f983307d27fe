//! The devices we know, from `tasksets/devices/`: one file each, with its source.

use super::Device;

/// The files, built into the program so that it needs no data directory.
const FILES: [&str; 6] = [
    include_str!("../../data/devices/xavier.json"),
    include_str!("../../data/devices/orin.json"),
    include_str!("../../data/devices/rtx2060.json"),
    include_str!("../../data/devices/titanv.json"),
    include_str!("../../data/devices/a100.json"),
    include_str!("../../data/devices/h100.json"),
];

impl Device {
    /// All devices that have a name here, by ascending number of SMs.
    pub fn all() -> impl Iterator<Item = Device> {
        FILES.iter().filter_map(|file| serde_json::from_str(file).ok())
    }

    /// The device called `name`.
    pub fn named(name: &str) -> Option<Device> {
        Device::all().find(|device| device.name == name)
    }

    /// The names of all, for messages.
    pub fn names() -> String {
        let names: Vec<String> = Device::all().map(|device| device.name).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Platform;
    use crate::device::Granularity;

    #[test]
    fn every_file_reads_and_names_its_source() {
        let devices: Vec<Device> = Device::all().collect();
        assert_eq!(devices.len(), FILES.len());
        assert!(devices.is_sorted_by_key(Device::sms));
        for device in devices {
            assert!(!device.source().is_empty(), "{}", device.name());
            let platform = Platform::named(device.name()).unwrap();
            assert_eq!(platform.sms, device.sms(), "{}", device.name());
            if let Some(sms) = platform.sms_per_gpc {
                let gpc = device.tpcs_per_gpc()[0] * device.sms_per_tpc();
                assert_eq!(gpc, sms, "{}", device.name());
            }
        }
    }

    #[test]
    fn instances_have_the_published_sizes() {
        for (name, sizes) in [
            ("a100", vec![14, 14, 28, 42, 56, 98]),
            ("h100", vec![16, 26, 32, 60, 64, 132]),
        ] {
            let device = Device::named(name).unwrap();
            let profiles = &device.mig().unwrap().profiles;
            let found: Vec<u32> = profiles.iter().map(|profile| profile.sms).collect();
            assert_eq!(found, sizes);
            assert!(device.granularities().contains(&Granularity::Mig));
        }
        assert!(Device::named("titanv").unwrap().mig().is_none());
    }

    #[test]
    fn gpcs_hold_each_tpc_once() {
        for device in Device::all() {
            let gpcs = 0..device.tpcs_per_gpc().len() as u32;
            let mut tpcs: Vec<u32> = gpcs.flat_map(|gpc| device.tpcs_of_gpc(gpc)).collect();
            tpcs.sort_unstable();
            assert_eq!(tpcs, (0..device.tpcs()).collect::<Vec<u32>>());
        }
    }
}
