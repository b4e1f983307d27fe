//! `pars`: the ordered list of partitions that Algorithm 1 works on.

use super::order::ListOrder;
use super::{Candidate, Problem};
use crate::model::utilization::Utilization;

/// A partition on the list.
#[derive(Debug, Clone)]
pub(super) struct Listed {
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

/// The list, always in its order, with Π = Σ |P|.
#[derive(Debug)]
pub(super) struct PartitionList {
    order: ListOrder,
    listed: Vec<Listed>,
    total_sms: u64,
    next_id: usize,
}

impl PartitionList {
    pub fn new(order: ListOrder) -> PartitionList {
        PartitionList {
            order,
            listed: Vec::new(),
            total_sms: 0,
            next_id: 0,
        }
    }

    /// Π.
    pub fn total_sms(&self) -> u64 {
        self.total_sms
    }

    pub fn as_slice(&self) -> &[Listed] {
        &self.listed
    }

    /// Puts `partition` in its place and returns its id; ids count up from 0.
    pub fn insert(&mut self, problem: &Problem<'_>, partition: Candidate) -> usize {
        let utilization = problem
            .utilization(&partition.tasks, partition.sms)
            .unwrap_or_default();
        self.total_sms += u64::from(partition.sms);
        let listed = Listed {
            id: self.next_id,
            partition,
            utilization,
        };
        let id = self.next_id;
        self.next_id += 1;
        let position = self
            .listed
            .partition_point(|other| self.order.compare(other, &listed).is_lt());
        self.listed.insert(position, listed);
        id
    }

    pub fn remove(&mut self, id: usize) {
        if let Some(position) = self.listed.iter().position(|listed| listed.id == id) {
            self.total_sms -= u64::from(self.listed.remove(position).partition.sms);
        }
    }

    pub fn into_partitions(self) -> Vec<Candidate> {
        self.listed.into_iter().map(|listed| listed.partition).collect()
    }
}
