//! Jobs that share the memory bandwidth: small cases computed by hand.

use gpusched::model::policy::Preemption;
use gpusched::simulator::shared::{Client, Division, Miss, Stage, Task, simulate};
use gpusched::simulator::tasks::{Discipline, Order};

fn client(stages: &[(u64, u64)], deadline: u64) -> Client {
    Client {
        tasks: vec![Task {
            stages: stages.iter().map(|&(time, rate)| Stage { time, rate }).collect(),
            first: 0,
            jitter: 0,
            period: 1000,
            deadline,
        }],
        discipline: Discipline {
            order: Order::Deadlines,
            preemption: Preemption::Preemptive,
        },
        drops: false,
    }
}

/// Two jobs of 100 ns each demand the whole bandwidth. When one job completes, the other job
/// receives the whole bandwidth.
#[test]
fn progress_is_the_share_of_what_is_wanted() {
    let both = [client(&[(100, 10)], 1000), client(&[(50, 10), (50, 0)], 1000)];
    let longest = |division: &Division| simulate(&both, 10, division, 1000).longest;
    // With max-min fair shares, both jobs progress at half speed until 100 ns. Then the
    // second job completes its memory stage, and the first job has 50 ns of work left.
    assert_eq!(longest(&Division::MaxMin), [[150], [150]]);
    assert_eq!(longest(&Division::Order(vec![0, 1])), [[100], [200]]);
    assert_eq!(longest(&Division::Order(vec![1, 0])), [[150], [100]]);
}

/// A job completes at the instant at which a job of higher priority is released, also if its last stage has no work.
#[test]
fn a_release_does_not_delay_a_job_without_work() {
    let task = |stages: &[(u64, u64)], period| Task {
        period,
        ..client(stages, period).tasks[0].clone()
    };
    let full = Client {
        tasks: vec![
            task(&[(50, 0)], 100),
            task(&[(0, 5), (60, 3), (40, 0), (0, 5)], 200),
        ],
        discipline: Discipline {
            order: Order::Ranks,
            preemption: Preemption::Preemptive,
        },
        drops: false,
    };
    let outcome = simulate(&[full], 10, &Division::MaxMin, 1_000);
    assert_eq!((outcome.miss, outcome.longest), (None, vec![vec![50, 200]]));
    // A job misses its deadline also if its completion is the first event after the deadline.
    let late = simulate(&[client(&[(100, 0)], 60)], 10, &Division::MaxMin, 1_000).miss;
    assert_eq!(late.map(|miss| miss.due), Some(60));
}

#[test]
fn the_first_late_job_is_named() {
    let late = [client(&[(100, 10)], 1000), client(&[(100, 10)], 199)];
    let miss = simulate(&late, 10, &Division::Order(vec![0, 1]), 1000).miss;
    assert_eq!(
        miss,
        Some(Miss {
            client: 1,
            task: 0,
            due: 199
        })
    );
    let mut dropped = late.clone();
    dropped[1].drops = true;
    assert_eq!(
        simulate(&dropped, 10, &Division::Order(vec![0, 1]), 1000).miss,
        None
    );
    // Each of the 3 clients receives 1/3 of the bandwidth 10, so 33 ns of work take 99 ns.
    let three = [
        client(&[(33, 10)], 98),
        client(&[(33, 10)], 99),
        client(&[(33, 10)], 99),
    ];
    assert_eq!(
        simulate(&three, 10, &Division::MaxMin, 1000).miss,
        Some(Miss {
            client: 0,
            task: 0,
            due: 98
        })
    );
}

fn shares(division: &Division, capacity: u128, wants: &[u128]) -> Vec<u128> {
    let mut shares = vec![0; wants.len()];
    let due: Vec<u64> = (0..wants.len() as u64).collect();
    division.shares(capacity, wants, &due, &mut shares);
    shares
}

#[test]
fn nothing_is_wasted() {
    let wants = [10, 70, 40];
    assert_eq!(shares(&Division::MaxMin, 100, &wants), [10, 50, 40]);
    assert_eq!(shares(&Division::MaxMin, 60, &wants), [10, 25, 25]);
    assert_eq!(shares(&Division::Order(vec![1, 0, 2]), 100, &wants), [10, 70, 20]);
    assert_eq!(shares(&Division::Spite, 100, &wants), [0, 60, 40]);
    assert_eq!(shares(&Division::MaxMin, 200, &wants), wants);
}
