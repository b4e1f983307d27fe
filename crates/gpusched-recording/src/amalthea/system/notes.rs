//! Assumptions of a system, and the parts of its model that have no effect.

use std::collections::{BTreeMap, BTreeSet};

use super::placement::Thread;
use super::places::Cores;
use super::threads::Threads;
use super::{Options, Times};
use crate::amalthea::activation::Release;
use crate::amalthea::hardware::{Gpu, Hardware, UnitType};
use crate::amalthea::ignored::{self, Ignored};
use crate::amalthea::model::{Model, Node, child, children, owner};
use crate::amalthea::reference::reference;
use crate::amalthea::requirements::Deadlines;
use crate::amalthea::version_warning;

/// The results of a conversion. gpusched writes notes, assumptions and warnings about these results.
pub struct Told<'w, 'a> {
    pub model: &'w Model<'a>,
    pub hardware: &'w Hardware<'a>,
    pub options: &'w Options,
    pub threads: &'w [Thread<'a>],
    pub cores: &'w Cores,
    /// Whether the system contains all chains.
    pub has_chains: bool,
    pub has_copies: bool,
    /// The GPU, if a task uses it.
    pub gpu: Option<&'w Gpu>,
}

impl Told<'_, '_> {
    /// Returns the decisions about the placement of tasks.
    pub fn notes(&self) -> Vec<String> {
        let free = self
            .threads
            .iter()
            .filter(|thread| thread.candidates.len() > 1 && thread.uses_core());
        let placed = free.map(|thread| {
            format!(
                "{} may execute on {}; it executes on {}, the first core with a CPU utilization of at most 1",
                thread.name,
                thread.candidates.join(" or "),
                thread.core.as_deref().unwrap_or_default()
            )
        });
        placed.collect()
    }

    /// Returns the assumptions. If one of them is false, a verdict may be unsafe.
    pub fn assumptions(&self) -> Vec<String> {
        let mut assumptions = vec![
            "The ticks contain the time of label accesses, except for copies.".to_owned(),
            "Priorities are deadline-monotonic. Ties follow the order of the tasks in the file.".to_owned(),
        ];
        if self.options.times == Times::Average {
            assumptions.push("No execution takes longer than the average number of ticks.".to_owned());
        }
        if self.has_copies {
            let text = "One FIFO copy engine transfers all labels that GPU runnables without ticks access. The \
                        time of each copy is exactly the data that it reads and writes, divided by the data \
                        rate of the GPU.";
            assumptions.push(text.to_owned());
        }
        if self.gpu.is_some() {
            assumptions.push(format!(
                "The GPU schedules kernels under {}. The scheduler in the file has no effect.",
                self.options.gpu_policy
            ));
        }
        if !self.cores.unknown.is_empty() {
            let list = self.cores.unknown.join(", ");
            assumptions.push(format!(
                "Cores without a scheduler in the file use fixed priorities: {list}."
            ));
        }
        assumptions
    }

    /// Returns contradictions and parts of the model that gpusched could not use.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<String> = version_warning(self.model).into_iter().collect();
        let untyped = self.hardware.units().map(|(unit, _)| unit);
        let untyped: Vec<&str> = untyped
            .filter(|unit| self.hardware.unit_type(unit) == UnitType::Unknown)
            .collect();
        if !untyped.is_empty() {
            let list = untyped.join(", ");
            warnings.push(format!("processing units without a type count as CPUs: {list}"));
        }
        if let Some((gpu, other)) = self.gpu.and_then(|gpu| gpu.other_sms.map(|other| (gpu, other))) {
            warnings.push(format!(
                "the file states {other} SMs for the GPU {:?}; the system is for {} SMs",
                gpu.name, gpu.sms
            ));
        }
        let allocations = self.model.elements("mappingModel", "taskAllocation");
        let parameters = allocations.filter_map(|allocation| child(allocation, "schedulingParameters"));
        let priorities = parameters.filter_map(|parameters| parameters.attribute("priority"));
        let priorities: BTreeSet<&str> = priorities.collect();
        if priorities.len() > 1 {
            let list: Vec<&str> = priorities.into_iter().collect();
            warnings.push(format!(
                "the file states different priorities ({}); the priorities of the system are deadline-monotonic",
                list.join(", ")
            ));
        }
        if !self.has_chains {
            warnings
                .push("the labels connect the tasks in too many ways; the system has no chains".to_owned());
        }
        warnings
    }

    /// Lists the parts of the model without an effect, starting with the parts that are most important for timing.
    pub fn ignored(
        &self,
        deadlines: &Deadlines,
        releases: &[Release],
        threads: &Threads<'_, '_>,
    ) -> Vec<Ignored> {
        let accesses = self.threads.iter().map(|thread| thread.job.accesses);
        let accesses = accesses.fold(0, u64::saturating_add);
        let accesses = usize::try_from(accesses).unwrap_or(usize::MAX);
        let skipped: BTreeMap<usize, &str> = { threads.walks.values() }
            .flat_map(|walk| walk.skipped.iter().map(|(id, kind)| (*id, *kind)))
            .collect();
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for kind in skipped.values() {
            *kinds.entry(kind).or_default() += 1;
        }
        let kinds = kinds.iter().map(|(kind, count)| format!("{count} {kind}"));
        let mut requirements = deadlines.others(releases);
        requirements.extend(deadlines.unused.iter().cloned());
        let mut ignored = vec![
            Ignored::new("label use of cores and kernels (time)", accesses, []),
            Ignored::new("item of tasks", skipped.len(), kinds),
        ];
        ignored.extend(self.unused_times(threads));
        ignored.push(Ignored::named("private change of labels", self.private_changes()));
        ignored.push(Ignored::named("requirement", requirements));
        ignored.extend(ignored::unread(self.model, &self.cores.schedulers));
        ignored.retain(|entry| entry.count > 0 && !["label", "OS event"].contains(&entry.noun.as_str()));
        ignored
    }

    /// Returns the changes of shared labels whose new value is used only by the task that makes the change. Chains do
    /// not follow such changes.
    fn private_changes(&self) -> Vec<String> {
        let shared = |label: &str| {
            let users = self.threads.iter();
            users
                .filter(|thread| thread.job.flows.0.contains_key(label))
                .count()
                > 1
        };
        let mut found = Vec::new();
        for thread in self.threads {
            for (label, flow) in &thread.job.flows.0 {
                if flow.changes && !flow.produces() && shared(label) {
                    found.push(format!("{label} by {}", thread.name));
                }
            }
        }
        found
    }

    /// Lists the numbers of ticks that the system does not use.
    fn unused_times(&self, threads: &Threads<'_, '_>) -> Vec<Ignored> {
        let mut used: BTreeSet<(usize, &str)> = BTreeSet::new();
        let mut nodes: BTreeMap<usize, Node<'_>> = BTreeMap::new();
        for walk in threads.walks.values() {
            for ticks in &walk.ticks {
                used.insert((ticks.id().get_usize(), &walk.definition));
                nodes.insert(ticks.id().get_usize(), *ticks);
            }
        }
        let field = match self.options.times {
            Times::Max => "average",
            Times::Average => "upperBound",
        };
        let (mut bounds, mut others) = (Vec::new(), Vec::new());
        for (id, ticks) in nodes {
            let keyed = children(ticks, "extended").map(|entry| (reference(entry, "key"), entry));
            for (key, entry) in keyed {
                let is_used = key.is_some_and(|key| used.contains(&(id, key.as_str())));
                let values = children(entry, "value").filter(|value| value.has_attribute(field));
                match is_used {
                    true => bounds.extend(values.map(|_| owner(ticks))),
                    false => others.push(owner(ticks)),
                }
            }
            let default = child(ticks, "default").filter(|value| value.has_attribute(field));
            bounds.extend(default.map(|_| owner(ticks)));
        }
        let noun = match self.options.times {
            Times::Max => "average of ticks",
            Times::Average => "maximum of ticks",
        };
        vec![
            Ignored::new(noun, bounds.len(), []),
            Ignored::new(
                "execution time of runnables on other processing units",
                others.len(),
                [],
            ),
        ]
    }
}
