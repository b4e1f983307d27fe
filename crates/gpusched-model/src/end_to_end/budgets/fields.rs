//! Memory bandwidth budgets of a system: the fields of a file, and the division of the segments into groups with equal budgets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::{Draft, Resource, System};
use crate::kernel::{Cluster, MAX_ACTIVE};
use crate::time::Time;
use crate::{BudgetPolicy, Factor, Kernel, Refusal};

/// Longest regulation period, 1 s. Up to this period, a budget with nine decimals states each whole number of nanoseconds.
const LONGEST_PERIOD: Time = Time::from_ns(1_000_000_000);

/// Memory bandwidth budgets of best-effort CPU cores while segments are in progress, as written in a file. At most one of `q`,
/// `by_kind` and `by_task` is present.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "budgets: an object with \"regulation_period\" and one of \"q\", \"by_kind\" and \"by_task\""
)]
#[cfg_attr(feature = "schema", schemars(rename = "SystemBudgets"))]
pub struct BudgetsDraft {
    /// T: regulation period [ns]; > 0, at most 1 s.
    #[serde(deserialize_with = "crate::time::positive_time")]
    pub regulation_period: Time,
    /// Q: budget of all segments, from 0 to 1.
    #[serde(
        default,
        deserialize_with = "crate::numbers::factor::optional_share",
        skip_serializing_if = "Option::is_none"
    )]
    pub q: Option<Factor>,
    /// Budgets of CPU segments, copies and kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_kind: Option<KindBudgets>,
    /// Budget of each task, by its name. All segments of a task have this budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_task: Option<BTreeMap<String, Factor>>,
    /// Budget policy at run time; `nominal` by default, which means constant budgets. Each other policy requires `process`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<BudgetPolicy>,
    /// Name of the task that chooses the budget of each regulation period. The task has one segment on a core, the period
    /// `regulation_period`, and a deadline of at most this period. The WCET of the segment includes the computation of a budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
}

/// Budgets by the kind of a segment, from 0 to 1. A kind with segments requires a budget.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KindBudgets {
    /// Q of segments on CPU cores.
    #[serde(
        default,
        deserialize_with = "crate::numbers::factor::optional_share",
        skip_serializing_if = "Option::is_none"
    )]
    pub cpu: Option<Factor>,
    /// Q of segments on copy engines.
    #[serde(
        default,
        deserialize_with = "crate::numbers::factor::optional_share",
        skip_serializing_if = "Option::is_none"
    )]
    pub copy: Option<Factor>,
    /// Q of segments on partitions.
    #[serde(
        default,
        deserialize_with = "crate::numbers::factor::optional_share",
        skip_serializing_if = "Option::is_none"
    )]
    pub kernel: Option<Factor>,
}

/// Thread blocks of a kernel, from which gpusched computes the WCET of the kernel under a budget.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    deny_unknown_fields,
    expecting = "a profile: an object with \"blocks_per_sm\" and \"clusters\""
)]
pub struct Profile {
    /// Number of thread blocks of the kernel that run at the same time on one SM; at least 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = MAX_ACTIVE)))]
    pub blocks_per_sm: u32,
    /// Clusters of thread blocks.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Vec<crate::kernel::ClusterShape>", length(min = 1))
    )]
    pub clusters: Vec<Cluster>,
}

impl Profile {
    /// Returns the kernel on a partition of `sms` SMs.
    ///
    /// # Errors
    /// Fails if the number of clusters or of active blocks is out of range, or if all blocks together take too long.
    pub fn kernel(&self, sms: u32, regulation_period: Time) -> Result<Kernel, Refusal> {
        let active = self.blocks_per_sm.checked_mul(sms);
        let Some(active) = active.filter(|active| (1..=MAX_ACTIVE).contains(active)) else {
            let expected = format!(
                "at least 1, and at most {MAX_ACTIVE} blocks together on the SMs of the partition ({sms})"
            );
            return Refusal::refuse("blocks_per_sm", self.blocks_per_sm, expected);
        };
        Kernel::new(active, regulation_period, self.clusters.clone())
    }
}

/// Division of the segments of a system into groups. All segments of a group have one budget.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[derive(strum::Display, strum::EnumMessage, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Grouping {
    /// One budget for all segments.
    #[default]
    All,
    /// One budget each for CPU segments, copies and kernels.
    Kind,
    /// One budget for each task.
    Task,
}

/// A group of segments with one budget.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Name of the group: `all`, a kind, or the name of a task.
    pub name: String,
    /// Positions of the segments: task and segment.
    pub segments: Vec<(usize, usize)>,
}

impl Grouping {
    /// Returns the groups with segments, in the order `cpu`, `copy`, `kernel`, or in the order of the tasks. `system` is a system
    /// without overheads of dispatchers.
    pub fn groups(self, system: &System) -> Vec<Group> {
        let segments = || {
            system.tasks().iter().enumerate().flat_map(|(index, task)| {
                let segments = task.segments.iter().enumerate();
                segments.map(move |(position, segment)| ((index, position), segment.on))
            })
        };
        let group = |name: &str, of: &dyn Fn(usize, Resource) -> bool| Group {
            name: name.to_owned(),
            segments: segments()
                .filter(|&((task, _), on)| of(task, on))
                .map(|(place, _)| place)
                .collect(),
        };
        let mut groups = match self {
            Grouping::All => vec![group("all", &|_, _| true)],
            Grouping::Kind => vec![
                group("cpu", &|_, on| matches!(on, Resource::Core(_))),
                group("copy", &|_, on| matches!(on, Resource::Engine(_))),
                group("kernel", &|_, on| matches!(on, Resource::Partition(_))),
            ],
            Grouping::Task => {
                let tasks = system.tasks().iter().enumerate();
                tasks
                    .map(|(index, task)| group(&task.name, &|task, _| task == index))
                    .collect()
            }
        };
        groups.retain(|group| !group.segments.is_empty());
        groups
    }
}

impl BudgetsDraft {
    /// Returns the grouping of the stated budgets; `None` if no budget is stated.
    ///
    /// # Errors
    /// Fails if the file states two kinds of budgets.
    pub fn grouping(&self) -> Result<Option<Grouping>, Refusal> {
        let stated = [
            self.q.map(|_| ("q", Grouping::All)),
            self.by_kind.map(|_| ("by_kind", Grouping::Kind)),
            self.by_task.as_ref().map(|_| ("by_task", Grouping::Task)),
        ];
        let mut stated = stated.into_iter().flatten();
        match (stated.next(), stated.next()) {
            (Some((first, _)), Some((second, _))) => {
                let found = format!("`{first}` together with `{second}`");
                Refusal::refuse(format!("budgets.{second}"), found, "only one of the two fields")
            }
            (first, _) => Ok(first.map(|(_, grouping)| grouping)),
        }
    }

    /// Returns the budget of the group with this name.
    ///
    /// # Errors
    /// Fails if the file states no budget for the group.
    pub fn budget(&self, name: &str) -> Result<Factor, Refusal> {
        let kind = |kinds: KindBudgets| match name {
            "cpu" => kinds.cpu,
            "copy" => kinds.copy,
            _ => kinds.kernel,
        };
        let (field, found) = match (self.by_kind, &self.by_task) {
            (Some(kinds), _) => (format!("by_kind.{name}"), kind(kinds)),
            (None, Some(tasks)) => (format!("by_task.{name}"), tasks.get(name).copied()),
            (None, None) => ("q".to_owned(), self.q),
        };
        found.ok_or_else(|| {
            let refusal = Refusal::new(format!("budgets.{field}"), "no budget", "a number from 0 to 1");
            refusal.hint("state the budget, or choose it with `gpusched budget nominal SYSTEM --deadlines`")
        })
    }

    /// Returns the budgets with the memory times `bursts` [ns], one for each of `groups`.
    pub fn with_bursts(&self, grouping: Grouping, groups: &[Group], bursts: &[u64]) -> BudgetsDraft {
        let period = self.regulation_period;
        let shares = || bursts.iter().map(|&burst| share(burst, period));
        let named = || groups.iter().map(|group| group.name.as_str()).zip(shares());
        let kind = |name: &str| named().find(|(found, _)| *found == name).map(|(_, share)| share);
        BudgetsDraft {
            regulation_period: period,
            q: (grouping == Grouping::All).then(|| shares().next()).flatten(),
            by_kind: (grouping == Grouping::Kind).then(|| KindBudgets {
                cpu: kind("cpu"),
                copy: kind("copy"),
                kernel: kind("kernel"),
            }),
            by_task: (grouping == Grouping::Task)
                .then(|| named().map(|(name, share)| (name.to_owned(), share)).collect()),
            policy: self.policy,
            process: self.process.clone(),
        }
    }

    /// Checks the regulation period and the budgets. `draft` is the system with these budgets.
    pub(super) fn check(&self, draft: &Draft) -> Result<(), Refusal> {
        if !(Time::from_ns(1)..=LONGEST_PERIOD).contains(&self.regulation_period) {
            let expected = format!("a positive time up to {LONGEST_PERIOD}");
            Refusal::refuse("budgets.regulation_period", self.regulation_period, expected)?;
        }
        self.grouping()?;
        self.check_process(draft)?;
        let kinds = self.by_kind.unwrap_or_default();
        let kinds = [("cpu", kinds.cpu), ("copy", kinds.copy), ("kernel", kinds.kernel)];
        let kinds = kinds
            .iter()
            .filter_map(|&(name, q)| Some((format!("budgets.by_kind.{name}"), q?)));
        let tasks = self.by_task.iter().flatten();
        let tasks = tasks.map(|(name, &q)| (format!("budgets.by_task.{name}"), q));
        let all = self.q.map(|q| ("budgets.q".to_owned(), q));
        for (field, q) in all.into_iter().chain(kinds).chain(tasks) {
            if q > Factor::ONE {
                Refusal::refuse(field, q, "a number from 0 to 1")?;
            }
        }
        let mut names = self.by_task.iter().flat_map(BTreeMap::keys);
        let unknown = names.find(|name| draft.tasks.iter().all(|task| task.name != **name));
        match unknown {
            Some(name) => Refusal::refuse(
                format!("budgets.by_task.{name}"),
                format!("{name:?}"),
                "the name of a task",
            ),
            None => Ok(()),
        }
    }
}

/// b: memory time of a regulation period of `period` under the budget `q`, ⌈Q·T⌉ [ns].
pub fn burst(q: Factor, period: Time) -> u64 {
    let (numerator, denominator) = q.ratio();
    let burst = (u128::from(period.ns()) * u128::from(numerator)).div_ceil(u128::from(denominator));
    u64::try_from(burst).unwrap_or(u64::MAX)
}

/// Returns the largest budget with nine decimals whose memory time is at most `burst` [ns] in a regulation period of up to 1 s.
/// If `burst` is at most the period, [`burst`] of the result is `burst` again.
pub fn share(burst: u64, period: Time) -> Factor {
    let billionths = u128::from(burst) * 1_000_000_000 / u128::from(period.ns().max(1));
    let share = u64::try_from(billionths).ok().and_then(Factor::from_billionths);
    share.map_or(Factor::ONE, |share| share.min(Factor::ONE))
}
