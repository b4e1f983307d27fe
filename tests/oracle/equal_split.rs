//! Reference implementation of first-fit and worst-fit decreasing on an equal split. It stores no data between placements.

use gpusched::partitioning::HeuristicKind;

use super::transcription::{Answer, Machine, Part};

impl Machine<'_> {
    /// Returns the plan with the smallest number of equal partitions that fits all tasks, or no
    /// plan.
    pub fn equal_split(&self, kind: HeuristicKind) -> Answer {
        let mut merges = 0;
        let parts = (1..=self.sms).find_map(|split| self.place(kind, split, &mut merges));
        let mut parts = parts.unwrap_or_default();
        parts.sort_by(|a, b| b.sms.cmp(&a.sms).then(a.tasks.cmp(&b.tasks)));
        Answer {
            schedulable: !parts.is_empty(),
            parts,
            merges,
            prefill: 0,
        }
    }

    /// Places tasks by decreasing utilization in isolation on the first partition.
    fn place(&self, kind: HeuristicKind, split: u32, merges: &mut u64) -> Option<Vec<Part>> {
        let mut parts: Vec<Part> = (0..split)
            .map(|index| Part {
                sms: self.sms / split + u32::from(index < self.sms % split),
                tasks: Vec::new(),
            })
            .collect();
        let mut order: Vec<usize> = (0..self.tasks.len()).collect();
        order.sort_by_key(|&task| std::cmp::Reverse(self.utilization(&[task], parts[0].sms)));
        for task in order {
            let mut candidates: Vec<usize> = (0..parts.len()).collect();
            if kind == HeuristicKind::Wfd {
                candidates.sort_by_key(|&part| self.utilization(&parts[part].tasks, parts[part].sms));
            }
            let (index, tasks) = candidates.into_iter().find_map(|index| {
                *merges += 1;
                let mut tasks = parts[index].tasks.clone();
                tasks.push(task);
                tasks.sort();
                self.passes(&tasks, parts[index].sms).then_some((index, tasks))
            })?;
            parts[index].tasks = tasks;
        }
        parts.retain(|part| !part.tasks.is_empty());
        Some(parts)
    }
}
