//! `pars`: the ordered list of partitions in Algorithm 1.

use std::cmp::Ordering;

use super::order::ListOrder;
use super::relation::Set;
use crate::partitioning::search::{Candidate, Group, GroupTester, Problem};
use gpusched_model::utilization::Utilization;

/// A partition on the list.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    /// Unique id during one search. A merged partition gets a new id.
    pub id: usize,
    pub partition: Candidate,
    /// U(P) on |P| SMs.
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

/// The sorted list of partitions, with Π = Σ |P|.
#[derive(Debug)]
pub(crate) struct PartitionList {
    order: ListOrder,
    /// All partitions by id, including removed ones.
    partitions: Vec<Listed>,
    /// The ids on the list, in the order of the list.
    ids: Vec<usize>,
    /// The ids on the list, as a set.
    listed: Set,
    total_sms: u64,
}

impl PartitionList {
    /// Creates an empty list with room for `capacity` partitions, including those removed later.
    pub fn new(order: ListOrder, capacity: usize) -> PartitionList {
        PartitionList {
            order,
            partitions: Vec::with_capacity(capacity),
            ids: Vec::with_capacity(capacity),
            listed: Set::with_capacity(capacity),
            total_sms: 0,
        }
    }

    /// Whether Π ≤ `target` and the partitions fit on the hardware together.
    pub fn fit(&self, problem: &Problem<'_>, target: u32) -> bool {
        let sizes = self.ids.iter().map(|&id| self.get(id).partition.sms);
        self.total_sms <= target.into() && problem.fits(sizes)
    }

    /// The ids of the partitions, in the order of the list.
    pub fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// The ids of the partitions, as a set.
    pub fn listed(&self) -> &Set {
        &self.listed
    }

    /// The partition with this id.
    pub fn get(&self, id: usize) -> &Listed {
        &self.partitions[id]
    }

    /// Inserts `partition` at its position in the order and returns its id. Ids count up from 0.
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

    /// Position of the partition in the order of the list. No two partitions compare equal.
    fn place(&self, id: usize) -> usize {
        self.ids
            .partition_point(|&other| self.order.compare(self.get(other), self.get(id)).is_lt())
    }

    /// The partitions on the list, ordered by id.
    pub fn into_partitions(self) -> Vec<Candidate> {
        self.partitions
            .into_iter()
            .filter(|partition| self.listed.contains(partition.id))
            .map(|listed| listed.partition)
            .collect()
    }
}
