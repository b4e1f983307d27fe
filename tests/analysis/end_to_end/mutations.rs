//! Guarantee: `verify` refuses each verdict and each plan of an end-to-end system with one changed, removed or exchanged
//! part. `docs/limits.md` lists the exceptions.

use std::collections::BTreeMap;

use gpusched::end_to_end::{Gpu, Search, analyze, analyze_enforced, plan};
use gpusched::model::Interference;
use gpusched::model::end_to_end::{Answer, Draft, System, SystemPlan};
use gpusched::partitioning::HeuristicKind;
use gpusched::simulator::validation::end_to_end::{Campaign, Sharing};
use gpusched::verification::verify_system;
use rand::{Rng, RngExt};
use serde_json::Value;

use crate::oracle::random_sets;
use crate::support::rounds;

/// Texts that some fields of verdicts and plans accept.
const TEXTS: [&str; 18] = [
    "davare",
    "durr",
    "kloda",
    "let",
    "unsafe",
    "pessimistic",
    "exact",
    "sufficient",
    "necessary-only",
    "end-to-end",
    "enforced-releases",
    "wcet-stated",
    "bcet-stated",
    "fp",
    "np-fp",
    "busy",
    "suspend",
    "",
];

/// One step of a path into a document.
#[derive(Clone, Debug)]
enum Step {
    Field(String),
    Entry(usize),
}

/// Collects the paths of all values in `value`, except the value itself.
fn paths(value: &Value, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    let mut visit = |step: Step, value: &Value| {
        path.push(step);
        found.push(path.clone());
        paths(value, path, found);
        path.pop();
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| visit(Step::Field(key.clone()), value)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, value)| visit(Step::Entry(index), value)),
        _ => {}
    }
}

fn at<'a>(value: &'a mut Value, path: &[Step]) -> &'a mut Value {
    path.iter().fold(value, |value, step| match step {
        Step::Field(key) => &mut value[key.as_str()],
        Step::Entry(index) => &mut value[*index],
    })
}

/// Returns the path without positions, such as `chains.method`.
fn name(path: &[Step]) -> String {
    let fields = path.iter().filter_map(|step| match step {
        Step::Field(key) => Some(key.as_str()),
        Step::Entry(_) => None,
    });
    fields.collect::<Vec<_>>().join(".")
}

/// Whether `verify` does not compare the field `key`: the claims of the search, an absent list of assumptions, and an absent
/// text.
fn is_free(key: &str, removes: bool) -> bool {
    matches!(key, "proven" | "tests" | "assumptions") || removes && key == "text"
}

/// Returns the place of one random change and the changed document.
fn mutated(rng: &mut impl Rng, document: &Value) -> Option<(String, Value)> {
    let mut all = Vec::new();
    paths(document, &mut Vec::new(), &mut all);
    // A field name is drawn first, so that rare fields, such as `method`, change as often as frequent fields.
    let mut by_name: BTreeMap<String, Vec<Vec<Step>>> = BTreeMap::new();
    for path in all {
        by_name.entry(name(&path)).or_default().push(path);
    }
    let names: Vec<&String> = by_name.keys().collect();
    let group = &by_name[names[rng.random_range(0..names.len())]];
    let path = &group[rng.random_range(0..group.len())];
    let mut changed = document.clone();
    let kind = rng.random_range(0..8);
    let (last, above) = path.split_last()?;
    if matches!(last, Step::Field(key) if is_free(key, kind == 0)) {
        return None;
    }
    match (kind, last, at(&mut changed, above)) {
        (0, Step::Field(key), Value::Object(fields)) => drop(fields.remove(key)),
        (0, Step::Entry(index), Value::Array(items)) if items.len() > 1 => drop(items.remove(*index)),
        (1, Step::Entry(index), Value::Array(items)) => {
            let other = rng.random_range(0..items.len());
            items.swap(*index, other);
        }
        (2, Step::Entry(index), Value::Array(items)) => {
            let other = rng.random_range(0..=items.len());
            items.insert(other, items[*index].clone());
        }
        (3, Step::Field(key), Value::Object(fields)) => {
            // Two fields exchange their values.
            let keys: Vec<String> = fields.keys().cloned().collect();
            let other = &keys[rng.random_range(0..keys.len())];
            let (a, b) = (fields[key].clone(), fields[other].clone());
            (fields[key], fields[other]) = (b, a);
        }
        (_, _, _) => change(rng, at(&mut changed, path)),
    }
    (changed != *document).then(|| (name(path), changed))
}

fn change(rng: &mut impl Rng, value: &mut Value) {
    *value = match &*value {
        Value::Bool(value) => Value::from(!*value),
        Value::Number(number) if number.is_f64() => Value::from(2),
        Value::Number(number) => {
            let number = number.as_u64().unwrap();
            let others = [number + 1, number.saturating_sub(1), 2 * number, number / 2, 0];
            match rng.random_range(0..=others.len()) {
                index if index < others.len() => Value::from(others[index]),
                _ => Value::Null,
            }
        }
        Value::Null => {
            [Value::from(rng.random_range(0..50)), Value::from(true)][rng.random_range(0..2)].clone()
        }
        Value::String(text) if text == "unsafe" => Value::from("pessimistic"),
        Value::String(text) if text == "pessimistic" => Value::from("unsafe"),
        Value::String(text) => match rng.random_range(0..4) {
            0 => Value::from(format!("{text}.")),
            _ => Value::from(TEXTS[rng.random_range(0..TEXTS.len())]),
        },
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(_) => Value::Null,
    };
}

/// Numbers of changed documents by outcome.
#[derive(Default)]
struct Counts {
    /// Refused changes, by the name of the changed field.
    refused: BTreeMap<String, usize>,
    unreadable: usize,
    changes: usize,
}

impl Counts {
    /// Checks one change. `accepted` is `None` if the document is unreadable.
    fn count(&mut self, place: String, accepted: Option<bool>, shown: impl FnOnce() -> String) {
        self.changes += 1;
        match accepted {
            Some(true) => panic!("{place} changed, but accepted: {}", shown()),
            Some(false) => *self.refused.entry(place).or_default() += 1,
            None => self.unreadable += 1,
        }
    }
}

/// Verifies a verdict or a plan; `None` if the document is unreadable or means the same as `original`.
fn verdict(changed: Value, original: &Answer, system: &System) -> Option<Option<bool>> {
    let Ok(answer) = serde_json::from_value::<Answer>(changed) else {
        return Some(None);
    };
    (answer != *original).then(|| Some(verify_system(&answer, system).is_ok()))
}

fn planned(changed: Value, original: &SystemPlan, draft: &Draft, search: Search) -> Option<Option<bool>> {
    let Ok(plan) = serde_json::from_value::<SystemPlan>(changed) else {
        return Some(None);
    };
    let accepted = || {
        plan.check_system(draft).ok()?;
        let system = System::new(plan.system.as_ref()?, search.environment).ok()?;
        verify_system(plan.verdict.as_ref()?, &system).ok()
    };
    (plan != *original).then(|| Some(accepted().is_some()))
}

/// Number of changes in a full campaign.
const CHANGES: usize = 15_000;

fn finish(counts: &Counts, fields: &[&str]) {
    let refused: usize = counts.refused.values().sum();
    println!(
        "{} changes: {} unreadable, {refused} refused",
        counts.changes, counts.unreadable
    );
    println!("{:?}", counts.refused);
    for field in fields {
        assert!(
            counts.refused.contains_key(*field),
            "{field}: {:?}",
            counts.refused
        );
    }
}

#[test]
fn changed_verdicts_are_refused() {
    let mut rng = random_sets::rng(90);
    let mut counts = Counts::default();
    for index in 0.. {
        let kinds = [
            (Sharing::Nothing, false),
            (Sharing::Memory, false),
            (Sharing::Time, false),
            (Sharing::Nothing, true),
            (Sharing::Time, true),
        ];
        let (sharing, pipelined) = kinds[(index % 5) as usize];
        let campaign = Campaign {
            pipelined,
            ..Campaign::new(0, 29, sharing)
        };
        let (system, _) = campaign.system(index / 5).unwrap();
        let enforced = analyze_enforced(&system).ok();
        for mut answer in [Some(analyze(&system)), enforced].into_iter().flatten() {
            answer.assumptions = system.assumptions(answer.evidence.offsets_ns.is_some());
            assert_eq!(verify_system(&answer, &system).err(), None);
            let document = serde_json::to_value(&answer).unwrap();
            for _ in 0..20 {
                let Some((place, changed)) = mutated(&mut rng, &document) else {
                    continue;
                };
                // The releases of a task without a bound are a choice, not a claim.
                if place == "evidence.offsets_ns" && answer.response_times_ns.contains(&None) {
                    continue;
                }
                if let Some(accepted) = verdict(changed.clone(), &answer, &system) {
                    counts.count(place, accepted, || format!("{document}\n{changed}\n{system:?}"));
                }
            }
        }
        if counts.changes >= rounds(CHANGES) {
            break;
        }
    }
    let fields = [
        "assumptions.if_violated",
        "assumptions.text",
        "chains.method",
        "chains.reaction_ns",
        "tasks.costliest_segment",
        "tasks.bound_ns",
        "tasks.jobs_max",
        "tasks.stages.jobs_max",
        "tasks.stages.load_permille",
        "evidence.bounds.ends_ns",
    ];
    finish(&counts, &fields);
}

#[test]
fn changed_plans_are_refused() {
    let fields = [
        "sms_used",
        "partitions.sms",
        "partitions.tasks",
        "verdict.assumptions.if_violated",
    ];
    refuses_plans(super::sizes::random, &fields);
}

#[test]
fn changed_plans_of_pipelines_are_refused() {
    let fields = [
        "sms_used",
        "system.partitions.sms",
        "system.tasks.jobs",
        "verdict.tasks.jobs_max",
        "verdict.tasks.stages.jobs_max",
        "verdict.tasks.stages.load_permille",
    ];
    refuses_plans(super::pipelines::sizes::random, &fields);
}

fn refuses_plans(draft: fn(u64) -> Draft, fields: &[&str]) {
    let mut rng = random_sets::rng(91);
    let mut counts = Counts::default();
    for index in 0.. {
        let draft = draft(index);
        let search = Search {
            heuristic: [HeuristicKind::Auto, HeuristicKind::OnePerPartition][index as usize % 2],
            environment: Interference::Conflict.into(),
            alternatives: false,
            tests: 1_000,
        };
        let mut found = plan(&draft, Gpu { sms: 8, offer: None }, search).unwrap();
        let (Some(system), Some(verdict)) = (&found.system, &mut found.verdict) else {
            continue;
        };
        let system = System::new(system, search.environment).unwrap();
        verdict.assumptions = system.assumptions(false);
        let document = serde_json::to_value(&found).unwrap();
        assert_eq!(
            planned(
                document.clone(),
                &SystemPlan {
                    tests: 0,
                    ..found.clone()
                },
                &draft,
                search
            ),
            Some(Some(true))
        );
        for _ in 0..20 {
            let Some((place, changed)) = mutated(&mut rng, &document) else {
                continue;
            };
            if let Some(accepted) = planned(changed.clone(), &found, &draft, search) {
                counts.count(place, accepted, || format!("{document}\n{changed}\n{draft:?}"));
            }
        }
        if counts.changes >= rounds(CHANGES) {
            break;
        }
    }
    finish(&counts, fields);
}

/// Once, `verify` did not compare `if_violated`, the text of an assumption, the method of a chain, and which of several
/// segments is the costliest.
#[test]
fn each_statement_of_a_verdict_is_compared() {
    let draft = super::draft(include_str!("changed.system.json"));
    let system = System::new(&draft, Interference::None).unwrap();
    let answer: Answer = serde_json::from_str(include_str!("changed.verdict.json")).unwrap();
    assert_eq!(verify_system(&answer, &system).err(), None);
    let refused = |field: &str, value: Value| {
        let mut changed = serde_json::to_value(&answer).unwrap();
        let pointer = format!("/{}", field.replace(['.', '['], "/").replace(']', ""));
        *changed.pointer_mut(&pointer).unwrap() = value;
        let changed: Answer = serde_json::from_value(changed).unwrap();
        let fault = verify_system(&changed, &system).unwrap_err();
        assert_eq!(fault.field, field, "{fault}");
        fault.message
    };
    refused("assumptions[12].if_violated", "pessimistic".into());
    let told = refused("assumptions[12].text", "Anything goes.".into());
    assert!(told.contains("compute the plan again"), "{told}");
    refused("chains[0].method", "durr".into());
    refused("chains[1].method", "davare".into());
    refused("tasks[0].costliest_segment", 2.into());
    refused("tasks[0].costliest_segment", Value::Null);
    refused("chains[1].age_ns", 47.into());
    refused("chains[1].age_ns", Value::Null);
    refused("evidence.bounds[0].ends_ns[0]", 12.into());
    let mut short = answer.clone();
    short.assumptions.iter_mut().for_each(|one| one.text = None);
    assert_eq!(
        verify_system(&short, &system).err(),
        None,
        "results for several sets omit the texts"
    );
    short.assumptions.swap(0, 1);
    assert_eq!(
        verify_system(&short, &system).unwrap_err().field,
        "assumptions[0].id"
    );
}
