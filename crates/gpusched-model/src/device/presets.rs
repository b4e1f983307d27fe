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
        }
    }

    #[test]
    fn a_name_means_one_gpu() {
        for platform in Platform::all() {
            let device = Device::named(&platform.name).unwrap();
            assert_eq!(platform.sms, device.sms(), "{}", device.name());
            if let (Some(sms), Some(gpc)) = (platform.sms_per_gpc, device.sms_per_gpc().next()) {
                assert_eq!(gpc, sms, "{}", device.name());
            }
        }
    }

    #[test]
    fn sms_are_the_published_numbers() {
        for (name, sms) in [
            ("orin-nano-4gb", 4),
            ("orin-nano", 8),
            ("orin-nx", 8),
            ("thor", 20),
            ("gb10", 48),
            ("a30", 56),
            ("l4", 58),
            ("rtx4090", 128),
            ("h200", 132),
            ("l40s", 142),
            ("b200", 148),
            ("rtx5090", 170),
        ] {
            assert_eq!(
                Device::named(name).map(|device| device.sms()),
                Some(sms),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_unknown_is_no_way_to_divide() {
        let ways = |name: &str| Device::named(name).unwrap().granularities();
        assert_eq!(ways("gb10"), [Granularity::Sm]);
        assert!(!ways("l4").contains(&Granularity::Gpc));
        assert!(ways("l4").contains(&Granularity::Tpc));
    }

    #[test]
    fn instances_have_the_published_sizes() {
        for (name, sizes) in [
            ("a100", vec![14, 14, 28, 42, 56, 98]),
            ("h100", vec![16, 26, 32, 60, 64, 132]),
            ("h200", vec![16, 26, 32, 60, 64, 132]),
            ("a30", vec![14, 28, 56]),
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
        let divided = |device: &Device| device.granularities().contains(&Granularity::Gpc);
        for device in Device::all().filter(divided) {
            let gpcs = 0..device.tpcs_per_gpc().len() as u32;
            let mut tpcs: Vec<u32> = gpcs.flat_map(|gpc| device.tpcs_of_gpc(gpc)).collect();
            tpcs.sort_unstable();
            assert_eq!(tpcs, (0..device.tpcs().unwrap()).collect::<Vec<u32>>());
        }
    }
}
