//! Comments about a plan. The exports for all targets use these comments.

use gpusched_model::TaskSet;
use gpusched_model::assumptions::Basis;
use gpusched_model::counted;
use gpusched_model::device::{Device, Hardware, Runs};
use gpusched_model::error::Error;
use gpusched_model::plan::{Partition, Plan};

/// A plan to export, with its device and its task set.
pub(super) struct Export<'a> {
    pub hardware: &'a Hardware,
    pub plan: &'a Plan,
    pub set: &'a TaskSet,
}

impl Export<'_> {
    pub fn device(&self) -> &Device {
        &self.hardware.device
    }

    /// Describes partition `index` in one line: its size, its SMs if they are known, its tasks, and the evidence of its
    /// verdict.
    pub fn comment(&self, index: usize, partition: &Partition) -> String {
        let at = match self.sms(partition) {
            None => String::new(),
            Some(sms) => format!(" ({})", Runs(&sms)),
        };
        let names = partition.tasks.iter().map(|&task| {
            let name = self.set.tasks().get(task).and_then(|task| task.name());
            match name {
                Some(name) => format!("#{task} {:?}", name.chars().take(40).collect::<String>()),
                None => format!("#{task}"),
            }
        });
        let names: Vec<String> = names.collect();
        format!(
            "partition {index}: {}{at}; tasks {}; {}: {}",
            counted(partition.sms, "SM"),
            names.join(", "),
            partition.verdict.policy,
            partition.verdict.evidence
        )
    }

    /// Returns the assumptions of the plan's verdicts as numbered comment lines that begin with `mark`.
    ///
    /// The text is safe as a comment, because it contains no string from the task set.
    pub fn assumptions(&self, mark: &str) -> String {
        let list = Basis::of_plan(self.plan, self.set).assumptions();
        let lines = (1..)
            .zip(&list)
            .map(|(number, assumption)| format!("{mark} {number}. {assumption}\n"));
        format!("{mark} Assumptions, which gpusched does not check:\n") + &lines.collect::<String>()
    }

    /// Returns the SMs of `partition`, ascending, or `None` if they are unknown.
    pub fn sms(&self, partition: &Partition) -> Option<Vec<u32>> {
        self.hardware.sms_at(partition.place.as_ref()?)
    }

    /// Returns the TPCs of `partition`, or `None` if the placement does not consist of whole TPCs.
    pub fn tpcs(&self, partition: &Partition) -> Option<Vec<u32>> {
        self.hardware.tpcs_at(partition.place.as_ref()?)
    }

    /// Returns the partitions with their indices.
    pub fn partitions(&self) -> impl Iterator<Item = (usize, &Partition)> {
        self.plan.partitions.iter().enumerate()
    }
}

/// Returns the error for a partition that has no placement. Plans that gpusched computes always
/// have placements, so the plan comes from another source.
pub(super) fn unplaced(index: usize) -> Error {
    Error::parameter(
        "",
        format!("partition {index} without a placement on the device"),
        "a placement for each partition",
    )
}
