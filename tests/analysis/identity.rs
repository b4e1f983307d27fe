//! Guarantee: `verify` accepts a result for exactly the input that it was computed for, in every spelling, and refuses
//! it for each other input.

use std::collections::BTreeMap;

use gpusched::end_to_end::analyze_draft;
use gpusched::interference::{Interference, model_of};
use gpusched::kernel_wcet::Estimator;
use gpusched::model::device::{Device, Granularity, Hardware};
use gpusched::model::end_to_end::Draft;
use gpusched::model::identity::{Identified, Identity};
use gpusched::model::reader::Document;
use gpusched::model::{Factor, Kernel, Policy, TaskSet};
use gpusched::partitioning::{Heuristic, HeuristicKind, Problem, partition};
use gpusched::verification::{Fault, check_identity, check_input, verify, verify_bound, verify_draft};
use rand::{Rng, RngExt};
use serde_json::{Value, json};

use crate::oracle::random_sets;
use crate::support::{root, rounds};

/// Inputs that differ from the input of a result, by the name of the changed field, and inputs that equal it.
#[derive(Default, Debug)]
struct Seen {
    other: BTreeMap<String, usize>,
    equal: usize,
}

impl Seen {
    /// Asserts that inputs differed in each of `fields`, and that some inputs were equal.
    fn check(&self, fields: &[&str]) {
        for field in fields {
            assert!(self.other.contains_key(*field), "{field}: {self:?}");
        }
        assert!(self.equal > 0, "{self:?}");
    }
}

/// Compares an input with `count` random inputs, half of them equal to it. `check` checks a result for `input` against another input.
fn compare<T: Document + Identified + PartialEq>(
    (rng, count): (&mut impl Rng, usize),
    input: &T,
    seen: &mut Seen,
    check: impl Fn(&T) -> Result<(), Fault>,
) {
    let original = serde_json::to_value(input).unwrap();
    for _ in 0..count {
        let (mut document, mut field) = (original.clone(), String::new());
        if rng.random_bool(0.5) {
            field = change(rng, &mut document);
        }
        let text = spelled(rng, "", &document);
        let Ok(other) = T::from_json(&text) else {
            assert!(!field.is_empty(), "{text}");
            continue; // a change can make an input invalid
        };
        let result = check(&other);
        if other == *input {
            seen.equal += 1;
            assert_eq!(result, Ok(()), "{text}");
        } else {
            assert!(!field.is_empty(), "the spelling changes the input: {text}");
            let refused = result.is_err_and(|fault| fault.field.starts_with("identity"));
            assert!(refused, "{field}: a result for {original} agrees with {text}");
            *seen.other.entry(field).or_default() += 1;
        }
    }
}

/// Changes a random number, text or list of `document`, and returns the name of its field.
fn change(rng: &mut impl Rng, document: &mut Value) -> String {
    let mut places = Vec::new();
    collect(document, "", &mut places);
    let mut names: Vec<&str> = places.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let name = names[rng.random_range(0..names.len())].to_owned();
    let places: Vec<&String> = { places.iter() }
        .filter(|of| of.0 == name)
        .map(|of| &of.1)
        .collect();
    let place = places[rng.random_range(0..places.len())];
    match document.pointer_mut(place).unwrap() {
        Value::Number(number) => {
            let value = number.as_u64().unwrap_or(1);
            let next = [value + 1, value.saturating_sub(1).max(1), value * 2, 1];
            *number = next[rng.random_range(0..next.len())].into();
        }
        Value::String(text) => *text += ["", "x", " "][rng.random_range(0..3)],
        Value::Array(list) => {
            let (one, two) = (rng.random_range(0..list.len()), rng.random_range(0..list.len()));
            match rng.random_range(0..3) {
                0 => drop(list.remove(one)),
                1 => list.push(list[one].clone()),
                _ => list.swap(one, two),
            }
        }
        _ => {}
    }
    name
}

/// Collects the places of all numbers, texts and lists with entries, each with the name of its field.
fn collect(value: &Value, place: &str, into: &mut Vec<(String, String)>) {
    let name = { place.rsplit('/') }
        .find(|step| step.parse::<usize>().is_err())
        .unwrap_or("");
    match value {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, value)| collect(value, &format!("{place}/{key}"), into)),
        Value::Array(list) => {
            if !list.is_empty() {
                into.push((name.to_owned(), place.to_owned()));
            }
            { list.iter().enumerate() }
                .for_each(|(index, value)| collect(value, &format!("{place}/{index}"), into));
        }
        Value::Number(_) | Value::String(_) => into.push((name.to_owned(), place.to_owned())),
        _ => {}
    }
}

/// Fields whose values are times.
const TIMES: [&str; 9] = [
    "period",
    "deadline",
    "jitter",
    "block",
    "limit",
    "phase",
    "e0",
    "e1",
    "regulation_period",
];

/// Writes `value` with random white space, order of fields and units of times. `key` is the field of the value.
fn spelled(rng: &mut impl Rng, key: &str, value: &Value) -> String {
    let gap = ["", " ", "\n"][rng.random_range(0..3)];
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<String> = { fields.iter() }
                .map(|(key, value)| format!("{gap}{}:{gap}{}", json!(key), spelled(rng, key, value)))
                .collect();
            let start = rng.random_range(0..=fields.len());
            fields.rotate_left(start);
            format!("{{{}{gap}}}", fields.join(","))
        }
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(|value| spelled(rng, "", value)).collect();
            format!("[{gap}{}]", list.join(&format!(",{gap}")))
        }
        Value::Number(number) if TIMES.contains(&key) && number.is_u64() => {
            let ns = number.as_u64().unwrap();
            let decimals = |unit: u64| {
                format!(
                    "{}.{:0width$}",
                    ns / unit,
                    ns % unit,
                    width = unit.ilog10() as usize
                )
            };
            match rng.random_range(0..4) {
                0 => number.to_string(),
                1 => format!("\"{ns}ns\""),
                2 => format!("\"{}us\"", decimals(1000)),
                _ => format!("\"{}ms\"", decimals(1_000_000)),
            }
        }
        _ => value.to_string(),
    }
}

fn identity(input: &impl Identified) -> Option<Identity> {
    Some(Identity::new(input, None, &BTreeMap::new(), true))
}

#[test]
fn plans_agree_with_their_task_sets_alone() {
    let (mut rng, mut seen) = (random_sets::rng(57), Seen::default());
    let devices: Vec<Device> = Device::all().collect();
    for index in 0..rounds(200) {
        let n = rng.random_range(1..=4);
        let mut set = serde_json::to_value(random_sets::task_set(&mut rng, n, 1.0)).unwrap();
        for (index, task) in set["tasks"].as_array_mut().unwrap().iter_mut().enumerate() {
            // Some tasks have equal names, and some have none.
            if rng.random_bool(0.8) {
                task["name"] = format!("task {}", index % 3).into();
            }
            if rng.random_bool(0.5) {
                task["jitter"] = rng.random_range(0..1000).into();
                task["traffic"] = rng.random_range(0..1000).into();
            }
        }
        set["name"] = "set".into();
        let set: TaskSet = serde_json::from_value(set).unwrap();
        let problem = Problem::new(&set, 8, Policy::Edf, model_of(Interference::Conflict)).unwrap();
        let mut plan = partition(&problem, &Heuristic::from(HeuristicKind::Sms));
        plan.identity = identity(&set);
        assert_eq!(verify(&plan, &set).err(), None);
        compare((&mut rng, 20), &set, &mut seen, |other| {
            verify(&plan, other).map(|_| ())
        });
        // A short identity has no digests of tasks.
        plan.identity = Some(Identity::new(&set, None, &BTreeMap::new(), false));
        compare((&mut rng, 10), &set, &mut seen, |other| {
            check_identity(&plan, other)
        });
        // Another GPU, or no GPU, is refused.
        let (one, two) = (
            &devices[index % devices.len()],
            &devices[rng.random_range(0..devices.len())],
        );
        plan.identity = Some(Identity::new(&set, Some(one), &BTreeMap::new(), true));
        assert!(check_identity(&plan, &set).is_err());
        plan.hardware = Some(Hardware {
            device: two.clone(),
            granularity: Granularity::Sm,
        });
        assert_eq!(
            check_identity(&plan, &set).is_ok(),
            one == two,
            "{} {}",
            one.name(),
            two.name()
        );
    }
    seen.check(&["name", "period", "deadline", "jitter", "traffic", "tasks", "work"]);
}

#[test]
fn verdicts_agree_with_their_systems_alone() {
    let (mut rng, mut seen) = (random_sets::rng(58), Seen::default());
    for name in [
        "camera-budgets",
        "camera-pipeline",
        "waters2019-iii-alt-fp-avg",
        "waters2019-iv-split-2x",
    ] {
        let file = root().join(format!("tasksets/end_to_end/{name}.json"));
        let draft = Draft::from_json(&std::fs::read_to_string(file).unwrap()).unwrap();
        let found = analyze_draft(&draft, Interference::Conflict.into()).unwrap();
        let mut answer = found.with_assumptions(&draft).answer;
        answer.identity = identity(&draft);
        assert_eq!(
            verify_draft(&answer, &draft, Interference::Conflict.into()).err(),
            None
        );
        compare(
            (&mut rng, rounds(500)),
            &draft,
            &mut seen,
            |other| match check_input(answer.identity.as_ref(), other) {
                Ok(()) => verify_draft(&answer, other, Interference::Conflict.into()).map(|_| ()),
                Err(fault) => Err(fault),
            },
        );
    }
    seen.check(&["name", "period", "segments", "tasks", "wcet", "limit"]);
}

#[test]
fn bounds_agree_with_their_kernels_alone() {
    let (mut rng, mut seen) = (random_sets::rng(59), Seen::default());
    for _ in 0..rounds(100) {
        let clusters: Vec<Value> = (0..rng.random_range(1..=3))
            .map(|_| {
                let e0 = rng.random_range(1..=10_000u64);
                json!({"blocks": rng.random_range(1..=50), "e0": e0, "e1": e0 + rng.random_range(0..=e0)})
            })
            .collect();
        let kernel = json!({
            "name": "kernel", "active_blocks": rng.random_range(1..=8), "regulation_period": "10us", "clusters": clusters,
        });
        let kernel = Kernel::from_json(&kernel.to_string()).unwrap();
        let mut bound = Estimator::new(&kernel)
            .bound(Factor::from_billionths(130_000_000).unwrap(), false)
            .unwrap();
        bound.identity = identity(&kernel);
        compare((&mut rng, 20), &kernel, &mut seen, |other| {
            verify_bound(&bound, other).map(|_| ())
        });
    }
    seen.check(&[
        "name",
        "regulation_period",
        "clusters",
        "e0",
        "e1",
        "blocks",
        "active_blocks",
    ]);
}
