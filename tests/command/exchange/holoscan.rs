//! Graphs of operators of Holoscan: the system, its response time, and refused files.

use serde_json::Value;

use crate::support::{run, run_with};

/// The graph of the format's documentation: all operators execute one after the other in one thread.
const DIAMOND: &str = "digraph G {
    A [WCET=200];
    B [WCET=300];
    C [WCET=150];
    D [WCET=400];

    A -> C;
    A -> B;
    B -> D;
    C -> D;
}
";

#[test]
fn an_application_is_one_task() {
    let answer = run_with("import holoscan - --unit us --period 2ms", DIAMOND);
    assert_eq!(answer.code, 0, "{answer:?}");
    let system: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(system["tasks"].as_array().unwrap().len(), 1);
    let segments = system["tasks"][0]["segments"].as_array().unwrap();
    let times: Vec<u64> = segments
        .iter()
        .map(|segment| segment["wcet"].as_u64().unwrap())
        .collect();
    assert_eq!(times, [200_000, 300_000, 150_000, 400_000]);
    assert_eq!(
        (segments.len(), &system["partitions"]),
        (4, &Value::Array(vec![]))
    );
    assert!(answer.stderr.contains("in the order A, B, C, D"), "{answer:?}");
    // Alone, the thread needs the sum of all WCETs.
    let verdict = run_with("test - --format json", answer.stdout);
    let verdict: Value = serde_json::from_str(&verdict.stdout).unwrap();
    assert_eq!(verdict["response_times_ns"][0], 1_050_000);
}

#[test]
fn kernels_execute_on_the_gpu_after_the_work_on_the_core() {
    let answer = run(
        "import holoscan tasksets/other_tools/holoscan-endoscopy.dot --unit us --period 33ms --sms 8 --gpu-policy fp --wait suspend",
    );
    assert_eq!(answer.code, 0, "{answer:?}");
    let system: Value = serde_json::from_str(&answer.stdout).unwrap();
    let segments = system["tasks"][0]["segments"].as_array().unwrap();
    let resources: Vec<&Value> = segments.iter().map(|segment| &segment["on"]).collect();
    assert_eq!(
        resources,
        ["cpu", "cpu", "gpu", "cpu", "gpu", "cpu", "cpu", "gpu"]
    );
    assert_eq!(
        (
            &system["partitions"][0]["policy"],
            &system["partitions"][0]["sms"]
        ),
        (&"fp".into(), &8.into())
    );
    assert_eq!(system["tasks"][0]["wait"], "suspend");
    assert!(
        answer.stderr.contains("note: left out: label, rankdir"),
        "{answer:?}"
    );
    let verdict = run_with("test - --format json", answer.stdout);
    let verdict: Value = serde_json::from_str(&verdict.stdout).unwrap();
    assert_eq!(verdict["response_times_ns"][0], 16_550_000);
}

/// Comments, quotes, ports, lists of attributes and several statements in one line are read as Graphviz reads them.
#[test]
fn the_subset_of_dot_is_read_as_graphviz_reads_it() {
    let text = "# a line for the preprocessor\nstrict DIGRAPH \"a \\\"graph\\\"\" { node [shape=box]; graph [x=1] edge [y=2]
        /* several\nlines */ \"a -> b\" [WCET = \"1.5\", color=red; style=bold][GPU_WCET=0.5] // the rest
        c [WCET=2e0] \"a -> b\":out:n -> c:in -> d [label=\"\"] c -> d; d [WCET=0.0001]}";
    let answer = run_with("import holoscan - --unit us --period 1ms --sms 1", text);
    assert_eq!(answer.code, 0, "{answer:?}");
    let system: Value = serde_json::from_str(&answer.stdout).unwrap();
    let segments = system["tasks"][0]["segments"].as_array().unwrap();
    let times: Vec<u64> = segments
        .iter()
        .map(|segment| segment["wcet"].as_u64().unwrap())
        .collect();
    assert_eq!(times, [1500, 500, 2000, 1]); // rounded up
    assert_eq!(system["tasks"][0]["name"], "a \"graph\"");
}

#[test]
fn wrong_graphs_are_refused() {
    let cases = [
        ("", ":1: ", "expected digraph"),
        ("graph G { A -- B }", ":1: ", "found --"),
        ("graph G { A [WCET=1] }", ":1: ", "found graph"),
        ("digraph {}", "", "found no operator"),
        ("digraph { A [WCET=1]", ":1: ", "found the end of the file"),
        ("digraph { A [WCET=1] } digraph { }", ":1: ", "expected one graph"),
        (
            "digraph {\n A [WCET=1];\n B;\n A -> B }",
            ":3: ",
            "\"B\".WCET: found no attribute",
        ),
        ("digraph {\n A [WCET=x] }", ":2: ", "\"A\".WCET: found x"),
        ("digraph {\n A [WCET=-1] }", ":2: ", "\"A\".WCET: found -1"),
        ("digraph { A [WCET=0] }", ":1: ", "\"A\".WCET: found 0"),
        ("digraph { A [WCET=1e300] }", ":1: ", "found 1e300"),
        ("digraph { A [WCET] }", ":1: ", "expected ="),
        ("digraph { A [WCET=1]\n [WCET=2] }", ":2: ", "found two values"),
        ("digraph { node [WCET=1]; A }", ":1: ", "node.WCET"),
        (
            "digraph { subgraph s { A [WCET=1] } }",
            ":1: ",
            "without subgraphs",
        ),
        ("digraph { A [label=<b>] }", ":1: ", "found a text in HTML"),
        ("digraph { \"A }", ":1: ", "found a string without an end"),
        ("digraph { /* A }", ":1: ", "found a comment without an end"),
        (
            "digraph { A [WCET=1]; A -> A }",
            "",
            "found a cycle through all operators",
        ),
        (
            "digraph {\n A [WCET=1];\n B [WCET=1];\n C [WCET=1];\n A -> B -> C -> B }",
            ":3: ",
            "the operators B, C",
        ),
        (
            "digraph { A [WCET=1];\n B [WCET=1] }",
            ":2: ",
            "the operators A, B without inputs",
        ),
        (
            "digraph { A [WCET=1] } \u{1}",
            ":1: ",
            "expected a directed graph in DOT",
        ),
    ];
    for (text, place, expected) in cases {
        let answer = run_with("import holoscan - --unit us --period 2ms", text);
        assert_eq!(
            (answer.code, answer.stdout.as_str()),
            (2, ""),
            "{text}: {answer:?}"
        );
        assert!(
            answer.stderr.contains(place) && answer.stderr.contains(expected),
            "{text}: {answer:?}"
        );
    }
    // The format states neither a unit nor a period.
    for options in [
        "--unit us",
        "--period 2ms",
        "--unit us --period 0ms",
        "--unit us --period 2ms --deadline 0ms",
        "--unit us --period 2ms --deadline 2000001ns",
    ] {
        let answer = run_with(&format!("import holoscan - {options}"), DIAMOND);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
    }
}
