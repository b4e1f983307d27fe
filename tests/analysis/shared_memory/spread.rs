//! Sources that spread their requests, or transfer the bytes of two periods back to back, against the bounds for
//! batches.

use gpusched::interference::{Interference, model_of};
use gpusched::model::policy::Preemption;
use gpusched::model::{Arbitration, Plan, Policy, SharedMemory, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition};
use gpusched::simulator::shared::{Client, Division, Stage, Task, simulate};
use gpusched::simulator::tasks::{Discipline, Order};
use gpusched::verification::verify;

use crate::shared_memory::{BYTE_PER_NS, capacity, set};

/// A task that runs concurrently with one source of 2000 B. Both use 1 B/ns, which is the rate of the memory; times are
/// in ns.
struct Case {
    /// C and D of the task.
    wcet: u64,
    due: u64,
    /// D of the source; T is 10,000.
    deadline: u64,
    /// A legal run: the arrival of the task, and the times when the source transfers 2000 B without a break.
    arrival: u64,
    moves: &'static [u64],
    /// End of the job in this run.
    end: u64,
}

const CASES: [Case; 3] = [
    // Requests from 0 to 2000 wait for D, and requests from 10,000 on do not wait.
    Case {
        wcet: 5_000,
        due: 7_000,
        deadline: 5_000,
        arrival: 5_000,
        moves: &[5_000, 10_000],
        end: 14_000,
    },
    // The same case with D = T: requests from 0, from 10,000 and from 20,000 on.
    Case {
        wcet: 7_000,
        due: 11_000,
        deadline: 10_000,
        arrival: 10_000,
        moves: &[10_000, 12_000, 20_000],
        end: 23_000,
    },
    // The last requests of one period and the first requests of the next period do not wait.
    Case {
        wcet: 3_000,
        due: 5_000,
        deadline: 2_000,
        arrival: 8_000,
        moves: &[8_000, 10_000],
        end: 15_000,
    },
];

impl Case {
    fn set(&self, batch: bool) -> TaskSet {
        let Case {
            wcet, due, deadline, ..
        } = self;
        set(&format!(
            r#"{{"tasks":[{{"period":100000,"deadline":{due},"traffic":{wcet},"bandwidth":"1GB/s","wcet":{{"affine":{{"isolated":{{"a":0,"b":{wcet}}}}}}}}}],
             "other_traffic":[{{"traffic":2000,"period":10000,"deadline":{deadline},"bandwidth":"1GB/s","batch":{batch}}}]}}"#
        ))
    }
}

fn plan(set: &TaskSet) -> Plan {
    let memory = SharedMemory::new(capacity(1), Arbitration::Any);
    let problem = Problem::new(set, 1, Policy::Edf, model_of(Interference::Conflict)).unwrap();
    let heuristic = Heuristic::from(HeuristicKind::OnePerPartition);
    partition(&problem.sharing(memory).unwrap(), &heuristic)
}

#[test]
fn what_holds_beside_batches_only_is_refused() {
    for case in CASES {
        let (batches, spread) = (case.set(true), case.set(false));
        let claimed = plan(&batches);
        assert!(claimed.schedulable, "{claimed:?}");
        verify(&claimed, &batches).unwrap();
        let honest = plan(&spread);
        assert!(!honest.schedulable, "{honest:?}");
        verify(&honest, &spread).unwrap();
        let fault = verify(&claimed, &spread).unwrap_err();
        assert!(fault.field.starts_with("partitions[0].verdict"), "{fault}");
    }
}

/// The rejections are correct: a legal run of each case misses its deadline.
#[test]
fn legal_requests_make_the_task_late() {
    let discipline = Discipline {
        order: Order::Deadlines,
        preemption: Preemption::Preemptive,
    };
    let task = |first: u64, time: u64, deadline: u64| Task {
        stages: vec![Stage {
            time,
            rate: BYTE_PER_NS,
        }],
        first,
        jitter: 0,
        period: 1_000_000,
        deadline,
    };
    for case in CASES {
        let source = case.moves.iter().map(|&first| task(first, 2_000, 2_000));
        let clients =
            [vec![task(case.arrival, case.wcet, 1_000_000)], source.collect()].map(|tasks| Client {
                tasks,
                discipline,
                drops: false,
            });
        let outcome = simulate(&clients, BYTE_PER_NS, &Division::Order(vec![1, 0]), 100_000);
        assert_eq!(outcome.miss, None, "the source is in time");
        let longest = outcome.longest[0][0];
        assert_eq!(case.arrival + longest, case.end);
        assert!(longest > case.due);
    }
}
