//! Labels that a job reads and writes, in their order.

use std::collections::BTreeMap;

/// Accesses of a part of a job to one label.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Flow {
    /// Whether the first access may be a read. If so, the job uses data of another job.
    pub reads: bool,
    /// Whether the last access may be a write. If so, the job leaves data for other jobs.
    pub writes: bool,
    /// Whether the job may write the label.
    pub changes: bool,
    /// Whether the job always accesses the label.
    certain: bool,
    /// Whether the job always writes the label.
    overwrites: bool,
    /// Maximum number of reads.
    pub read_count: u64,
    /// Maximum number of writes.
    pub write_count: u64,
}

impl Flow {
    /// Returns one access.
    pub fn access(reads: bool, writes: bool) -> Flow {
        Flow {
            reads,
            writes,
            changes: writes,
            certain: true,
            overwrites: writes,
            read_count: reads.into(),
            write_count: writes.into(),
        }
    }

    /// Returns whether other jobs may use data that the job has written.
    ///
    /// If the first access is a write, the data is new. If the first access is a read, the job changes the data of
    /// another job. If the first and the last access are reads, only this job uses the change.
    pub fn produces(self) -> bool {
        self.writes || (self.changes && !self.reads)
    }

    /// Returns the accesses of `self`, followed by the accesses of `later`.
    fn then(self, later: Flow) -> Flow {
        Flow {
            reads: self.reads || (later.reads && !self.overwrites),
            writes: later.writes || (self.writes && !later.certain),
            changes: self.changes || later.changes,
            certain: self.certain || later.certain,
            overwrites: self.overwrites || later.overwrites,
            read_count: self.read_count.saturating_add(later.read_count),
            write_count: self.write_count.saturating_add(later.write_count),
        }
    }

    /// Combines the accesses of `self` and `other`, because only one of the two executes.
    fn or(self, other: Flow) -> Flow {
        Flow {
            reads: self.reads || other.reads,
            writes: self.writes || other.writes,
            changes: self.changes || other.changes,
            certain: self.certain && other.certain,
            overwrites: self.overwrites && other.overwrites,
            read_count: self.read_count.max(other.read_count),
            write_count: self.write_count.max(other.write_count),
        }
    }
}

/// Accesses of a part of a job to all labels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flows(pub BTreeMap<String, Flow>);

impl Flows {
    /// Returns one access to `label`.
    pub fn access(label: String, reads: bool, writes: bool) -> Flows {
        Flows(BTreeMap::from([(label, Flow::access(reads, writes))]))
    }

    /// Adds `later`, which executes after `self`.
    pub fn then(&mut self, later: &Flows) {
        for (label, flow) in &later.0 {
            // If `self` has no access, the first access of `later` is the first access.
            let earlier = self.0.get(label).copied().unwrap_or_default();
            self.0.insert(label.clone(), earlier.then(*flow));
        }
    }

    /// Combines `self` with `other`, because only one of the two executes.
    pub fn or(&mut self, other: &Flows) {
        for (label, flow) in &mut self.0 {
            *flow = flow.or(other.0.get(label).copied().unwrap_or_default());
        }
        for (label, flow) in &other.0 {
            let joined = Flow::default().or(*flow);
            self.0.entry(label.clone()).or_insert(joined);
        }
    }

    /// Returns the number of accesses.
    pub fn count(&self) -> u64 {
        let counts = self
            .0
            .values()
            .map(|flow| flow.read_count.saturating_add(flow.write_count));
        counts.fold(0, u64::saturating_add)
    }
}
