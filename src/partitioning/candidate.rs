//! A partition in the making.

/// Tasks and the SMs they get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// |P|.
    pub sms: u32,
    /// 𝒯(P): positions in the task set, ascending.
    pub tasks: Vec<usize>,
}

impl Candidate {
    /// The tasks of `self` and `other`, ascending.
    pub(super) fn union(&self, other: &Candidate) -> Vec<usize> {
        let mut tasks = Vec::with_capacity(self.tasks.len() + other.tasks.len());
        tasks.extend_from_slice(&self.tasks);
        tasks.extend_from_slice(&other.tasks);
        tasks.sort_unstable();
        tasks
    }
}
