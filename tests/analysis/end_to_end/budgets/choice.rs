//! Chosen budgets against exhaustive search.

use gpusched::end_to_end::{BudgetSearch, analyze_draft, choose_budgets};
use gpusched::model::Factor;
use gpusched::model::Interference;
use gpusched::model::end_to_end::{ChosenBudgets, Draft, Grouping, Jobs, System};
use gpusched::model::time::Time;
use gpusched::verification::{verify_chosen, verify_draft};
use rayon::prelude::*;

use super::{PERIOD, draft, random};
use crate::support::rounds;

/// Returns whether the system passes with the budgets b/T of the groups.
fn passes(draft: &Draft, grouping: Grouping, bursts: &[u64]) -> bool {
    let system = System::new(&draft.with_wcets(&[]), Interference::Conflict).unwrap();
    let groups = grouping.groups(&system);
    let budgets = draft.budgets.as_ref().unwrap();
    let stated = Draft {
        budgets: Some(budgets.with_bursts(grouping, &groups, bursts)),
        ..draft.clone()
    };
    analyze_draft(&stated, Interference::Conflict.into())
        .unwrap()
        .answer
        .schedulable
}

/// Returns all vectors of memory times.
fn vectors(groups: usize) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for _ in 0..groups {
        all = all
            .into_iter()
            .flat_map(|vector: Vec<u64>| {
                (0..=PERIOD).map(move |burst| [vector.as_slice(), &[burst]].concat())
            })
            .collect();
    }
    all
}

#[test]
fn chosen_budgets_equal_exhaustive_search() {
    let kinds: Vec<(bool, bool)> = (0..rounds(2000u64))
        .into_par_iter()
        .map(|index| {
            let draft = random(index + 1, false);
            let grouping =
                [Grouping::All, Grouping::Kind, Grouping::Task][usize::try_from(index % 3).unwrap()];
            let search = BudgetSearch {
                grouping,
                tests: 100_000,
            };
            let found = choose_budgets(&draft, Interference::Conflict.into(), search, &|_| ()).unwrap();
            let weights: Vec<u64> = found.groups.iter().map(|group| group.weight_ppb).collect();
            let value = |bursts: &[u64]| {
                bursts
                    .iter()
                    .zip(&weights)
                    .map(|(burst, weight)| burst * weight)
                    .sum::<u64>()
            };
            let all = vectors(found.groups.len());
            let passing = all.iter().filter(|bursts| passes(&draft, grouping, bursts));
            let best = passing.map(|bursts| value(bursts)).max();
            assert_eq!(found.verdict.schedulable, best.is_some(), "{index}");
            assert_eq!(found.value, best.unwrap_or(0), "{index}");
            assert!(found.optimal, "{index}");
            let chosen: Vec<u64> = found
                .groups
                .iter()
                .map(|group| group.memory_time_ns.ns())
                .collect();
            for (position, group) in found.groups.iter().enumerate() {
                let Some(next) = &group.next else {
                    assert!(chosen[position] == PERIOD || best.is_none(), "{index}");
                    continue;
                };
                let mut larger = chosen.clone();
                larger[position] += 1;
                assert_eq!(next.memory_time_ns.ns(), larger[position], "{index}");
                assert!(
                    !next.late_tasks.is_empty() && !passes(&draft, grouping, &larger),
                    "{index}"
                );
            }
            let again = analyze_draft(&found.system, Interference::Conflict.into()).unwrap();
            assert_eq!(again.answer, found.verdict, "{index}");
            verify_chosen(&found, &draft, Interference::Conflict.into())
                .unwrap_or_else(|fault| panic!("{index}: {fault}"));
            refuse_changes(&found, &draft);
            (
                best.is_some(),
                chosen.iter().any(|&burst| burst > 0 && burst < PERIOD),
            )
        })
        .collect();
    let passing = kinds.iter().filter(|(passes, _)| *passes).count() as u64;
    let between = kinds.iter().filter(|(_, between)| *between).count() as u64;
    assert!(
        passing > rounds(600) && between > rounds(150),
        "{passing} {between}"
    );
}

/// Changes each statement of `found` except `upper_bound` and `optimal`, and checks that the verifier refuses it.
fn refuse_changes(found: &ChosenBudgets, draft: &Draft) {
    let refused = |what: &str, change: &dyn Fn(&mut ChosenBudgets)| {
        let mut changed = found.clone();
        change(&mut changed);
        if changed == *found {
            return;
        }
        let verified = verify_chosen(&changed, draft, Interference::Conflict.into());
        assert!(verified.is_err(), "{what}: {changed:?}");
    };
    let up = |time: Time| Time::from_ns(time.ns() + 1);
    let down = |time: Time| Time::from_ns(time.ns().saturating_sub(1));
    refused("value", &|found| found.value += 1);
    refused("upper bound", &|found| {
        if found.value > 0 {
            found.upper_bound = found.value - 1;
            found.optimal = false;
        }
    });
    refused("period", &|found| {
        found.regulation_period_ns = up(found.regulation_period_ns)
    });
    refused("system", &|found| {
        found.system.tasks[0].period = up(found.system.tasks[0].period)
    });
    refused("no budgets", &|found| found.system.budgets = None);
    for group in 0..found.groups.len() {
        refused("name", &|found| found.groups[group].name.push('x'));
        refused("larger budget", &|found| {
            found.groups[group].memory_time_ns = up(found.groups[group].memory_time_ns);
        });
        refused("smaller budget", &|found| {
            found.groups[group].memory_time_ns = down(found.groups[group].memory_time_ns);
        });
        refused("Q", &|found| found.groups[group].q = Factor::ONE);
        refused("weight", &|found| found.groups[group].weight_ppb += 1);
        refused("no reason", &|found| found.groups[group].next = None);
        refused("no late task", &|found| {
            if let Some(next) = &mut found.groups[group].next {
                (next.late_tasks, next.late_chains) = (Vec::new(), Vec::new());
            }
        });
        for task in 0..draft.tasks.len() {
            refused("other late task", &|found| {
                let Some(next) = &mut found.groups[group].next else {
                    return;
                };
                match next.late_tasks.iter().position(|&late| late == task) {
                    Some(position) => drop(next.late_tasks.remove(position)),
                    None => next.late_tasks.push(task),
                }
            });
        }
    }
    let task = found.verdict.tasks.len() - 1;
    refused("verdict", &|found| found.verdict.tasks[task].meets ^= true);
}

/// A pipelined task may have bounds on its first stages, and none on an overloaded stage after them.
#[test]
fn chosen_budgets_of_pipelines_are_verified() {
    let partial: Vec<bool> = (0..rounds(1000u64))
        .into_par_iter()
        .map(|index| {
            let mut draft = random(index + 1, false);
            for task in draft.tasks.iter_mut().skip(usize::try_from(index % 2).unwrap()) {
                task.wait = Default::default();
                task.jobs = Jobs::Pipelined;
                task.deadline = Some(Time::from_ns(2 * task.period.ns()));
            }
            let groups = System::new(&draft.with_wcets(&[]), Interference::Conflict).unwrap();
            let groups = Grouping::Task.groups(&groups);
            let budgets = draft.budgets.as_ref().unwrap();
            let bursts: Vec<u64> = (0..groups.len() as u64)
                .map(|group| (index + 2 * group) % (PERIOD + 1))
                .collect();
            let stated = Draft {
                budgets: Some(budgets.with_bursts(Grouping::Task, &groups, &bursts)),
                ..draft.clone()
            };
            let answer = analyze_draft(&stated, Interference::Conflict.into())
                .unwrap()
                .answer;
            verify_draft(&answer, &stated, Interference::Conflict.into())
                .unwrap_or_else(|fault| panic!("{index}: {fault}"));
            let search = BudgetSearch {
                grouping: Grouping::Task,
                tests: 100,
            };
            let found = choose_budgets(&draft, Interference::Conflict.into(), search, &|_| ()).unwrap();
            verify_chosen(&found, &draft, Interference::Conflict.into())
                .unwrap_or_else(|fault| panic!("{index}: {fault}"));
            refuse_changes(&found, &draft);
            let late = answer.response_times_ns.iter().zip(&answer.evidence.bounds.0);
            late.clone()
                .any(|(response, row)| response.is_none() && row.ends_ns.iter().any(Option::is_some))
        })
        .collect();
    assert!(partial.iter().filter(|partial| **partial).count() > rounds(10));
}

/// With one more nanosecond, only the pipelined task has no bound. Its first stage still has one, so the other task has one, too.
#[test]
fn a_next_budget_with_a_partial_row_is_recomputed() {
    let system = draft(
        r#"{"budgets":{"regulation_period":"1us"},"cores":[{"name":"c0","policy":"fp"},{"name":"c1","policy":"fp"}],"tasks":[
        {"name":"p","period":10000,"deadline":20000,"priority":1,"jobs":"pipelined",
         "segments":[{"on":"c0","wcet":2000,"e1":2000},{"on":"c1","wcet":8000,"e1":12000}]},
        {"name":"x","period":10000,"priority":1,"segments":[{"on":"c0","wcet":1000,"e1":3000}]}]}"#,
    );
    let search = BudgetSearch {
        grouping: Grouping::All,
        tests: 1000,
    };
    let found = choose_budgets(&system, Interference::Conflict.into(), search, &|_| ()).unwrap();
    assert_eq!(found.groups[0].next.as_ref().unwrap().late_tasks, [0]);
    verify_chosen(&found, &system, Interference::Conflict.into()).unwrap();
    let mut forged = found;
    forged.groups[0].next.as_mut().unwrap().late_tasks.push(1);
    assert!(verify_chosen(&forged, &system, Interference::Conflict.into()).is_err());
}

#[test]
fn a_short_search_states_a_true_gap() {
    let mut gaps = 0;
    for index in 0..rounds(400u64) {
        let draft = random(index + 1, false);
        let search = |tests: u64| BudgetSearch {
            grouping: Grouping::Task,
            tests,
        };
        let best = choose_budgets(&draft, Interference::Conflict.into(), search(100_000), &|_| ()).unwrap();
        let found = choose_budgets(&draft, Interference::Conflict.into(), search(1), &|_| ()).unwrap();
        assert!(
            found.value <= best.value && best.value <= found.upper_bound,
            "{index}"
        );
        gaps += u64::from(!found.optimal);
    }
    assert!(gaps > rounds(40), "{gaps}");
}

#[test]
fn larger_budgets_never_shorten_a_bound() {
    (0..rounds(2000u64)).into_par_iter().for_each(|index| {
        let mut last = None;
        for burst in 0..=PERIOD {
            let mut draft = random(index + 1, false);
            let system = System::new(&draft.with_wcets(&[]), Interference::Conflict).unwrap();
            let groups = Grouping::All.groups(&system);
            let budgets = draft.budgets.take().unwrap();
            draft.budgets = Some(budgets.with_bursts(Grouping::All, &groups, &[burst]));
            let answer = analyze_draft(&draft, Interference::Conflict.into())
                .unwrap()
                .answer;
            let bounds: Vec<u64> = { answer.response_times_ns.iter() }
                .map(|bound| bound.map_or(u64::MAX, |bound| bound.ns()))
                .collect();
            if let Some(last) = last.replace(bounds.clone()) {
                assert!(
                    last.iter().zip(&bounds).all(|(last, next)| last <= next),
                    "{index} {burst}"
                );
            }
        }
    });
}
