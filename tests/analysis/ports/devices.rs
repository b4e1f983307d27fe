//! Guarantee: a device file cannot state contradictory ports, and rates that follow from a published speedup are rounded
//! down.

use gpusched::model::device::{Device, PortLevel};
use serde_json::{Value, json};

/// Returns a device of 8 SMs in 4 TPCs and 2 GPCs with `ports`, or its error.
fn device(ports: Value) -> Result<Device, String> {
    let device = json!({"name": "four", "sms": 8, "sms_per_tpc": 2, "tpcs_per_gpc": [2, 2], "ports": ports});
    serde_json::from_value(device).map_err(|error| error.to_string())
}

#[test]
fn contradictory_ports_are_refused() {
    let (sm, tpc) = (
        json!({"level": "sm", "read": "30GB/s", "write": "20GB/s"}),
        json!({"level": "tpc", "read": "50GB/s", "write": "40GB/s"}),
    );
    for (ports, expected) in [
        (
            json!([tpc, tpc]),
            "ports[1].level: found tpc, expected each level at most once",
        ),
        (
            json!([{"level": "tpc", "read": "50GB/s"}]),
            "ports[0].write: found none",
        ),
        (json!([{"level": "tpc"}]), "ports[0].read: found none"),
        (
            json!([{"level": "tpc", "read": 0, "write": 1}]),
            "ports[0].read: found 0",
        ),
        (
            json!([{"level": "tpc", "read": 1, "speedup": {"read": 1, "write": 1}}]),
            "ports[0].read: found 1B/s, expected either `read` and `write`, or `speedup`",
        ),
        (
            json!([{"level": "sm", "speedup": {"read": 1, "write": 1}}]),
            "ports[0].speedup: found a speedup",
        ),
        (
            json!([{"level": "tpc", "speedup": {"read": 2.5, "write": 1}}]),
            "ports[0].speedup.read: found 2.5, expected 1 to 2",
        ),
        (
            json!([{"level": "gpc", "speedup": {"read": 1, "write": 0.9}}]),
            "ports[0].speedup.write: found 0.9, expected 1 to 4",
        ),
        (
            json!([tpc, {"level": "gpc", "read": "49GB/s", "write": "40GB/s"}]),
            "ports[1].read: found 49GB/s, expected at least 50GB/s, the rate of the `tpc` port",
        ),
        (
            json!([{"level": "gpc", "speedup": {"read": 1.5, "write": 2}}, {"level": "tpc", "speedup": {"read": 1.8, "write": 2}}]),
            "ports[0].speedup.read: found 1.5, expected at least 1.8",
        ),
        (
            json!([sm, {"level": "gpc", "speedup": {"read": 1.6, "write": 2}}, tpc]),
            "ports[1].read: found 48GB/s, expected at least 50GB/s",
        ),
        (
            json!([{"level": "cpc", "read": 1, "write": 1}]),
            "unknown variant `cpc`",
        ),
        (json!([sm, tpc, tpc, sm]), "found 4 ports"),
    ] {
        let error = device(ports.clone()).unwrap_err();
        assert!(error.contains(expected), "{ports}: {error}");
    }
    let without = json!({"name": "x", "sms": 8, "ports": [tpc]});
    let error = serde_json::from_value::<Device>(without).unwrap_err().to_string();
    assert!(error.contains("expected a device with `sms_per_tpc`"), "{error}");
    let without =
        json!({"name": "x", "sms": 8, "sms_per_tpc": 2, "ports": [{"level": "gpc", "read": 1, "write": 1}]});
    let error = serde_json::from_value::<Device>(without).unwrap_err().to_string();
    assert!(error.contains("expected a device with `tpcs_per_gpc`"), "{error}");
}

#[test]
fn a_speedup_needs_the_rates_of_one_sm() {
    let tpc = json!({"level": "tpc", "speedup": {"read": 1.7, "write": 1.9379}});
    assert_eq!(device(json!([tpc])).unwrap().port_rates(PortLevel::Tpc), None);
    let with = device(json!([tpc, {"level": "sm", "read": 33, "write": "10GB/s"}])).unwrap();
    let rates = with.port_rates(PortLevel::Tpc).unwrap();
    // 1.7·33 = 56.1, rounded down.
    assert_eq!(
        (rates.read.bytes_per_second(), rates.write.bytes_per_second()),
        (56, 19_379_000_000)
    );
    assert_eq!(with.port_rates(PortLevel::Gpc), None);
    // A device with ports keeps them in JSON.
    let text = serde_json::to_string(&with).unwrap();
    assert_eq!(serde_json::from_str::<Device>(&text).unwrap(), with);
}

/// The published figures are ratios, so the built-in A100 and H100 have no rates. The rates of the simulated GPUs are one
/// packet per cycle.
#[test]
fn built_in_devices_state_their_ports() {
    let rates = |name: &str, level| {
        let rates = Device::named(name).unwrap().port_rates(level)?;
        Some((rates.read.bytes_per_second(), rates.write.bytes_per_second()))
    };
    assert_eq!(
        rates("titanv", PortLevel::Tpc),
        Some((32 * 1_200_000_000, 32 * 1_200_000_000))
    );
    assert_eq!(
        rates("rtx2060", PortLevel::Tpc),
        Some((32 * 1_365_000_000, 32 * 1_365_000_000))
    );
    for name in ["titanv", "a100", "h100"] {
        let device = Device::named(name).unwrap();
        assert!(
            device
                .ports()
                .iter()
                .any(|port| port.level == PortLevel::Gpc && port.speedup.is_some())
        );
        assert!(device.source().contains("MICRO 2024, Fig. 10"), "{name}");
        assert_eq!(rates(name, PortLevel::Gpc), None);
    }
}
