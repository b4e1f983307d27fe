//! `gpusched predict` on the command line.

use std::fs;

use insta::assert_snapshot;

use crate::support::transcript::{Transcript, refusals};
use crate::support::{answer, gpusched, run, run_with};

#[test]
fn models_stand_beside_each_other() {
    let answer =
        run("predict tasksets/groups/masola23-experiment-4.json --model fluid,masola,masola-repaired,naive");
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    assert_snapshot!(answer.stdout);
    let windows = run("predict tasksets/groups/masola23-experiment-4.json --windows");
    assert!(windows.stdout.contains("165.00"), "{}", windows.stdout);
    assert_snapshot!(windows.stdout);
}

/// CSV output has one row per kernel, or per kernel and window, with equal times.
#[test]
fn csv_has_kernels_or_windows() {
    let groups = ["4", "7"].map(|number| {
        let path = crate::support::root().join(format!("tasksets/groups/masola23-experiment-{number}.json"));
        let group: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        group.to_string()
    });
    let two = groups.join("\n");
    let kernels = run_with("predict - --format csv --model fluid,naive", two.clone()).stdout;
    let lines: Vec<&str> = kernels.lines().collect();
    assert_eq!(
        lines[0],
        "group,model,kernel,sms,class,isolated_ns,bandwidth,predicted_ns,slowdown"
    );
    assert_eq!(lines.len(), 1 + 2 * (2 + 6));
    assert!(
        lines[1].starts_with("0,fluid,COPY,15,,") && lines[16].starts_with("1,naive,COPY,5,,"),
        "{kernels}"
    );
    let windows = run_with("predict - --format csv --windows", two).stdout;
    let sum: u64 = windows
        .lines()
        .filter(|line| line.starts_with("0,fluid,") && line.contains(",SAXPY,"))
        .map(|line| line.rsplit(',').next().unwrap().parse::<u64>().unwrap())
        .sum();
    let whole: u64 = lines[2].split(',').nth(7).unwrap().parse().unwrap();
    assert!(sum.abs_diff(whole) <= 2, "{sum} {whole}");
}

/// The output of `simulate profile` is a valid profile.
#[test]
fn profiles_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let profile = run(
        "simulate profile tasksets/kernels/programs/copyl.json --machine rtx2060 --sms 10..30:20 --cold --format csv",
    );
    assert_eq!(profile.code, 0, "{}", profile.stderr);
    file("copyl.csv", &profile.stdout);
    file("own.csv", "sms,time_us,bandwidth\n5,12.5,\n10,,100.5\n");
    file(
        "vadd.json",
        &fs::read_to_string(crate::support::root().join("tasksets/kernels/profiles/masola23/vadd.json"))
            .unwrap(),
    );
    file(
        "group.json",
        r#"{"kernels":[{"sms":10,"profile":"copyl.csv"},{"sms":10,"name":"mine","profile":"own.csv"},{"sms":5,"profile":"vadd.json"}]}"#,
    );
    let path = folder.path().join("group.json");
    let predict = |model: &str| {
        let answer = gpusched([
            "predict",
            path.to_str().unwrap(),
            "--format",
            "json",
            "--model",
            model,
        ])
        .output()
        .unwrap();
        (
            answer.status.code(),
            String::from_utf8(answer.stdout).unwrap(),
            String::from_utf8(answer.stderr).unwrap(),
        )
    };
    let (code, json, error) = predict("fluid");
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let kernels = &json["predictions"][0]["kernels"];
    let row = profile
        .stdout
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .collect::<Vec<_>>();
    assert_eq!(kernels[0]["isolated_ns"].to_string(), row[2]);
    assert_eq!(kernels[0]["isolated_measured"], true);
    assert!(kernels[0]["class"].is_string());
    assert_eq!(kernels[1]["kernel"], "mine");
    // The time is 12.5 us on 5 SMs at half of 100.5 GB/s.
    assert_eq!(
        (&kernels[1]["isolated_ns"], &kernels[1]["isolated_measured"]),
        (&6250.into(), &false.into())
    );
    // The profile from measured times has no counts.
    let (code, _, error) = predict("masola");
    assert_eq!(code, Some(2));
    assert!(
        error.contains("group.json:1: at kernels[1].profile: found a profile without `kai`"),
        "{error}"
    );
}

/// Whole nanoseconds can express 584 years. Longer times are rejected, not truncated.
#[test]
fn times_without_room_are_refused() {
    let group = |time: u64| {
        // On a sixth of the SMs, the kernel takes longer. The time in the profile is valid, but the predicted time
        // exceeds the limit.
        let kernel = format!(
            r#"{{"sms":5,"profile":{{"name":"k","kai":1,"points":[{{"sms":5,"bandwidth":50}},{{"sms":30,"time":{time},"bandwidth":300}}]}}}}"#
        );
        format!(r#"{{"kernels":[{kernel},{kernel}]}}"#)
    };
    let mut told = Transcript::default();
    for model in ["fluid", "masola", "masola-repaired", "naive"] {
        let line = format!("predict - --format json --model {model}");
        assert_eq!(run_with(&line, group(1_000_000)).code, 0);
        told.refusal(&line, &run_with(&line, group(9_000_000_000_000_000_000)));
    }
    assert_snapshot!(told);
}

#[test]
fn a_model_is_named_once() {
    let told = refusals(["predict tasksets/groups/masola23-experiment-4.json --model fluid,naive,fluid"]);
    assert_snapshot!(told);
}

#[test]
fn bad_profiles_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut told = Transcript::in_folder(folder.path());
    for (profile, csv) in [
        ("VAD", ""),
        ("none.json", ""),
        ("none.csv", ""),
        ("p.csv", "sms,time_ns\n5,10\n"),
        ("p.csv", "sms,bandwidth\n5,10\n"),
        ("p.csv", "sms,time_ns,time_us,bandwidth\n5,10,1,1\n"),
        ("p.csv", "sms,time_ns,bandwidth,x\n5,10,1,1\n"),
        ("p.csv", "sms,time_ns,bandwidth,estimate_rounds\n5,10,1,3\n"),
        ("p.csv", "sms,time_ns,bandwidth\n"),
        ("p.csv", "sms,time_ns,bandwidth\n5,10,1\n5,11,1\n"),
        ("p.csv", "sms,time_ns,bandwidth\n5,0,1\n"),
        ("p.csv", "sms,time_ns,bandwidth\n5,1,-1\n"),
        ("p.csv", "sms,time_ns,bandwidth\n5,1,nan\n"),
        ("p.csv", "sms,time_ns,l2_bytes_per_second\n5,1,1.5\n"),
        ("p.csv", "sms,time_ns,bandwidth\n-5,1,1\n"),
        (
            "p.csv",
            "sms,time_ns,bandwidth,thread_instructions,l2_accesses\n5,1,1,x,1\n",
        ),
    ] {
        fs::write(folder.path().join("p.csv"), csv).unwrap();
        let path = folder.path().join("group.json");
        fs::write(
            &path,
            format!(r#"{{"kernels":[{{"sms":5,"profile":"{profile}"}}]}}"#),
        )
        .unwrap();
        let output = folder.path().join("out.json");
        let mut command = gpusched(["predict", path.to_str().unwrap(), "-o", output.to_str().unwrap()]);
        told.refusal(format!("{profile} {csv}"), &answer(&mut command));
        assert!(!output.exists());
    }
    for text in [
        r#"{"kernels":[{"sms":31,"profile":"VADD"}]}"#,
        r#"{"kernels":[{"sms":3,"profile":{"name":"k","points":[{"sms":0,"time":1}]}}]}"#,
    ] {
        told.refusal(text, &run_with("predict -", text));
    }
    assert_snapshot!(told);
}
