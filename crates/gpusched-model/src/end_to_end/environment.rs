//! The interference model of a system, and the memory that all resources share.

use super::{PartitionDraft, PartitionPolicy};
use crate::{Bandwidth, Interference, Refusal};

/// Interference between the segments of a system.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// Interference model.
    pub interference: Interference,
    /// B: guaranteed memory bandwidth [bytes per second]; > 0. Present if and only if the interference model counts
    /// memory traffic. All cores, copy engines and partitions share this memory.
    pub memory: Option<Bandwidth>,
}

impl From<Interference> for Environment {
    /// Returns an environment without a shared memory.
    fn from(interference: Interference) -> Environment {
        Environment {
            interference,
            memory: None,
        }
    }
}

impl Environment {
    /// Checks that the interference model and the policies of `partitions` permit the shared memory.
    pub(super) fn check(self, partitions: &[PartitionDraft]) -> Result<(), Refusal> {
        let field = "memory_bandwidth";
        if self.interference.counts_memory_time() {
            let expected = "conflict+bandwidth, bandwidth, conflict or none, because segments state bytes and no sectors";
            return Refusal::refuse("interference", self.interference, expected);
        }
        match self.memory {
            None if self.interference.counts_memory() => {
                let expected = format!("the guaranteed memory bandwidth, with {}", self.interference);
                return Refusal::refuse(field, "none", expected);
            }
            Some(found) if !self.interference.counts_memory() => {
                return Refusal::refuse(field, found, format!("none, with {}", self.interference));
            }
            Some(found) if found.bytes_per_second() == 0 => {
                return Refusal::refuse(field, found, "more than 0 bytes per second");
            }
            None => return Ok(()),
            Some(_) => {}
        }
        let limited = |partition: &PartitionDraft| {
            matches!(partition.policy, PartitionPolicy::LpFp | PartitionPolicy::LpEdf)
        };
        match partitions.iter().position(limited) {
            Some(index) => Refusal::refuse(
                format!("partitions[{index}].policy"),
                "preemption at block boundaries",
                "another policy for a shared memory, because a preempted kernel may transfer its data again",
            ),
            None => Ok(()),
        }
    }
}
