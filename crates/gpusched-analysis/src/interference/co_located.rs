//! Co-located tasks: the tasks of one partition.

use gpusched_model::{Kind, Task};

/// Number of tasks of each kind in one partition, including the analyzed task.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct CoLocated {
    compute: u32,
    memory: u32,
    unclassified: u32,
}

impl CoLocated {
    /// Counts the co-located `tasks` of each kind.
    pub fn of<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> CoLocated {
        let mut co_located = CoLocated::default();
        for task in tasks {
            *match task.kind() {
                Some(Kind::Compute) => &mut co_located.compute,
                Some(Kind::Memory) => &mut co_located.memory,
                None => &mut co_located.unclassified,
            } += 1;
        }
        co_located
    }

    /// Returns the counts for the union of two partitions.
    pub fn with(&self, other: &CoLocated) -> CoLocated {
        CoLocated {
            compute: self.compute + other.compute,
            memory: self.memory + other.memory,
            unclassified: self.unclassified + other.unclassified,
        }
    }

    /// Returns whether a task of `kind` shares its partition with another task of the same kind.
    /// The counts include the task.
    ///
    /// A task without a kind may be of any kind, so it counts as a task of every kind.
    pub fn has_rival_of(&self, kind: Option<Kind>) -> bool {
        let same = match kind {
            Some(Kind::Compute) => self.compute + self.unclassified,
            Some(Kind::Memory) => self.memory + self.unclassified,
            None => self.compute + self.memory + self.unclassified,
        };
        same > 1
    }
}
