//! Contract of the command line: results, formats, order, exit codes.

use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::support::transcript::Transcript;
use crate::support::{ADAS, TASK, answer, files, gpusched, root, run, run_with, tenths};
use gpusched::generation::{Distribution, Generator, Recipe, Source, WcetModel};
use gpusched::model::{Factor, Plan, TaskSets, Verdict};

/// The verdict in a result of `test`, without its assumptions and its identity.
fn verdict(json: &str) -> Verdict {
    let mut answer: serde_json::Value = serde_json::from_str(json).unwrap();
    answer.as_object_mut().unwrap().remove("assumptions").unwrap();
    answer.as_object_mut().unwrap().remove("identity").unwrap();
    serde_json::from_value(answer).unwrap()
}

#[test]
fn test_answers_with_a_verdict_and_its_exit_code() {
    let answer = run(&format!("test {ADAS} --gpu rtx2060"));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let mut told = Transcript::default();
    told.case("--gpu rtx2060", answer.stdout);

    let answer = run(&format!("test {ADAS} --sms 8"));
    assert_eq!(answer.code, 1);
    told.case("--sms 8", answer.stdout);
    assert_snapshot!(told);

    let answer = run(&format!("test {ADAS} --gpu xavier --format json"));
    assert_eq!(answer.code, 1);
    let verdict = verdict(&answer.stdout);
    assert!(!verdict.schedulable);
    let start = serde_json::to_string(&verdict).unwrap();
    let start = start.strip_suffix('}').unwrap();
    assert!(
        answer.stdout.starts_with(&format!("{start},\"assumptions\":[")),
        "{answer:?}"
    );
}

#[test]
fn a_stream_is_answered_line_by_line_in_order() {
    let stream = format!("{}\n\n{}\n{}\n", tenths(10), tenths(11), tenths(1));
    let answer = run_with("test - --sms 1", stream.clone());
    assert_eq!(answer.code, 1);
    let mut told = Transcript::default();
    told.case("standard output", answer.stdout);
    told.case("standard error", answer.stderr);
    assert_snapshot!(told);
    assert_eq!(run_with("test - --sms 1 --quiet", stream.clone()).stderr, "");

    let answer = run_with("test - --sms 1 --format json", stream.clone());
    let verdicts: Vec<Verdict> = answer.stdout.lines().map(verdict).collect();
    assert_eq!(
        verdicts.iter().map(|v| v.schedulable).collect::<Vec<_>>(),
        [true, false, true]
    );

    let answer = run_with("test - --sms 1 --format csv", stream.clone());
    let rows: Vec<&str> = answer.stdout.lines().collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(
        rows[0],
        "set,name,schedulable,policy,reason,strength,sms,utilization,evidence"
    );
    assert_eq!(
        rows[2],
        "1,,false,np-edf,utilization-above-one,exact,1,1.100000,the utilization is above 1"
    );

    let answer = run_with("partition - --sms 2", stream);
    assert_eq!(answer.code, 0);
    assert_eq!(answer.stdout.lines().count(), 3);
    assert!(
        answer.stdout.starts_with("0: SCHEDULABLE on "),
        "{}",
        answer.stdout
    );
}

#[test]
fn answers_do_not_depend_on_threads() {
    let stream: String = (0..2000).map(|i| tenths(1 + i % 13) + "\n").collect();
    let answers = ["1", "2", "5"].map(|threads| {
        let line = format!("test - --sms 1 --format csv --threads {threads}");
        run_with(&line, stream.clone()).stdout
    });
    assert_eq!(answers[0].lines().count(), 2001);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[test]
fn a_task_without_wcet_on_so_few_sms_is_a_verdict() {
    let set = r#"{"tasks":[{"name":"big","period":"1s","wcet":{"table":[[4,"1ms"]]}}]}"#;
    let answer = run_with("test - --sms 3", set);
    assert_eq!(answer.code, 1);
    let json = run_with("test - --sms 3 --format json", set).stdout;
    assert!(
        json.contains(r#""evidence":{"reason":"wcet-unknown","task":0}"#),
        "{json}"
    );
    assert_snapshot!(answer.stdout);
    assert_eq!(run_with("test - --sms 4", set).code, 0);
}

#[test]
fn a_necessary_condition_is_not_called_schedulable() {
    for command in ["test", "partition"] {
        let answer = run_with(&format!("{command} - --sms 2 --policy work-capacity"), tenths(11));
        assert_eq!(answer.code, 0);
        assert!(
            answer.stdout.starts_with("NECESSARY CONDITION HOLDS"),
            "{}",
            answer.stdout
        );
        let said = [
            "necessary condition, not a proof",
            "does not prove schedulability",
        ];
        assert!(
            said.iter().any(|words| answer.stdout.contains(words)),
            "{}",
            answer.stdout
        );
        assert!(!answer.stdout.contains("SCHEDULABLE"), "{}", answer.stdout);
    }
}

#[test]
fn generated_sets_read_back_and_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sets.jsonl");
    let options =
        "--tasks 20 --utilization 3 --count 1500 --seed 5 --cap 1 --memory-share 0.25 --deadline 1.5";
    let options = format!("{options} --jitter 0.1 --blocks 680 --saturation 8");
    let options =
        format!("{options} --periods log-uniform:1ms:1s --wcet proportional --generator randfixedsum");
    let bytes = ["1", "2", "5"].map(|threads| {
        let line = format!("generate {options} --threads {threads}");
        let answer = answer(gpusched(line.split_whitespace()).arg("-o").arg(&path));
        assert_eq!(
            (answer.code, answer.stdout.as_str(), answer.stderr.as_str()),
            (0, "", "")
        );
        std::fs::read(&path).unwrap()
    });
    assert!(bytes.iter().all(|b| *b == bytes[0]));
    assert_eq!(run(&format!("generate {options}")).stdout.as_bytes(), bytes[0]);

    let recipe = Recipe {
        generator: Generator::Randfixedsum,
        cap: Some(1.0),
        periods: "log-uniform:1ms:1s".parse().unwrap(),
        wcet: WcetModel::Proportional,
        memory_share: 0.25,
        deadline: Factor::from_f64(1.5).unwrap().into(),
        jitter: Factor::from_f64(0.1).map(Distribution::from),
        blocks: Some(680),
        saturation: Some(8),
        ..Recipe::default()
    };
    let source = Source::new(&recipe, 20, 3.0, 5).unwrap();
    let mut sets = 0;
    for (index, set) in (0..).zip(TaskSets::open(&path).unwrap()) {
        let (line, set) = set.unwrap();
        assert_eq!((line, set), (sets + 1, source.draw(0, index).unwrap()));
        sets += 1;
    }
    assert_eq!(sets, 1500);

    let default = run("generate --tasks 5 --utilization 2");
    let set = Source::new(&Recipe::default(), 5, 2.0, 1)
        .unwrap()
        .draw(0, 0)
        .unwrap();
    assert_eq!(
        default.stdout,
        format!("{}\n", serde_json::to_string(&set).unwrap())
    );
    assert_ne!(
        run("generate --tasks 5 --utilization 2 --seed 2").stdout,
        default.stdout
    );
}

/// A result that neglects interference must state this visibly.
#[test]
fn neglected_interference_shows() {
    for command in ["test", "partition"] {
        let line = format!("{command} {ADAS} --gpu orin");
        let neglected = run(&format!("{line} --interference none"));
        assert!(
            neglected.stdout.contains(", interference neglected"),
            "{}",
            neglected.stdout
        );
        assert!(!run(&line).stdout.contains("neglected"));
    }
}

#[test]
fn partition_shows_the_plan() {
    let answer = run(&format!("partition {ADAS} --gpu orin"));
    let warning = "warning: partitions of granularity `tpc` may share GPC ports, where kernels delay each other; the verdict counts no \
                   delay at ports\n";
    assert_eq!((answer.code, answer.stderr.as_str()), (0, warning));
    let (plan, search) = answer.stdout.split_once("\nsearch: ").unwrap();
    let (_time, assumptions) = search.split_once("\n\n").unwrap();
    assert_snapshot!(format!("{plan}\n{assumptions}"));

    let answer = run(&format!(
        "partition {ADAS} --sms 8 --heuristic fewest-sms --format json"
    ));
    let plan: Plan = serde_json::from_str(&answer.stdout).unwrap();
    assert!(plan.schedulable && plan.sms_used == 8);

    let answer = run(&format!(
        "partition {ADAS} --sms 8 --heuristic fewest-sms --format csv"
    ));
    assert_eq!(answer.stdout.lines().count(), 1 + plan.partitions.len());
    assert!(
        answer
            .stdout
            .starts_with("set,name,schedulable,failure,sms_used,partition,sms,tasks,")
    );
    assert!(
        answer.stdout.contains("\n0,adas,true,,8,0,2,0 6 7,"),
        "{}",
        answer.stdout
    );

    let answer = run(&format!("partition {ADAS} --gpu tx2"));
    assert_eq!(answer.code, 1);
    assert_snapshot!(answer.stdout.lines().next().unwrap());
    let answer = run(&format!("partition {ADAS} --gpu tx2 --format csv"));
    assert_eq!(
        answer.stdout.lines().nth(1),
        Some("0,adas,false,work-exceeds-gpu,0,,,,,,,,,,,")
    );
}

/// gpusched states in words why no plan exists, as far as this is confirmed: the lemma and the task.
#[test]
fn verify_says_why_there_is_no_plan() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let task = |table: &str| format!(r#"{{"name":"lidar","period":"10ms","wcet":{{"table":[{table}]}}}}"#);
    let mut told = Transcript::default();
    for (table, reason) in [
        (r#"[1,"90ms"]"#, "work-exceeds-gpu"),
        (r#"[1,"11ms"]"#, "task-does-not-fit"),
        (r#"[16,"1ms"]"#, "wcet-unknown"),
    ] {
        let set = format!(r#"{{"tasks":[{},{}]}}"#, crate::support::TASK, task(table));
        std::fs::write(path("set.json"), set).unwrap();
        let (plan, set) = (path("plan.json"), path("set.json"));
        let found = run(&format!("partition {set} --sms 8")).stdout;
        let words = found
            .strip_prefix("NOT SCHEDULABLE: ")
            .and_then(|text| text.split_once(", under np-edf: one kernel at a time, never preempted\n"))
            .map(|(words, _)| words);
        let words = words.expect(&found);
        told.case(table, words);
        assert_eq!(run(&format!("partition {set} --sms 8 -o {plan}")).code, 1);
        let verified = |format: &str| run(&format!("verify {plan} {set} --quiet --format {format}"));
        let text = verified("text");
        let expected = format!("0: VERIFIED: not schedulable: {words}\n");
        assert_eq!((text.code, text.stdout), (1, expected));
        let json: serde_json::Value = serde_json::from_str(&verified("json").stdout).unwrap();
        let mut failure = serde_json::json!({"reason": reason, "message": words});
        if words.contains('#') {
            failure["task"] = 1.into();
        }
        assert_eq!(json["failure"], failure);
        let csv = verified("csv").stdout;
        assert!(
            csv.contains(",message,failure\n") && csv.ends_with(&format!(",{reason}\n")),
            "{csv}"
        );
    }
    assert_snapshot!(told);
    // A heuristic that found no plan makes no claim.
    let plan = run(&format!("partition {ADAS} --sms 8 --heuristic 1g --format json")).stdout;
    let verified = |format: &str| run_with(&format!("verify - {ADAS} --format {format}"), plan.clone());
    assert!(
        verified("text")
            .stdout
            .contains("the plan states `schedulable: false`")
    );
    assert!(!verified("json").stdout.contains("failure"));
}

/// The next run that writes the same file removes the temporary file of a killed run.
#[cfg(unix)]
#[test]
fn a_killed_run_leaves_nothing_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sets.jsonl").display().to_string();
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    };
    let line = format!("generate --tasks 50 --utilization 30 --count 1000000 -q -o {file}");
    let mut killed = Command::new(env!("CARGO_BIN_EXE_gpusched"))
        .args(line.split(' '))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while names().is_empty() && killed.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let short = format!("generate --tasks 5 --utilization 3 --count 2 -o {file}");
    assert_eq!(run(&short).code, 0);
    assert_eq!(names().len(), 2, "one is being written: {:?}", names());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(names().len(), 2, "{:?}", names());
    assert_eq!(run(&short).code, 0);
    assert_eq!(names(), ["sets.jsonl"]);
}

/// The objective `margin` and `--sensitivity` state the same factor in all formats, and `verify` confirms it.
#[test]
fn partition_states_the_margin() {
    let margin = format!("partition {ADAS} --gpu orin --objective margin");
    let plan: Plan = serde_json::from_str(&run(&format!("{margin} --format json")).stdout).unwrap();
    let found = plan.margin.clone().unwrap();
    let (factor, limit) = (found.wcet_scaling_permille, found.at_most_permille);
    assert!(found.is_largest() && plan.sms_used == 16, "{found:?}");
    let text = run(&margin).stdout;
    assert!(
        text.contains(&format!(
            "WCET margin: all WCETs may grow together to 1.{:03} times; no plan allows a larger factor",
            factor - 1000
        )),
        "{text}"
    );
    let csv = run(&format!("{margin} --format csv")).stdout;
    let end = format!(",{factor},{limit}");
    assert!(csv.lines().skip(1).all(|row| row.ends_with(&end)), "{csv}");
    let edge: Plan =
        serde_json::from_str(&run(&format!("{margin} --sensitivity --format json")).stdout).unwrap();
    assert_eq!(edge.sensitivity.unwrap().wcet_scaling_permille, factor);
    // The plan with the fewest SMs has no larger margin.
    let fewest = run(&format!("partition {ADAS} --gpu orin --sensitivity --format csv")).stdout;
    let stated = fewest.lines().nth(1).unwrap().rsplit(',').nth(1).unwrap();
    assert!(stated.parse::<u64>().unwrap() <= factor, "{fewest}");
    let refused = run(&format!("partition {ADAS} --gpu orin --objective margin --gap 1"));
    assert!(
        refused.stderr.contains("--objective margin"),
        "{}",
        refused.stderr
    );
    let refused = run(&format!(
        "partition {ADAS} --gpu orin --objective margin --heuristic savings"
    ));
    assert!(refused.stderr.contains("auto or optimal"), "{}", refused.stderr);
}

/// CSV and JSON state the same bound, gap and end of the search.
#[test]
fn the_csv_of_partition_states_the_bound() {
    for options in [
        "--sms 8 --heuristic optimal",
        "--sms 8 --heuristic optimal --search-effort 1",
        "--sms 8 --heuristic auto --search-effort 1",
        "--sms 8 --heuristic fewest-sms",
        "--gpu tx2 --heuristic optimal",
    ] {
        let json = run(&format!("partition {ADAS} {options} --format json")).stdout;
        let plan: Plan = serde_json::from_str(&json).unwrap();
        let bound = plan.bound.as_ref().map(|bound| bound.sms);
        let text = |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
        let ended_by = serde_json::to_value(plan.stats.ended_by).unwrap();
        let end = format!(
            ",{},{},{},,",
            text(bound),
            text(bound.map(|bound| plan.sms_used - bound)),
            ended_by.as_str().unwrap_or_default()
        );
        let csv = run(&format!("partition {ADAS} {options} --format csv")).stdout;
        let mut lines = csv.lines();
        assert!(
            lines
                .next()
                .unwrap()
                .ends_with(",reason,bound,gap,ended_by,wcet_scaling_permille,at_most_permille"),
            "{csv}"
        );
        let rows: Vec<&str> = lines.collect();
        assert_eq!(rows.len(), plan.partitions.len().max(1));
        assert!(
            rows.iter().all(|row| row.ends_with(&end)),
            "{options}: {end}\n{csv}"
        );
        assert_eq!(
            bound.is_some(),
            !options.contains("heuristic fewest-sms") && !options.contains("tx2")
        );
    }
    let csv = run(&format!(
        "partition {ADAS} --sms 8 --heuristic optimal --search-effort 1 --format csv"
    ));
    assert!(csv.stdout.contains(",budget,,\n"), "{}", csv.stdout);
}

#[test]
fn every_heuristic_and_option_is_there() {
    for options in [
        "--heuristic fewest-sms --forbidden act --order increasing",
        "--heuristic bf --forbidden ina --bf-measure demand --bf-direction descending",
        "--heuristic 1g",
        "--heuristic one-per-partition",
        "--heuristic ffd --split 4",
        "--heuristic wfd",
        "--interference none --policy edf",
    ] {
        let answer = run(&format!("partition {ADAS} --gpu orin {options} --format json"));
        let plan: Plan = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(answer.code, if plan.schedulable { 0 } else { 1 }, "{options}");
        let mut tasks: Vec<usize> = plan.partitions.iter().flat_map(|p| p.tasks.clone()).collect();
        tasks.sort_unstable();
        assert!(
            !plan.schedulable || tasks == [0, 1, 2, 3, 4, 5, 6, 7],
            "{options}: {tasks:?}"
        );
    }
}

#[test]
fn the_ending_of_the_output_decides_the_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, start) in [
        ("plan.json", "{\"schedulable\":true"),
        ("plan.jsonl", "{\"schedulable\":true"),
        ("plan.csv", "set,name,"),
        ("plan.txt", "SCHEDULABLE on"),
        ("plan", "SCHEDULABLE on"),
    ] {
        let path = folder.path().join(name);
        let args = ["partition", ADAS, "--sms", "8", "-o"].map(str::to_owned);
        let answer = answer(&mut gpusched(
            args.into_iter().chain([path.display().to_string()]),
        ));
        assert_eq!((answer.code, answer.stdout.as_str()), (0, ""));
        let content = std::fs::read_to_string(&path).unwrap();
        assert!(content.starts_with(start), "{name}: {content}");
    }
    assert_eq!(files(folder.path()).len(), 5);
    let answer = run(&format!("partition {ADAS} --sms 8 -o - --format csv"));
    assert!(answer.stdout.starts_with("set,name,"));
}

#[test]
fn colors_are_for_terminals() {
    let colored = |variables: &[(&str, &str)]| {
        let mut command = gpusched(["partition", ADAS, "--sms", "8"]);
        command.env_remove("NO_COLOR").envs(variables.iter().copied());
        answer(&mut command).stdout.contains('\u{1b}')
    };
    assert!(!colored(&[]));
    assert!(colored(&[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

/// A long cell has several lines. Numbers are right-aligned, words are left-aligned, and long names are clipped.
#[test]
fn columns_are_aligned() {
    let long = "n".repeat(300);
    let names = ["é", &long].into_iter().chain(["task-of-a-long-name"; 6]);
    let tasks = names
        .enumerate()
        .map(|(index, name)| TASK.replacen('{', &format!("{{\"name\":\"{name}{index}\","), 1));
    let set = format!("{{\"tasks\":[{}]}}", tasks.collect::<Vec<_>>().join(","));
    let text = run_with("partition - --sms 1 -q", set).stdout;
    let lines: Vec<Vec<char>> = text.lines().skip(3).map(|line| line.chars().collect()).collect();
    let head: String = lines[0].iter().collect();
    let [names, load] = ["tasks", "utilization"].map(|title| head.find(title).unwrap());
    let rows: Vec<&Vec<char>> = lines.iter().skip(1).take_while(|line| !line.is_empty()).collect();
    assert!(rows.len() > 2, "{text}");
    for (index, row) in rows.into_iter().enumerate() {
        assert!(row[names] != ' ' && row[names - 1] == ' ', "{text}");
        let (before, after) = (&row[..names], row.get(load..load + 11));
        assert_eq!(before.iter().all(|c| *c == ' '), index > 0, "{text}");
        let number = after.map(|cell| cell.iter().collect::<String>());
        assert_eq!(number.as_deref(), (index == 0).then_some("      0.800"), "{text}");
    }
    assert!(text.contains("n…") && !text.contains(&long), "{text}");
}

#[test]
fn control_characters_in_names_do_not_reach_the_terminal() {
    let set = tenths(1).replace("{\"period\"", r#"{"name":"\u001b[31m","period""#);
    for command in ["test", "partition"] {
        let answer = run_with(&format!("{command} - --sms 1"), set.clone());
        assert_eq!(answer.code, 0);
        assert!(
            !answer.stdout.contains('\u{1b}') && answer.stdout.contains("[31m"),
            "{}",
            answer.stdout
        );
    }
}

#[test]
fn completions_and_manual_pages() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let answer = run(&format!("completions {shell}"));
        assert_eq!(answer.code, 0);
        assert!(answer.stdout.contains("heuristic"), "{shell}");
    }
    assert!(run("man").stdout.contains(".TH GPUSCHED 1"));
    assert!(run("man partition").stdout.contains(".TH GPUSCHED-PARTITION 1"));
    let folder = tempfile::tempdir().unwrap();
    let answer = answer(&mut gpusched([
        "man".as_ref(),
        "-o".as_ref(),
        folder.path().as_os_str(),
    ]));
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""));
    let pages = files(folder.path());
    assert!(
        pages.contains(&"gpusched.1".into()) && pages.contains(&"gpusched-test.1".into()),
        "{pages:?}"
    );
}

#[test]
fn help_and_version_are_answers() {
    assert_eq!(
        run("--version").stdout,
        format!("gpusched {}\n", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(run("--help").code, 0);
    assert!(root().join(ADAS).is_file());
}

/// Results contain response times under fixed priorities, and under EDF on request.
#[test]
fn response_times_are_part_of_the_answer() {
    let set = r#"{"tasks":[
        {"name":"a","period":70,"wcet":{"table":[[1,26]]}},
        {"name":"b","period":100,"deadline":118,"jitter":0,"block":31,"wcet":{"table":[[1,62]]}}]}"#;
    let times = |options: &str| {
        let answer = run_with(
            &format!("test - --sms 1 --interference none {options} --format json"),
            set,
        );
        let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        json["response_times_ns"].to_string()
    };
    assert_eq!(times("--policy dm"), "[26,118]");
    assert_eq!(times("--policy fp-given"), "[26,118]");
    // One block of 31 blocks `a`, and each job of `a` delays `b` by one more block: 2 · 57 + 62 + …, without end.
    assert_eq!(times("--policy lp-fp"), "[56,null]");
    assert_eq!(times("--policy edf"), "null");
    assert_eq!(times("--policy edf --response-times"), "[54,102]");
    assert_eq!(times("--policy density"), "null");

    let text = run_with("test - --sms 1 --interference none --policy dm", set).stdout;
    assert!(text.contains("response") && text.contains("118ns"), "{text}");
    assert!(text.contains("block") && !text.contains("  J  "), "{text}");
    let plan = run_with("partition - --sms 1 --interference none --policy dm", set).stdout;
    assert!(plan.contains("response") && plan.contains("118ns"), "{plan}");
    let refused = run_with("test - --sms 1 --policy np-edf --response-times", set);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("--response-times: found --policy np-edf"),
        "{}",
        refused.stderr
    );
}
