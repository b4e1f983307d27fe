//! Reference simulation of scenarios. It visits every cycle and derives the state of each cycle from all issues before.

use gpusched::model::Scheduler;
use gpusched::model::warp_scenario::WarpKernel;
use gpusched::simulator::warps::subcore::{Record, simulate};
use rand::RngExt as _;

use crate::support::rounds;
use crate::warp_policies::random::{kernels, rng, scenario};
use crate::warp_policies::slow::{Slow, Warp};

/// Number of scenarios per policy.
const ROUNDS: usize = 3_000;

/// The visible state of a warp in a cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State {
    Absent,
    Stalled,
    Ready,
    Done,
}

/// Returns the state of `warp` of `kernel` in cycle `now`, from the issues of the cycles before in `log`.
pub fn state(kernel: &WarpKernel, warp: usize, log: &[Option<u8>], now: u64) -> State {
    let issues: Vec<u64> = (0..)
        .zip(log)
        .filter(|(cycle, who)| *cycle < now && who.map(usize::from) == Some(warp))
        .map(|(cycle, _)| cycle)
        .collect();
    if now < kernel.launch {
        State::Absent
    } else if issues.len() == kernel.program.len() {
        State::Done
    } else {
        match issues.last() {
            Some(last) if now - last < kernel.program[issues.len() - 1].latency.get().into() => {
                State::Stalled
            }
            _ => State::Ready,
        }
    }
}

/// Returns the kernel of each warp.
pub fn owners(kernels: &[WarpKernel]) -> Vec<usize> {
    let owners = kernels.iter().enumerate();
    owners
        .flat_map(|(index, kernel)| vec![index; kernel.warps.get() as usize])
        .collect()
}

/// Returns the issuing warp of each cycle.
fn slow(scheduler: Scheduler, kernels: &[WarpKernel]) -> Vec<Option<u8>> {
    let owners = owners(kernels);
    let budgets: Vec<u32> = kernels.iter().map(|kernel| kernel.budget.unwrap()).collect();
    let mut policy = Slow::new(scheduler, owners.len(), &budgets);
    let mut log = Vec::new();
    for now in 0.. {
        let states: Vec<State> = (0..owners.len())
            .map(|warp| state(&kernels[owners[warp]], warp, &log, now))
            .collect();
        if states.iter().all(|state| *state == State::Done) {
            break;
        }
        // A warp is older if its kernel is launched earlier. Among equal launches, the lower number is older.
        let older = |a: usize, b: usize| (kernels[owners[a]].launch, a) < (kernels[owners[b]].launch, b);
        let warps: Vec<Warp> = (0..owners.len())
            .filter(|&warp| matches!(states[warp], State::Ready | State::Stalled))
            .map(|warp| Warp {
                slot: warp,
                age: (0..owners.len()).filter(|&other| older(other, warp)).count() as u64,
                group: owners[warp],
                ready: states[warp] == State::Ready,
            })
            .collect();
        let queue = policy.queue(&warps);
        let issuing = queue.into_iter().find(|&slot| states[slot] == State::Ready);
        if let Some(slot) = issuing {
            policy.issued(*warps.iter().find(|warp| warp.slot == slot).unwrap());
        }
        log.push(issuing.map(|slot| u8::try_from(slot).unwrap()));
    }
    log
}

/// Returns the issuing warp of each cycle and the finishing time of each kernel, from the simulator.
pub fn fast(scheduler: Scheduler, kernels: &[WarpKernel]) -> (Vec<Option<u8>>, Vec<u64>) {
    let mut record = Record::default();
    simulate(&scenario(scheduler, kernels), &mut record).unwrap();
    let kernels = record.overview().kernels();
    (
        record.order().to_vec(),
        kernels.iter().map(|kernel| kernel.finish).collect(),
    )
}

#[test]
fn the_same_issues_as_cycle_by_cycle() {
    let mut rng = rng(8);
    let mut turns = [0; 2];
    for round in 0..rounds(ROUNDS) {
        let count = rng.random_range(1..=4);
        let kernels = kernels(&mut rng, count);
        let orders = Scheduler::ALL.map(|scheduler| {
            let expected = slow(scheduler, &kernels);
            let (order, finish) = fast(scheduler, &kernels);
            assert_eq!(order, expected, "round {round}, {scheduler}: {kernels:#?}");
            let owners = owners(&kernels);
            let last = |kernel: usize| {
                let of = |who: &Option<u8>| who.is_some_and(|warp| owners[usize::from(warp)] == kernel);
                expected.iter().rposition(of).unwrap() as u64
            };
            let ends: Vec<u64> = (0..count).map(|kernel| last(kernel) + 1).collect();
            assert_eq!(finish, ends, "round {round}, {scheduler}");
            order
        });
        turns[0] += usize::from(orders[3] != orders[1]);
        turns[1] += usize::from(orders[4] != orders[3]);
    }
    // The policies must differ often enough for a meaningful test.
    assert!(
        turns.iter().all(|&differ| differ > rounds(ROUNDS / 8)),
        "{turns:?}"
    );
}
