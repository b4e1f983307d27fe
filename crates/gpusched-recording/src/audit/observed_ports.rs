//! Ports that partitions share, by the SMs that their kernels observed.
//!
//! A plan for green contexts or MPS names no SMs, because the driver chooses them. So its verdicts only assume which ports
//! partitions share. A run shows it.

use gpusched_model::Plan;
use gpusched_model::assumptions::Ports;
use gpusched_model::device::Place;
use gpusched_model::plan::SharedPort;
use serde::Serialize;

use crate::model::Dispatcher;

/// Ports of TPCs and GPCs, by the SMs that kernels of each partition observed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct ObservedPorts {
    /// Whether the device states the GPC of each TPC. Otherwise, `shared` contains no GPCs.
    pub gpcs_known: bool,
    /// Ports that several partitions share, by level and number.
    pub shared: Vec<SharedPort>,
}

impl ObservedPorts {
    /// Returns the ports that the partitions of a run of `plan` shared. Returns `None` if the trace does not state the SMs of
    /// each partition for the whole run, or if the device of the plan states no TPCs or does not have an observed SM.
    pub fn of(dispatcher: &Dispatcher, plan: &Plan) -> Option<ObservedPorts> {
        let device = &plan.hardware.as_ref()?.device;
        device.sms_per_tpc()?;
        if dispatcher.partitions.len() != plan.partitions.len() {
            return None;
        }
        let mut observed = plan.clone();
        for (partition, of) in observed.partitions.iter_mut().zip(&dispatcher.partitions) {
            let ids = of.sm_ids.as_ref().filter(|_| of.same_at_end == Some(true))?;
            let all = u32::try_from(ids.len()).is_ok_and(|count| count >= partition.sms);
            if !all || ids.iter().any(|&id| id >= device.sms()) {
                return None;
            }
            partition.place = Some(Place::Sms(ids.clone()));
        }
        Some(ObservedPorts {
            gpcs_known: device.states_gpc_of_tpc(),
            shared: Ports::shared(&observed),
        })
    }
}
