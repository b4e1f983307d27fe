//! A simulated GPU as a device for the analysis.

use crate::machine::{Gpcs, Machine, SECTOR};
use gpusched_model::device::Device;
use gpusched_model::error::{Error, Result};
use serde_json::json;

/// Returns `machine` as a device, whose TPCs are the clusters.
///
/// # Errors
/// Fails if the GPCs of the machine are no valid GPCs of a device.
pub(super) fn device(machine: &Machine) -> Result<Device> {
    let rate = u64::from(SECTOR).saturating_mul(machine.packets_per_second());
    let mut ports = vec![json!({"level": "tpc", "read": rate, "write": rate})];
    let mut device = json!({
        "name": "simulated",
        "sms": machine.sms(),
        "sms_per_tpc": machine.sms_per_cluster,
    });
    if let Some(gpcs) = &machine.interconnect.gpcs {
        let rate = |sectors| Gpcs::bytes_per_second(sectors, &machine.clocks);
        let (read, write) = (rate(gpcs.reads_per_cycle), rate(gpcs.writes_per_cycle));
        device["tpcs_per_gpc"] = json!(gpcs.sizes());
        device["gpc_of_tpc"] = json!(gpcs.of_cluster);
        ports.push(json!({"level": "gpc", "read": read, "write": write}));
    }
    device["ports"] = ports.into();
    serde_json::from_value(device)
        .map_err(|error| Error::parameter("machine", &machine.name, format_args!("a valid device: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::device::PortLevel;

    #[test]
    fn a_device_has_the_gpcs_of_its_machine() {
        let rates = |name: &str| {
            let device = device(&Machine::named(name).unwrap()).unwrap();
            let rates = [PortLevel::Tpc, PortLevel::Gpc].map(|level| {
                let rates = device.port_rates(level)?;
                Some((rates.read.bytes_per_second(), rates.write.bytes_per_second()))
            });
            (rates, device.tpcs_per_gpc().to_vec(), device.gpc_of_tpc(7))
        };
        let tpc = Some((38_400_000_000, 38_400_000_000));
        assert_eq!(rates("titanv"), ([tpc, None], vec![], None));
        // 3.58265 and 2.302 times 32 bytes at 1.2 GHz.
        let gpc = Some((137_573_760_000, 88_396_800_000));
        assert_eq!(
            rates("titanv-gpcs"),
            ([tpc, gpc], vec![7, 7, 7, 7, 6, 6], Some(1))
        );
        let mut many = Machine::named("titanv-gpcs").unwrap().into_shape();
        many.interconnect.gpcs.as_mut().unwrap().of_cluster = (0..40).collect();
        let error = device(&Machine::new(many).unwrap()).unwrap_err().to_string();
        assert!(error.contains("found 40 GPCs"), "{error}");
    }
}
