//! Who shares a partition.

use gpusched_model::{Kind, Task};

/// How many tasks of each kind share a partition, the task in question included.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct CoLocated {
    compute: u32,
    memory: u32,
    unclassified: u32,
}

impl CoLocated {
    /// The company that `tasks` are to each other.
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

    /// The company of both.
    pub fn with(&self, other: &CoLocated) -> CoLocated {
        CoLocated {
            compute: self.compute + other.compute,
            memory: self.memory + other.memory,
            unclassified: self.unclassified + other.unclassified,
        }
    }

    /// Whether another task of the same kind as a task of `kind`, itself counted, is present.
    ///
    /// A task without a kind may be of any: it counts as a rival of all, and all as its rivals.
    pub fn has_rival_of(&self, kind: Option<Kind>) -> bool {
        let same = match kind {
            Some(Kind::Compute) => self.compute + self.unclassified,
            Some(Kind::Memory) => self.memory + self.unclassified,
            None => self.compute + self.memory + self.unclassified,
        };
        same > 1
    }
}
