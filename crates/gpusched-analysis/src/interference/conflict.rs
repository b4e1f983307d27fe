//! The conflict model of [Singh21] §3.4.2: a task has a conflict if its partition has another
//! task of the same kind.

use super::co_located::CoLocated;
use super::inflated::InflatedWcet;
use gpusched_model::Interference;
use gpusched_model::time::Time;
use gpusched_model::{Contention, Kind, Task};

/// Interference model of [Singh21]. The WCET of a kernel is Cᶜ if its partition has another kernel of the same kind.
/// Without such a kernel, the WCET is Cⁿ.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Conflict;

fn contention(task: &Task, co_located: &CoLocated) -> Contention {
    if co_located.has_rival_of(task.kind()) {
        Contention::Conflict
    } else {
        Contention::Isolated
    }
}

impl InflatedWcet for Conflict {
    fn wcet(&self, task: &Task, sms: u32, co_located: &CoLocated) -> Option<Time> {
        task.wcet().at(sms, contention(task, co_located))
    }

    fn name(&self) -> Option<Interference> {
        Some(Interference::Conflict)
    }

    fn least_work(&self, task: &Task, co_located: &CoLocated) -> u128 {
        task.wcet().least_work(contention(task, co_located))
    }

    fn classes(&self) -> u8 {
        2
    }

    #[inline]
    fn class(&self, kind: Option<Kind>, co_located: &CoLocated) -> u8 {
        co_located.has_rival_of(kind).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpusched_model::TaskSet;

    /// The example of [Singh21] §3.4.2: nine compute tasks in one partition have conflicts. The memory task in this
    /// partition has no conflict.
    #[test]
    fn nine_compute_tasks_and_one_memory_task() {
        let task = |kind| {
            format!(r#"{{"period":"50ms",{kind}"wcet":{{"amdahl":{{"work":100,"serial":0,"conflict":2}}}}}}"#)
        };
        let mut tasks = vec![task(r#""kind":"compute","#); 9];
        tasks.push(task(r#""kind":"memory","#));
        let wcets = |tasks: &[String]| -> Vec<u64> {
            let json = format!(r#"{{"tasks":[{}]}}"#, tasks.join(","));
            let set: TaskSet = serde_json::from_str(&json).unwrap();
            let co_located = CoLocated::of(set.tasks());
            set.tasks()
                .iter()
                .map(|t| Conflict.wcet(t, 1, &co_located).unwrap().ns())
                .collect()
        };
        assert_eq!(wcets(&tasks), [200, 200, 200, 200, 200, 200, 200, 200, 200, 100]);

        // A task of unknown kind may be a memory task, so it may conflict with the memory task.
        tasks.push(task(""));
        assert_eq!(wcets(&tasks), [200; 11]);
        assert_eq!(wcets(&tasks[10..]), [100]);
    }
}
