//! The verifier refuses certificates with changed numbers.

use gpusched::Time;
use gpusched::end_to_end::analyze;
use gpusched::model::end_to_end::Answer;
use gpusched::simulator::validation::end_to_end::{Campaign, Sharing};
use gpusched::verification::verify_system;

use crate::support::rounds;

/// Returns `answer` with one number changed; the changes of one answer are numbered. Every change makes the answer claim
/// more than its certificate proves, or contradicts another statement of the answer.
fn changed(answer: &Answer, number: usize) -> Option<Answer> {
    let less = |time: Time| time.checked_sub(Time::from_ns(1));
    let mut changed = answer.clone();
    let mut left = number;
    let mut take = || {
        let now = left == 0;
        left = left.wrapping_sub(1);
        now
    };
    for task in &mut changed.evidence.bounds.0 {
        // A delay of an unbounded task is evidence, too, and its least value may not follow from other entries.
        for time in task.ends_ns.iter_mut().chain(&mut task.delays_ns).flatten() {
            if take() {
                *time = less(*time)?;
                return Some(changed);
            }
        }
    }
    for (time, task) in changed.response_times_ns.iter_mut().zip(&mut changed.tasks) {
        if let (Some(time), true) = (time, take()) {
            *time = less(*time)?;
            return Some(changed);
        }
        if take() {
            task.meets = !task.meets;
            return Some(changed);
        }
        if take() {
            task.deadline_ns = Time::from_ns(task.deadline_ns.ns() + 1);
            return Some(changed);
        }
    }
    for chain in 0..changed.chains.len() {
        let chain = &mut changed.chains[chain];
        if let (Some(time), true) = (&mut chain.reaction_ns, take()) {
            *time = less(*time)?;
            return Some(changed);
        }
        if let (Some(time), true) = (&mut chain.age_ns, take()) {
            *time = less(*time)?;
            return Some(changed);
        }
    }
    if take() {
        changed.schedulable = !changed.schedulable;
        return Some(changed);
    }
    None
}

/// 10⁴ changed certificates are refused.
#[test]
fn changed_certificates_are_refused() {
    refused(&Campaign::new(0, 28, Sharing::Nothing));
}

/// 10⁴ changed certificates of systems with a shared memory are refused.
#[test]
fn changed_certificates_with_a_shared_memory_are_refused() {
    refused(&Campaign::new(0, 28, Sharing::Memory));
}

/// 10⁴ changed certificates of systems with time slices are refused.
#[test]
fn changed_certificates_with_time_slices_are_refused() {
    refused(&Campaign::new(0, 28, Sharing::Time));
}

/// 10⁴ changed certificates of systems with pipelined tasks are refused.
#[test]
fn changed_certificates_with_pipelined_tasks_are_refused() {
    for sharing in [Sharing::Nothing, Sharing::Time] {
        refused(&Campaign {
            pipelined: true,
            ..Campaign::new(0, 28, sharing)
        });
    }
}

fn refused(campaign: &Campaign) {
    let (mut refused, mut index) = (0, 0);
    while refused < rounds(10_000) {
        let (system, _) = campaign.system(index).unwrap();
        index += 1;
        let answer = analyze(&system);
        for number in 0.. {
            let Some(changed) = changed(&answer, number) else {
                break;
            };
            assert!(
                verify_system(&changed, &system).is_err(),
                "change {number} of {system:#?}"
            );
            refused += 1;
        }
    }
}
