//! Chains: the golden example F, and the conditions of each method.

use super::*;

/// Returns a system with one chain. `tasks` has the period and response time of each task. Each task has its own core.
/// The second task shares the core of the first task if `shared` is true.
fn chain(tasks: &[(u64, u64)], phases: bool, shared: bool, communication: &str) -> System {
    let cores: Vec<String> = (0..tasks.len())
        .map(|core| format!(r#"{{"name":"c{core}","policy":"fp"}}"#))
        .collect();
    let task = |(index, &(period, wcet)): (usize, &(u64, u64))| {
        let (core, wcet, jitter) = match (index, shared) {
            (1, true) => (0, wcet - 6, 3), // 3 ns of jitter, 3 ns of the first task
            _ => (index, wcet, 0),
        };
        let phase = if phases { r#","phase":0"# } else { "" };
        format!(
            r#"{{"name":"t{index}","period":{period},"priority":{index},"jitter":{jitter}{phase},
            "segments":[{{"on":"c{core}","wcet":{wcet}}}]}}"#
        )
    };
    let names: Vec<String> = (0..tasks.len()).map(|index| format!("\"t{index}\"")).collect();
    let tasks: Vec<String> = tasks.iter().enumerate().map(task).collect();
    system(&format!(
        r#"{{"cores":[{}],"tasks":[{}],"chains":[{{"tasks":[{}],"limit":100,"communication":"{communication}"}}]}}"#,
        cores.join(","),
        tasks.join(","),
        names.join(",")
    ))
}

/// Returns the fault that the check finds if an answer states the bounds `reaction` and `age` for `method`.
fn claim(system: &System, method: Method, reaction: u64, age: u64, responses: &[u64]) -> Option<String> {
    let rows: Vec<Row> = responses
        .iter()
        .map(|&response| (vec![Some(response)], vec![None]))
        .collect();
    let mut answer = answer(system, &rows, None);
    let chain = &mut answer.chains[0];
    chain.reaction_ns = Some(Time::from_ns(reaction));
    chain.age_ns = Some(Time::from_ns(age));
    chain.method = method;
    chain.meets = Some(reaction <= 100);
    let hops = system.chains()[0].tasks.iter().map(|&task| Hop {
        task,
        sampling_ns: system.tasks()[task].period,
        processing_ns: match method {
            Method::Let => system.tasks()[task].deadline,
            _ => Time::from_ns(responses[task]),
        },
    });
    chain.hops = hops.collect();
    answer.schedulable = reaction <= 100;
    verify_system(&answer, system)
        .err()
        .map(|fault| fault.to_string())
}

/// Checks that the analysis finds these bounds, that they are valid, and that no other method and no other bound is.
fn exact(system: &System, method: Method, reaction: u64, age: u64, responses: &[u64]) {
    assert_eq!(claim(system, method, reaction, age, responses), None);
    let bound = &analyze(system).chains[0];
    let ns = [bound.reaction_ns, bound.age_ns].map(|time| time.map(Time::ns));
    assert_eq!((bound.method, ns), (method, [Some(reaction), Some(age)]));
    let found = |field: &str, method, reaction, age| {
        let found = claim(system, method, reaction, age, responses).expect("a fault");
        assert!(found.starts_with(&format!("chains[0].{field}: found")), "{found}");
    };
    for one in [reaction - 1, reaction + 1] {
        found("reaction_ns", method, one, age);
    }
    for one in [age - 1, age + 1] {
        found("age_ns", method, reaction, one);
    }
    for other in [Method::Davare, Method::Durr, Method::Kloda, Method::Let] {
        if other != method {
            found("method", other, reaction, age);
        }
    }
}

#[test]
fn each_method_gives_its_golden_value() {
    let two = [(10, 3), (20, 12)];
    let of = |phases, shared| chain(&two, phases, shared, "asynchronous");
    exact(&of(false, false), Method::Davare, 45, 25, &[3, 12]);
    exact(&of(true, false), Method::Kloda, 42, 25, &[3, 12]);
    exact(&of(false, true), Method::Durr, 42, 22, &[3, 12]);
    exact(&of(true, true), Method::Kloda, 32, 22, &[3, 12]);
    let three = [(10, 3), (20, 12), (50, 30)];
    let of = |phases| chain(&three, phases, false, "asynchronous");
    exact(&of(false), Method::Davare, 125, 75, &[3, 12, 30]);
    exact(&of(true), Method::Kloda, 120, 75, &[3, 12, 30]);
    let logical = chain(&two, false, false, "let");
    exact(&logical, Method::Let, 60, 40, &[3, 12]);
}

/// The sum of two long periods is longer than every supported time, so the chain has no bound. The verdict still states the
/// parts.
#[test]
fn a_chain_may_be_longer_than_every_time() {
    let long = Time::LIMIT.ns();
    let system = chain(&[(long, 3), (long, 12)], false, false, "asynchronous");
    let mut answer = answer(&system, &rows("[[[3],[null]],[[12],[null]]]"), None);
    answer.chains[0].hops = [3, 12]
        .into_iter()
        .enumerate()
        .map(|(task, processing)| Hop {
            task,
            sampling_ns: Time::LIMIT,
            processing_ns: Time::from_ns(processing),
        })
        .collect();
    assert_eq!(verify_system(&answer, &system).err(), None);
    answer.chains[0].hops.pop();
    assert!(verify_system(&answer, &system).is_err_and(|fault| fault.field == "chains[0].hops"));
}

/// The first segment of the second task is a kernel, which starts while the first task is
/// pending. So the second task may read old data, although the two tasks share a core.
#[test]
fn a_kernel_does_not_wait_for_the_core() {
    let system = system(
        r#"{"cores":[{"name":"c0","policy":"fp"}],"partitions":[{"name":"gpu","sms":1,"policy":"fp"}],
        "tasks":[{"name":"a","period":10,"priority":1,"segments":[{"on":"c0","wcet":2}]},
        {"name":"b","period":20,"priority":2,"wait":"suspend","segments":[{"on":"gpu","wcet":5},{"on":"c0","wcet":1}]}],
        "chains":[{"tasks":["a","b"]}]}"#,
    );
    let table = rows("[[[2],[null]],[[5,8],[5,null]]]");
    let with_age = |age: u64| {
        let mut answer = answer(&system, &table, None);
        let chain = &mut answer.chains[0];
        chain.reaction_ns = Some(Time::from_ns(40));
        chain.age_ns = Some(Time::from_ns(age));
        let hop = |task, sampling_ns, processing_ns| Hop {
            task,
            sampling_ns: Time::from_ns(sampling_ns),
            processing_ns: Time::from_ns(processing_ns),
        };
        chain.hops = vec![hop(0, 10, 2), hop(1, 20, 8)];
        verify_system(&answer, &system).is_ok()
    };
    assert!(with_age(20) && !with_age(19) && !with_age(18));
}

/// A chain without a bound does not meet its limit, so the system fails, too.
#[test]
fn a_chain_without_a_bound_fails() {
    let system = chain(&[(10, 3), (20, 12)], false, false, "asynchronous");
    let mut answer = answer(&system, &rows("[[[3],[null]],[[null],[null]]]"), None);
    assert!(verify_system(&answer, &system).is_ok());
    answer.chains[0].reaction_ns = Some(Time::from_ns(90));
    answer.chains[0].meets = Some(true);
    assert!(verify_system(&answer, &system).is_err_and(|fault| fault.field == "chains[0].reaction_ns"));
    answer.chains[0].reaction_ns = None;
    assert!(verify_system(&answer, &system).is_err_and(|fault| fault.field == "chains[0].meets"));
}
