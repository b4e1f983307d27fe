//! Flows of data: label accesses of tasks, and chains of tasks.

use gpusched::recording::amalthea::{Flows, chains};

fn of_x(accesses: &str) -> Flows {
    let mut flows = Flows::default();
    for access in accesses.chars() {
        flows.then(&Flows::access("x".to_owned(), access == 'r', access == 'w'));
    }
    flows
}

#[test]
fn the_first_and_the_last_access_count() {
    for (accesses, reads, writes, produces) in [
        ("", false, false, false),
        ("r", true, false, false),
        ("w", false, true, true),
        ("rw", true, true, true),
        ("wr", false, false, true),
        ("rwr", true, false, false),
        ("wrw", false, true, true),
    ] {
        let flow = of_x(accesses).0.get("x").copied().unwrap_or_default();
        let found = (flow.reads, flow.writes, flow.produces());
        assert_eq!(found, (reads, writes, produces), "{accesses}");
    }
    assert_eq!(of_x("rwr").count(), 3);
}

#[test]
fn a_branch_may_be_skipped() {
    let mut branch = of_x("w");
    branch.or(&of_x(""));
    branch.then(&of_x("r"));
    // The job may skip the write, so the read may be the first access.
    assert!(branch.0["x"].reads && !branch.0["x"].writes && branch.0["x"].changes);
    let mut skipped = of_x("w");
    let mut read = of_x("");
    read.or(&of_x("r"));
    skipped.then(&read);
    assert!(skipped.0["x"].writes);
}

/// Returns the flows of label accesses in order: `rx wy` reads x, and then writes y.
fn in_order(accesses: &str) -> Flows {
    let mut flows = Flows::default();
    for access in accesses.split_whitespace() {
        let (mode, label) = access.split_at(1);
        flows.then(&Flows::access(label.to_owned(), mode == "r", mode == "w"));
    }
    flows
}

/// Returns the chains of `tasks`. A task states its label accesses in order: `rx wy` reads x, and then writes y.
fn found(tasks: &[(&str, &str)]) -> Vec<String> {
    let flows: Vec<Flows> = { tasks.iter() }.map(|(_, accesses)| in_order(accesses)).collect();
    let tasks: Vec<(&str, &Flows)> = { tasks.iter() }.map(|(name, _)| *name).zip(&flows).collect();
    let chains = chains(&tasks).unwrap();
    chains.iter().map(|chain| chain.tasks.join(" ")).collect()
}

#[test]
fn chains_follow_labels() {
    assert_eq!(found(&[("a", "wx"), ("b", "rx wy"), ("c", "ry")]), ["a b c"]);
    assert_eq!(found(&[("a", "wx"), ("b", "rx"), ("c", "rx")]), ["a b", "a c"]);
    assert_eq!(found(&[("a", "rx wx"), ("b", "")]), [""; 0]);
    // Task b updates x, so c and d read x from b. Task d changes only its own copy.
    let updates = [
        ("a", "wx"),
        ("b", "rx wx"),
        ("c", "rx"),
        ("d", "rx wx rx wy"),
        ("e", "ry"),
    ];
    assert_eq!(found(&updates), ["a b c", "a b d e"]);
    // The task that creates the data also reads it.
    assert_eq!(found(&[("a", "wx rx"), ("b", "rx")]), ["a b"]);
    // A cycle has no first task.
    assert_eq!(found(&[("a", "rx wy"), ("b", "ry wx")]), [""; 0]);
    assert_eq!(
        found(&[("s", "wz"), ("a", "rz rx wy"), ("b", "ry wx")]),
        ["s a b"]
    );
}

#[test]
fn too_many_chains_are_no_result() {
    let layers: Vec<(String, String)> = (0..40)
        .map(|index| {
            let (layer, in_layer) = (index / 2, index % 2);
            let reads = (0..2).map(|other| format!("r{}.{other}", layer - 1));
            let reads: Vec<String> = reads.filter(|_| layer > 0).collect();
            (
                format!("t{index}"),
                format!("{} w{layer}.{in_layer}", reads.join(" ")),
            )
        })
        .collect();
    let flows: Vec<Flows> = { layers.iter() }
        .map(|(_, accesses)| in_order(accesses))
        .collect();
    let tasks: Vec<(&str, &Flows)> = layers.iter().map(|(name, _)| name.as_str()).zip(&flows).collect();
    assert_eq!(chains(&tasks), None);
}
