//! Built-in devices and platforms: names, published numbers, and the order of SMs.

use gpusched_model::device::{Device, Granularity, Place, Runs};
use gpusched_model::{Platform, SmOrder};

use crate::support::{files, root};

#[test]
fn runs_of_numbers() {
    assert_eq!(Runs(&[0, 1, 2, 5, 7, 8]).to_string(), "0-2, 5, 7-8");
    assert_eq!(Runs(&[]).to_string(), "");
    assert_eq!(Place::Tpcs(vec![3]).to_string(), "TPCs 3");
}

#[test]
fn every_device_reads_and_names_its_source() {
    let devices: Vec<Device> = Device::all().collect();
    assert_eq!(devices.len(), files(&root().join("tasksets/devices")).len());
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
fn sms_of_devices_are_the_published_numbers() {
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

#[test]
fn every_platform_reads_and_names_its_source() {
    let platforms: Vec<_> = Platform::all().collect();
    assert_eq!(platforms.len(), files(&root().join("tasksets/platforms")).len());
    assert!(platforms.iter().all(|p| !p.source.is_empty()));
    assert!(platforms.is_sorted_by_key(|p| p.sms));
}

#[test]
fn sms_of_platforms_are_the_published_numbers() {
    for (name, sms) in [
        ("tx2", 2),
        ("k5000", 8),
        ("xavier", 8),
        ("orin", 16),
        ("rtx2060", 30),
        ("pegasus", 44),
        ("rtx2080ti", 68),
        ("titanv", 80),
        ("a100", 108),
        ("h100", 132),
    ] {
        assert_eq!(Platform::named(name).map(|p| p.sms), Some(sms), "{name}");
    }
    assert_eq!(Platform::named("gtx1"), None);
}

#[test]
fn orders() {
    assert_eq!(SmOrder::EvenOdd.of(5), [0, 2, 4, 1, 3]);
    assert_eq!(SmOrder::Ascending.of(3), [0, 1, 2]);
    assert_eq!(SmOrder::Descending.of(3), [2, 1, 0]);
}
