//! Guarantee: the run-time step is its reference implementation for all values, keeps to its bounds on steps, and its C interface needs
//! neither the standard library nor a function that panics.

mod in_c;
mod reference;

use std::cell::Cell;
use std::rc::Rc;

use gpusched_budget::intervals::table_length;
use gpusched_budget::{Allocator, Cluster, Fault, Interval, Intervals, LONGEST, Policy, Setting};
use rand::{Rng, RngExt};

use crate::kernel_wcet::random;
use crate::support::rounds;

const POLICIES: [Policy; 4] = [Policy::Nominal, Policy::Fair, Policy::Greedy, Policy::Smooth];

/// Clusters that count how often a function visits all of them.
#[derive(Clone)]
struct Counted(Vec<Cluster>, Rc<Cell<u32>>);

impl AsRef<[Cluster]> for Counted {
    fn as_ref(&self) -> &[Cluster] {
        self.1.set(self.1.get() + 1);
        &self.0
    }
}

impl AsMut<[Cluster]> for Counted {
    fn as_mut(&mut self) -> &mut [Cluster] {
        &mut self.0
    }
}

/// A setting with its clusters: as of a kernel whose deadline leaves some slack, or at the limits.
fn setting(rng: &mut impl Rng) -> (Setting, Vec<Cluster>) {
    match rng.random_bool(0.6) {
        true => usual(rng),
        false => extreme(rng),
    }
}

fn usual(rng: &mut impl Rng) -> (Setting, Vec<Cluster>) {
    let count = rng.random_range(1..=6);
    let of = |_| {
        let e0 = rng.random_range(1..=40);
        let delay = [0, e0, rng.random_range(0..=2 * e0)][rng.random_range(0..3)];
        cluster(rng.random_range(500..=3_000), e0, e0 + delay)
    };
    let clusters: Vec<Cluster> = (0..count).map(of).collect();
    let active = rng.random_range(1..=8);
    let sum = |time: fn(&Cluster) -> u64| {
        clusters
            .iter()
            .map(|found| found.blocks * time(found))
            .sum::<u64>()
    };
    let (alone, contended) = (sum(|found| found.e0), sum(|found| found.e1));
    let longest = clusters.iter().map(|found| found.e1).max().unwrap();
    let period = longest * rng.random_range(10..=100);
    let setting = Setting {
        policy: POLICIES[rng.random_range(0..4)],
        active,
        period,
        nominal: rng.random_range(0..=period / 3),
        deadline: rng.random_range(alone..=contended) / u64::from(active) + longest,
        both_ends: rng.random_bool(0.25),
    };
    (setting, clusters)
}

fn extreme(rng: &mut impl Rng) -> (Setting, Vec<Cluster>) {
    let bits = [3, 10, 16][rng.random_range(0..3)];
    let count = [1, 2, 3, 8][rng.random_range(0..4)];
    let mut clusters: Vec<Cluster> = (0..count)
        .map(|_| {
            let e0 = random::magnitude(rng, bits);
            let delay = [0, e0, rng.random_range(0..=2 * e0)][rng.random_range(0..3)];
            cluster(random::magnitude(rng, bits), e0, e0 + delay)
        })
        .collect();
    if rng.random_bool(0.1) {
        // The largest work.
        clusters = match rng.random_range(0..3) {
            0 => vec![cluster(1, LONGEST, LONGEST)],
            1 => vec![cluster(1, 1, LONGEST)],
            _ => vec![cluster(LONGEST / 2, 1, 1), cluster(1, 1, LONGEST / 2)],
        };
    }
    let work = clusters
        .iter()
        .map(|cluster| cluster.blocks * cluster.e1)
        .sum::<u64>();
    let period = match rng.random_range(0..8) {
        0 => LONGEST,
        1 => 1,
        _ => random::magnitude(rng, 2 * bits),
    };
    let setting = Setting {
        policy: POLICIES[rng.random_range(0..4)],
        active: [1, 1 << 20, random::magnitude(rng, 7) as u32][rng.random_range(0..3)],
        period,
        nominal: [0, period, rng.random_range(0..=period)][rng.random_range(0..3)],
        deadline: [0, LONGEST, work, rng.random_range(0..=work)][rng.random_range(0..4)],
        both_ends: rng.random_bool(0.5),
    };
    (setting, clusters)
}

fn cluster(blocks: u64, e0: u64, e1: u64) -> Cluster {
    let position = 0;
    Cluster {
        blocks,
        e0,
        e1,
        position,
    }
}

/// Time since the start, and unfinished blocks. The kernel is often faster than its WCET. Otherwise, the values are random, or
/// impossible.
fn state(rng: &mut impl Rng, deadline: u64, clusters: &[Cluster]) -> (u64, Vec<u64>) {
    let at = rng.random_range(0..=deadline);
    if rng.random_bool(0.6) {
        let done = at as f64 / deadline.max(1) as f64 * rng.random_range(1.0..1.5);
        let of = |found: &Cluster| (found.blocks as f64 * (1.0 - done).max(0.0)) as u64;
        return (at, clusters.iter().map(of).collect());
    }
    let beyond = rng.random_range(0..20) == 0;
    let of = |cluster: &Cluster| match rng.random_range(0..5) {
        0 => 0,
        1 => cluster.blocks,
        2 if beyond => u64::MAX,
        _ => rng.random_range(0..=cluster.blocks),
    };
    let left = clusters.iter().map(of).collect();
    let times = [0, deadline, deadline.saturating_add(1), u64::MAX, at, at];
    (times[rng.random_range(0..times.len())], left)
}

/// In every state, also with impossible ones, the step is its reference implementation, and visits the clusters at most twice.
#[test]
fn each_decision_is_its_reference() {
    let mut rng = random::rng(71);
    let mut above = [0; 4];
    for _ in 0..rounds(40_000) {
        let (setting, clusters) = setting(&mut rng);
        let counted = Counted(clusters.clone(), Rc::default());
        let mut allocator = Allocator::new(setting, counted.clone()).unwrap();
        let mut twin = reference::Reference::new(setting, &clusters);
        for _ in 0..4 {
            let (at, mut left) = state(&mut rng, setting.deadline, &clusters);
            if rng.random_bool(0.1) {
                left.truncate(rng.random_range(0..left.len()));
            }
            counted.1.set(0);
            let found = allocator.decide(at, &left);
            assert!(counted.1.get() <= 2);
            assert_eq!(
                found,
                twin.decide(at, &left),
                "{setting:?} {clusters:?} {at} {left:?}"
            );
            assert!((setting.nominal..=setting.period).contains(&found));
            above[setting.policy as usize] += u32::from(found > setting.nominal && found < setting.period);
        }
    }
    println!("{above:?}");
    assert!(above[1..].iter().all(|&count| count > rounds(800)), "{above:?}");
}

/// A larger number of unfinished blocks, or a later decision, never permits more memory time.
#[test]
fn more_work_never_permits_more() {
    let mut rng = random::rng(72);
    for _ in 0..rounds(20_000) {
        let (setting, clusters) = setting(&mut rng);
        let allocator = Allocator::new(setting, clusters.clone()).unwrap();
        let (_, left) = state(&mut rng, setting.deadline, &clusters);
        let window = rng.random_range(0..=setting.deadline);
        let permitted = |window, left: &[u64]| allocator.memory(window, left).unwrap_or(u64::MAX);
        let before = permitted(window, &left);
        let mut more = left.clone();
        let at = rng.random_range(0..more.len());
        more[at] = more[at].saturating_add(random::magnitude(&mut rng, 20));
        assert!(permitted(window.saturating_sub(1), &left) <= before);
        let after = permitted(window, &more);
        // More blocks add their own memory time, if they are delayed only in part. But a free run never becomes free again.
        assert!(
            before == u64::MAX || after < u64::MAX,
            "{setting:?} {clusters:?} {left:?} {more:?}"
        );
    }
}

#[test]
fn values_out_of_range_are_refused() {
    let good = Setting {
        policy: Policy::Fair,
        active: 1,
        period: 10,
        nominal: 10,
        deadline: 100,
        both_ends: false,
    };
    let refused = |setting, clusters: Vec<Cluster>| Allocator::new(setting, clusters).unwrap_err();
    let one = || vec![cluster(1, 1, 2)];
    assert_eq!(refused(good, vec![]), Fault::Clusters);
    assert_eq!(refused(good, vec![cluster(1, 1, 1); 1025]), Fault::Clusters);
    assert!(Allocator::new(good, vec![cluster(1, 1, 1); 1024]).is_ok());
    for active in [0, (1 << 20) + 1, u32::MAX] {
        assert_eq!(refused(Setting { active, ..good }, one()), Fault::Active);
    }
    for (period, nominal) in [(0, 0), (9, 10), (LONGEST + 1, 0), (u64::MAX, 0)] {
        assert_eq!(
            refused(
                Setting {
                    period,
                    nominal,
                    ..good
                },
                one()
            ),
            Fault::Period
        );
    }
    assert_eq!(
        refused(
            Setting {
                deadline: LONGEST + 1,
                ..good
            },
            one()
        ),
        Fault::Deadline
    );
    for (blocks, e0, e1) in [
        (0, 1, 1),
        (1, 0, 1),
        (1, 2, 1),
        (2, 1, LONGEST),
        (u64::MAX, 1, u64::MAX),
        (1, 1, u64::MAX),
    ] {
        assert_eq!(refused(good, vec![cluster(blocks, e0, e1)]), Fault::Work);
    }
    assert_eq!(
        refused(good, vec![cluster(1, 1, LONGEST), cluster(1, 1, 1)]),
        Fault::Work
    );
    let allocator = Allocator::new(good, one()).unwrap();
    assert_eq!(allocator.check(&[1]), Ok(()));
    assert_eq!(allocator.check(&[2]), Err(Fault::Blocks));
    for list in [&[][..], &[1, 1]] {
        assert_eq!(allocator.check(list), Err(Fault::Length));
    }
}

/// Random intervals of random clusters, with the cluster of each block.
fn intervals(rng: &mut impl Rng) -> (Vec<Interval>, Vec<u64>, Vec<usize>) {
    let clusters = rng.random_range(1..=5);
    let (mut of, mut list) = (Vec::new(), Vec::new());
    for _ in 0..rng.random_range(1..=12) {
        let cluster = rng.random_range(0..clusters);
        let first = of.len() as u64;
        list.push(Interval {
            first,
            cluster: cluster as u64,
        });
        // An interval may be empty.
        of.extend(std::iter::repeat_n(cluster, rng.random_range(0..=9)));
    }
    let count = |cluster: usize| of.iter().filter(|&&found| found == cluster).count() as u64;
    (list, (0..clusters).map(count).collect(), of)
}

/// The table counts as a loop over all blocks does, and looks at each running block once.
#[test]
fn unfinished_blocks_are_counted() {
    let mut rng = random::rng(73);
    for _ in 0..rounds(20_000) {
        let (list, blocks, of) = intervals(&mut rng);
        let length = table_length(list.len(), blocks.len()).unwrap();
        let table = Intervals::new(list.clone(), vec![7; length], blocks.iter().copied()).unwrap();
        let next = rng.random_range(0..=of.len() as u64 + 1);
        let running: Vec<u64> = (0..next.min(of.len() as u64))
            .filter(|_| rng.random_bool(0.3))
            .collect();
        let mut expected = vec![0; blocks.len()];
        let unfinished = (next..of.len() as u64).chain(running.iter().copied());
        unfinished.for_each(|block| expected[of[block as usize]] += 1);
        let (mut found, mut visited) = (vec![9; blocks.len()], 0);
        let running = running.into_iter().inspect(|_| visited += 1);
        let count = running.size_hint().1.unwrap();
        table.remaining(next, running, &mut found).unwrap();
        assert_eq!((found, visited), (expected, count));
        let mut short = vec![0; blocks.len() + 1];
        assert_eq!(table.remaining(next, [], &mut short), Err(Fault::Length));

        // A block more or less, a wrong length, a gap at the start, an unknown cluster and a wrong order are refused.
        let refused = |list: &[Interval], length, blocks: &[u64]| {
            Intervals::new(list.to_vec(), vec![0; length], blocks.iter().copied()).unwrap_err()
        };
        // The last interval ends with the last block, so its cluster may have any number of blocks.
        let (mut more, at) = (blocks.clone(), rng.random_range(0..blocks.len()));
        more[at] += 1;
        if list.last().unwrap().cluster != at as u64 {
            assert_eq!(refused(&list, length, &more), Fault::Intervals);
        }
        assert_eq!(refused(&list, length + 1, &blocks), Fault::Length);
        let mut late = list.clone();
        late.iter_mut().for_each(|interval| interval.first += 1);
        assert_eq!(refused(&late, length, &blocks), Fault::Intervals);
        let mut unknown = list.clone();
        unknown[0].cluster = u64::MAX;
        assert_eq!(refused(&unknown, length, &blocks), Fault::Intervals);
        let mut order = list.clone();
        order[0].first = u64::MAX;
        assert_eq!(refused(&order, length, &blocks), Fault::Intervals);
    }
    assert_eq!(
        Intervals::new([], [0; 0], std::iter::empty()).unwrap_err(),
        Fault::Clusters
    );
}
