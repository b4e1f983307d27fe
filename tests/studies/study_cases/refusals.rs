//! Studies that make no sense are refused where they do not.

use super::*;

/// Text to replace, its replacement, and what the message must contain.
const BAD: &[(&str, &str, &[&str])] = &[
    (
        "kind = \"cases\"",
        "kind = \"case\"",
        &[":1: at kind", "`case`", "`partitioning` or `cases`"],
    ),
    ("kind = \"cases\"", "", &["unknown field `case`"]),
    ("seed = 7", "sets = 7", &[":4", "unknown field `sets`"]),
    (
        "name = \"cases\"",
        "name = \"/cases\"",
        &[":2: at name", "letters"],
    ),
    (
        "name = \"curve\"",
        "name = \"budget\"",
        &["case[1].name", "\"budget\" twice"],
    ),
    (
        "name = \"curve\"",
        "name = \"\"",
        &["case[1].name", "visible characters"],
    ),
    (
        "name = \"curve\"\n",
        "",
        &[":15: at case[1]", "missing field `name`"],
    ),
    (
        "name = \"curve\"",
        "name = 7",
        &[":16: at case[1].name", "found 7, expected text"],
    ),
    (
        "measure = \"curve\"\n",
        "",
        &[":15: at case[1]", "missing field `measure`"],
    ),
    (
        "measure = \"nominal\"",
        "measure = \"normal\"",
        &[
            ":8: at case[0].measure",
            "\"normal\"",
            "expected one of nominal, curve, percentile, published, planted, execution",
        ],
    ),
    (
        "slowdown = 0.1",
        "slow = 0.1",
        &["at case[0]", "unknown field `slow`", "`slowdown`"],
    ),
    (
        "slowdown = 0.1",
        "slowdown = -1",
        &[":12: at case[0].slowdown", "`-1`", "number from 0"],
    ),
    (
        "[4, 8]",
        "[4, 0]",
        &[":10: at case[0].active_blocks", "found 0, expected 1 to"],
    ),
    ("[4, 8]", "[]", &[":10: at case[0].active_blocks", "empty list"]),
    (
        "[4, 8]",
        "4",
        &[":10: at case[0].active_blocks", "expected a sequence"],
    ),
    (
        "{ parts = 4 }",
        "{ parts = 4, least = 2 }",
        &[":11: at case[0].splits", "expected more parts"],
    ),
    (
        "{ parts = 4 }",
        "[[1, 1]]",
        &[":11: at case[0].splits", "found 2 shares, expected 3"],
    ),
    (
        "{ parts = 4 }",
        "7",
        &[":11: at case[0].splits", "expected a list of splits"],
    ),
    (
        "kernel = \"tasksets/kernels/histo-m4.json\"\n",
        "",
        &["at case[0]", "missing field `kernel`"],
    ),
    (
        "tasksets/kernels/histo-m4.json",
        "tasksets/kernels/none.json",
        &[":9: at case[0].kernel", "none.json\", expected a file"],
    ),
    (
        "tasksets/kernels/histo-m4.json",
        "tasksets/tasksets/adas.json",
        &[
            ":9: at case[0].kernel",
            "tasksets/tasksets/adas.json:",
            "unknown field `tasks`",
        ],
    ),
    (
        "tasksets/kernels/histo-table1.json",
        "tasksets/kernels/histo-m4.json",
        &["at case[2].kernel", "no cluster with `isolated`"],
    ),
    (
        "aghilinasab20-table2",
        "histo-m4",
        &[
            "at case[3].benchmarks",
            "histo-m4.json",
            "unknown field `active_blocks`",
        ],
    ),
    (
        "[0, 0.13, 1]",
        "[0, 1.13]",
        &[
            ":19: at case[1].budgets",
            "found 1.13, expected budgets from 0 to 1",
        ],
    ),
    ("[0, 0.13, 1]", "[0, 0]", &[":19: at case[1].budgets", "0 twice"]),
    (
        "{ from = 0, to = 1, step = 0.5 }",
        "{ from = 0, to = 1, step = 0.00002 }",
        &["at case[4]", "rows, expected at most 100000"],
    ),
    (
        "x = \"q\"",
        "x = \"budget\"",
        &["at figure.x", "\"budget\"", "active_blocks"],
    ),
    (
        "series = \"sync\"",
        "series = \"reading\"",
        &["at figure.series", "\"reading\""],
    ),
    (
        "quantity = \"wcet\"",
        "quantity = \"time\"",
        &["at figure.where.quantity", "\"time\"", "\"wcet\""],
    ),
    (
        "quantity = \"wcet\"",
        "unity = \"ms\"",
        &["at figure.where", "\"unity\""],
    ),
    ("first(value", "first(volume", &["at claim", "grows", "volume"]),
    (
        "must_hold = true",
        "table = \"timing\"",
        &["at claim", "no table `timing`"],
    ),
];

#[test]
fn bad_studies_are_refused_where_they_are_bad() {
    let mut wrong = Vec::new();
    for (from, to, parts) in BAD {
        let text = CASES.replacen(from, to, 1);
        assert_ne!(text, CASES, "{from}");
        let message = parse(&text).unwrap_err().to_string();
        assert!(
            message.starts_with("cases.toml") && message.lines().count() == 1,
            "{to}: {message}"
        );
        for part in *parts {
            if !message.contains(part) {
                wrong.push(format!("{to}: no {part:?} in: {message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let none = CASES.split("[[case]]").next().unwrap();
    let message = parse(&format!("{none}case = []\n")).unwrap_err().to_string();
    assert!(message.contains("at case: found none"), "{message}");
}
