//! Guarantee: the tests reproduce published examples. Each test is named after its source. `docs/models.md` lists the
//! original papers that were not available.

use gpusched::interference::{CoLocated, Conflict, InflatedWcet as _};
use gpusched::model::{Evidence, TaskSet};
use gpusched::schedulability::{self, Demand};
use gpusched::time::Time;

use crate::support::rounds;

/// Creates a task from C, D and T [ns].
fn task(c: u64, d: u64, t: u64) -> Demand {
    Demand::new(Time::from_ns(c), Time::from_ns(t), Time::from_ns(d))
}

fn response_times(policy: &str, set: &[Demand]) -> Vec<u64> {
    let times = schedulability::response_times(policy.parse().unwrap(), set).unwrap();
    times.into_iter().map(|time| time.unwrap().ns()).collect()
}

fn accepts(policy: &str, set: &[Demand]) -> bool {
    schedulability::accepts(policy.parse().unwrap(), set, 1)
}

/// C = 52, T = 100 and C = 52, T = 140, so U = 0.89. Each task misses its deadline at the lower
/// priority if D = T. With D slightly above T, the two tasks meet their deadlines. (Example 2, in
/// the numbering of the crate `response-time-analysis`.)
#[test]
fn lehoczky_1990_example_2() {
    let set = [task(52, 1_000, 100), task(52, 1_000, 140)];
    assert_eq!(response_times("fp-given", &set), [52, 156]);
    let swapped = [set[1], set[0]];
    assert_eq!(response_times("fp-given", &swapped), [52, 108]);
    let implicit = [task(52, 100, 100), task(52, 140, 140)];
    assert!(!accepts("fp-audsley", &implicit) && accepts("edf", &implicit));
    assert!(accepts("fp-audsley", &[task(52, 110, 100), task(52, 140, 140)]));
}

/// C = 26, T = 70 and C = 62, T = 100. The response times of the second task are 114, 102, 116, 104, 118, 106 and 94.
/// So the maximum is not among the first four jobs.
#[test]
fn lehoczky_1990_the_fifth_job_is_the_worst() {
    let set = [task(26, 70, 70), task(62, 118, 100)];
    assert_eq!(response_times("dm", &set), [26, 118]);
    assert!(accepts("dm", &set));
    // Each deadline below reveals the first job that exceeds it.
    for (deadline, job, late) in [(113, 0, 114), (115, 2, 116), (117, 4, 118)] {
        let set = [task(26, 70, 70), task(62, deadline, 100)];
        let evidence = schedulability::evidence("dm".parse().unwrap(), &set, 1);
        let expected = Evidence::DeadlineMissed {
            task: 1,
            busy_period_ns: Time::from_ns(job * 100 + late),
            response_time_ns: Time::from_ns(late),
        };
        assert_eq!(evidence, expected);
    }
}

/// Davis, Burns, Bril & Lukkien 2007: three CAN messages of length 1 with periods 2.5, 3.5 and 3.5 ms. The refuted
/// analysis considers only the first instance of the third message, which takes 3 ms. The second instance takes 3.5 ms.
#[test]
fn davis_2007_the_second_instance_is_the_worst() {
    const MS: u64 = 1_000_000;
    let third = |deadline| {
        [
            task(MS, 5 * MS / 2, 5 * MS / 2),
            task(MS, 13 * MS / 4, 7 * MS / 2),
            task(MS, deadline, 7 * MS / 2),
        ]
    };
    // Times are whole nanoseconds, so the blocking message starts 1 ns earlier.
    let expected = [2 * MS - 1, 3 * MS - 1, 7 * MS / 2];
    assert_eq!(response_times("np-fp-given", &third(7 * MS / 2)), expected);
    assert!(accepts("np-fp-given", &third(7 * MS / 2)));
    let evidence = schedulability::evidence("np-fp-given".parse().unwrap(), &third(13 * MS / 4), 1);
    let expected = Evidence::DeadlineMissed {
        task: 2,
        busy_period_ns: Time::from_ns(7 * MS),
        response_time_ns: Time::from_ns(7 * MS / 2),
    };
    assert_eq!(evidence, expected);
    // The first instance meets that deadline.
    assert!(
        response_times("np-fp-given", &[task(MS, 8 * MS, 100 * MS); 3]) == [2 * MS - 1, 3 * MS - 1, 3 * MS]
    );
}

/// Audsley, Burns, Richardson, Tindell & Wellings 1993, Table 3: a generic avionics platform [µs], with the blocking of
/// the paper and one task with jitter. (As quoted by the crate `response-time-analysis`.)
#[test]
fn audsley_1993_table_3() {
    // Columns: C, T, D, B, J, response time from the release.
    const TABLE: [(u64, u64, u64, u64, u64, u64); 18] = [
        (51, 1_000, 1_000, 0, 0, 51),
        (3_000, 2_000_000, 5_000, 300, 0, 3_504),
        (2_000, 25_000, 25_000, 600, 0, 5_906),
        (5_000, 25_000, 25_000, 900, 0, 11_512),
        (1_000, 40_000, 40_000, 1_350, 0, 13_064),
        (3_000, 50_000, 50_000, 1_350, 0, 16_217),
        (5_000, 50_000, 50_000, 750, 0, 20_821),
        (8_000, 59_000, 59_000, 750, 0, 36_637),
        (9_000, 80_000, 80_000, 1_350, 0, 47_798),
        (2_000, 80_000, 80_000, 450, 0, 48_949),
        (5_000, 100_000, 100_000, 1_050, 0, 99_150),
        (1_000, 200_000, 200_000, 450, 1_000, 99_550),
        (3_000, 200_000, 200_000, 450, 0, 140_641),
        (1_000, 200_000, 200_000, 450, 0, 141_692),
        (1_000, 200_000, 200_000, 1_350, 0, 143_694),
        (3_000, 1_000_000, 1_000_000, 0, 0, 145_446),
        (1_000, 1_000_000, 1_000_000, 0, 0, 146_497),
        (1_000, 1_000_000, 1_000_000, 0, 0, 147_548),
    ];
    for (row, &(.., blocking, jitter, expected)) in TABLE.iter().enumerate() {
        // The set contains the tasks above, the task, and a lower task with a block of the blocking time. The other
        // tasks have no blocks, so preemption has no cost.
        let mut set: Vec<Demand> = TABLE[..=row]
            .iter()
            .map(|&(c, t, d, _, j, _)| task(c, d, t).with_jitter(Time::from_ns(j)))
            .collect();
        set.push(task(blocking + 1, 1_000_000_000, 1_000_000_000));
        assert_eq!(
            response_times("lp-fp-given", &set)[row],
            expected + jitter,
            "row {row}"
        );
    }
}

/// The task set of Zhang & Burns 2009 (IEEE Trans. Computers 58(9)), quoted from memory. Its synchronous busy period is
/// 16984, as in the paper. QPA checks only a few points, although there are 1684 deadlines.
#[test]
fn zhang_burns_2009_example() {
    const TASKS: [(u64, u64, u64); 8] = [
        (6_000, 18_000, 31_000),
        (2_000, 9_000, 9_800),
        (1_000, 12_000, 17_000),
        (90, 3_000, 4_200),
        (8, 78, 96),
        (2, 16, 12),
        (10, 120, 280),
        (26, 160, 660),
    ];
    let set = TASKS.map(|(c, d, t)| task(c, d, t));
    let work = |length: u64| TASKS.iter().map(|&(c, _, t)| length.div_ceil(t) * c).sum::<u64>();
    assert_eq!(work(16_984), 16_984);
    assert!((1..16_984).all(|length| work(length) > length));
    let deadlines = TASKS
        .iter()
        .map(|&(_, d, t)| (16_983 - d.min(16_983)) / t + u64::from(d < 16_984));
    assert_eq!(deadlines.sum::<u64>(), 1_684);

    let Evidence::DemandWithinSupply { interval_ns, checked } =
        schedulability::evidence("edf".parse().unwrap(), &set, 1)
    else {
        panic!("the set is schedulable");
    };
    assert!(interval_ns.ns() <= 16_984);
    assert!((2..10).contains(&checked.len()), "{checked:?}");
    let dbf = |at: u64| {
        let due = TASKS.iter().filter(|task| task.1 <= at);
        due.map(|&(c, d, t)| ((at - d) / t + 1) * c).sum::<u64>()
    };
    for (interval, demand) in checked {
        assert_eq!(dbf(interval.ns()), demand.ns());
    }
}

/// Two sets of the test suite of the crate `response-time-analysis` under non-preemptive EDF. In the first set, all D =
/// 100. In the second set, D = 50, 100, 120, and the first task is blocked for 10 and misses its deadline.
#[test]
fn non_preemptive_edf_of_the_crate_response_time_analysis() {
    let equal = [task(79, 100, 120), task(11, 100, 34), task(1, 100, 190)];
    assert!(!accepts(
        "np-edf",
        &[task(79, 90, 120), task(11, 90, 34), task(1, 90, 190)]
    ));
    // U = 79/120 + 11/34 + 1/190 = 0.987, and every response time in the crate is 91.
    assert!(accepts("np-edf", &equal));
    assert!(!accepts(
        "np-edf",
        &[task(79, 50, 120), task(11, 100, 34), task(1, 120, 190)]
    ));
}

/// George, Rivierre & Spuri 1996, Theorem 14. Without preemption, EDF meets all deadlines iff Σ max(0, 1 + ⌊(t −
/// Dᵢ)/Tᵢ⌋)·Cᵢ + max over Dⱼ > t of (Cⱼ − 1) ≤ t at each deadline t of the synchronous busy period. The busy period
/// includes the blocking. The numbers of its example were not available, so this test checks the theorem on 20,000
/// random sets.
#[test]
fn george_1996_theorem_14() {
    use rand::{RngExt, SeedableRng};
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(14);
    let mut passing = 0;
    for _ in 0..rounds(20_000) {
        let tasks: Vec<(u64, u64, u64)> = (0..rng.random_range(1..=6))
            .map(|_| {
                let t = rng.random_range(2..=60);
                let c = rng.random_range(1..=t.min(8));
                (c, rng.random_range(c..=2 * t), t)
            })
            .collect();
        let utilization: f64 = tasks.iter().map(|&(c, _, t)| c as f64 / t as f64).sum();
        if utilization > 0.999 {
            continue;
        }
        let work = |length: u64| tasks.iter().map(|&(c, _, t)| length.div_ceil(t) * c).sum::<u64>();
        let longest = tasks.iter().map(|task| task.0).max().unwrap();
        let mut length = longest;
        while longest + work(length) > length {
            length = longest + work(length);
        }
        let meets = (1..=length).all(|at| {
            let due = tasks.iter().filter(|task| task.1 <= at);
            let demand: u64 = due.map(|&(c, d, t)| ((at - d) / t + 1) * c).sum();
            let later = tasks.iter().filter(|task| task.1 > at);
            let blocking = later.map(|task| task.0 - 1).max().unwrap_or(0);
            !tasks
                .iter()
                .any(|&(_, d, t)| at >= d && (at - d).is_multiple_of(t))
                || demand + blocking <= at
        });
        let set: Vec<Demand> = tasks.iter().map(|&(c, d, t)| task(c, d, t)).collect();
        assert_eq!(accepts("np-edf", &set), meets, "{tasks:?}");
        passing += u32::from(meets);
    }
    assert!((rounds(2_000)..rounds(15_000)).contains(&passing), "{passing}");
}

/// The example of [Singh21] §3.4.2: nine compute tasks in one partition have conflicts. The memory task in this
/// partition has no conflict.
#[test]
fn singh_2021_nine_compute_tasks_and_one_memory_task() {
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
