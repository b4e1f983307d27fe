//! The interference model of a system, the memory that all resources share, and the overheads of the dispatchers.

use super::{DraftPolicy, PartitionDraft};
use crate::{Bandwidth, Interference, Overheads, Refusal};

/// Interference between the segments of a system.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// Interference model.
    pub interference: Interference,
    /// B: guaranteed memory bandwidth [bytes per second]; > 0. Present if and only if the interference model counts
    /// memory traffic. All cores, copy engines and partitions share this memory.
    pub memory: Option<Bandwidth>,
    /// Bounds on the overheads of the dispatchers of partitions; `None` if the WCETs include the overheads.
    pub overheads: Option<Overheads>,
}

impl From<Interference> for Environment {
    /// Returns an environment without a shared memory and without overheads.
    fn from(interference: Interference) -> Environment {
        Environment {
            interference,
            memory: None,
            overheads: None,
        }
    }
}

impl Environment {
    /// Checks that the interference model and the policies of `partitions` permit the shared memory and the overheads.
    pub(super) fn check(self, partitions: &[PartitionDraft]) -> Result<(), Refusal> {
        if self.overheads.is_some() {
            self.check_overheads(partitions)?;
        }
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
            matches!(
                partition.policy,
                DraftPolicy::LpFp | DraftPolicy::LpEdf | DraftPolicy::TimeSliced
            )
        };
        match partitions.iter().position(limited) {
            Some(index) => Refusal::refuse(
                format!("partitions[{index}].policy"),
                partitions
                    .get(index)
                    .map_or(String::new(), |found| found.policy.to_string()),
                "another policy for a shared memory, because a preempted kernel may transfer its data again",
            ),
            None => Ok(()),
        }
    }

    /// Checks that the analysis counts the overheads for this interference model and for the policies of `partitions`.
    fn check_overheads(self, partitions: &[PartitionDraft]) -> Result<(), Refusal> {
        if self.interference.counts_memory() {
            let expected =
                "conflict or none with overheads, because no analysis counts overheads and shared memory";
            return Refusal::refuse("interference", self.interference, expected);
        }
        use DraftPolicy::{Edf, Fp, LpEdf, LpFp, NpEdf, NpFifo, NpFp, TimeSliced};
        for (index, partition) in partitions.iter().enumerate() {
            let reason = match partition.policy {
                NpFifo | NpFp | NpEdf => continue,
                Fp | Edf => "no dispatcher on a GPU preempts at any point",
                TimeSliced => "no analysis counts overheads of dispatchers and time slices",
                LpFp | LpEdf => "each launch adds the overhead, and a system states no number of launches",
            };
            let expected = format!("np-edf, np-fp or np-fifo with overheads, because {reason}");
            Refusal::refuse(format!("partitions[{index}].policy"), partition.policy, expected)?;
        }
        Ok(())
    }
}
