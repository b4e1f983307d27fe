//! Wrong tables and wrong files of other tools are refused with the line, the field, the value and what was expected.

use insta::assert_snapshot;

use crate::support::transcript::Transcript;
use crate::support::{answer, gpusched, run_with};

#[test]
fn wrong_tables_are_refused() {
    let mut transcript = Transcript::default();
    for table in [
        "period,wcet_8",
        "period,wcet_8\n",
        "period,wcet_8\n50,1ms\n",
        "period_ns,wcet_8\n50ms,1ms\n",
        "period_ns,wcet_8\n1.5,1ms\n",
        "period_ns,wcet_8\n-5,1ms\n",
        "period,wcet_8\n0ms,1ms\n",
        "period,wcet_8\n5.5,1ms\n",
        "period,wcet_8\n5ms\n",
        "period,wcet_8\n5ms,1ms\n5ms,\n",
        "period,wcet_8,name\n5ms,1ms,a\n\n\n5ms,1kg,b\n",
        "period,period_ns,wcet\n5ms,5000000,1ms\n",
        "period,Deadline,wcet\n5ms,5ms,1ms\n",
        "period,wcet_0\n5ms,1ms\n",
        "period,wcet_08,wcet_8\n5ms,1ms,1ms\n",
        "period,wcet_1,wcet_2\n5ms,1ms,2ms\n",
        "period,wcet_1,conflict_1\n5ms,2ms,1ms\n",
        "period,conflict_1\n5ms,1ms\n",
        "period,wcet,wcet_1\n5ms,1ms,1ms\n",
        "period,wcet,wcet_ns\n5ms,1ms,1\n",
        "period,wcet,serial\n5ms,amdahl,0.5\n",
        "period,work,serial\n5ms,1ms,x\n",
        "period,wcet\n5ms,\"{\"\"table\"\":\"\n",
        "period,wcet,kind\n5ms,1ms,gpu\n",
        "period,wcet,launches\n5ms,1ms,0\n",
        "period,wcet,launches\n5ms,1ms,true\n",
        "set,period,wcet\na,5ms,1ms\nb,5ms,1ms\na,5ms,1ms\n",
        "set,name,period,wcet\n0,a,10ms,6ms\n,b,10ms,6ms\n",
        "set,period,wcet\n,5ms,1ms\n",
        "set_name,period,wcet\na,5ms,1ms\nb,5ms,1ms\n",
        "times,period,wcet\nlong,5ms,1ms\n",
        "period,wcet\n5ms,\"1ms\n",
        "deadline,wcet\n5ms,1ms\n",
        "name;period;wcet\na;5,5ms;1ms\n",
        "\u{feff}name;\"period_ns\";wcet\r\na;5000000;1ms\r\n",
        "name\tperiod\twcet\na\t5ms\t1ms\n",
        "name;period",
    ] {
        transcript.refusal(table, &run_with("test - --sms 8", table));
    }
    // A file whose name ends in .csv is a table, whatever its first line.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv");
    std::fs::write(&path, "deadline,wcet\n5ms,1ms\n").unwrap();
    let mut transcript_of_file = Transcript::in_folder(folder.path());
    transcript_of_file.refusal("x.csv", &answer(gpusched(["test", "--sms", "8"]).arg(&path)));
    std::fs::write(&path, b"period,wcet\n5ms,1ms\n\xff,1ms\n").unwrap();
    transcript_of_file.refusal("x.csv", &answer(gpusched(["test", "--sms", "8"]).arg(&path)));
    assert_snapshot!("tables", transcript);
    assert_snapshot!("files", transcript_of_file);
}

/// The table is refused before its cells need memory.
#[test]
fn tables_of_too_many_cells_are_refused() {
    let task = r#"{"period":"5ms","wcet":{"amdahl":{"work":"1ms","serial":0.5}}}"#;
    let set = format!("{{\"tasks\":[{}]}}\n", [task; 123].join(","));
    let refused = run_with("export - --as csv --sms 65536", set.clone());
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
    let expected = "found 65536 for 123 tasks or more, expected at most 65040 SMs for these tasks";
    assert!(refused.stderr.contains(expected), "{refused:?}");
    // All sets together count.
    let refused = run_with("export - --as csv --sms 65000", set.repeat(2));
    assert!(refused.stderr.contains("246 tasks or more"), "{refused:?}");
}

#[test]
fn wrong_files_of_other_tools_are_refused() {
    let mut transcript = Transcript::default();
    let simso = |attributes: &str, task: &str| {
        format!("<simulation {attributes}>\n<tasks>\n<task name=\"a\" {task}/>\n</tasks></simulation>")
    };
    let good = "period=\"7\" deadline=\"7\" WCET=\"3\"";
    for text in [
        "<x/>".to_owned(),
        "<simulation><tasks/></simulation>".to_owned(),
        simso("etm=\"cache\"", good),
        simso("use_wcet=\"no\"", good),
        simso("", "deadline=\"7\" WCET=\"3\""),
        simso("", "period=\"7\" deadline=\"7\" WCET=\"-3\""),
        simso("", "period=\"7\" deadline=\"7\" WCET=\"0\""),
        simso("", "period=\"1e300\" deadline=\"7\" WCET=\"1\""),
        simso("", &format!("{good} task_type=\"APeriodic\"")),
        simso("", &format!("{good} periodic=\"no\"")),
        simso("", &format!("{good} followed_by=\"2\"")),
        simso(
            "",
            &format!("{good} task_type=\"Sporadic\" list_activation_dates=\"0, 20, 13.5\""),
        ),
        simso(
            "",
            &format!("{good} task_type=\"Sporadic\" list_activation_dates=\"0, x\""),
        ),
        "<!DOCTYPE a [<!ENTITY b \"c\">]><simulation/>".to_owned(),
        "<simulation>".to_owned(),
    ] {
        transcript.refusal(&text, &run_with("import simso -", text.clone()));
    }
    for text in [
        "<simulation/>",
        "<taskset/>",
        "<testpoint/>",
        "<testpoint><taskset/></testpoint>",
        "<taskset><task period=\"7\"/></taskset>",
        "<taskset>\n<task period=\"x\" wcet=\"3\"/></taskset>",
        "<taskset><task period=\"7\" wcet=\"3\"><resources><requirement res_id=\"5\"/></resources></task></taskset>",
        "<taskset><task period=\"7\" wcet=\"3\"><critical_sections><critical_section res_id=\"5\" length=\"1\"/></critical_sections></task></taskset>",
    ] {
        transcript.refusal(text, &run_with("import schedcat -", text));
    }
    let set = r#"{"tasks":[{"period":"5us","wcet":{"table":[[4,"2us"]]}}]}"#;
    for line in [
        "export - --as simso",
        "export - --as simso --sms 2",
        "export - --as csv --sms 2",
        "export - --as schedcat --sms 4 --unit ms",
        "export - --as simso --sms 4 --unit ms",
        "export - --as libsmctrl",
        "export - tasksets/tasksets/adas.json --as simso --sms 4",
        "export - --as simso --sms 4 --format json",
        "export - --as csv --format json",
        "export - --as schedcat --sms 4 -o x.json",
        "export tasksets/tasksets/shared-memory.json --as csv",
        "import csv - --format text",
    ] {
        transcript.refusal(line, &run_with(line, set));
    }
    assert_snapshot!(transcript);
}
