//! `pars`: the ordered list of partitions in Algorithm 1.

use std::cmp::Ordering;

use super::relation::Set;
use crate::partitioning::heuristic::order::ListOrder;
use crate::partitioning::problem::Problem;
use crate::partitioning::search::{Candidate, Group, GroupTester};
use gpusched_model::utilization::Utilization;

/// A partition in the list.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    /// Id, unique during one search. A merged partition gets a new id.
    pub id: usize,
    pub partition: Candidate,
    /// U(P): utilization of the tasks on |P| SMs.
    pub utilization: Utilization,
}

impl Listed {
    /// Returns the lowest task position, which breaks ties.
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

/// Sorted list of partitions, with their total number of SMs Π = Σ |P|.
#[derive(Debug)]
pub(crate) struct PartitionList {
    order: ListOrder,
    /// All partitions by id, including partitions that were removed from the list.
    partitions: Vec<Listed>,
    /// Ids of the partitions in the list, in the order of the list.
    ids: Vec<usize>,
    /// Ids of the partitions in the list, as a set.
    listed: Set,
    total_sms: u64,
}

impl PartitionList {
    /// Creates an empty list for at most `capacity` partitions, including partitions that are removed later.
    pub fn new(order: ListOrder, capacity: usize) -> PartitionList {
        PartitionList {
            order,
            partitions: Vec::with_capacity(capacity),
            ids: Vec::with_capacity(capacity),
            listed: Set::with_capacity(capacity),
            total_sms: 0,
        }
    }

    /// Whether Π ≤ `target` and all partitions together fit on the hardware.
    pub fn fit(&self, problem: &Problem<'_>, target: u32) -> bool {
        let sizes = self.ids.iter().map(|&id| self.get(id).partition.sms);
        self.total_sms <= target.into() && problem.fits(sizes)
    }

    /// Returns the ids of the partitions, in the order of the list.
    pub fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// Returns the ids of the partitions, as a set.
    pub fn listed(&self) -> &Set {
        &self.listed
    }

    /// Returns the partition with the id `id`.
    pub fn get(&self, id: usize) -> &Listed {
        &self.partitions[id]
    }

    /// Inserts `partition` at its position in the order, and returns its id. The first id is 0, and each new id is one
    /// larger.
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

    /// Returns the position of the partition in the order of the list. No two partitions are equal in this order.
    fn place(&self, id: usize) -> usize {
        self.ids
            .partition_point(|&other| self.order.compare(self.get(other), self.get(id)).is_lt())
    }

    /// Returns the partitions in the list, sorted by id.
    pub fn into_partitions(self) -> Vec<Candidate> {
        self.partitions
            .into_iter()
            .filter(|partition| self.listed.contains(partition.id))
            .map(|listed| listed.partition)
            .collect()
    }
}
