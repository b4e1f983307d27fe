//! The order of kernels.

use gpusched::bandwidth::{Allocator, BudgetPolicy};
use gpusched::model::{Factor, Straddling, System};
use gpusched::simulator::regulation::Setting;
use gpusched::simulator::regulation::sequence::{Dispatch, Sequencer};
use gpusched::time::Time;

/// Returns a kernel with one block of 10 µs without interference delay.
fn task(rest: &str) -> String {
    let kernel =
        r#"{"active_blocks":1,"regulation_period":"7us","clusters":[{"blocks":1,"e0":"10us","e1":"10us"}]}"#;
    format!("{{\"kernel\":{kernel},\"q\":0.1{rest}}}")
}

/// Returns (kernel, job, start [µs]) ordered by start, the length of the run [µs], and the idle time [µs].
fn order(tasks: &[&str], dispatch: Dispatch) -> (Vec<(usize, u64, u64)>, u64, u64) {
    let tasks: Vec<String> = tasks.iter().map(|rest| task(rest)).collect();
    let system: System = serde_json::from_str(&format!("{{\"kernels\":[{}]}}", tasks.join(","))).unwrap();
    let allocator = |task: &gpusched::model::KernelTask| {
        Allocator::new(
            task.kernel(),
            Factor::from_f64(0.1).unwrap(),
            BudgetPolicy::Fair,
            Straddling::End,
        )
        .unwrap()
    };
    let mut allocators: Vec<Allocator> = system.kernels().iter().map(allocator).collect();
    let wcets: Vec<Time> = allocators.iter().map(Allocator::deadline).collect();
    assert!(wcets.iter().all(|wcet| wcet.ns() == 10_000));
    let sequencer = Sequencer::new(&system, &wcets, dispatch, Setting::default(), 1).unwrap();
    let found = sequencer.run(0, BudgetPolicy::Fair, &mut allocators, false);
    let jobs = found
        .jobs
        .iter()
        .map(|job| (job.kernel, job.job, job.start_ns.ns() / 1_000));
    (jobs.collect(), found.length.ns() / 1_000, found.idle.ns() / 1_000)
}

/// Without periods, kernels run back to back in the given order.
#[test]
fn kernels_follow_each_other() {
    let found = order(&["", "", ""], Dispatch::Fifo);
    assert_eq!(found, (vec![(0, 0, 0), (1, 0, 10), (2, 0, 20)], 30, 0));
    let found = order(&[r#","offset":"15us""#, ""], Dispatch::Fifo);
    assert_eq!(found, (vec![(1, 0, 0), (0, 0, 15)], 25, 5));
}

/// Kernels 1, 2 and 3 are released in this order while kernel 0 runs. Each dispatcher selects the next kernel by its
/// own rule.
#[test]
fn dispatchers_differ() {
    let tasks = [
        r#","period":"100us","deadline":"90us""#,
        r#","period":"100us","offset":"1us","deadline":"60us""#,
        r#","period":"50us","offset":"2us","deadline":"45us""#,
        r#","offset":"3us","deadline":"40us""#,
    ];
    let firsts = |dispatch| -> Vec<usize> {
        let (jobs, ..) = order(&tasks, dispatch);
        jobs.iter().take(4).map(|job| job.0).collect()
    };
    assert_eq!(firsts(Dispatch::Fifo), [0, 1, 2, 3]);
    assert_eq!(firsts(Dispatch::NpEdf), [0, 3, 2, 1]); // deadlines at 43, 47 and 61
    assert_eq!(firsts(Dispatch::NpFp), [0, 3, 2, 1]);
    assert_eq!(firsts(Dispatch::NpFpRm), [0, 2, 1, 3]); // a kernel that is released once is last
    assert_eq!(firsts(Dispatch::NpFpGiven), [0, 1, 2, 3]);
    let (jobs, length, idle) = order(&tasks, Dispatch::NpEdf);
    assert_eq!(jobs[4..], [(2, 1, 52)]);
    assert_eq!((length, idle), (100, 50));
    // EDF uses absolute deadlines, and fixed priorities use relative deadlines.
    let tasks = [
        "",
        r#","offset":"1us","deadline":"60us""#,
        r#","offset":"9us","deadline":"55us""#,
    ];
    let firsts = |dispatch| {
        order(&tasks, dispatch)
            .0
            .iter()
            .map(|job| job.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (firsts(Dispatch::NpEdf), firsts(Dispatch::NpFp)),
        (vec![0, 1, 2], vec![0, 2, 1])
    );
}

/// In an overload, the run continues after the hyperperiod until all jobs have finished.
#[test]
fn overloads_end() {
    let tasks = [r#","period":"15us""#, r#","period":"10us""#];
    for dispatch in Dispatch::ALL {
        let (jobs, length, idle) = order(&tasks, dispatch);
        assert_eq!((jobs.len(), length, idle), (5, 50, 0), "{dispatch}");
    }
}
