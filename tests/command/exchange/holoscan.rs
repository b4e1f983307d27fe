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
    // The longest path is A, B, D. The smallest period is the WCET of D.
    assert!(
        answer.stderr.contains("a message takes at most 900us"),
        "{answer:?}"
    );
    let fast = run_with("import holoscan - --unit us --period 399us", DIAMOND);
    assert!(fast.stderr.contains("the smallest period is 400us"), "{fast:?}");
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
    let times: Vec<&Value> = segments.iter().map(|segment| &segment["wcet"]).collect();
    let kernel = serde_json::json!({"table":{"isolated":[[1, 500]]}});
    assert_eq!(times, [&1500.into(), &kernel, &2000.into(), &1.into()]); // rounded up
    assert_eq!(system["tasks"][0]["name"], "a \"graph\"");
}

/// The times of kernels hold on the stated SMs, and nowhere below. So no command accepts the task on fewer SMs.
#[test]
fn the_times_of_kernels_need_a_number_of_sms() {
    let text = "digraph { a [WCET=100, GPU_WCET=9500] }";
    let options = "import holoscan - --unit us --period 33ms -q";
    let answer = run_with(options, text);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
    assert!(answer.stderr.contains("--sms"), "{answer:?}");
    assert!(answer.stderr.contains("operator \"a\" has kernels"), "{answer:?}");
    let answer = run_with(&format!("{options} --sms 8"), text);
    assert_eq!(answer.code, 0, "{answer:?}");
    let mut system: Value = serde_json::from_str(&answer.stdout).unwrap();
    let kernel = &system["tasks"][0]["segments"][1]["wcet"];
    assert_eq!(
        kernel,
        &serde_json::json!({"table":{"isolated":[[8, 9_500_000]]}})
    );
    // With `-q`, all assumptions stay, but no other note.
    let notes = answer.stderr.lines();
    let assumed = notes.filter(|line| line.starts_with("note: assumption, unsafe if violated: "));
    assert_eq!(
        (assumed.count(), answer.stderr.lines().count()),
        (6, 6),
        "{answer:?}"
    );
    assert!(
        answer.stderr.contains("each GPU_WCET holds on 8 SMs"),
        "{answer:?}"
    );
    // If `partition` chooses the number of SMs, it does not choose fewer.
    system["partitions"][0].as_object_mut().unwrap().remove("sms");
    let chosen = run_with("partition - --sms 132 -q", system.to_string());
    assert!(chosen.code == 0 && chosen.stdout.contains("8 SMs"), "{chosen:?}");
    let few = run_with("partition - --sms 7 -q", system.to_string());
    assert_ne!(few.code, 0, "{few:?}");
}

/// A time that is lost is unsafe, so gpusched refuses names that are probably mistakes, and times at the wrong place.
#[test]
fn similar_names_and_wrong_places_of_times_are_refused() {
    let import = |text: &str| {
        run_with(
            "import holoscan - --unit us --period 33ms --sms 1 -q",
            text.to_owned(),
        )
    };
    for (written, meant) in [
        ("Gpu_WCET", "GPU_WCET"),
        ("GPU_WECT", "GPU_WCET"),
        ("gpu_wcet", "GPU_WCET"),
        ("GPUWCET", "GPU_WCET"),
        ("\"GPU-WCET\"", "GPU_WCET"),
        ("GPU_WCETS", "GPU_WCET"),
        ("GP_WCT", "GPU_WCET"),
        ("CPU_WCET", "GPU_WCET"),
        ("wcet", "WCET"),
        ("WECT", "WCET"),
        ("WCETs", "WCET"),
        ("wcet_us", "WCET"),
    ] {
        let name = written.trim_matches('"');
        for (text, place) in [
            (format!("digraph {{ a [WCET=1];\n a [{written}=9] }}"), "\"a\""),
            (
                format!("digraph {{ a [WCET=1]; b [WCET=1];\n a -> b [{written}=9] }}"),
                "edge",
            ),
            (format!("digraph {{ a [WCET=1]\n graph [{written}=9] }}"), "graph"),
            (format!("digraph {{ a [WCET=1]\n {written}=9 }}"), "graph"),
            (format!("digraph {{ a [WCET=1]\n edge [{written}=9] }}"), "edge"),
            (format!("digraph {{ a [WCET=1]\n node [{written}=9] }}"), "node"),
        ] {
            let answer = import(&text);
            assert_eq!((answer.code, &*answer.stdout), (2, ""), "{text}: {answer:?}");
            let told = [
                ":2: ",
                &format!("{place}.{name}: "),
                &format!("did you mean {meant}?"),
            ];
            assert!(
                told.iter().all(|part| answer.stderr.contains(part)),
                "{text}: {answer:?}"
            );
        }
    }
    for name in ["WCET", "GPU_WCET"] {
        for text in [
            format!("a -> b [{name}=500]"),
            format!("{name}=500"),
            format!("edge [{name}=500]"),
        ] {
            let answer = import(&format!("digraph {{ a [WCET=1]; b [WCET=1]; {text}; a -> b }}"));
            assert_eq!(answer.code, 2, "{text}: {answer:?}");
            assert!(
                answer.stderr.contains("this attribute for each operator"),
                "{text}: {answer:?}"
            );
        }
    }
    // Attributes of Graphviz and other times have no effect.
    let answer = import(
        "digraph { rankdir=LR weight=1 a [WCET=1, BCET=0.5, GPU_BCET=1, ACET=2, label=x, width=2, height=1, color=red, len=2] }",
    );
    assert_eq!(answer.code, 0, "{answer:?}");
}

#[test]
fn large_files_and_byte_order_marks_do_no_harm() {
    let import = |text: String| run_with("import holoscan - --unit us --period 33ms", text);
    let answer = import("\u{feff}# a comment\ndigraph { a [WCET=1] }".to_owned());
    assert_eq!(answer.code, 0, "{answer:?}");
    // Only the start of the file may be a byte order mark.
    assert_eq!(import("digraph { \u{feff} a [WCET=1] }".to_owned()).code, 2);
    let most = 1 << 22;
    let start = "digraph { a [WCET=1] ";
    let exact = format!("{start}{}}}", "a;".repeat((most - start.len() - 1) / 2));
    assert!(exact.len() <= most && exact.len() + 2 > most);
    assert_eq!(import(exact.clone()).code, 0);
    let answer = import(exact + "  ");
    assert_eq!((answer.code, &*answer.stdout), (2, ""));
    assert!(answer.stderr.contains("found more than 4 MiB"), "{answer:?}");
}

#[test]
fn wrong_graphs_are_refused() {
    let cases = [
        ("", ":1: ", "expected digraph"),
        ("digraph G { A -- B }", ":1: ", "found --"),
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
