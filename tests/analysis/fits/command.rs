//! `gpusched wcet fit`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::transcript::{Transcript, refusals};
use crate::support::{answer, files, gpusched, root, run, run_with};

const STENCIL: &str = "tasksets/measurements/stencil.csv";

fn json(line: &str) -> Value {
    let answer = run(&format!("{line} --quiet"));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{line}");
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn the_answer_goes_into_a_task_set() {
    for form in ["envelope", "table"] {
        let fit = json(&format!("wcet fit {STENCIL} --form {form} --format json"));
        let set = run(&format!("wcet fit {STENCIL} --form {form} --period 60ms")).stdout;
        assert_eq!(
            fit["wcet_source"],
            if form == "table" { "measured" } else { "fitted" }
        );
        let task = json!({"period": 60_000_000, "wcet_source": fit["wcet_source"], "wcet": fit["wcet"]});
        assert_eq!(
            serde_json::from_str::<Value>(&set).unwrap(),
            json!({"tasks": [task]})
        );
        let tested = run_with("test - --sms 16 --format json", set);
        assert_eq!(tested.code, 0, "{}", tested.stderr);
        // The last line, for pasting, agrees with the JSON output.
        let text = run(&format!("wcet fit {STENCIL} --form {form}")).stdout;
        let pasted: Value = serde_json::from_str(&format!("{{{}}}", text.lines().last().unwrap())).unwrap();
        assert_eq!(
            pasted,
            json!({"wcet_source": fit["wcet_source"], "wcet": fit["wcet"]})
        );
    }
}

/// A task set has no WCET on SM counts that were not measured. (a/m + b gives 58.7 us on one SM, where the kernel takes
/// 59.8 us.)
#[test]
fn task_sets_extrapolate_nothing() {
    let points = "sms,time_us\n5,13.6\n6,12.1\n";
    let fit = |options: &str| run_with(&format!("wcet fit - --period 1ms -q {options}"), points).stdout;
    assert_eq!(fit(""), fit("--form table"));
    assert_ne!(fit(""), fit("--form envelope"));
    let plan = run_with("partition - --sms 30 --format json", fit("")).stdout;
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["sms_used"], 5, "{plan}");
    assert_eq!(run_with("partition - --sms 4", fit("")).code, 1);
}

/// If 448 GB/s were read as 448 bytes per second, every kernel would be memory-intensive.
#[test]
fn the_bandwidth_of_a_gpu_is_in_bytes_per_second() {
    let csv = "sms,time_us,bandwidth,gpu_sms,gpu_bytes_per_second\n1,100,10,16,448\n16,60,20,16,448\n";
    let answer = run_with("wcet fit -", csv);
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""));
    assert!(
        answer
            .stderr
            .contains("expected the nominal bandwidth of the GPU in bytes per second, at least 10^9"),
        "{answer:?}"
    );
}

#[test]
fn every_point_is_covered() {
    for form in ["envelope", "table"] {
        let fit = json(&format!("wcet fit {STENCIL} --form {form} --format json"));
        assert_eq!(
            (&fit["saturation_sms"], &fit["largest_sms"]),
            (&json!(10), &json!(16))
        );
        let text = std::fs::read_to_string(root().join(STENCIL)).unwrap();
        let mut rows = 0;
        for row in text.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let points = fit[cells[2]]["points"].as_array().unwrap();
            let point = points
                .iter()
                .find(|point| point["sms"].as_u64() == cells[0].parse().ok())
                .unwrap();
            assert!(
                point["wcet_ns"].as_u64().unwrap() >= 1000 * cells[1].parse::<u64>().unwrap(),
                "{row}"
            );
            rows += 1;
        }
        assert_eq!(rows, 54);
    }
}

#[test]
fn answers_follow_the_schema() {
    let schema = json("schema wcet-fit");
    let validator = crate::support::schema::validator_for(&schema);
    for form in ["envelope", "table"] {
        let fit = json(&format!("wcet fit {STENCIL} --form {form} --format json"));
        let errors: Vec<String> = validator.errors(&fit);
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn curves_and_figures() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, svg) = (folder.path().join("curve.csv"), folder.path().join("curve.svg"));
    let command = ["wcet", "fit", STENCIL, "-o"]
        .map(std::ffi::OsStr::new)
        .into_iter();
    let done = answer(&mut gpusched(command.chain([
        csv.as_os_str(),
        "--svg".as_ref(),
        svg.as_os_str(),
    ])));
    assert_eq!((done.code, done.stdout.as_str()), (0, ""), "{}", done.stderr);
    let text = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(text.lines().count(), 19);
    assert!(text.starts_with(
        "contention,sms,measurements,longest_ns,monotone_ns,wcet_ns,least_squares_ns,speed_up\n"
    ));
    let figure = std::fs::read_to_string(&svg).unwrap();
    assert!(
        figure.starts_with("<svg ")
            && figure.contains("conflict")
            && figure.contains("Speed-up")
            && figure.contains("SMs")
    );
    let again = folder.path().join("again.svg");
    let plot = [
        "plot",
        csv.to_str().unwrap(),
        "--x",
        "sms",
        "--y",
        "wcet_ns",
        "--series",
        "contention",
        "-o",
    ];
    assert_eq!(answer(gpusched(plot).arg(&again)).code, 0);
}

#[test]
fn units_are_exact() {
    let wcet = |text: &str| {
        let answer = run_with("wcet fit - --form table --format json", text);
        let fit: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
        fit["wcet"]["table"].clone()
    };
    let expected = json!([[1, 300_000_000], [2, 123_456_789]]);
    assert_eq!(wcet("sms,time_ns\n1,300000000\n2,123456789\n"), expected);
    assert_eq!(wcet("time_us,sms\n300000,1\n123456.789,2\n"), expected);
    assert_eq!(
        wcet("sms,time_ms\r\n 2 , 123.456789\r\n1,0.3\r\n1,300\r\n"),
        expected
    );
    assert_eq!(
        wcet("contention,sms,time_s\nisolated,1,0.3\nisolated,2,0.123456789\n"),
        expected
    );
    // The measured time in conflict is shorter, so it is raised.
    let raised = wcet("sms,time_ns,contention\n1,50,isolated\n1,40,conflict\n2,60,conflict\n");
    assert_eq!(
        raised,
        json!({"isolated": [[1, 50]], "conflict": [[1, 60], [2, 60]]})
    );
}

#[test]
fn bad_points_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.csv");
    let mut told = Transcript::in_folder(folder.path());
    for text in [
        "",
        "sms,time_ns\n",
        "sms\n1\n",
        "time_ns\n1\n",
        "sms,time_ns,time_us\n1,2,3\n",
        "sms,time_ns,clock\n1,2,3\n",
        "sms,time_ns\n1,2\n0,2\n",
        "sms,time_ns\n1,2\n65537,2\n",
        "sms,time_ns\n1.5,2\n",
        "sms,time_ns\n-1,2\n",
        "sms,time_ns\n,2\n",
        "sms,time_us\n1,0\n",
        "sms,time_us\n1,-3\n",
        "sms,time_us\n1,NaN\n",
        "sms,time_us\n1,inf\n",
        "sms,time_us\n1,1e3\n",
        "sms,time_us\n1,5ms\n",
        "sms,time_us\n1,0.0001\n",
        "sms,time_s\n1,9223372037\n",
        "sms,time_us\n1,\n",
        "sms,time_ns,contention\n1,2,alone\n",
        "sms,time_ns,contention\n1,2,conflict\n",
        "sms,time_ns\n1,2,3\n",
        "sms,time_ns\n4,2\n4,3\n",
        "sms,time_ns,contention\n4,2,isolated\n5,2,isolated\n4,3,conflict\n",
        "sms,time_ns\n1,2\n2,\u{1b}[31m\n",
        "sms,time_ns,bandwidth,gpu_sms\n1,2,3,1\n",
        "sms,time_ns,gpu_sms,gpu_bytes_per_second\n1,2,0,1\n",
        "sms,time_ns,gpu_sms,gpu_bytes_per_second\n1,2,1,0\n",
        "sms,time_ns,gpu_sms,gpu_bytes_per_second\n1,2,2,5000000000\n2,2,3,5000000000\n",
        "sms,time_ns,bandwidth,gpu_sms,gpu_bytes_per_second\n1,2,fast,1,5000000000\n",
        "sms,time_ns,bandwidth,l2_bytes_per_second\n1,2,3,4\n",
        "sms,time_ns,traffic_bytes\n1,2,-1\n",
    ] {
        std::fs::write(&path, text).unwrap();
        let command = || gpusched(["wcet", "fit", path.to_str().unwrap()]);
        let refused = answer(&mut command());
        told.refusal(text, &refused);
        assert!(!refused.stderr.contains('\u{1b}'), "{text:?}");
        let to_file = answer(command().arg("-o").arg(folder.path().join("out.json")));
        assert_eq!(to_file, refused, "{text:?}");
        assert_eq!(files(folder.path()).len(), 1, "{text:?}");
    }
    let not_utf8 = run_with("wcet fit -", b"sms,time_ns\n1,\xff\n".to_vec());
    told.refusal("not UTF-8", &not_utf8);
    assert_snapshot!(told);
}

#[test]
fn bad_usage_is_refused() {
    let told = refusals([
        "wcet fit tasksets/measurements/stencil.csv --epsilon 0",
        "wcet fit tasksets/measurements/stencil.csv --epsilon 0.25",
        "wcet fit tasksets/measurements/stencil.csv --epsilon NaN",
        "wcet fit tasksets/measurements/stencil.csv --form affine",
        "wcet fit tasksets/measurements/stencil.csv --svg speed-up.png",
        "wcet fit tasksets/measurements/stencil.csv --svg missing/speed-up.svg",
        "wcet fit tasksets/measurements/stencil.csv -o missing/curve.csv",
        "wcet fit missing.csv",
        "wcet fit tasksets/measurements/stencil.csv --period 0",
        "wcet fit tasksets/measurements/stencil.csv --period 60ms --format csv",
    ]);
    assert_snapshot!(told);
    assert_eq!(run("wcet").code, 2);
}

/// A number at the end of a truncated file could be a WCET that is too small.
#[test]
fn a_file_that_was_cut_off_is_refused() {
    let whole = "sms,contention,time_ms\n1,isolated,30\n2,isolated,17\n4,isolated,10\n";
    assert_eq!(run_with("wcet fit -", whole).code, 0);
    let mut told = Transcript::default();
    for cut in [1, 2] {
        let text = &whole[..whole.len() - cut];
        told.refusal(text, &run_with("wcet fit -", text));
    }
    assert_snapshot!(told);
    let last_is_a_word = "sms,time_ms,contention\n1,30,isolated\n2,17,isolated";
    assert_eq!(run_with("wcet fit -", last_is_a_word).code, 0);
}

/// A note names missing measurements, unless notes are disabled.
#[test]
fn what_was_not_measured_is_said() {
    let rows = "sms,time_ms,contention\n4,30,isolated\n8,17,isolated\n";
    let swapped = format!("{rows}4,9,conflict\n8,5,conflict\n");
    let mut told = Transcript::default();
    for text in [rows, swapped.as_str()] {
        let answer = run_with("wcet fit - --format json", text);
        assert_eq!(answer.code, 0, "{answer:?}");
        told.case(text, &answer.stderr);
        let quiet = run_with("wcet fit - --format json --quiet", text);
        assert_eq!((quiet.stdout, quiet.stderr.as_str()), (answer.stdout, ""));
    }
    assert_snapshot!(told);
    let table = run_with("wcet fit - --form table", rows);
    assert!(!table.stderr.contains("extrapolated"), "{table:?}");
}
