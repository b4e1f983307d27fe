//! `pars`: the ordered list of partitions that Algorithm 1 works on.

use std::cmp::Ordering;

use super::order::ListOrder;
use super::relation::Set;
use crate::partitioning::search::{Candidate, Group, GroupTester, Problem};
use gpusched_model::utilization::Utilization;

/// A partition on the list.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    /// Unique during one search: a merged partition is a new one.
    pub id: usize,
    pub partition: Candidate,
    /// U(P) at |P| SMs.
    pub utilization: Utilization,
}

impl Listed {
    /// The lowest task position, which breaks ties.
    pub fn first_task(&self) -> usize {
        self.partition.tasks.first().copied().unwrap_or(usize::MAX)
    }
}

impl ListOrder {
    fn compare(self, a: &Listed, b: &Listed) -> Ordering {
        let by_utilization = match self {
            ListOrder::Decreasing => b.utilization.cmp(&a.utilization),
            ListOrder::Increasing => a.utilization.cmp(&b.utilization),
        };
        by_utilization.then_with(|| a.first_task().cmp(&b.first_task()))
    }
}

/// The list, always in its order, with Π = Σ |P|.
#[derive(Debug)]
pub(crate) struct PartitionList {
    order: ListOrder,
    /// By id, those that were removed included.
    partitions: Vec<Listed>,
    /// The ids on the list, in its order.
    ids: Vec<usize>,
    /// The same as a set.
    listed: Set,
    total_sms: u64,
}

impl PartitionList {
    /// An empty list, for up to `capacity` partitions that are ever put on it.
    pub fn new(order: ListOrder, capacity: usize) -> PartitionList {
        PartitionList {
            order,
            partitions: Vec::with_capacity(capacity),
            ids: Vec::with_capacity(capacity),
            listed: Set::with_capacity(capacity),
            total_sms: 0,
        }
    }

    /// Π ≤ `target`, and the hardware has room for them side by side.
    pub fn fit(&self, problem: &Problem<'_>, target: u32) -> bool {
        let sizes = self.ids.iter().map(|&id| self.get(id).partition.sms);
        self.total_sms <= target.into() && problem.fits(sizes)
    }

    /// The ids of the partitions, in the order of the list.
    pub fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// The same as a set.
    pub fn listed(&self) -> &Set {
        &self.listed
    }

    /// The partition with that id.
    pub fn get(&self, id: usize) -> &Listed {
        &self.partitions[id]
    }

    /// Puts `partition` in its place and returns its id; ids count up from 0.
    pub fn insert(&mut self, tester: &mut GroupTester<'_>, partition: Candidate) -> usize {
        let group = Group::of(tester.problem(), &partition);
        let utilization = tester.utilization(&group, partition.sms).unwrap_or_default();
        let id = self.partitions.len();
        self.total_sms += u64::from(partition.sms);
        self.partitions.push(Listed {
            id,
            partition,
            utilization,
        });
        self.listed.insert(id);
        self.ids.insert(self.place(id), id);
        id
    }

    pub fn remove(&mut self, id: usize) {
        self.total_sms -= u64::from(self.get(id).partition.sms);
        self.listed.remove(id);
        self.ids.remove(self.place(id));
    }

    /// Where in the list the partition is, or belongs: no two partitions compare equal.
    fn place(&self, id: usize) -> usize {
        self.ids
            .partition_point(|&other| self.order.compare(self.get(other), self.get(id)).is_lt())
    }

    /// The partitions on the list, by id.
    pub fn into_partitions(self) -> Vec<Candidate> {
        self.partitions
            .into_iter()
            .filter(|partition| self.listed.contains(partition.id))
            .map(|listed| listed.partition)
            .collect()
    }
}
