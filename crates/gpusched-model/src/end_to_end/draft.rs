//! The file format of end-to-end systems.

use serde::{Deserialize, Serialize};

use super::{BudgetsDraft, ChainDraft, CopyEngine, Core, PartitionDraft, System, TaskDraft};
use crate::identity::{Identified, TaskIdentity};
use crate::reader::line_of;
use crate::reader::{Document, Fault, from_json};
use crate::wcet::MAX_SMS;
use crate::{Interference, Refusal};

/// Maximum length of each list of a system: cores, copy engines, partitions, tasks, and chains.
pub(super) const MAX_COUNT: usize = 100_000;

/// Maximum number of segments of a task.
pub(super) const MAX_SEGMENTS: usize = 1000;

/// An end-to-end system as written in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a system: an object with a list \"tasks\" of tasks with \"segments\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "EndToEndSystem"))]
pub struct Draft {
    /// Name for display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// CPU cores.
    #[serde(default)]
    pub cores: Vec<Core>,
    /// Copy engines.
    #[serde(default)]
    pub copy_engines: Vec<CopyEngine>,
    /// GPU partitions.
    #[serde(default)]
    pub partitions: Vec<PartitionDraft>,
    /// Tasks; at least one.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub tasks: Vec<TaskDraft>,
    /// Cause-effect chains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chains: Vec<ChainDraft>,
    /// Memory bandwidth budgets of best-effort CPU cores. If the field is absent, best-effort cores do not delay the segments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budgets: Option<BudgetsDraft>,
}

impl Document for Draft {
    const EXPECTED: &str = "an end-to-end system: an object such as {\"cores\":[…],\"partitions\":[…],\"tasks\":[{\"name\":…,\"period\":…,\"segments\":[…]}]}";

    fn from_json(text: &str) -> Result<Draft, Fault> {
        let draft: Draft = from_json::<Draft, _>(text).map_err(|(line, refusal)| {
            let misses = refusal.to_string().contains("missing field `regulation_period`");
            let refusal = match misses && refusal.field() == "budgets" {
                true => refusal
                    .hint("state the regulation period: `\"budgets\": {\"regulation_period\": \"1ms\"}`"),
                false => refusal,
            };
            (line, refusal)
        })?;
        // This check finds faults in names and times. The result does not depend on the partition sizes.
        let checked = draft.check_budgets();
        checked.map_err(|refusal| (line_of(text, refusal.field()), refusal))?;
        let mut sized = match draft.budgets {
            None => draft.clone(),
            Some(_) => draft.with_wcets(&[]),
        };
        for partition in &mut sized.partitions {
            partition.sms = partition.sms.or(Some(MAX_SMS));
        }
        match System::new(&sized, Interference::None) {
            Ok(_) => Ok(draft),
            Err(refusal) => Err((line_of(text, refusal.field()), refusal)),
        }
    }
}

impl Identified for Draft {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn tasks(&self) -> Vec<TaskIdentity> {
        self.tasks.iter().map(TaskDraft::identity).collect()
    }
}

impl Draft {
    /// Sets the sizes of the partitions to the numbers in `sms`, in the order of the partitions. If `sms` has fewer
    /// numbers, the last partitions keep their sizes.
    #[must_use]
    pub fn sized(mut self, sms: &[u32]) -> Draft {
        for (partition, &sms) in self.partitions.iter_mut().zip(sms) {
            partition.sms = Some(sms);
        }
        self
    }

    /// Replaces the segments of tasks by alternatives. `choice` has one number per task: 0 keeps the segments of the
    /// task, and n > 0 selects its n-th alternative. If a task has no n-th alternative, it keeps its segments.
    #[must_use]
    pub fn chosen(mut self, choice: &[usize]) -> Draft {
        for (task, &choice) in self.tasks.iter_mut().zip(choice) {
            let chosen = choice
                .checked_sub(1)
                .and_then(|index| task.alternatives.get(index));
            if let Some(alternative) = chosen.cloned() {
                task.segments = alternative.segments;
                task.wait = alternative.wait;
            }
        }
        self
    }

    /// Checks the lengths of all lists.
    pub(super) fn check_counts(&self) -> Result<(), Refusal> {
        let counts = [
            ("cores", self.cores.len(), 0),
            ("copy_engines", self.copy_engines.len(), 0),
            ("partitions", self.partitions.len(), 0),
            ("tasks", self.tasks.len(), 1),
            ("chains", self.chains.len(), 0),
        ];
        for (field, found, least) in counts {
            if !(least..=MAX_COUNT).contains(&found) {
                Refusal::refuse(
                    field,
                    format!("{found} entries"),
                    format!("{least} to {MAX_COUNT}"),
                )?;
            }
        }
        Ok(())
    }
}
