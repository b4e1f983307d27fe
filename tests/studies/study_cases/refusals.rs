//! Invalid studies are rejected at the invalid field.

use insta::assert_snapshot;

use super::*;

/// Replacements in a study.
const BAD: &str = r#"
kind = "cases" → kind = "case"
kind = "cases" →
seed = 7 → sets = 7
name = "cases" → name = "/cases"
name = "curve" → name = "budget"
name = "curve" → name = ""
name = "curve"\n →
name = "curve" → name = 7
measure = "curve"\n →
measure = "nominal" → measure = "normal"
slowdown = 0.1 → slow = 0.1
slowdown = 0.1 → slowdown = -1
[4, 8] → [4, 0]
[4, 8] → []
[4, 8] → 4
{ parts = 4 } → { parts = 4, least = 2 }
{ parts = 4 } → [[1, 1]]
{ parts = 4 } → 7
kernel = "tasksets/kernels/histo-m4.json"\n →
tasksets/kernels/histo-m4.json → tasksets/kernels/none.json
tasksets/kernels/histo-m4.json → tasksets/tasksets/adas.json
tasksets/kernels/histo-table1.json → tasksets/kernels/histo-m4.json
aghilinasab20-table2 → histo-m4
[0, 0.13, 1] → [0, 1.13]
[0, 0.13, 1] → [0, 0]
{ from = 0, to = 1, step = 0.5 } → { from = 0, to = 1, step = 0.00002 }
x = "q" → x = "budget"
series = "sync" → series = "variant"
quantity = "wcet" → quantity = "time"
quantity = "wcet" → unity = "ms"
first(value → first(volume
must_hold = true → table = "timing"
"#;

#[test]
fn bad_studies_are_refused_where_they_are_bad() {
    let mut told = refused(CASES, BAD);
    let none = CASES.split("[[case]]").next().unwrap();
    told.case("case = []", parse(&format!("{none}case = []\n")).unwrap_err());
    assert_snapshot!(told);
}
